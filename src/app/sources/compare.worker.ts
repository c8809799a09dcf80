import { basename, dirname } from 'node:path';
import { workerData } from 'node:worker_threads';
import { inLanguage, t, useTranslations } from '../../core/l10n.js';
import { isObject, textOf } from '../../core/message.js';
import { silentLog } from '../../core/ports/log.js';
import type { Prices } from '../../core/ports/prices.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { preview } from '../../core/text.js';
import { htmlOf, markdownOf } from '../../compare/forms.js';
import { isCall } from '../../compare/steps.js';
import { RULES, RULE_NAMES, type Rule } from '../../compare/normal.js';
import type { Row, StepView } from '../../compare/comparison.js';
import type { Points, RunSet } from '../../compare/runs.js';
import { amountWords, DELTA_WORDS, detailWords, didWords, KIND_WORDS } from '../../compare/words.js';
import { redactorFor } from '../../export/sharing/sharingGate.js';
import { sharingRules } from '../../export/sharing/sharingPolicy.js';
import type { Redactor } from '../../export/secrets/redact.js';
import { serveThread } from '../../node/serveThread.js';
import type {
  CompareChoices,
  CompareFormat,
  CompareFound,
  CompareRow,
  CompareSpread,
  CompareStep,
  CompareView,
} from '../../page/protocol/comparePage.js';
import type { ExpectationFile } from '../../compare/expectations/expectationFile.js';
import { markedPrices } from '../../search/markedPrices.js';
import type { MarkedPrices } from '../../search/columns/readSession.js';
import { loadUsablePrices } from '../../query/pricing/loadPrices.js';
import { argumentsOf, callsOf, rawArgumentsOf } from '../../query/numbers/toolCalls.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import { restoreTexts } from '../../store/read/restoredRecords.js';
import type { NamedSession } from '../stores/namedSessions.js';
import { formatMoment } from '../text/format.js';
import { query } from '../transcripts/queryTranscripts.js';
import { UserError } from '../userError.js';
import {
  comparedRuns,
  compareSessions,
  csvOfCompared,
  pageOfCompared,
  type Compared,
  type ComparedRun,
  type UnreadRun,
} from './compareSessions.js';
import { checkTest, madeExpectations, usableExpectations, type TestResult } from './checkExpectations.js';
import type {
  AskedTest,
  CompareCalls,
  CompareHostCalls,
  CompareThreadData,
  RunPlace,
} from './compareThread.js';
import { Sources } from './sources.js';

const { translations, places, ownPrices, policy } = workerData as CompareThreadData;
useTranslations(translations);

/** So much of a title stands in the name of a run, in code points. */
const MAX_NAME = 60;
const SIDES = ['left', 'right'] as const;
type Side = (typeof SIDES)[number];
type Two = Extract<Compared, { kind: 'two' }>;

interface PlacedRun extends ComparedRun {
  readonly place: RunPlace;
}

/** The thread ends where it is to stop. */
const { signal } = new AbortController();
const sources = new Map<string, Sources>();
let redacting: Promise<Redactor> | undefined;
let pricing: Promise<Prices> | undefined;
let compared: Compared | undefined;

function sourcesOf(root: string, folder = root === '' ? '/' : root): Sources {
  const key = `${folder}\n${root}`;
  const known =
    sources.get(key) ??
    new Sources({
      cwd: folder,
      ...(root !== '' && { store: root }),
      stdin: () => {
        throw new UserError(t`There is no standard input here.`);
      },
      log: silentLog,
      mayBlock: true,
      signal,
      holdsRead: true,
      // What is lost of a source is told of each run, see `damageWords`.
      onProblem: () => undefined,
    });
  sources.set(key, known);
  return known;
}

/** The sessions of a place, each with its own. */
async function* sessionsAt(
  place: RunPlace,
): AsyncGenerator<{ readonly session: NamedSession; readonly own: RunPlace }, void, undefined> {
  const { kind, root, conversation } = place;
  const found = kind === 'stored' ? sourcesOf(root).sessions([conversation]) : sourcesOf('').sessions([root]);
  let at = 0;
  for await (const session of found) {
    const own = kind === 'stored' ? place : { ...place, conversation: String(at++) };
    if (kind === 'stored' || conversation === '' || own.conversation === conversation) yield { session, own };
  }
}

