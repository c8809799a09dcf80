import type { AgentDefinition } from '../../core/agent.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { t } from '../../core/l10n.js';
import type { Prices } from '../../core/ports/prices.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import { firstCodePoints, messageOf } from '../../core/text.js';
import { nearest } from '../../core/nearest.js';
import { checkRun, judgeHowMany, type Finding } from '../../compare/expectations/checkRun.js';
import { readCheckedRun, type CheckedRun } from '../../compare/expectations/checkedRun.js';
import {
  readExpectations,
  type ExpectationFile,
  type Place,
  type PlacedTest,
} from '../../compare/expectations/expectationFile.js';
import type { ExpectationTest } from '../../compare/expectations/expectationWords.js';
import { makeExpectations } from '../../compare/expectations/makeExpectations.js';
import { runStretches, type Stretch } from '../../compare/steps.js';
import { rowAt } from '../../query/language/answer.js';
import { planQuery } from '../../query/language/plan.js';
import { problemWords } from '../../query/language/problemWords.js';
import { Asking } from '../../search/asking.js';
import type { NamedSession } from '../stores/namedSessions.js';
import { UserError } from '../userError.js';
import { splitName, stretchOf, wholeTexts, type ComparedRun } from './compareSessions.js';
import type { ReplayDeparture } from '../team/replayDeparture.js';
import { loadReplay } from './sourceLoaders.js';
import type { Sources } from './sources.js';

/** What came of a test. `untested`: it could not be held against anything. */
export type TestState = 'passed' | 'failed' | 'untested';

/** An expectation of a file, held against a run. */
export interface PlacedFinding extends Finding {
  readonly place: Place;
}

/** A run that a test looked at. */
export interface RunResult {
  readonly state: TestState;
  /** The session, where it is, and which of several it is there. */
  readonly session: { readonly id: string; readonly kind: 'file' | 'stored'; readonly where: string };
  readonly run: number | undefined;
  /** Why it could not be looked at; '' where it could. */
  readonly why: string;
  readonly findings: readonly PlacedFinding[];
}

/** What came of a test, and why. */
export interface TestResult {
  readonly name: string;
  readonly place: Place;
  readonly state: TestState;
  /** In one sentence; '' where all holds. */
  readonly sentence: string;
  readonly runs: readonly RunResult[];
  readonly tookMs: number;
}

/** What tests are held against, and how. */
export interface CheckOptions {
  /** The sessions of the folder that the file stands in. */
  readonly sources: Sources;
  readonly prices: Prices;
  /** See `MarkedPrices`. */
  readonly mark: string;
  readonly signal: AbortSignal;
  readonly now: number;
  readonly timeZone: string;
  /** The agents as their files have them now, with which a run is replayed. */
  readonly agents: () => Promise<readonly AgentDefinition[]>;
  /** Whether all runs are replayed, whatever a test says. */
  readonly replays?: boolean;
  /** Gives the conversations that are run for this test, where a person asked for that. Rejects with a UserError where none can be begun. */
  readonly live?: (() => Promise<readonly string[]>) | undefined;
  /** Whether what is vacuous fails. */
  readonly isStrict?: boolean;
  /** Leaves secrets out of a text, before anything of it is cut. */
  readonly clean?: (text: string) => string;
}

/** The longest text of a finding, in code points. */
const MAX_SHOWN = 20_000;
const MAX_SENTENCE = 500;

