import { loadPeer } from '../harness/loadPeer.js';
import { INSTRUCTIONS, RESULT, TASK, TOOL, type MakeLoop } from './loop.js';

interface Langgraph {
  createReactAgent: (options: object) => { invoke: (input: object, options: object) => Promise<unknown> };
}
interface ChatModels {
  BaseChatModel: new (fields: object) => object;
}
interface Messages {
  AIMessage: new (fields: object) => object;
}
interface Tools {
  tool: (run: () => Promise<string>, fields: object) => unknown;
}
interface Zod {
  z: { object: (shape: object) => unknown; number: () => { int: () => unknown } };
}

export const langgraph: MakeLoop = async () => {
  const { createReactAgent } = (await loadPeer('@langchain/langgraph/prebuilt')) as Langgraph;
  const { BaseChatModel } = (await loadPeer('@langchain/core/language_models/chat_models')) as ChatModels;
  const { AIMessage } = (await loadPeer('@langchain/core/messages')) as Messages;
  const { tool } = (await loadPeer('@langchain/core/tools')) as Tools;
  const { z } = (await loadPeer('zod')) as Zod;

  class Notes extends BaseChatModel {
    #turn = 0;
    readonly #turns: number;

    constructor(turns: number) {
      super({});
      this.#turns = turns;
    }

    _llmType(): string {
      return 'notes';
    }

    bindTools(): this {
      return this;
    }

    async _generate(): Promise<object> {
      const n = this.#turn++;
      const calls = n < this.#turns ? [{ id: `call_${n}`, name: TOOL, args: { n }, type: 'tool_call' }] : [];
      const text = n < this.#turns ? '' : 'done';
      return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: calls }) }] };
    }
  }

  return async (turns, onTurn) => {
    const note = tool(
      async () => {
        onTurn();
        return RESULT;
      },
      { name: TOOL, description: 'Takes a note.', schema: z.object({ n: z.number().int() }) },
    );
    const agent = createReactAgent({ llm: new Notes(turns), tools: [note], prompt: INSTRUCTIONS });
    const messages = [{ role: 'user', content: TASK }];
    await agent.invoke({ messages }, { recursionLimit: 2 * turns + 10 });
  };
};
