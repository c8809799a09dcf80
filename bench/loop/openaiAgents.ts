import { loadPeer } from '../harness/loadPeer.js';
import { INSTRUCTIONS, RESULT, TASK, TOOL, type MakeLoop } from './loop.js';

interface Agents {
  Agent: new (options: object) => unknown;
  Usage: new (usage: object) => unknown;
  run: (agent: unknown, input: string, options: object) => Promise<unknown>;
  setTracingDisabled: (disabled: boolean) => void;
  tool: (definition: object) => unknown;
}
interface Zod {
  z: { object: (shape: object) => unknown; number: () => { int: () => unknown } };
}

export const openaiAgents: MakeLoop = async () => {
  const { Agent, Usage, run, setTracingDisabled, tool } = (await loadPeer('@openai/agents')) as Agents;
  const { z } = (await loadPeer('zod')) as Zod;
  setTracingDisabled(true);
  return async (turns, onTurn) => {
    let turn = 0;
    const model = {
      getResponse: async () => {
        const n = turn++;
        const call = { type: 'function_call', callId: `call_${n}`, name: TOOL, arguments: `{"n":${n}}` };
        const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
        const usage = new Usage({ requests: 1, inputTokens: 100, outputTokens: 10, totalTokens: 110 });
        return { usage, output: [{ ...(n < turns ? call : text), status: 'completed' }] };
      },
    };
    const note = tool({
      name: TOOL,
      description: 'Takes a note.',
      parameters: z.object({ n: z.number().int() }),
      execute: async () => {
        onTurn();
        return RESULT;
      },
    });
    const agent = new Agent({ name: 'Pickle', instructions: INSTRUCTIONS, model, tools: [note] });
    await run(agent, TASK, { maxTurns: turns + 2 });
  };
};
