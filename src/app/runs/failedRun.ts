import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import type { FailureWay } from '../../core/ports/failureWays.js';
import type { Model } from '../../core/ports/model.js';
import type { Transcript } from '../../core/ports/transcript.js';
import type { UnknownRecord } from '../../core/record.js';
import { textOr } from '../../query/numbers/values.js';
import { features } from '../features/features.js';
import { commandName } from '../manifest.js';
import type { Ended } from '../transcripts/failureReason.js';

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
      return {
        command: commandName('setEndpointKey'),
        argument: { endpoint, retry: { conversation, prompt } },
      };
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

/** How the last run of a conversation failed, as its record tells it. */
export interface RecordedFailure {
  /** The name of the entry agent. */
  readonly agent: string;
  readonly prompt: string;
  /** The name of the model's endpoint; '' where no request was made. */
  readonly endpoint: string;
  readonly label: Model['label'];
  readonly scripted: boolean;
  readonly ended: Required<Ended>;
}

/** How many records are read at once, from the end backwards. */
const PAGE = 200;

/**
 * The last run of a conversation, where it failed, reached a limit or has no end; undefined where it ended well or was
 * stopped. Of a conversation that still runs it must not be asked: what runs has no end either.
 */
export async function readFailure(transcript: Transcript): Promise<RecordedFailure | undefined> {
  const run = await lastRun(transcript);
  if (!run) return undefined;
  const { start, records } = run;
  const end = records.findLast(({ type }) => type === 'callEnd');
  const outcome = end ? end.outcome : 'interrupted';
  if (outcome !== 'failed' && outcome !== 'limited' && outcome !== 'interrupted') return undefined;
  const message = end
    ? textOr(end.reason)
    : t`The run was interrupted: its window was closed, or VS Code ended, before it was done.`;
  const errors = records.map(({ type, error }) => (type === 'error' && isObject(error) ? error : {}));
  const code = errors.findLast((error) => error.message === message)?.code;
  const endpoint = textOr(records.findLast(({ type }) => type === 'request')?.endpoint);
  const id = textOr(start.model);
  const name = endpoint !== '' && id.startsWith(`${endpoint}/`) ? id.slice(endpoint.length + 1) : id;
  return {
    agent: start.agent,
    prompt: textOr(start.task),
    endpoint,
    label: endpoint === '' ? name : `${name} (${endpoint})`,
    scripted: start.scripted === true,
    ended: { outcome, error: { code: textOr(code), message } },
  };
}

/** The entry agent's records of the last run; undefined where there is no run. */
async function lastRun(
  transcript: Transcript,
): Promise<{ start: UnknownRecord; records: readonly UnknownRecord[] } | undefined> {
  const { restoredRecords } = await features.transcripts();
  const later: (readonly UnknownRecord[])[] = [];
  for (let end = transcript.length; end > 0; end -= PAGE) {
    const from = Math.max(0, end - PAGE);
    const page = (await transcript.read(from, end)) as readonly UnknownRecord[];
    const at = page.findLastIndex(({ type, depth }) => type === 'callStart' && depth === 0);
    later.push(page.slice(at + 1).filter(({ depth }) => depth === 0));
    if (at < 0) continue;
    // A long prompt is kept beside the journal.
    for await (const start of restoredRecords(transcript, [from + at]))
      return { start: start as UnknownRecord, records: later.toReversed().flat() };
    return undefined;
  }
  return undefined;
}
