import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { replayRun } from '../../../src/app/team/replayRun.js';
import { FOREIGN } from '../../../src/app/transcripts/forks.js';
import { textOf, type ChatMessage } from '../../../src/core/message.js';
import type { Model, ModelEvent, ModelRequest } from '../../../src/core/ports/model.js';
import { isMessageRecord, type LogRecord } from '../../../src/core/record.js';
import { restoredRecords } from '../../../src/store/read/restoredRecords.js';
import { anApplication } from '../../support/appHost.js';
import { someOf } from '../../support/fixedInputs.js';

const cook = agentDefinition({ name: 'Cook', instructions: 'You cook.' });
const baker = agentDefinition({ name: 'Baker', instructions: 'You bake.' });

/** How many calls the model makes before it answers. */
const CALLS = 25;

/** A model that looks into a folder again and again, and says at last what it was asked; it keeps all that it was asked. */
class LookingModel implements Model {
  readonly id = 'looking';
  readonly label = 'Looking';
  readonly kind = 'http';
  readonly endpoint = 'kitchen';
  readonly asked: ModelRequest[] = [];
  calls: number;
  readonly #atOnce: number;

  constructor(calls = CALLS, atOnce = 1) {
    this.calls = calls;
    this.#atOnce = atOnce;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    this.asked.push({ ...request, messages: [...request.messages] });
    const done = request.messages.filter(({ role }) => role === 'assistant').length;
    const last = request.messages.findLast(({ role }) => role === 'user');
    await Promise.resolve();
    if (done < this.calls) {
      for (let index = 0; index < this.#atOnce; index++) {
        yield { type: 'toolCall', index, id: `look${done}_${index}`, name: 'list_files' };
        yield { type: 'toolCall', index, arguments: JSON.stringify({ path: done % 2 ? '.' : './' }) };
      }
      yield { type: 'end', finishReason: 'tool_calls' };
      return;
    }
    yield { type: 'text', text: `Done: ${textOf(last?.content)}` };
    yield { type: 'end', finishReason: 'stop' };
  }
}

/** An application whose agents have run once, and what was recorded. */
async function recorded(model = new LookingModel()) {
  const application = await anApplication({
    agents: [cook, baker],
    model,
    settings: { model: model.id, 'limits.maxRepetitions': 1_000 } as never,
  });
  onTestFinished(() => application.stores.close());
  const first = await application.runs.start({ agent: cook, prompt: 'Look!' });
  await first.done;
  const { conversation } = first;
  const recordsOf = async (id: string) => {
    const { store } = await application.stores.find(id);
    const transcript = await store.openTranscript(id);
    try {
      const all: LogRecord[] = [];
      for await (const record of restoredRecords(transcript)) all.push(record as LogRecord);
      return all;
    } finally {
      await transcript.close();
    }
  };
  const messagesOf = async (id: string) => (await recordsOf(id)).filter(isMessageRecord);
  const bytes = () =>
    readFile(join(application.path, '.agent-logbook/conversations', conversation, 'messages.jsonl'));
  const replayed = async (id: string) => {
    const { store } = await application.stores.find(id);
    const transcript = await store.openTranscript(id);
    try {
      return await replayRun(transcript, { openOrigin: (other) => store.openTranscript(other) });
    } finally {
      await transcript.close();
    }
  };
  return { ...application, model, conversation, recordsOf, messagesOf, replayed, bytes };
}

/** What of a message a model is asked with. */
const sent = ({ role, content, tool_calls, tool_call_id }: ChatMessage) => [
  role,
  textOf(content),
  (tool_calls ?? []).map(({ id }) => id),
  tool_call_id,
];

test('from each message of a run another one goes on, with all before it, and the run stays byte for byte', async () => {
  const { runs, model, conversation, messagesOf, bytes } = await recorded();
  const messages = await messagesOf(conversation);
  expect(messages).toHaveLength(2 + 2 * CALLS + 1);
  const before = await bytes();
  model.calls = 0;
  const whole = messages.map(({ message }) => sent(message));
  for (const [at, { seq, message }] of someOf([...messages.entries()].slice(1), 12)) {
    model.asked.length = 0;
    const prompt = at === messages.length - 1 ? 'And now?' : '';
    const { conversation: id, done } = await runs.start({ prompt, from: { conversation, seq } });
    expect(await done).toMatchObject({ outcome: 'done' });
    expect(id).not.toBe(conversation);
    const [first] = model.asked;
    const asked = first?.messages.map(sent) ?? [];
    expect(asked.slice(0, at + 1)).toEqual(whole.slice(0, at + 1));
    // Behind a message with a call comes what the call answers now.
    expect(asked).toHaveLength(at + 1 + (message.tool_calls || prompt !== '' ? 1 : 0));
  }
  expect(await bytes()).toEqual(before);
});

