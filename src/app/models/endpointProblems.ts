import { preview } from '../../core/text.js';
import type { ModelFailure } from '../../core/ports/model.js';
import { words, type PlainText } from '../text/plainText.js';

/** What an endpoint answered when it was asked for its models; undefined where it was not asked. */
type Answer = readonly string[] | ModelFailure | undefined;

/** Failures of a server that would list its models if it knew who asks, or had the time. */
const REACHED: ReadonlySet<string> = new Set(['auth', 'quota', 'rateLimit']);

/** How much of a server's own words is said, in code points: what to do about them must still fit into the line. */
const SAID = 150;

/** What is wrong with the base of an address, as far as its answer tells; undefined where a model server answers there. */
export function addressProblem(answer: Answer, base: string): PlainText | undefined {
  if (!answer || !('code' in answer) || REACHED.has(answer.code)) return undefined;
  const said = preview(answer.message, SAID);
  const isIncomplete = /^(?:notFound|badResponse)$/.test(answer.code) && !/\/v\d\w*$/.test(base);
  const hint = isIncomplete ? words` Most addresses end in /v1.` : '';
  return words`${said}${hint} Correct the address, or press Enter again to use it as it is.`;
}

/** What is wrong with a key, as far as the answer tells; undefined where the endpoint did not refuse it. */
export function keyProblem(answer: Answer, key: string): PlainText | undefined {
  if (!answer || !('code' in answer) || answer.code !== 'auth') return undefined;
  const said = preview(answer.message, SAID);
  return key === ''
    ? words`It wants a key. (${said}) Enter one, or press Enter again to go on without.`
    : words`It refuses this key. (${said}) Correct it, or press Enter again to keep it.`;
}
