import { canonicalJson } from '../../core/canonicalJson.js';
import { t } from '../../core/l10n.js';
import { textOf, type ChatMessage } from '../../core/message.js';
import type { ToolSpec } from '../../core/ports/model.js';
import { NO_PRICES } from '../../core/ports/prices.js';
import { draftAt, type LogRecord, type RecordDraft } from '../../core/record.js';
import { newId } from '../../core/ids.js';
import { fenced, firstCodePoints, singleLine } from '../../core/text.js';
import { formatCount } from '../text/format.js';
import { ReplayTape, type TapeCall, type TapeDeparture } from '../../agents/loop/replay/replayTape.js';
import { DEFAULT_LIMITS, DEFAULT_MAX_DEPTH, type Limits } from '../../agents/loop/limits/limits.js';
import { ALL_RULES } from '../../compare/normal.js';
import { readRun, type Step } from '../../compare/steps.js';

/** What is different now from when a run was recorded. */
export interface ReplayChange {
  /** '' for what is of no agent. */
  readonly agent: string;
  readonly what: 'systemPrompt' | 'tool' | 'effort' | 'maxTurns' | 'limit';
  /** The name of a tool, or of a limit. */
  readonly name?: string;
  readonly recorded: string;
  readonly now: string;
}

/** Where a replay left the record. */
export interface ReplayDeparture {
  /** From 1. */
  readonly run: number;
  /** The step of the run, as a comparison numbers them. */
  readonly step: number;
  readonly agent: string;
  /** Of the record that was expected. */
  readonly seq: number | undefined;
  /** Why, in a sentence. */
  readonly why: string;
  /** What was expected and what came, as texts to be held against each other. */
  readonly expected: string;
  readonly asked: string;
}

/** A recorded answer that nobody asked for. */
export interface UnservedAnswer {
  readonly run: number;
  readonly step: number;
  readonly agent: string;
  readonly seq: number;
}

/** What came of a replay. */
export interface Replayed {
  readonly exact: boolean;
  readonly conversation: string;
  readonly runs: number;
  /** How many answers of models and how many results of tools were served. */
  readonly answers: number;
  readonly results: number;
  /** What is different now, whether it made a difference or not. */
  readonly changes: readonly ReplayChange[];
  /** The agents that were taken from the record, because none is given by their name. */
  readonly fromRecord: readonly string[];
  /** Whether the record ends before its last run does. */
  readonly isOpen: boolean;
  readonly departure?: ReplayDeparture;
  readonly unserved: readonly UnservedAnswer[];
  /** What the replay said of the run that it ended with, up to where it departed. */
  readonly records: readonly LogRecord[];
}

/** All of a run that is recorded, and what its agent knew when it began. */
export interface RecordedRun {
  readonly records: readonly LogRecord[];
  /** What was recorded, where one of the records was changed: the others are the same in both. */
  readonly was?: readonly LogRecord[];
  readonly before: readonly ChatMessage[];
}

/** The instructions of a call: recorded with it, or with a run before. */
export function instructionsOf({ spoken, start }: TapeCall, before: readonly ChatMessage[]): string {
  const own = spoken.flatMap((record) => (record.type === 'message' ? [record.message] : []));
  const known = start.depth === 0 ? [...before, ...own] : own;
  return textOf(known.findLast(({ role }) => role === 'system')?.content);
}

/** The steps of a run, those of dispatched agents among them, in the order of their records. */
export async function stepsOf(
  { was, ...run }: RecordedRun,
  signal: AbortSignal = new AbortController().signal,
) {
  const records = was ?? run.records;
  const read = (start: number, end: number) => Promise.resolve(records.slice(start, end));
  const { steps } = await readRun(
    { length: records.length, read },
    { prices: NO_PRICES, signal, rules: ALL_RULES },
  );
  const flat: Step[] = [];
  const visit = (step: Step) => {
    flat.push(step);
    step.below.forEach(visit);
  };
  steps.forEach(visit);
  return flat.sort((a, b) => a.position - b.position);
}