/** Reads a file of expectations. Throws a UserError with the lines of all that is wrong with it; `name` is what a person calls it. */
export function usableExpectations(text: string, name: string): ExpectationFile {
  const file = readExpectations(text);
  if (file.problems.length === 0) return file;
  const lines = file.problems.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`);
  throw new UserError(lines.join('\n'));
}

/** Holds a test against what was recorded. Rejects where the signal is aborted. */
export async function checkTest(placed: PlacedTest, options: CheckOptions): Promise<TestResult> {
  const began = performance.now();
  const { test, place } = placed;
  const done = (state: TestState, sentence: string, runs: readonly RunResult[]): TestResult => ({
    name: test.name,
    place,
    state,
    sentence: firstCodePoints(clean(sentence, options), MAX_SENTENCE),
    runs,
    tookMs: performance.now() - began,
  });
  try {
    if (test.question !== undefined) return await checkQuestion(placed, test.question, options, done);
    const found = await runsOf(test, options);
    const runs: RunResult[] = [];
    for (const each of found) runs.push(await checkOne(placed, each, options));
    return judged(test, runs, done);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    return done('untested', error.message, []);
  }
}

type Done = (state: TestState, sentence: string, runs: readonly RunResult[]) => TestResult;

/** All of one run must hold, of several in as many as the test says. */
function judged(
  { runs: wanted = 1, atLeast }: ExpectationTest,
  runs: readonly RunResult[],
  done: Done,
): TestResult {
  const unread = runs.find(({ state }) => state === 'untested');
  const passed = runs.filter(({ state }) => state === 'passed').length;
  const needed = atLeast ?? runs.length;
  if (wanted === 1) {
    const [only] = runs;
    if (unread) return done('untested', unread.why, runs);
    return done(only?.state ?? 'untested', sentenceOf(only), runs);
  }
  if (unread) return done('untested', t`${unread.session.id} could not be tested: ${unread.why}`, runs);
  if (passed >= needed) return done('passed', t`It holds in ${passed} of ${runs.length} runs.`, runs);
  const first = sentenceOf(runs.find(({ state }) => state === 'failed'));
  return done(
    'failed',
    t`It holds in ${passed} of ${runs.length} runs, and must in ${needed}. First of the others: ${first}`,
    runs,
  );
}

/** What is wrong with a run, in one sentence. */
function sentenceOf(run: RunResult | undefined): string {
  if (!run || run.state === 'passed') return '';
  const wrong = run.findings.filter(({ state }) => state === 'failed');
  const [first] = wrong;
  if (!first) {
    const vacuous = run.findings.find(({ state }) => state === 'vacuous');
    return t`Nothing was tested: ${vacuous?.sentence ?? ''}`;
  }
  return wrong.length === 1 ? first.sentence : t`${first.sentence} And ${wrong.length - 1} more.`;
}

async function checkOne(placed: PlacedTest, each: ComparedRun, options: CheckOptions): Promise<RunResult> {
  const { session, run } = each;
  const { id, kind, where } = session;
  const about = { session: { id, kind, where }, run };
  const untested = (why: string): RunResult => ({ ...about, state: 'untested', why, findings: [] });
  try {
    const { over } = placed.test;
    const replays = over === 'replay' || (options.replays === true && over !== 'live');
    const checked = replays
      ? await replayOf(each, options)
      : (ready.get(each) ?? (await readRunOf(each, options)));
    if ('departure' in checked) {
      const { step, why, expected, asked: actual } = checked.departure;
      const sentence = t`Departed at step ${step}: ${why}`;
      const finding: Finding = { path: ['over'], state: 'failed', sentence, expected, actual };
      return {
        ...about,
        state: 'failed',
        why: '',
        findings: [{ ...shown(finding, options), place: placed.placeOf(['over']) }],
      };
    }
    // What is missing may be what was expected, or what was not.
    if (checked.damaged > 0)
      return untested(t`${id} has ${checked.damaged} places that cannot be read, so that it proves nothing.`);
    const isAnswered = checked.answer !== undefined || checked.calls.length > 0;
    if (over === 'live' && checked.end !== 'done' && !isAnswered)
      return untested(t`No model answered, so that ${id} proves nothing: it ended as ${checked.end}.`);
    const findings = checkRun(checked, placed.test.expect ?? {}).map(({ position, ...finding }) => ({
      ...shown(finding, options),
      // What a replay says stands nowhere.
      ...(position !== undefined && !replays && { position }),
      place: placed.placeOf(['expect', ...finding.path]),
    }));
    const isVacuous = ({ state }: Finding) => state === 'vacuous';
    const holds = !findings.some(({ state }) => state === 'failed');
    const isTested = !(options.isStrict === true ? findings.some(isVacuous) : findings.every(isVacuous));
    return { ...about, state: holds && isTested ? 'passed' : 'failed', why: '', findings };
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    return untested(error.message);
  }
}

async function readRunOf(
  { session, run, part }: ComparedRun,
  options: Pick<CheckOptions, 'prices' | 'signal'>,
): Promise<CheckedRun> {
  const { prices, signal } = options;
  const transcript = await session.open();
  try {
    const stretch = part ?? (await stretchOf(transcript, run, signal));
    return await readCheckedRun(wholeTexts(transcript, undefined), { prices, signal, part: stretch });
  } finally {
    await transcript.close();
  }
}

/** What a run does when it is run again with its record as the answers, without a network. */
async function replayOf(
  { session, run }: ComparedRun,
  { agents, prices, signal, clean }: CheckOptions,
): Promise<CheckedRun | { readonly departure: ReplayDeparture }> {
  const { describedTools, replayRun } = await loadReplay();
  const transcript = await session.open();
  try {
    const now = { agents: await agents(), tools: describedTools(), openOrigin: session.openOther };
    const { departure, records } = await replayRun(transcript, { ...now, prices, run, clean, signal });
    if (departure) return { departure };
    const read = (start: number, end: number) => Promise.resolve(records.slice(start, end));
    return await readCheckedRun({ length: records.length, read }, { prices, signal });
  } finally {
    await transcript.close();
  }
}

function clean(text: string, options: CheckOptions): string {
  return options.clean?.(text) ?? text;
}

/** What holds is told as such, and no more. */
function shown(finding: Finding, options: CheckOptions): Finding {
  if (finding.state === 'passed') return { ...finding, expected: '', actual: '' };
  const cut = (text: string, most: number) => firstCodePoints(clean(text, options), most);
  return {
    ...finding,
    sentence: cut(finding.sentence, MAX_SENTENCE),
    expected: cut(finding.expected, MAX_SHOWN),
    actual: cut(finding.actual, MAX_SHOWN),
  };
}

/** A file with a test that a session passes, for `name` as a person names it. Rejects with a UserError where there is no such session. */
export async function madeExpectations(
  name: string,
  sources: Sources,
  options: Pick<CheckOptions, 'prices' | 'signal'>,
): Promise<string> {
  const [run] = await runsOfSession(name, undefined, { ...options, sources });
  if (!run) throw new UserError(t`${name} holds no session.`);
  const { session } = run;
  const checked = await readRunOf(run, options);
  const { agent, prompt } = checked;
  const entry = await session.entry();
  // Of a run that was recorded here, the next one is what the test is for.
  const isOwn = session.kind === 'stored' && entry.recordedHere && agent !== '' && prompt !== '';
  const { run: number } = splitName(name);
  const known = session.kind === 'file' ? name : `${session.id}${number === undefined ? '' : `#${number}`}`;
  return makeExpectations(
    checked,
    isOwn ? { agent, prompt } : { session: known },
    t`Made from ${session.id}. It says what that run did: change it to what must hold.`,
  );
}

/** The runs that a test looks at. Throws a UserError where there are not enough. */
async function runsOf(test: ExpectationTest, options: CheckOptions): Promise<readonly ComparedRun[]> {
  const { runs = 1 } = test;
  if (test.over === 'live') return await liveRuns(runs, options);
  const found =
    test.agent === undefined
      ? await runsOfSession(test.session ?? '', test.runs, options)
      : await runsOfAgent(test.agent, test.prompt, runs, options);
  if (found.length < runs)
    throw new UserError(t`There are ${found.length} runs, and the test looks at ${runs}.`);
  return found.slice(0, runs);
}

/** The runs that were made for a test. Throws a UserError where there are not enough. */
async function liveRuns(runs: number, options: CheckOptions): Promise<readonly ComparedRun[]> {
  const { live } = options;
  if (!live)
    throw new UserError(
      t`over: live asks models, which is done only where a person asks for it: agent-logbook check --live, or Run Live in the Test Explorer.`,
    );
  const found: ComparedRun[] = [];
  const made = await live();
  for (const id of made) for (const run of await runsOfSession(id, undefined, options)) found.push(run);
  if (found.length < runs)
    throw new UserError(
      t`Only ${found.length} of ${runs} runs were begun, because the budget was spent or they were stopped.`,
    );
  return found;
}

/** A session, or its runs, the last first, where several are wanted; of a source with several sessions, these. */
async function runsOfSession(
  named: string,
  runs: number | undefined,
  { sources, signal }: Pick<CheckOptions, 'sources' | 'signal'>,
): Promise<readonly ComparedRun[]> {
  const { name, run } = splitName(named);
  const found: NamedSession[] = [];
  for await (const session of sources.sessions([name])) found.push(session);
  const [only] = found;
  if (!only) throw new UserError(t`${name} holds no session.`);
  if (runs === undefined) {
    if (found.length > 1)
      throw new UserError(t`${name} holds ${found.length} sessions; say with runs how many are looked at.`);
    return [{ session: only, run }];
  }
  if (found.length > 1) return found.map((session) => ({ session, run }));
  return await lastRuns(only, runs, signal);
}

async function lastRuns(
  session: NamedSession,
  most: number,
  signal: AbortSignal,
): Promise<readonly ComparedRun[]> {
  const transcript = await session.open();
  try {
    const parts = await runStretches(transcript, signal);
    return parts
      .map((part, at) => ({ session, run: at + 1, part }))
      .reverse()
      .slice(0, most);
  } finally {
    await transcript.close();
  }
}

/** The newest runs of an agent that are over, and of these only those that it was asked so. */
async function runsOfAgent(
  agent: string,
  prompt: string | undefined,
  most: number,
  options: CheckOptions,
): Promise<readonly ComparedRun[]> {
  const { sources, signal } = options;
  const entries = await sources.listed();
  const own = entries
    .filter(({ agents: [first], state }) => first === agent && state !== 'running' && state !== 'waiting')
    .sort((a, b) => b.startedAt - a.startedAt);
  if (own.length === 0) {
    const [meant] = nearest(
      agent,
      entries.flatMap(({ agents: [first] }) => first ?? []),
    );
    throw new UserError(
      meant === undefined || meant === agent
        ? t`There is no record of ${agent}; run it once.`
        : t`There is no record of ${agent}. Did you mean ${meant}?`,
    );
  }
  const found: ComparedRun[] = [];
  for (const entry of own) {
    signal.throwIfAborted();
    const runs = await askedRuns(entry, options);
    const meant = runs.filter((run) => prompt === undefined || run.prompt === prompt.trim());
    if (meant.length === 0) continue;
    for (const { session, part, run } of meant) {
      const each = { session, run, part };
      const read = readBefore(sources).checked.get(keyOf(entry, run));
      if (read) ready.set(each, read);
      found.push(each);
    }
    if (found.length >= most) return found.slice(0, most);
  }
  if (found.length === 0)
    throw new UserError(t`${agent} was never asked this; run it once with this prompt.`);
  return found;
}

/** A run of a conversation, and what was asked in it. */
interface AskedRun {
  readonly session: NamedSession;
  readonly run: number;
  readonly part: Stretch;
  readonly prompt: string;
}

/** What was read of a source's runs to find those that were asked something, so that a test which looks at one need not read it again. */
interface ReadRuns {
  /** By what a conversation was then. */
  readonly asked: Map<string, readonly AskedRun[]>;
  readonly checked: BoundedMap<string, CheckedRun>;
}

/** So many runs are held. */
const MAX_HELD = 2_000;

const readRuns = new WeakMap<Sources, ReadRuns>();
/** Runs that were read to find them. */
const ready = new WeakMap<ComparedRun, CheckedRun>();

function readBefore(sources: Sources): ReadRuns {
  const known = readRuns.get(sources) ?? { asked: new Map(), checked: new BoundedMap(MAX_HELD) };
  readRuns.set(sources, known);
  return known;
}

function keyOf({ conversation, bytes, records, endedAt }: CatalogEntry, run = 0): string {
  return `${conversation} ${bytes} ${records ?? 0} ${endedAt} ${run}`;
}

/** The runs of a conversation, the last first. */
async function askedRuns(
  entry: CatalogEntry,
  { sources, prices, signal }: CheckOptions,
): Promise<readonly AskedRun[]> {
  const { asked, checked } = readBefore(sources);
  const before = asked.get(keyOf(entry));
  if (before) return before;
  const found: AskedRun[] = [];
  for await (const session of sources.sessions([entry.conversation])) {
    const transcript = await session.open();
    try {
      const { length } = transcript;
      const parts = entry.runs === 1 ? [{ from: 0, to: length }] : await runStretches(transcript, signal);
      for (const [at, part] of parts.entries()) {
        const read = await readCheckedRun(wholeTexts(transcript, undefined), { prices, signal, part });
        checked.set(keyOf(entry, at + 1), read);
        found.unshift({ session, run: at + 1, part, prompt: read.prompt.trim() });
      }
    } finally {
      await transcript.close();
    }
  }
  asked.set(keyOf(entry), found);
  return found;
}

async function checkQuestion(
  { test, placeOf }: PlacedTest,
  question: string,
  options: CheckOptions,
  done: Done,
): Promise<TestResult> {
  const { sources, signal, prices, mark, now, timeZone } = options;
  const { rows = 'messages', finds = 'none' } = test;
  const planned = planQuery(question, { rows, now, timeZone });
  if (!planned.ok) throw new UserError(problemWords(question, planned.problems));
  const asking = new Asking(planned.plan, { prices, mark }, 'not told');
  let [sessions, found] = [0, 0];
  let first: (Pick<RunResult, 'session'> & { readonly position: number }) | undefined;
  for await (const named of sources.counted(test.in === undefined ? [] : [test.in].flat())) {
    sessions++;
    const { id, kind, where } = named;
    let answer;
    try {
      answer = await asking.ask(named.session, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new UserError(t`${id} was not looked through: ${messageOf(error)}`);
    }
    const problem = answer?.problem?.message;
    if (problem !== undefined) throw new UserError(t`${id} was not looked through: ${problem}`);
    if (answer && answer.damaged > 0)
      throw new UserError(
        t`${id} has ${answer.damaged} places that cannot be read, so that it proves nothing.`,
      );
    found += answer?.indexes.length ?? 0;
    const [index] = answer?.indexes ?? [];
    if (answer && index !== undefined && !first) {
      const row = rowAt(answer.facts, rows, index);
      first = { session: { id, kind, where }, position: row && 'position' in row ? row.position : 0 };
    }
  }
  if (sessions === 0) throw new UserError(t`There is no session that the question could be asked of.`);
  const { holds, expected, actual } = judgeHowMany(finds, found);
  const sentence = holds ? '' : t`The question finds ${actual}, and expected is ${expected}.`;
  const finding: PlacedFinding = {
    path: ['finds'],
    place: placeOf(['finds']),
    state: holds ? 'passed' : 'failed',
    sentence,
    expected,
    actual,
    ...(first && { position: first.position }),
  };
  const state = holds ? 'passed' : 'failed';
  const session = first?.session ?? { id: '', kind: 'stored', where: '' };
  return done(state, sentence, [{ state, session, run: undefined, why: '', findings: [finding] }]);
}
