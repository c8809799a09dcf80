import { message, t, translationOf, type Message } from '../../core/l10n.js';
import type { FailureWay } from '../../core/ports/failureWays.js';
import type { Model } from '../../core/ports/model.js';
import type { RunResult } from '../../agents/loop/agentSession.js';

/** How a run ended; one without an end was interrupted. */
export interface Ended extends Pick<RunResult, 'error'> {
  readonly outcome: RunResult['outcome'] | 'interrupted';
}

/** What to do about a failed run, the likeliest first; a script has neither a key nor another model. */
export function waysOn({ outcome, error }: Ended, kind: Model['kind']): readonly FailureWay[] {
  if (outcome !== 'failed' || kind === 'scripted') return ['Retry'];
  const isKey = error?.code === 'auth' && kind === 'http';
  if (isKey) return ['Set API Key…', 'Retry', 'Change Model…'];
  const isModel = /^(?:notFound|noModel|quota|contextLength)$/.test(error?.code ?? '');
  return isModel ? ['Change Model…', 'Retry'] : ['Retry', 'Change Model…'];
}

/** What failed, by the code of the error: what a record says of it is in English, and often in a provider's words. */
const BY_CODE: Readonly<Record<string, Message>> = {
  auth: message`The model’s endpoint does not accept the key.`,
  quota: message`The account has no credit left.`,
  rateLimit: message`The model was asked too often.`,
  contextLength: message`The conversation is too long for the model.`,
  notFound: message`The endpoint does not have this model.`,
  noModel: message`No model is chosen.`,
  contentFilter: message`The provider withheld the answer.`,
  network: message`The endpoint cannot be reached.`,
  cutStream: message`The answer broke off.`,
  badResponse: message`The endpoint gave an answer that cannot be read.`,
  consent: message`The use of this model was not allowed.`,
  http: message`The endpoint refused the request.`,
  provider: message`The endpoint failed.`,
};

/** Why a run without an error has ended before it was done. */
function wordsOfOutcome(outcome: Ended['outcome']): string {
  if (outcome === 'limited') return t`A limit was reached.`;
  return outcome === 'interrupted' ? t`The run was interrupted.` : t`The run has failed.`;
}

/** What an error says; in another language than English what failed stands before it, as far as that is known. */
function wordsOfError({ code, message: said }: NonNullable<Ended['error']>): string {
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  const sentence = known && translationOf(known);
  return sentence === undefined ? said : `${sentence} ${said}`;
}

/**
 * Why a run has failed, in a sentence that names the model's address unless the reason does. `hasKey`: whether a key of its
 * endpoint is kept.
 */
export function failureReason(
  { outcome, error }: Ended,
  model: Pick<Model, 'label'>,
  address: string | undefined,
  hasKey = true,
): string {
  const said = error ? wordsOfError(error) : wordsOfOutcome(outcome);
  const isKeyGone = !hasKey && error?.code === 'auth';
  const reason = isKeyGone
    ? t`${said} No key of it is kept here; VS Code in a browser may forget keys when it is loaded anew.`
    : said;
  const host = address === undefined ? undefined : new URL(address).host;
  if (outcome !== 'failed' || address === undefined || host === undefined || reason.includes(host))
    return reason;
  return `${reason} (${model.label}, ${address})`;
}
