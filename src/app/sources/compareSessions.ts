import { t } from '../../core/l10n.js';
import { checkOptions } from '../../core/checkOptions.js';
import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { compareRuns, deltasOf, succeeded, type Comparison } from '../../compare/comparison.js';
import { pageOfSet, pageOfTwo, type Page } from '../../compare/forms.js';
import { ALL_RULES, RULE_NAMES, rulesWithout, type Rule } from '../../compare/normal.js';
import { mostTypical, RunTable, type RunSet } from '../../compare/runs.js';
import { readRun, runStretches, type Run, type RunSource, type Stretch } from '../../compare/steps.js';
import { sentenceOf } from '../../compare/words.js';
import { cell } from '../../export/csvExport.js';
import { restoreTexts } from '../../store/read/restoredRecords.js';
import { forkPointOf } from '../transcripts/forks.js';
import { draftAt, type ForkPoint } from '../../core/record.js';
import type { NamedSession } from '../stores/namedSessions.js';
import { UserError } from '../userError.js';

/** A run that is compared: a session, or one of its runs from 1. */
export interface ComparedRun {
  readonly session: NamedSession;
  readonly run: number | undefined;
  /** Where the run stands in its session, where that is known. */
  readonly part?: Stretch;
  /** What a person knows it by, where that is not its id. */
  readonly name?: string;
}

/** A run that could not be read. */
export interface UnreadRun {
  readonly name: string;
  readonly why: string;
}

/** What is compared: two runs, or several with one of them; and what was named besides and could not be read. */
export type Compared = { readonly unread: readonly UnreadRun[] } & (
  | {
      readonly kind: 'two';
      readonly comparison: Comparison;
      readonly runs: readonly [ComparedRun, ComparedRun];
      readonly names: { readonly left: string; readonly right: string };
    }
  | { readonly kind: 'set'; readonly set: RunSet; readonly runs: readonly ComparedRun[] }
);

/** How runs are compared. */
export interface CompareOptions {
  readonly prices: Prices;
  readonly signal: AbortSignal;
  /** What is not replaced before comparing. */
  readonly keep?: ReadonlySet<Rule>;
  /** Which of the runs the others are compared with, from 1, or see `mostTypical`; the first that can be read where nothing is said. */
  readonly baseline?: number | 'typical';
  /** Leaves secrets out of a record, before anything of it is cut. */
  readonly clean?: (record: ReadRecord) => ReadRecord;
  /** Told of each run before it is read. */
  readonly onProgress?: (run: string) => void;
}

/** How many runs are compared with each other; each is read whole. */
export const MAX_RUNS = 200;

/** A name that a person gave, without the number of a run behind `#`. */
export function splitName(name: string): { readonly name: string; readonly run: number | undefined } {
  const [, source, run] = /^(.+)#(\d{1,6})$/.exec(name) ?? [];
  return source === undefined ? { name, run: undefined } : { name: source, run: Number(run) };
}

/** The rules that a person names, with commas between them. Throws a UserError that lists them where it knows one not. */
export function rulesNamed(words: string): ReadonlySet<Rule> {
  const names = words.split(',').map((each) => each.trim());
  if (names.includes('all')) return ALL_RULES;
  const wrong = names.find((name) => !RULE_NAMES.includes(name as Rule));
  if (wrong !== undefined)
    throw new UserError(t`There is no rule ${wrong}; the rules are ${RULE_NAMES.join(', ')}, and all.`);
  return new Set(names as Rule[]);
}

/** The runs of one source that was named: one session alone that has several runs is these runs, where nothing else was named. */
export async function* comparedRuns(
  run: number | undefined,
  sessions: AsyncIterable<NamedSession>,
  isAlone: boolean,
  signal: AbortSignal,
): AsyncGenerator<ComparedRun, void, undefined> {
  for await (const session of sessions) {
    if (!isAlone || run !== undefined || session.others > 0) {
      yield { session, run };
      continue;
    }
    const transcript = await session.open();
    try {
      for (const [at, part] of (await runStretches(transcript, signal)).entries())
        yield { session, run: at + 1, part };
    } finally {
      await transcript.close();
    }
  }
}

/**
 * Reads runs one after the other and compares each with the baseline; those before it are held until it is read. One that cannot
 * be read hides no other. Rejects with a UserError where there are not two, or too many.
 */
