import type { ModelFailure } from '../../ports/model.js';
import { words, type PlainText } from '../text/plainText.js';

/** What an endpoint answered when it was asked for its models; undefined where it was not asked. */
type Answer = readonly string[] | ModelFailure | undefined;

/** What is wrong with an address, as far as its answer tells; undefined where something answers there. */
export function addressProblem(answer: Answer): PlainText | undefined {
  if (!answer || !('code' in answer)) return undefined;
  // Who is refused for want of a key, or does not list models, has reached a server.
  if (answer.code !== 'network' && answer.code !== 'redirect') return undefined;
  return words`${answer.message} Correct the address, or press Enter again to use it as it is.`;
}

/** What is wrong with a key, as far as the answer tells; undefined where the endpoint did not refuse it. */
export function keyProblem(answer: Answer, key: string): PlainText | undefined {
  if (!answer || !('code' in answer) || answer.code !== 'auth') return undefined;
  return key === ''
    ? words`It wants a key. (${answer.message}) Enter one, or press Enter again to go on without.`
    : words`It refuses this key. (${answer.message}) Correct it, or press Enter again to keep it.`;
}
