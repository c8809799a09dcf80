/**
 * Runs one agent for so many turns: in each, a model that takes no time calls the tool `note` with `{ n }`, and at the
 * end it says `done`. The tool tells `onTurn` and answers with `RESULT`.
 */
export type Loop = (turns: number, onTurn: () => void) => Promise<void>;

/** Makes a loop ready; rejects where its package is not installed. */
export type MakeLoop = () => Promise<Loop>;

export const TOOL = 'note';
export const TASK = 'Take notes of everything.';
export const INSTRUCTIONS = 'You take notes.';
export const RESULT = 'Noted: the cucumbers are pickled, the jar is closed, the label says when. '.repeat(3);

/** Nothing but a loop: the limit. */
export const bare: MakeLoop = async () => async (turns, onTurn) => {
  const messages: object[] = [{ role: 'user', content: TASK }];
  const ask = async (turn: number) => ({
    role: 'assistant',
    tool_calls: [{ id: `call_${turn}`, function: { name: TOOL, arguments: `{"n":${turn}}` } }],
  });
  for (let turn = 0; turn < turns; turn++) {
    const answer = await ask(turn);
    messages.push(answer);
    for (const call of answer.tool_calls) {
      JSON.parse(call.function.arguments);
      onTurn();
      messages.push({ role: 'tool', tool_call_id: call.id, content: await Promise.resolve(RESULT) });
    }
  }
};