export async function compareSessions(
  runs: AsyncIterable<ComparedRun | UnreadRun> | Iterable<ComparedRun | UnreadRun>,
  options: CompareOptions,
): Promise<Compared> {
  const { baseline, signal } = options;
  const read: ComparedRun[] = [];
  const unread: UnreadRun[] = [];
  const held: Run[] = [];
  const family = new Family();
  let table: RunTable | undefined;
  let last: Comparison | undefined;
  let named = 0;
  for await (const each of family.of(runs)) {
    if (++named > MAX_RUNS)
      throw new UserError(t`More than ${MAX_RUNS} runs cannot be compared at once; name fewer.`);
    const run = await readOrWhy(each, options, family);
    if ('why' in run) {
      if (named === baseline) throw new UserError(t`The baseline ${run.name} cannot be read: ${run.why}`);
      unread.push(run);
      continue;
    }
    read.push(each as ComparedRun);
    held.push(run);
    if (!table && (baseline === undefined || named === baseline)) table = new RunTable(run, held.length - 1);
    if (table) last = await addHeld(table, read, held, signal);
  }
  if (baseline === 'typical' && held.length > 1) {
    const at = mostTypical(held);
    const typical = held[at];
    if (typical) await addHeld((table = new RunTable(typical, at)), read, held, signal);
  }
  const [left, right] = read;
  if (read.length < 2) {
    const [first] = unread;
    if (first)
      throw new UserError(t`${first.name} cannot be read, and to compare takes two runs: ${first.why}`);
    throw new UserError(
      t`To compare takes two runs, and there is ${read.length}. Name two sessions, or runs of one as in session.jsonl#1 session.jsonl#2.`,
    );
  }
  if (!table || !left || !right)
    throw new UserError(t`There is no run ${baseline ?? 1} to compare with; there are ${named}.`);
  if (read.length === 2 && last && (baseline ?? 1) === 1) {
    const names = { left: family.nameOf(left), right: family.nameOf(right) };
    return { kind: 'two', comparison: last, runs: [left, right], names, unread };
  }
  return { kind: 'set', set: table.summary(), runs: read, unread };
}

/** Two runs of which one goes on from the other: then what stands before both is left out of the other one. */
class Family {
  #origin: ComparedRun | undefined;
  #from: ForkPoint | undefined;

  /** The same runs; the first two are looked at. */
  async *of(
    runs: AsyncIterable<ComparedRun | UnreadRun> | Iterable<ComparedRun | UnreadRun>,
  ): AsyncGenerator<ComparedRun | UnreadRun, void, undefined> {
    const first: (ComparedRun | UnreadRun)[] = [];
    for await (const run of runs) {
      if (first.length === 2) yield run;
      else if (first.push(run) === 2) {
        const [left, right] = first;
        if (left && right) await this.#look(left, right);
        yield* first;
      }
    }
    if (first.length === 1) yield* first;
  }

  nameOf(run: ComparedRun): string {
    const name = nameOf(run);
    return run === this.#origin ? t`${name} from message ${this.#from?.seq ?? 0} on` : name;
  }

  /** What of a run is compared: positions stay, what stands before is nothing that anybody said. */
  behind(run: ComparedRun, source: RunSource): RunSource {
    const from = this.#from;
    if (run !== this.#origin || !from) return source;
    const end = from.without ?? from.seq + 1;
    return {
      ...source,
      read: async (start, to) =>
        (await source.read(start, to)).map((record) => {
          const isStart = record.type === 'callStart' && record.depth === 0;
          return record.seq >= end || isStart ? record : { ...draftAt(record, NOTHING), ...headOf(record) };
        }),
    };
  }

  async #look(left: ComparedRun | UnreadRun, right: ComparedRun | UnreadRun): Promise<void> {
    if ('why' in left || 'why' in right || left.run !== undefined || right.run !== undefined) return;
    for (const [fork, origin] of [
      [right, left],
      [left, right],
    ] as const) {
      if (fork.session.where !== origin.session.where || fork.session.kind !== 'stored') continue;
      if ((await fork.session.entry()).goesOnFrom !== origin.session.id) continue;
      const transcript = await fork.session.open();
      try {
        const [start] = await transcript.read(0, 1);
        this.#from = start && forkPointOf(start);
        this.#origin = origin;
      } finally {
        await transcript.close();
      }
      return;
    }
  }
}

/** What stands in the place of a record that is left out. */
const NOTHING = { type: 'title', title: '' } as const;

function headOf({
  seq,
  id,
  time,
  conversation,
}: ReadRecord): Pick<ReadRecord, 'seq' | 'id' | 'time' | 'conversation'> {
  return { seq, id, time, conversation };
}

/** Adds the runs that are held, the last of those that were read, to a table. */
async function addHeld(
  table: RunTable,
  read: readonly ComparedRun[],
  held: Run[],
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  let last: Comparison | undefined;
  const first = read.length - held.length;
  for (const [at, run] of held.splice(0).entries()) {
    const about = read[first + at];
    if (about) last = await inTurns(table.add(nameOf(about), run), signal);
  }
  return last;
}

/** What a person says of the baseline. Throws a UserError for anything else. */
export function baselineNamed(words: string): number | 'typical' {
  if (words === 'typical') return words;
  if (/^[1-9]\d{0,5}$/.test(words)) return Number(words);
  throw new UserError(t`The baseline is the number of a run, from 1, or typical; ${words} is neither.`);
}

