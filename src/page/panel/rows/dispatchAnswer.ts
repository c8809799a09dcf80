import { textOr } from '../../../query/numbers/values.js';
import { isObject } from '../../../core/message.js';

/** The answer to a dispatch for a person, and the session in which the other agent can be asked again. */
export interface DispatchAnswer {
  readonly text: string;
  readonly session?: string;
}

/** The longest text that is parsed as a whole, in UTF-16 code units; of a longer one only the beginning is unwrapped. */
const MAX_PARSED = 4_000_000;

const BEGINNING = /^\s*\{\s*"(?:result|error)"\s*:\s*"/;

/** Unwraps the answer from the object that `subagent_dispatch` gives to the model; any other text is the answer. */
export function dispatchAnswer(content: string): DispatchAnswer {
  if (!content.trimStart().startsWith('{')) return { text: content };
  const told = content.length <= MAX_PARSED ? parsed(content) : undefined;
  const text = told?.result ?? told?.error;
  if (typeof text === 'string') {
    const session = textOr(told?.session_id);
    return { text, ...(session !== '' && { session }) };
  }
  const beginning = BEGINNING.exec(content);
  return { text: (beginning && unescaped(content.slice(beginning[0].length))) ?? content };
}

function parsed(content: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // cut, or no JSON at all: both are looked at as texts
  }
}

/** Decodes a JSON string whose end is missing, as far as it goes. */
function unescaped(text: string): string | undefined {
  const whole = /^(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/u.exec(text)?.[0] ?? '';
  try {
    return JSON.parse(`"${whole}"`) as string;
  } catch {
    return undefined; // the text is shown as it is
  }
}
