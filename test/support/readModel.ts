import type { ChatMessage } from '../../src/core/message.js';
import type { Usage } from '../../src/core/usage.js';
import type { FinishReason, Model, ModelFailure, ModelRequest } from '../../src/core/ports/model.js';

/** Everything that one request to a model gave. */
export interface Heard {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  usage?: Usage;
  finish?: FinishReason;
  error?: ModelFailure;
  /** How many events came in all. */
  events: number;
}

/** Asks a model once and gathers what it says. */
export async function hear(model: Model, request: Partial<ModelRequest> = {}): Promise<Heard> {
  const heard: Heard = { text: '', reasoning: '', calls: [], events: 0 };
  const messages: readonly ChatMessage[] = [{ role: 'user', content: 'hi' }];
  const signal = new AbortController().signal;
  for await (const event of model.stream({ messages, tools: [], agent: 'Pickle', signal, ...request })) {
    heard.events++;
    switch (event.type) {
      case 'text':
        heard.text += event.text;
        break;
      case 'reasoning':
        heard.reasoning += event.text;
        break;
      case 'toolCall': {
        const call = (heard.calls[event.index] ??= { id: '', name: '', arguments: '' });
        call.id += event.id ?? '';
        call.name += event.name ?? '';
        call.arguments += event.arguments ?? '';
        break;
      }
      case 'reasoningDetails':
        break;
      case 'usage':
        heard.usage = event.usage;
        break;
      case 'end':
        heard.finish = event.finishReason;
        break;
      case 'error':
        heard.error = event.error;
    }
  }
  return heard;
}