test('what stands before is not stored again, and the conversation that goes on can be continued and gone on from', async () => {
  const { runs, model, conversation, messagesOf, recordsOf, replayed } = await recorded(new LookingModel(4));
  const messages = await messagesOf(conversation);
  const { seq = 0 } = messages[5] ?? {};
  const fork = await runs.start({ prompt: 'Stop looking.', from: { conversation, seq } });
  await fork.done;
  const [start, ...rest] = await recordsOf(fork.conversation);
  expect(start).toMatchObject({ type: 'callStart', from: { conversation, seq } });
  expect(rest.filter(isMessageRecord)[0]?.message).toMatchObject({ role: 'user', content: 'Stop looking.' });
  model.asked.length = 0;
  await (
    await runs.start({ conversation: fork.conversation, prompt: 'More!' })
  ).done;
  const asked = model.asked[0]?.messages.map(sent) ?? [];
  const own = (await messagesOf(fork.conversation)).map(({ message }) => sent(message));
  const expected = [...messages.slice(0, 6).map(({ message }) => sent(message)), ...own];
  expect(asked).toEqual(expected.slice(0, -1));
  const [second] = (await messagesOf(fork.conversation)).filter(({ message }) => message.role === 'tool');
  model.asked.length = 0;
  const from = { conversation: fork.conversation, seq: second?.seq ?? 0, text: 'Nothing is there.' };
  const third = await runs.start({ prompt: '', from });
  await third.done;
  const heard = model.asked[0]?.messages.map(sent) ?? [];
  expect(heard.slice(0, 6)).toEqual(messages.slice(0, 6).map(({ message }) => sent(message)));
  expect(heard.at(-1)?.[1]).toBe('Nothing is there.');
  expect((await messagesOf(third.conversation))[0]).toMatchObject({ edited: true, toolName: 'list_files' });
  const failing = await runs.start({ prompt: '', from: { ...from, text: 'No disk.', isError: true } });
  await failing.done;
  expect((await messagesOf(failing.conversation))[0]).toMatchObject({ edited: true, isError: true });
  for (const { conversation: id } of [fork, third, failing])
    expect(await replayed(id)).toMatchObject({ exact: true });
});

test('at a prompt another one takes its place; agent, answer and result may be others', async () => {
  const { runs, model, conversation, messagesOf, replayed } = await recorded(new LookingModel(1));
  const [, prompt, call, result, answer] = await messagesOf(conversation);
  const goOn = async (
    seq: number | undefined,
    what: { prompt?: string; text?: string; agent?: typeof cook },
  ) => {
    model.asked.length = 0;
    const { prompt: says = '', text, agent } = what;
    const from = { conversation, seq: seq ?? 0, ...(text !== undefined && { text }) };
    const run = await runs.start({ prompt: says, from, ...(agent && { agent }) });
    await run.done;
    expect(await replayed(run.conversation)).toMatchObject({ exact: true });
    return { asked: model.asked[0]?.messages.map(sent) ?? [], id: run.conversation };
  };
  expect((await goOn(prompt?.seq, { prompt: 'Bake!' })).asked.map(([, text]) => text)).toEqual([
    'You cook.',
    'Bake!',
  ]);
  const baked = await goOn(result?.seq, { agent: baker });
  expect(baked.asked[0]).toEqual(['system', 'You bake.', [], undefined]);
  expect(baked.asked.at(-1)?.[0]).toBe('tool');
  const other = await goOn(answer?.seq, { text: 'Not done.', prompt: 'Why?' });
  expect(other.asked.slice(-2).map(([, text]) => text)).toEqual(['Not done.', 'Why?']);
  const said = await goOn(call?.seq, { prompt: 'No, wait.' });
  expect(said.asked.at(-1)?.[1]).toBe('No, wait.');
  expect(said.asked.at(-2)).toEqual([
    'tool',
    expect.stringContaining('never run') as string,
    [],
    call?.message.tool_calls?.[0]?.id,
  ]);
  await expect(goOn(answer?.seq, {})).rejects.toThrow('is an answer: say what comes next');
  await expect(goOn(1, { prompt: 'x' })).rejects.toThrow('Record 1 is no message');
  await expect(goOn(999, { prompt: 'x' })).rejects.toThrow('There is no record 999');
});

test('what the other calls of the same message answered stands before, too', async () => {
  const { runs, model, conversation, messagesOf } = await recorded(new LookingModel(1, 3));
  const results = (await messagesOf(conversation)).filter(({ message }) => message.role === 'tool');
  expect(results).toHaveLength(3);
  const [first, , last] = results;
  for (const text of [undefined, 'Empty.']) {
    model.asked.length = 0;
    const from = { conversation, seq: first?.seq ?? 0, ...(text !== undefined && { text }) };
    const run = await runs.start({ prompt: '', from });
    await run.done;
    const heard = model.asked[0]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(heard.map((each) => each.tool_call_id).sort()).toEqual(['look0_0', 'look0_1', 'look0_2']);
    expect(heard.every(({ content }) => !textOf(content).includes('never run'))).toBe(true);
    const start = (await messagesOf(run.conversation))[0];
    expect(start).toMatchObject(text === undefined ? { message: { role: 'assistant' } } : { edited: true });
  }
  expect(last?.seq).toBeGreaterThan(first?.seq ?? Infinity);
});

test('where the origin is gone, and from what others have recorded, nothing goes on', async () => {
  const { runs, conversation, messagesOf, stores } = await recorded(new LookingModel(1));
  const seq = (await messagesOf(conversation)).at(-1)?.seq ?? 0;
  const fork = await runs.start({ prompt: 'More.', from: { conversation, seq } });
  await fork.done;
  const { store } = await stores.find(conversation);
  await store.deleteConversation(conversation);
  await expect(runs.start({ conversation: fork.conversation, prompt: 'x' })).rejects.toThrow(
    'goes on from is not there any more',
  );
  const message = { role: 'user' as const, content: 'hello' };
  const place = { run: 'r', call: 'c', agent: 'Cook', depth: 0, conversation: 'theirs', time: 1 };
  await store.importConversation('theirs', [{ seq: 1, id: 'm1', ...place, type: 'message', message }]);
  await expect(runs.start({ prompt: 'x', from: { conversation: 'theirs', seq: 1 } })).rejects.toThrow(
    FOREIGN.english,
  );
});