/** What was compared as a page. */
export function pageOfCompared(compared: Compared): Page {
  const page =
    compared.kind === 'two' ? pageOfTwo(compared.comparison, compared.names) : pageOfSet(compared.set);
  const unread = compared.unread.map(
    ({ name, why }) => t`${name} is left out, because it cannot be read: ${why}`,
  );
  return { ...page, notes: [...page.notes, ...unread] };
}

/** What a run is called: the session, and which of its runs. */
function nameOf({ session, run, name = session.id }: ComparedRun): string {
  return run === undefined ? name : `${name}#${run}`;
}

/** What two runs, or each of several, came to, as CSV: numbers as they are, for a spreadsheet. */
export function csvOfCompared(compared: Compared): string {
  const lines: (string | number | undefined)[][] =
    compared.kind === 'two'
      ? [
          ['what', 'unit', compared.names.left, compared.names.right],
          ...deltasOf(compared.comparison).map(({ what, unit, left, right }) => [what, unit, left, right]),
        ]
      : [
          [
            'run',
            'end',
            'success',
            'scores',
            ...compared.set.points.map(({ what, unit }) => `${what} (${unit})`),
          ],
          ...compared.set.facts.map((facts, at) => [
            compared.set.names[at],
            facts.end,
            String(succeeded(facts) ?? ''),
            facts.scores.map(({ name, value }) => `${name} ${value}`).join(', '),
            ...compared.set.points.map(({ points }) => points[at]),
          ]),
        ];
  return lines.map((line) => `${line.map((each) => cell(String(each ?? ''))).join(',')}\r\n`).join('');
}

async function readOrWhy(
  each: ComparedRun | UnreadRun,
  options: CompareOptions,
  family: Family,
): Promise<Run | UnreadRun> {
  if ('why' in each) return each;
  const name = nameOf(each);
  options.onProgress?.(name);
  try {
    return await runOf(each, options, family);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof UserError) return { name, why: error.message };
    throw error;
  }
}

async function runOf(
  each: ComparedRun,
  { prices, signal, keep = new Set(), clean }: CompareOptions,
  family: Family,
): Promise<Run> {
  const { session, run, part } = each;
  const transcript = await session.open();
  try {
    const stretch = part ?? (await stretchOf(transcript, run, signal));
    const rules = rulesWithout(keep);
    return await readRun(family.behind(each, wholeTexts(transcript, clean)), {
      prices,
      signal,
      rules,
      part: stretch,
    });
  } finally {
    await transcript.close();
  }
}

/** Where a run stands in a transcript; all of it where none is named. Throws a UserError where there is no such run. */
export async function stretchOf(
  transcript: Transcript,
  run: number | undefined,
  signal: AbortSignal,
): Promise<Stretch | undefined> {
  if (run === undefined) return undefined;
  const stretches = await runStretches(transcript, signal);
  const found = stretches[run - 1];
  if (found) return found;
  throw new UserError(t`${transcript.conversation}: There is no run ${run}; it has ${stretches.length}.`);
}

/** A transcript whose records have all of their texts, without what is left out. */
export function wholeTexts(transcript: Transcript, clean: CompareOptions['clean']): RunSource {
  let missingTexts = 0;
  return {
    length: transcript.length,
    damage: () => transcript.damaged.length + missingTexts,
    read: async (start, end) => {
      const records = await transcript.read(start, end);
      return await Promise.all(
        records.map(async (each) => {
          const { record, missing } = await restoreTexts(each, transcript);
          missingTexts += missing.length;
          return clean ? clean(record) : record;
        }),
      );
    },
  };
}

async function inTurns<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
}

/** How a program compares two transcripts. */
export interface CompareTranscriptsOptions {
  /** What requests cost; nothing where there are none. */
  readonly prices?: Prices;
  /** What is compared as it is, see `docs/compare.md`. */
  readonly keep?: readonly Rule[];
  /** Which run of each, from 1; all of it where nothing is said. */
  readonly leftRun?: number;
  readonly rightRun?: number;
  readonly signal?: AbortSignal;
}

/** What is different between two transcripts, and the same in one sentence. Closes neither. */
export async function compareTranscripts(
  left: Transcript,
  right: Transcript,
  options: CompareTranscriptsOptions = {},
): Promise<Comparison & { readonly sentence: string }> {
  checkOptions(
    options,
    { prices: 'object', keep: 'list', leftRun: 'count', rightRun: 'count', signal: 'object' },
    'compareTranscripts',
  );
  const { prices = NO_PRICES, keep = [], leftRun, rightRun, signal = new AbortController().signal } = options;
  const rules = rulesWithout(keep);
  const read = async (transcript: Transcript, run: number | undefined) => {
    const part = await stretchOf(transcript, run, signal);
    return await readRun(wholeTexts(transcript, undefined), { prices, signal, rules, part });
  };
  const [first, second] = [await read(left, leftRun), await read(right, rightRun)];
  const comparison = await inTurns(compareRuns(first, second), signal);
  return { ...comparison, sentence: sentenceOf(comparison) };
}