/** The number of the step that a record is, or leads to. */
export function stepAt(
  { records }: RecordedRun,
  steps: readonly Step[],
  record: LogRecord | undefined,
): number {
  const at = record ? records.indexOf(record) : records.length;
  const step = steps.find(({ position, resultPosition }) => position >= at || resultPosition === at);
  return (step ?? steps.at(-1))?.number ?? 1;
}

/** Where and why a replay departed. `records`: what it said until then. */
export function departureOf(
  run: RecordedRun,
  { tape, records }: { readonly tape: ReplayTape; readonly records: readonly LogRecord[] },
  number: number,
  steps: readonly Step[],
  changes: readonly ReplayChange[],
  clean: Clean = (text) => text,
): ReplayDeparture {
  const departure = tape.departure ?? { kind: 'fewer', expected: undefined };
  const { expected, came } = departure;
  const agent = expected?.agent ?? came?.agent ?? tape.calls[0]?.start.agent ?? '';
  const texts = textsOf(run, tape, departure);
  return {
    run: number,
    step: stepAt(run, steps, expected),
    agent,
    seq: expected?.seq,
    why: whyOf(departure, agent, texts, changes, records, clean),
    expected: texts.expected,
    asked: texts.asked,
  };
}

/** Leaves secrets out of a text, before anything of it is cut. */
export type Clean = (text: string) => string;

/** So much of what was said stands in a sentence, in code points. */
const MAX_QUOTED = 120;

interface Texts {
  readonly expected: string;
  readonly asked: string;
}

function textsOf(
  { before, was }: RecordedRun,
  tape: ReplayTape,
  { kind, expected, came, asked }: TapeDeparture,
): Texts {
  const { calls } = was ? new ReplayTape(was) : tape;
  const call = expected && calls.find(({ start }) => start.call === expected.call);
  const now = asked ? requestText(asked.agent, asked.effort, asked.tools, asked.messages) : '';
  if (kind !== 'request' || !call)
    return { expected: expected ? recordText(expected) : '', asked: came ? recordText(came) : now };
  const at = call.spoken.indexOf(expected);
  const own = call.spoken.slice(0, at).flatMap((each) => (each.type === 'message' ? [each.message] : []));
  const system = { role: 'system', content: instructionsOf(call, before) } as const;
  const said = [...(call.start.depth === 0 ? before : []), ...own].filter(({ role }) => role !== 'system');
  const tools = [...call.tools.values()].flatMap((text) =>
    text === '' ? [] : [JSON.parse(text) as ToolSpec],
  );
  const messages = system.content === '' ? said : [system, ...said];
  return {
    expected: requestText(call.start.agent, call.start.settings?.effort, tools, messages),
    asked: now,
  };
}

/** Why a replay departs: what is known to be different now comes first. */
function whyOf(
  { kind, expected, came }: TapeDeparture,
  agent: string,
  { expected: was, asked }: Texts,
  changes: readonly ReplayChange[],
  records: readonly LogRecord[],
  clean: Clean,
): string {
  const own = changes.filter((change) => change.agent === agent);
  if (kind === 'request') {
    const [change] = own;
    if (change) return t`${changeWords(change)} What ${agent} asks its model is another thing.`;
    const line = firstDifference(clean(was), clean(asked));
    return t`What ${agent} asks its model is not what was recorded: ${line}`;
  }
  const limit = records.findLast((record) => record.type === 'error' && record.where === 'limit');
  if (came?.type === 'error' || came?.type === 'callEnd' || (kind === 'fewer' && limit?.type === 'error')) {
    const said =
      came?.type === 'error' ? came.error.message : limit?.type === 'error' ? limit.error.message : '';
    const [change] = changes.filter(({ what }) => what === 'limit' || what === 'maxTurns');
    const first = change ? `${changeWords(change)} ` : '';
    if (expected?.type === 'callEnd') return t`${first}${agent} ends otherwise than recorded: ${said}`;
    return t`${first}${agent} goes on in the record, and ends now: ${said}`;
  }
  if (kind === 'fewer') return t`The run ended before all that was recorded was asked for.`;
  const [change] = changes.filter(({ what }) => what === 'limit' || what === 'maxTurns');
  if (kind === 'more' || expected?.type === 'error' || expected?.type === 'callEnd')
    return t`${change ? `${changeWords(change)} ` : ''}${agent} asks its model once more than was recorded.`;
  if (!came) return t`Something else happens than what was recorded.`;
  const [changed] = own;
  return t`${changed ? `${changeWords(changed)} ` : ''}${agent}: ${wordsOf(came, clean)}, where ${expected ? wordsOf(expected, clean) : t`nothing`} was recorded.`;
}