async function* namedRuns(): AsyncGenerator<PlacedRun | UnreadRun, void, undefined> {
  for (const each of places) {
    try {
      for await (const { session, own } of sessionsAt(each)) {
        const name = await nameOf(session, each);
        const isAlone = places.length === 1;
        for await (const run of comparedRuns(each.run, only(session, each), isAlone, signal))
          yield { ...run, name, place: { ...own, ...(run.run !== undefined && { run: run.run }) } };
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      yield { name: basename(each.kind === 'file' ? each.root : each.conversation), why: error.message };
    }
  }
}

/** A session as if it were alone in its source, where it was named alone. */
async function* only(session: NamedSession, { conversation }: RunPlace): AsyncGenerator<NamedSession> {
  yield await Promise.resolve(conversation === '' ? session : { ...session, others: 0 });
}

async function nameOf(session: NamedSession, { conversation }: RunPlace): Promise<string> {
  // Samples of one file have the same prompt and the same time.
  if (conversation === '' && session.others > 0) return session.id;
  const [{ title }, { startedAt }] = [await session.info(), await session.entry()];
  const name = preview(title, MAX_NAME) || session.id;
  const time = formatMoment(startedAt);
  return time === '' ? name : `${name} (${time})`;
}

async function compare({ keep: kept, baseline }: CompareChoices): Promise<CompareView> {
  const prices = await (pricing ??= loadUsablePrices(ownPrices));
  const redactor = await redactorHere();
  const keep = new Set(kept.filter((rule): rule is Rule => RULE_NAMES.includes(rule as Rule)));
  const of = places.some(({ conversation }) => conversation === '') || places.length < 2 ? 0 : places.length;
  let done = 0;
  const named: (PlacedRun | UnreadRun)[] = [];
  compared = await compareSessions(noting(namedRuns(), named), {
    prices,
    signal,
    keep,
    ...(baseline !== undefined && { baseline }),
    clean: (record) => redactor.value(record) as ReadRecord,
    onProgress: (run) => host.tell('progress', run, done++, of),
  });
  const numbers = compared.runs.map((run) => named.indexOf(run as PlacedRun) + 1);
  return viewOf(compared, keep, numbers);
}

async function* noting<T>(all: AsyncIterable<T>, noted: T[]): AsyncGenerator<T, void, undefined> {
  for await (const each of all) {
    noted.push(each);
    yield each;
  }
}

function viewOf(all: Compared, keep: ReadonlySet<Rule>, numbers: readonly number[]): CompareView {
  const { title, sentence, notes, tables } = pageOfCompared(all);
  const facts = all.kind === 'two' ? [all.comparison.left, all.comparison.right] : all.set.facts;
  return {
    title,
    sentence,
    notes,
    rules: RULE_NAMES.map((name) => {
      const times = facts.reduce((sum, { normalised }) => sum + (normalised[name] ?? 0), 0);
      return { name, words: t`${inLanguage(RULES[name])}: ${times} times`, isOn: !keep.has(name) };
    }),
    tables: tables
      .filter((table) => table.of === undefined)
      .map(({ title: head, heads, rows, numbers = [] }) => ({ title: head, heads, rows, numbers })),
    names: all.kind === 'two' ? [all.names.left, all.names.right] : all.set.names,
    numbers,
    ...(all.kind === 'two' && { rows: all.comparison.rows.map(markOf).join('') }),
    spreads: all.kind === 'two' ? [] : spreadsOf(all.set),
    baseline: all.kind === 'two' ? 0 : all.set.baseline,
  };
}

function markOf({ kind }: Row): string {
  return kind === 'same' ? '=' : kind === 'style' ? '~' : 'x';
}

function spreadsOf({ points, outliers }: RunSet): readonly CompareSpread[] {
  return points.flatMap((each) => spreadOf(each, outliers) ?? []);
}

function spreadOf({ what, unit, points, n, median, least, most }: Points, outliers: RunSet['outliers']) {
  if (median === undefined || least === undefined || most === undefined) return undefined;
  const at = (value: number) => (most === least ? 0.5 : (value - least) / (most - least));
  const [a, b, c] = [least, median, most].map((value) => amountWords(value, unit));
  const far = new Set(outliers.flatMap((outlier) => (outlier.what === what ? [outlier.run] : [])));
  return {
    name: inLanguage(DELTA_WORDS[what]),
    words: t`median ${b ?? ''}, ${a ?? ''} to ${c ?? ''}, known of ${n} of ${points.length}`,
    median: at(median),
    points: points.flatMap((value, run) =>
      value === undefined ? [] : [{ run, at: at(value), isFar: far.has(run) }],
    ),
  };
}

function two(): Two {
  if (compared?.kind !== 'two') throw new UserError(t`Two runs must have been compared for that.`);
  return compared;
}

function rowAt(at: number): Row {
  const row = two().comparison.rows[at];
  if (!row) throw new UserError(t`There is no row ${at + 1}.`);
  return row;
}

function rowOf(row: Row): CompareRow {
  const { kind, depth, left, right } = row;
  return {
    depth,
    ...(left && { left: stepOf(left) }),
    ...(right && { right: stepOf(right) }),
    difference: kind === 'same' ? '' : inLanguage(KIND_WORDS[kind]),
    detail: detailWords(row),
  };
}

function stepOf(step: StepView): CompareStep {
  return { number: step.number, agent: step.agent, words: didWords(step), isBad: step.end !== 'done' };
}

/** What is quoted, or `side:` with its value, which says of which run a step is. */
const SIDE = /"(?:[^"\\]|\\.)*"|(?<=^|[\s(])(-?)side:([^\s()]*|\([^)]*\)?)(?=$|[\s)])/g;
/** What holds for each step of a run, and so for each step of a side. */
const ALL = 'session:*';

