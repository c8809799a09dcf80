import { loadPeer } from '../harness/loadPeer.js';
import { INSTRUCTIONS, RESULT, TASK, TOOL, type MakeLoop } from './loop.js';

interface Stream {
  push: (event: object) => void;
}
interface PiAi {
  createAssistantMessageEventStream: () => Stream;
  Type: { Object: (properties: object) => unknown; Integer: () => unknown };
}
interface PiAgentCore {
  Agent: new (options: object) => {
    prompt: (text: string) => Promise<void>;
    state: { errorMessage?: string };
  };
  runAgentLoop: (
    prompts: object[],
    context: object,
    config: object,
    emit: () => void,
    signal: AbortSignal,
    streamFn: () => Stream,
  ) => Promise<unknown>;
}

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110, cost };
const model = { id: 'notes', name: 'notes', api: 'bench', provider: 'bench', baseUrl: '', reasoning: false };

/** What both ways need: a model's answers, as a stream with its usual events, and the tool. */
async function makeParts() {
  const { createAssistantMessageEventStream, Type } = (await loadPeer('@mariozechner/pi-ai')) as PiAi;
  return (turns: number, onTurn: () => void) => {
    let turn = 0;
    const streamFn = (): Stream => {
      const n = turn++;
      const call = { type: 'toolCall', id: `call_${n}`, name: TOOL, arguments: { n } };
      const reason = n < turns ? 'toolUse' : 'stop';
      const message = {
        role: 'assistant',
        content: [n < turns ? call : { type: 'text', text: 'done' }],
        api: model.api,
        provider: model.provider,
        model: model.id,
        usage,
        stopReason: reason,
        timestamp: Date.now(),
      };
      const stream = createAssistantMessageEventStream();
      const place = { contentIndex: 0, partial: message };
      stream.push({ type: 'start', partial: message });
      if (n < turns) {
        stream.push({ type: 'toolcall_start', ...place });
        stream.push({ type: 'toolcall_delta', delta: `{"n":${n}}`, ...place });
        stream.push({ type: 'toolcall_end', toolCall: call, ...place });
      }
      stream.push({ type: 'done', reason, message });
      return stream;
    };
    const tool = {
      name: TOOL,
      label: TOOL,
      description: 'Takes a note.',
      parameters: Type.Object({ n: Type.Integer() }),
      execute: async () => {
        onTurn();
        return { content: [{ type: 'text', text: RESULT }], details: undefined };
      },
    };
    return { streamFn, tool };
  };
}

/** The agent with its state, without any file. */
export const piAgent: MakeLoop = async () => {
  const { Agent } = (await loadPeer('@mariozechner/pi-agent-core')) as PiAgentCore;
  const parts = await makeParts();
  return async (turns, onTurn) => {
    const { streamFn, tool } = parts(turns, onTurn);
    const initialState = { systemPrompt: INSTRUCTIONS, model, tools: [tool] };
    const agent = new Agent({ initialState, streamFn });
    await agent.prompt(TASK);
    if (agent.state.errorMessage !== undefined) throw new Error(agent.state.errorMessage);
  };
};

/** The loop inside of it alone. */
export const piLoop: MakeLoop = async () => {
  const { runAgentLoop } = (await loadPeer('@mariozechner/pi-agent-core')) as PiAgentCore;
  const parts = await makeParts();
  return async (turns, onTurn) => {
    const { streamFn, tool } = parts(turns, onTurn);
    const prompt = { role: 'user', content: TASK, timestamp: Date.now() };
    const context = { systemPrompt: INSTRUCTIONS, messages: [], tools: [tool] };
    const config = { model, convertToLlm: (messages: object[]) => messages };
    const { signal } = new AbortController();
    await runAgentLoop([prompt], context, config, () => undefined, signal, streamFn);
  };
};
