import { t } from '../../core/l10n.js';
import { textOf, type ChatMessage, type ContentPart } from '../../core/message.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { isMessageRecord, type LogRecord, type MessageRecord } from '../../core/record.js';
import { firstCodePoints } from '../../core/text.js';
import type { PlacedMutation } from '../../compare/expectations/expectationFile.js';
import type { Mutation } from '../../compare/expectations/expectationWords.js';
import { fitting } from '../../compare/expectations/toolSequence.js';
import { readDuration } from '../../query/language/amounts.js';
import { SUBAGENT_DISPATCH } from '../../agents/tools/subagentDispatch.js';
import { formatCount } from '../text/format.js';
import { UserError } from '../userError.js';
import { describedTools, replayableRuns, replayRuns, type ReplayOptions } from './replayRun.js';
import {
  recordedLimits,
  replaySentence,
  stepAt,
  stepsOf,
  type RecordedRun,
  type ReplayDeparture,
} from './replayDeparture.js';

/** What comes of a recorded run in which one thing is another. */
export interface MutatedReplay {
  readonly name: string;
  /** Where it stands in its file. */
  readonly line: number;
  /** What is done to what, in words. */
  readonly what: string;
  /** The message that is changed: its record, its agent, and the step of the run. */
  readonly seq: number;
  readonly agent: string;
  readonly step: number;
  /** Whether it changed anything of the record. */
  readonly isChanged: boolean;
  /** Where the run leaves its record first. */
  readonly departure?: ReplayDeparture;
  /** How the run ends; `open`: what follows nobody knows without asking a model. */
  readonly outcome: string;
  /** With what a model may be asked what follows: the message, and what it says now. */
  readonly goesOn?: GoingOnFrom | undefined;
}

/** From where a conversation may go on: a message that says something else, or a prompt in place of it. */
export interface GoingOnFrom {
  readonly seq: number;
  readonly text?: string;
  readonly prompt?: string;
  readonly isError?: boolean;
}

/** A message of a run that a mutation is about. */
interface Target {
  readonly record: MessageRecord;
  readonly at: number;
}

/**
 * Replays a recorded session once for each mutation of its last run: what stands before the change comes from the record, and
 * nothing is asked after the first difference. Rejects with a `UserError` where a mutation fits nowhere, or where the run departs
 * without any.
 */
export async function replayMutations(
  transcript: Transcript,
  mutations: readonly PlacedMutation[],
  options: ReplayOptions,
): Promise<readonly MutatedReplay[]> {
  const runs = await replayableRuns(transcript, options);
  const last = runs.at(-1);
  if (!last) return [];
  const targets = mutations.map((placed) => targetOf(last, placed));
  const whole = await replayRuns(transcript, runs, options);
  if (!whole.exact)
    throw new UserError(
      t`The run itself departs from its record, so that no mutation of it says anything. ${replaySentence(whole)}`,
    );
  const steps = await stepsOf(last, options.signal);
  const results: MutatedReplay[] = [];
  for (const [at, { mutation, place }] of mutations.entries()) {
    const target = targets[at];
    if (!target) continue;
    const records = mutated(last, target, mutation);
    const isChanged = records !== last.records;
    const other = [...runs.slice(0, -1), { ...last, records, was: last.records }];
    const { departure, records: said } = isChanged
      ? await replayRuns(transcript, other, options)
      : { departure: undefined, records: last.records };
    results.push({
      name: mutation.name,
      line: place.line,
      what: wordsOf(mutation, target),
      seq: target.record.seq,
      agent: target.record.agent,
      step: stepAt(last, steps, target.record),
      isChanged,
      ...(departure && { departure }),
      outcome: outcomeOf(said, departure !== undefined),
      ...(departure && mutation.cut === undefined && { goesOn: goingOnFrom(records[target.at], mutation) }),
    });
  }
  return results;
}

function goingOnFrom(record: LogRecord | undefined, { result }: Mutation): GoingOnFrom | undefined {
  if (!record || !isMessageRecord(record)) return undefined;
  const { seq, message } = record;
  const isError = result === undefined && record.isError === true;
  const text = textOf(message.content);
  return message.role === 'user' ? { seq, prompt: text } : { seq, text, ...(isError && { isError }) };
}

/** How a run ended; where it left its record it has only ended if a limit ended it. */
function outcomeOf(records: readonly LogRecord[], departed: boolean): string {
  const isLimited = records.some(
    (record) =>
      record.type === 'error' &&
      record.depth === 0 &&
      record.where === 'limit' &&
      record.error.code !== 'departed',
  );
  if (departed) return isLimited ? 'limited' : 'open';
  const end = records.findLast((record) => record.type === 'callEnd' && record.depth === 0);
  return end?.type === 'callEnd' ? end.outcome : 'open';
}

function wordsOf(mutation: Mutation, { record }: Target): string {
  const { result, fail, inject, delay, cut } = mutation;
  const { role } = record.message;
  const of = record.toolName ?? (role === 'user' ? t`the prompt` : t`the answer`);
  if (result !== undefined) return t`${of} answers something else`;
  if (fail !== undefined) return t`${of} fails`;
  if (inject !== undefined) return t`a text more in ${of}`;
  if (delay !== undefined) return t`${of} takes ${delay} longer`;
  return t`${of} is cut behind ${formatCount(cut ?? 0, 'character')}`;
}

