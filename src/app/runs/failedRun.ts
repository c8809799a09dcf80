import { message, t, translationOf, type Message } from '../../core/l10n.js';
import type { FailureWay } from '../../core/ports/failureWays.js';
import { commandName } from '../manifest.js';
import type { Model } from '../../core/ports/model.js';
import type { RunResult } from '../../agents/loop/agentSession.js';

/** A run that has failed, and what can be done about it. */
export interface FailedRun {
  readonly conversation: string;
  /** The name of the entry agent. */
  readonly agent: string;
  readonly prompt: string;
  /** The name of the model's endpoint. */
  readonly endpoint: string;
  /** Why it has failed, with the address of the model. */
  readonly reason: string;
  /** What can be done, the likeliest first. */
  readonly ways: readonly FailureWay[];
}

/** A command with the one argument that ours take. */
export interface FailureCommand {
  readonly command: string;
  readonly argument: unknown;
}

/** What a button after a failure runs. */
export function commandOf({ conversation, prompt, endpoint }: FailedRun, way: FailureWay): FailureCommand {
  switch (way) {
    case 'Retry':
      return { command: commandName('continueConversation'), argument: { conversation, prompt } };
    case 'Set API Key…':
      return { command: commandName('setEndpointKey'), argument: { endpoint } };
    case 'Change Model…':
      return { command: commandName('selectModel'), argument: undefined };
  }
}

/** What the button of a way says. */
export function wordsOfWay(way: FailureWay): string {
  switch (way) {
    case 'Retry':
      return t`Retry`;
    case 'Set API Key…':
      return t`Set API Key…`;
    case 'Change Model…':
      return t`Change Model…`;
  }
}

/** How a person learns of a failed run, and does something about it. */
export interface FailureViews {
  /** Shows that a run has failed, with what can be done. Never rejects. */
  show(failed: FailedRun): Promise<void>;
  /** Does what a person chose after a failure. */
  take(failed: FailedRun, way: FailureWay): Promise<void>;
}

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

/** Why a run has failed, in a sentence that names the model's address unless the reason does. */
export function failureReason(
  { outcome, error }: Ended,
  model: Pick<Model, 'label'>,
  address: string | undefined,
): string {
  const reason = error ? wordsOfError(error) : wordsOfOutcome(outcome);
  const host = address === undefined ? undefined : new URL(address).host;
  if (outcome !== 'failed' || address === undefined || host === undefined || reason.includes(host))
    return reason;
  return `${reason} (${model.label}, ${address})`;
}
