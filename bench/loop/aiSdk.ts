import { loadPeer } from '../harness/loadPeer.js';
import { INSTRUCTIONS, RESULT, TASK, TOOL, type MakeLoop } from './loop.js';

interface Ai {
  generateText: (options: object) => Promise<unknown>;
  stepCountIs: (steps: number) => unknown;
  tool: (definition: object) => unknown;
}
interface AiTest {
  MockLanguageModelV3: new (options: { doGenerate: () => Promise<object> }) => unknown;
}
interface Zod {
  z: { object: (shape: object) => unknown; number: () => { int: () => unknown } };
}

const count = (total: number) => ({ total, noCache: total, cacheRead: 0, cacheWrite: 0 });
const usage = { inputTokens: count(100), outputTokens: { total: 10, text: 10, reasoning: 0 } };

export const aiSdk: MakeLoop = async () => {
  const { generateText, stepCountIs, tool } = (await loadPeer('ai')) as Ai;
  const { MockLanguageModelV3 } = (await loadPeer('ai/test')) as AiTest;
  const { z } = (await loadPeer('zod')) as Zod;
  return async (turns, onTurn) => {
    let turn = 0;
    const model = new MockLanguageModelV3({
      doGenerate: async () => {
        const n = turn++;
        const call = { type: 'tool-call', toolCallId: `call_${n}`, toolName: TOOL, input: `{"n":${n}}` };
        const unified = n < turns ? 'tool-calls' : 'stop';
        return {
          content: [n < turns ? call : { type: 'text', text: 'done' }],
          finishReason: { unified, raw: unified },
          usage,
          warnings: [],
        };
      },
    });
    const note = tool({
      description: 'Takes a note.',
      inputSchema: z.object({ n: z.number().int() }),
      execute: async () => {
        onTurn();
        return RESULT;
      },
    });
    const tools = { [TOOL]: note };
    await generateText({
      model,
      system: INSTRUCTIONS,
      prompt: TASK,
      tools,
      stopWhen: stepCountIs(turns + 2),
    });
  };
};
