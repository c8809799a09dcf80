import { isObject } from '../../../core/message.js';
import { copilotCliHint } from '../copilotCli/copilotCliHint.js';
import { parts, fields, text, type Fields, type SessionHint } from '../hint.js';

/** A session, one of its requests, a line of a log of changes, whose first holds the session, or an event of Copilot's log. */
export function vscodeChatHint(value: Fields): SessionHint | undefined {
  if (value.kind === 0 && isObject(value.v)) {
    const begun = fields(value.v);
    const all = parts(begun.requests).map(vscodeChatHint);
    const first = all.find((each) => each?.prompt !== undefined);
    return { ...sessionOfVscode(begun), ...all.at(-1), prompt: first?.prompt, messages: all.length * 2 };
  }
  if (value.kind === 2 && Array.isArray(value.v) && lastKey(value) === 'requests') {
    const added = parts(value.v).map(vscodeChatHint);
    return { ...added.at(-1), prompt: added[0]?.prompt, messages: added.length * 2 };
  }
  if (value.kind === 1 && lastKey(value) === 'customTitle') return { named: text(value.v) };
  if (isObject(value.data)) return copilotCliHint(value);
  if ('requests' in value) return sessionOfVscode(value);
  if (!isObject(value.message) || !('requestId' in value)) return undefined;
  const { errorDetails } = fields(value.result);
  const end = errorDetails !== undefined ? 'error' : value.result !== undefined ? 'answer' : 'prompt';
  return { prompt: text(value.message.text), model: modelOf(value.modelId), messages: 2, end };
}

function sessionOfVscode({ customTitle, responderUsername }: Fields): SessionHint {
  return { named: text(customTitle), agent: text(responderUsername) };
}

function lastKey({ k }: Fields): unknown {
  return Array.isArray(k) ? (k.at(-1) as unknown) : undefined;
}

/** A model's id without its vendor, as in `copilot/gpt-5`. */
function modelOf(id: unknown): string | undefined {
  return text(id)?.replace(/^[\w.-]+\//, '');
}