/** The message that a mutation is about. Throws a `UserError` with its line where there is none in the run. */
function targetOf({ records }: RecordedRun, { mutation, place }: PlacedMutation): Target {
  const refuse = (why: string): never => {
    throw new UserError(t`Line ${place.line}, ${mutation.name}: ${why}`);
  };
  const all = records.flatMap((record, at) => (isMessageRecord(record) ? [{ record, at }] : []));
  const { call, answer, message } = mutation;
  if (message !== undefined) {
    const found = all.find(({ record }) => record.seq === message);
    const { role } = found?.record.message ?? {};
    if (!found) return refuse(t`Message ${message} is none of this run.`);
    if (role === 'system') return refuse(t`Message ${message} is an agent’s instructions: change its file.`);
    if (role !== 'tool' && ['result', 'fail', 'delay'].some((word) => word in mutation))
      return refuse(t`Message ${message} is not what a call answered.`);
    if (role !== 'assistant' && mutation.cut !== undefined)
      return refuse(t`Message ${message} is no answer of a model.`);
    if (role === 'user' && found.record.depth > 0)
      return refuse(
        t`Message ${message} is what an agent asked another one: change the answer that asks it.`,
      );
    return found;
  }
  const named = call ?? answer;
  const wanted =
    typeof named === 'string' ? { tool: named, agent: named } : { tool: '', agent: '', ...named };
  const { number = 1 } = wanted as { readonly number?: number };
  const found =
    call === undefined
      ? all.filter(
          ({ record: { message: said, agent } }) => said.role === 'assistant' && agent === wanted.agent,
        )
      : resultsOf(all, typeof call === 'string' ? { tool: call } : call);
  const target = found[number - 1];
  if (target) return target;
  if (found.length === 0) {
    const what = call === undefined ? t`answers of ${wanted.agent}` : t`such calls of ${wanted.tool}`;
    return refuse(t`There are no ${what} in this run.`);
  }
  const count = formatCount(found.length, call === undefined ? 'answer' : 'such call');
  return refuse(
    t`This run has ${count} of ${call === undefined ? wanted.agent : wanted.tool}, and number ${number} is meant.`,
  );
}

/** What the calls answered that are as a mutation has them. */
function resultsOf(
  all: readonly Target[],
  call: { readonly tool: string; readonly agent?: string },
): readonly Target[] {
  const fits = fitting('subset', () => false);
  const made = new Map<string, unknown>();
  for (const { record } of all)
    for (const { id, function: called } of record.message.tool_calls ?? [])
      made.set(`${record.call} ${id}`, argumentsOf(called.arguments));
  return all.filter(({ record }) => {
    if (record.message.role !== 'tool') return false;
    const args = made.get(`${record.call} ${record.message.tool_call_id ?? ''}`);
    return fits(call, { tool: record.toolName ?? '', agent: record.agent, args, end: '' });
  });
}

function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What is no JSON is compared as it was written.
    return text;
  }
}

/** The records of a run with one of them changed; the same list where nothing is. */
function mutated(run: RecordedRun, { record, at }: Target, mutation: Mutation): readonly LogRecord[] {
  const { records } = run;
  const { result, fail, inject, cut } = mutation;
  const { message } = record;
  const late = mutation.delay === undefined ? undefined : endedLate(run, record, mutation.delay);
  const replace = (changed: MessageRecord, others: (other: LogRecord, index: number) => LogRecord) =>
    records.map((other, index) => (index === at ? changed : others(other, index)));
  const same = (other: LogRecord) => other;
  if (result === textOf(message.content)) return records;
  if (result !== undefined)
    // Whether it failed no model hears, and what could not be run is played as such.
    return replace({ ...record, message: { ...message, content: result } }, same);
  const failure = fail ?? late;
  if (failure !== undefined)
    return replace({ ...record, isError: true, message: { ...message, content: failure } }, same);
  if (inject !== undefined) {
    const changed = { ...record, message: withText(message, inject) };
    const task = textOf(changed.message.content);
    return replace(changed, (other) =>
      message.role === 'user' && other.type === 'callStart' && other.call === record.call
        ? { ...other, task }
        : other,
    );
  }
  if (cut === undefined) return records;
  const asked = records
    .slice(0, at)
    .findLastIndex(({ type, call }) => type === 'request' && call === record.call);
  const said: ChatMessage = { role: message.role, content: firstCodePoints(textOf(message.content), cut) };
  return replace({ ...record, message: said }, (other, index) =>
    index === asked && other.type === 'request' ? { ...other, finishReason: 'length' } : other,
  );
}

function withText(message: ChatMessage, text: string): ChatMessage {
  const { content } = message;
  if (Array.isArray(content))
    return { ...message, content: [...(content as readonly ContentPart[]), { type: 'text', text }] };
  return { ...message, content: `${textOf(content)}\n\n${text}` };
}

/** What a call answers that takes so much longer than it did; undefined where that is within the longest that it may take. */
function endedLate({ records }: RecordedRun, record: MessageRecord, delay: string): string | undefined {
  const [start] = records;
  const tool = record.toolName ?? '';
  if (start?.type !== 'callStart' || tool === SUBAGENT_DISPATCH) return undefined;
  // Tools of others have no such limit.
  if (!describedTools().some(({ name }) => name === tool)) return undefined;
  const { toolMs } = recordedLimits({ start });
  const took = record.durationMs ?? 0;
  if (took + (readDuration(delay) ?? 0) <= toolMs) return undefined;
  return `${tool} was ended because it took longer than ${Math.round(toolMs / 1000)} s.`;
}