/** What is different now, in a sentence. */
export function changeWords({ agent, what, name = '', recorded, now }: ReplayChange): string {
  switch (what) {
    case 'systemPrompt':
      return t`The system prompt of ${agent} is another now.`;
    case 'tool':
      if (recorded === '') return t`${agent} has the tool ${name} now, and did not have it.`;
      if (now === '') return t`${agent} had the tool ${name}, and does not have it now.`;
      return t`The tool ${name} of ${agent} is described in another way now.`;
    case 'effort':
      return t`The effort of ${agent} was ${recorded || t`not set`}, and is ${now || t`not set`} now.`;
    case 'maxTurns':
      return t`The turns that the file of ${agent} allows were ${recorded || t`not set`}, and are ${now || t`not set`} now.`;
    case 'limit':
      return t`The limit ${name} was ${recorded || t`not set`}, and is ${now || t`not set`} now.`;
  }
}

function wordsOf(record: LogRecord | RecordDraft, clean: Clean): string {
  return inQuotes(clean(recordText(record)));
}

function inQuotes(text: string): string {
  return `“${firstCodePoints(singleLine(text), MAX_QUOTED)}”`;
}

/** The first line that is another, for a sentence; of what both begin and end with nothing is told. */
function firstDifference(was: string, asked: string): string {
  const [left, right] = [was, asked].map((text) => text.split('\n').filter((line) => line.trim() !== ''));
  if (!left || !right) return '';
  let at = 0;
  while (at < Math.min(left.length, right.length) && left[at] === right[at]) at++;
  let end = 0;
  while (end < Math.min(left.length, right.length) - at && left.at(-1 - end) === right.at(-1 - end)) end++;
  const [gone, come] = [left.slice(at, left.length - end), right.slice(at, right.length - end)];
  const [before = '', now = ''] = [gone[0], come[0]];
  if (gone.length > 0 && come.length > 0) return t`${inQuotes(now)}, where ${inQuotes(before)} was recorded.`;
  if (come.length > 0) return t`${inQuotes(now)} is more than was recorded.`;
  if (gone.length > 0) return t`${inQuotes(before)} is left out of it.`;
  return t`what differs is blank, or is not shown because it may be secret.`;
}

/** A value as JSON on lines, its keys in order. */
export function pretty(value: unknown): string {
  return JSON.stringify(JSON.parse(canonicalJson(value)), undefined, 2);
}

/** A request as a text of lines, so that two of them can be held against each other. */
function requestText(
  agent: string,
  effort: string | undefined,
  tools: readonly ToolSpec[],
  messages: readonly ChatMessage[],
): string {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    `agent: ${agent}`,
    ...(effort === undefined ? [] : [`effort: ${effort}`]),
    ...messages.flatMap((message) => ['', messageText(message)]),
    ...sorted.flatMap(({ name, description, parameters }) => [
      '',
      `--- tool ${name}`,
      pretty({ description, parameters }),
    ]),
    '',
  ].join('\n');
}

function messageText({ role, content, tool_calls, reasoning_content: reasoning }: ChatMessage): string {
  const text = textOf(content);
  return [
    `--- ${role}`,
    ...(reasoning === undefined ? [] : [`(${reasoning})`]),
    ...(text === '' ? [] : [text]),
    ...(tool_calls ?? []).map(({ function: { name, arguments: args } }) => `${name} ${args}`),
  ].join('\n');
}

function recordText(record: LogRecord | RecordDraft): string {
  switch (record.type) {
    case 'message':
      return messageText(record.message);
    case 'callStart':
      return record.task;
    case 'callEnd':
      return record.reason === undefined ? record.outcome : `${record.outcome}: ${record.reason}`;
    case 'error':
      return record.error.message;
    case 'dispatch':
      return record.refused ?? `${record.target}: ${record.task}`;
    case 'approval':
      return `${record.toolName}: ${record.decision}`;
    case 'request':
      return record.error?.message ?? record.finishReason ?? record.type;
    default:
      return record.type;
  }
}