/** A question as it is asked of one side: `side:` is answered before. Throws a UserError for a value that it does not have. */
function askedOf(text: string, side: Side): string {
  return text.replace(SIDE, (all: string, not: string | undefined, value: string | undefined) => {
    if (value === undefined) return all;
    if (value !== 'left' && value !== 'right')
      throw new UserError(t`side: takes left or right; ${value || t`nothing`} is neither.`);
    return (value === side) === (not === '') ? ALL : `-${ALL}`;
  });
}

/** A question that asks for sides alone finds every step of them, also those that no question finds. */
const SIDES_ALONE = /^(?:\s|session:\*)*$/;

async function ask(text: string): Promise<CompareFound> {
  const { comparison, runs } = two();
  const found = { left: 0, right: 0 };
  const rows = new Set<number>();
  for (const [number, side] of SIDES.entries()) {
    const run = runs[number];
    if (!run) continue;
    const asked = askedOf(text, side);
    const positions = SIDES_ALONE.test(asked) ? undefined : await positionsIn(run as PlacedRun, asked);
    for (const [at, row] of comparison.rows.entries()) {
      const step = row[side];
      if (!step || !isFound(step, positions)) continue;
      found[side]++;
      rows.add(at);
    }
  }
  return { rows: [...rows].sort((a, b) => a - b), ...found };
}

function isFound(
  { position, resultPosition }: StepView,
  positions: ReadonlySet<number> | undefined,
): boolean {
  return (
    positions === undefined ||
    positions.has(position) ||
    (resultPosition !== undefined && positions.has(resultPosition))
  );
}

async function positionsIn({ place }: PlacedRun, text: string): Promise<ReadonlySet<number>> {
  return await withTranscript(place, async (transcript) => {
    const prices = await (pricing ??= loadUsablePrices(ownPrices));
    const result = await query([transcript], text, { rows: 'messages', prices, signal });
    if (!result.ok) throw new UserError(result.problems[0]?.message ?? '');
    const [unread] = result.unread;
    if (unread) throw new UserError(unread.why);
    return new Set(result.found.map(({ position }) => position));
  });
}

async function withTranscript<T>(place: RunPlace, work: (transcript: Transcript) => Promise<T>): Promise<T> {
  for await (const { session } of sessionsAt(place)) {
    const transcript = await session.open();
    try {
      return await work(transcript);
    } finally {
      await transcript.close();
    }
  }
  throw new UserError(t`This conversation is not there any more.`);
}

/** What both said in a row, as they said it. */
async function bodies(at: number) {
  const row = rowAt(at);
  const { runs } = two();
  const text = async (number: 0 | 1) => {
    const step = row[SIDES[number]];
    return step ? await bodyOf(runs[number] as PlacedRun, step, callOf(at, number)) : '';
  };
  const about = row.left ?? row.right;
  const title = about ? t`Step ${about.number}: ${didWords(about)}` : '';
  return { title, left: await text(0), right: await text(1) };
}

