import type { FailureWay } from '../../ports/failureWays.js';
import type { Model } from '../../ports/model.js';
import type { RunResult } from '../../runtime/agentSession.js';

type Ended = Pick<RunResult, 'outcome' | 'error'>;

/** What to do about a failed run, the likeliest first; a script has neither a key nor another model. */
export function waysOn({ outcome, error }: Ended, kind: Model['kind']): readonly FailureWay[] {
  if (outcome !== 'failed' || kind === 'scripted') return ['Retry'];
  const isKey = error?.code === 'auth' && kind === 'http';
  if (isKey) return ['Set API Key…', 'Retry', 'Change Model…'];
  const isModel = /^(?:notFound|noModel|quota|contextLength)$/.test(error?.code ?? '');
  return isModel ? ['Change Model…', 'Retry'] : ['Retry', 'Change Model…'];
}

/** Why a run has failed, in a sentence that names the model's address unless the reason does. */
export function failureReason(
  { outcome, error }: Ended,
  model: Pick<Model, 'label'>,
  address: string | undefined,
): string {
  const reason = error?.message ?? outcome;
  const host = address === undefined ? undefined : new URL(address).host;
  if (outcome !== 'failed' || address === undefined || host === undefined || reason.includes(host))
    return reason;
  return `${reason} (${model.label}, ${address})`;
}