/** What the replay said, as the transcript of a run of its own: where it departed it ends with why. Time stands still in it. */
export function replayedTranscript({
  departure,
  records,
}: Pick<Replayed, 'departure' | 'records'>): readonly LogRecord[] {
  const last = records.at(-1);
  const place = records.findLast(({ agent }) => agent === departure?.agent) ?? last;
  const still = records.map((record) => ({ ...record, time: last?.time ?? 0 }));
  if (!departure || !place || !last) return still;
  const error = { code: 'departed', message: departure.why };
  const draft = draftAt(place, { type: 'error', where: 'runtime', error });
  const head = { seq: last.seq + 1, id: newId('message'), time: last.time, conversation: last.conversation };
  return [...still, { ...draft, ...head }];
}

/** What came of a replay, in one sentence. */
export function replaySentence({ departure, isOpen, runs, answers, results }: Replayed): string {
  const served = t`${formatCount(answers, 'answer')} of models and ${formatCount(results, 'result')} of tools came from the record`;
  if (!departure) {
    const open = isOpen ? ` ${t`The record ends before its last run does.`}` : '';
    return t`Exact: ${formatCount(runs, 'run')}; ${served}. Nothing was asked, nothing was executed.${open}`;
  }
  return t`Departed at step ${departure.step}: ${departure.why}`;
}

/** What else there is to say about it, a sentence each. */
export function replayNotes({ departure, changes, unserved, fromRecord, runs, answers, results }: Replayed) {
  const [first] = unserved;
  return [
    ...changes.map(changeWords),
    ...(departure
      ? [
          t`Until then ${formatCount(answers, 'answer')} of models and ${formatCount(results, 'result')} of tools came from the record, in run ${runs}.`,
        ]
      : []),
    ...(first
      ? [
          t`Nobody asked for ${formatCount(unserved.length, 'recorded answer')}, the first at step ${first.step}.`,
        ]
      : []),
    ...(fromRecord.length > 0 ? [t`Agents that were taken from the record: ${fromRecord.join(', ')}.`] : []),
  ];
}

/** The same as a page in Markdown, with what was expected and what came. */
export function replayMarkdown(result: Replayed): string {
  const { departure } = result;
  return [
    `# ${t`Replay of ${result.conversation}`}`,
    '',
    `**${replaySentence(result)}**`,
    ...replayNotes(result).flatMap((note) => ['', note]),
    ...(departure
      ? [
          '',
          `## ${t`What was expected`}`,
          '',
          fenced(departure.expected, 'text'),
          '',
          `## ${t`What came`}`,
          '',
          fenced(departure.asked, 'text'),
        ]
      : []),
    '',
  ].join('\n');
}

/** The limits that a run had. */
export function recordedLimits({ start }: Pick<TapeCall, 'start'>): Limits & { readonly maxDepth: number } {
  // JSON has no infinity: no limit is written as nothing.
  const recorded: Record<string, number> = {};
  for (const [name, most] of Object.entries<number | null>(start.limits ?? {}))
    recorded[name] = most ?? Infinity;
  return { ...DEFAULT_LIMITS, maxDepth: DEFAULT_MAX_DEPTH, ...recorded };
}

/** The limits that are others now; those of time make no difference in a replay. */
export function limitChanges(
  entry: TapeCall,
  limits: (Limits & { readonly maxDepth: number }) | undefined,
): readonly ReplayChange[] {
  if (!limits || !entry.start.limits) return [];
  const recorded: Readonly<Record<string, number | undefined>> = { ...recordedLimits(entry) };
  const now: Readonly<Record<string, number | undefined>> = { ...limits };
  return [...new Set([...Object.keys(recorded), ...Object.keys(now)])]
    .filter((name) => recorded[name] !== now[name] && !TIMED.has(name))
    .map((name) => ({
      agent: '',
      what: 'limit',
      name,
      recorded: String(recorded[name] ?? ''),
      now: String(now[name] ?? ''),
    }));
}

const TIMED = new Set(['runMs', 'toolMs', 'retryPauseMs']);