/** Which of the calls of its message a step is. */
function callOf(at: number, number: 0 | 1): number {
  const side = SIDES[number];
  const { depth, [side]: step } = rowAt(at);
  if (!step) return 0;
  const isBefore = (other: StepView) =>
    isCall(other) && other.position === step.position && other.number < step.number;
  return two().comparison.rows.filter(
    ({ [side]: other, depth: below }) => other !== undefined && below === depth && isBefore(other),
  ).length;
}

async function bodyOf(
  { place }: PlacedRun,
  { kind, position, resultPosition }: StepView,
  call: number,
): Promise<string> {
  return await withTranscript(place, async (transcript) => {
    const read = async (at: number) => {
      const [record] = await transcript.read(at, at + 1);
      return record && (await restoreTexts(record, transcript)).record;
    };
    const record = await read(position);
    const message = record && messageIn(record);
    const said = message ? textOf(message.content) : failureIn(record);
    const made = isCall({ kind }) && message ? callsOf(message)[call] : undefined;
    const args = made && argumentsOf(made.input);
    const asked =
      made && args
        ? `${made.name}\n${Object.keys(args).length > 0 ? JSON.stringify(args, undefined, 2) : rawArgumentsOf(made.input)}`
        : '';
    const result = resultPosition === undefined ? undefined : await read(resultPosition);
    const came = textOf((result && messageIn(result))?.content);
    return [said, asked, came === '' ? '' : `${t`Result`}\n${came}`]
      .filter((part) => part !== '')
      .join('\n\n');
  });
}

/** What a record says that is no message: a failure what it is, and any other all of it. */
function failureIn(record: unknown): string {
  const { error } = isObject(record) ? record : {};
  return isObject(error) && typeof error.message === 'string'
    ? error.message
    : JSON.stringify(record, undefined, 2);
}

async function text(format: CompareFormat): Promise<string> {
  if (!compared) throw new UserError(t`Nothing has been compared yet.`);
  const redactor = await redactorHere();
  const clean = redactor.value({ ...compared, runs: [] }) as Compared;
  if (format === 'csv') return csvOfCompared(clean);
  const page = pageOfCompared(clean);
  return format === 'html' ? htmlOf(page) : markdownOf(page);
}

let known: { readonly text: string; readonly file: ExpectationFile } | undefined;

async function check({ agents, replays, live, ...asked }: AskedTest): Promise<TestResult> {
  const { folder, store, text: written, name, isFirst } = asked;
  if (known?.text !== written) known = { text: written, file: usableExpectations(written, name) };
  const test = known.file.tests.find(({ test: each }) => each.name === name);
  if (!test) throw new UserError(t`There is no test ${name} in this file any more.`);
  const own = sourcesOf(store, folder);
  if (isFirst) own.forgetLook();
  return await checkTest(test, {
    ...(await checking()),
    sources: own,
    agents: () => Promise.resolve(agents),
    replays,
    live: live && (() => Promise.resolve(live)),
  });
}

async function make(place: RunPlace): Promise<string> {
  const { kind, root, conversation, run } = place;
  const number = run === undefined ? '' : `#${run}`;
  const own = kind === 'stored' ? sourcesOf(root) : sourcesOf('', dirname(root));
  const text = await madeExpectations(
    kind === 'stored' ? `${conversation}${number}` : `${basename(root)}${number}`,
    own,
    await checking(),
  );
  return (await redactorHere()).value(text) as string;
}

async function checking() {
  const redactor = await redactorHere();
  return {
    ...(await (marking ??= markedPrices(ownPrices))),
    signal,
    now: Date.now(),
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    clean: (each: string) => redactor.value(each) as string,
  };
}

let marking: Promise<MarkedPrices> | undefined;

function redactorHere(): Promise<Redactor> {
  return (redacting ??= sharingRules(policy).then(redactorFor));
}

const calls = {
  check,
  make,
  compare,
  rows: (from: number, count: number) =>
    two()
      .comparison.rows.slice(from, from + count)
      .map(rowOf),
  ask,
  bodies,
  place: (row: number, side: Side) => {
    const step = rowAt(row)[side];
    if (!step) throw new UserError(t`There is no step in this row.`);
    return { run: side === 'left' ? 0 : 1, position: step.position };
  },
  text,
  places: () => (compared?.runs ?? []).map((run) => (run as PlacedRun).place),
} satisfies { [N in keyof CompareCalls]: (...args: Parameters<CompareCalls[N]>) => unknown };

const { host } = serveThread<CompareHostCalls>(calls);
