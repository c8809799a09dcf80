import { jsonText } from '../query/numbers/jsonText.js';
import { rawArgumentsOf } from '../query/numbers/toolCalls.js';

/** Arguments as indented JSON, or as the model wrote them where that is not JSON. */
export function readableArguments(input: unknown): string {
  const raw = rawArgumentsOf(input);
  try {
    return jsonText(JSON.parse(raw), 2);
  } catch {
    // Models do write arguments that are not JSON: shown as they are.
    return raw;
  }
}
