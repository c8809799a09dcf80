import type { Model } from '../../ports/model.js';
import type { RunResult } from '../../runtime/agentSession.js';

/** What a person can do after a run has failed: the label of a button. */
export type WayAfter = 'Retry' | 'Set API Key…' | 'Change Model…' | 'Open Transcript';

type Ended = Pick<RunResult, 'outcome' | 'error'>;

/** What to do about a failed run, the likeliest first; a script has neither a key nor another model. */
export function waysOn({ outcome, error }: Ended, kind: Model['kind']): readonly WayAfter[] {
  if (outcome !== 'failed' || kind === 'scripted') return ['Retry', 'Open Transcript'];
  const isKey = error?.code === 'auth' && kind === 'http';
  if (isKey) return ['Set API Key…', 'Retry', 'Change Model…', 'Open Transcript'];
  const isModel = /^(?:notFound|noModel|quota|contextLength)$/.test(error?.code ?? '');
  return isModel
    ? ['Change Model…', 'Retry', 'Open Transcript']
    : ['Retry', 'Change Model…', 'Open Transcript'];
}

/** Why a run has failed, in a sentence that names the model's address unless the reason does. */
export function failureWords(
  name: string,
  { outcome, error }: Ended,
  model: Pick<Model, 'label'>,
  address: string | undefined,
): string {
  const reason = error?.message ?? outcome;
  const host = address === undefined ? undefined : new URL(address).host;
  if (outcome !== 'failed' || address === undefined || host === undefined || reason.includes(host))
    return `${name}: ${reason}`;
  return `${name}: ${reason} (${model.label}, ${address})`;
}
