import { addCosts, knownAmount, NO_COST, type Cost } from '../../core/cost.js';
import type { AgentDefinition } from '../../core/agent.js';
import { newId } from '../../core/ids.js';
import { t } from '../../core/l10n.js';
import type { Prices } from '../../core/ports/prices.js';
import { formatMoney, inDollars, nanos, NO_MONEY } from '../../core/money.js';
import { firstCodePoints, messageOf, singleLine } from '../../core/text.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { LogRecord } from '../../core/record.js';
import type { ExpectationTest } from '../../compare/expectations/expectationWords.js';
import type { StoredConversation } from '../stores/storedConversation.js';
import type { RunResult } from '../../agents/loop/agentSession.js';
import { readTotals } from '../../query/numbers/sessionTotals.js';
import type { ForkRequest, RunRequest, RunStarter, StartedRun } from '../answers/runRequest.js';
import type { RestoredTree, restoreInWorktree, worktreeBehind } from '../sources/restoredFiles.js';
import type { Stores } from '../services/stores.js';
import { formatCount } from '../text/format.js';
import { withTranscript } from '../transcripts/withTranscript.js';
import { UserError } from '../userError.js';

/** A task that is given to an agent several times, each in a folder of its own. */
export interface TimesRequest {
  readonly agent: AgentDefinition;
  readonly prompt: string;
  /** How often, by each model. */
  readonly times: number;
  /** The models, by name; none: the one that the agent has. */
  readonly models: readonly string[];
  /** The folder of the workspace, absolute. */
  readonly folder: string;
  /** No run is begun once so much was spent, in dollars; undefined: as much as it takes. */
  readonly budget?: number | undefined;
  readonly prices: Prices;
  readonly signal: AbortSignal;
  /** Says whether the task is done in a folder; left out: nothing says it. */
  readonly verify?: ((folder: string, signal: AbortSignal) => Promise<boolean | undefined>) | undefined;
  /** What the check is called. */
  readonly verifiedBy?: string | undefined;
  /** Told before each run, and of what happens in it. */
  readonly onRun?: (about: { readonly number: number; readonly of: number; readonly model: string }) => void;
  readonly onEvent?: RunRequest['onEvent'];
  readonly attended?: boolean;
}

/** One of the runs. */
export interface OneOfTimes {
  readonly conversation: string;
  /** The folder that it worked in. */
  readonly folder: string;
  /** '' for the one that the agent has. */
  readonly model: string;
  readonly result: RunResult;
  readonly passed?: boolean;
}

/** What came of all. */
export interface TimesResult {
  readonly runs: readonly OneOfTimes[];
  readonly cost: Cost;
  /** Why not all were run. */
  readonly stopped?: Stopped;
  /** What went wrong behind the first run: those that were paid for are told first. */
  readonly error?: Error;
}

/** Why no further run is begun: so much is spent, nobody knows how much, or a person stopped it. */
type Stopped = 'budget' | 'unpriced' | 'cancelled';

/** What one run of an agent has cost so far: the median of its last ones whose cost is known, and of how many. */
export interface CostEstimate {
  readonly dollars: number | undefined;
  readonly of: number;
}

/** So many of the last runs of an agent are looked at. */
const LOOKED_AT = 10;
/** More runs are not begun at once. */
export const MAX_TIMES = 100;

/** What is needed to run agents and to read what was recorded. */
export interface TimesParts {
  readonly runs: RunStarter;
  readonly stores: Stores;
  /** Makes the worktrees; given, because an editor loads it late. */
  readonly restoreInWorktree: typeof restoreInWorktree;
}

/** What a run of an agent may cost, from those that were recorded. */
export async function estimateCost(
  { stores }: Pick<TimesParts, 'stores'>,
  agent: string,
  prices: Prices,
  signal: AbortSignal,
): Promise<CostEstimate> {
  const known = (await stores.conversations()).filter(
    ({ entry }) => entry.recordedHere && entry.runs === 1 && entry.agents[0] === agent && !entry.scripted,
  );
  const amounts: number[] = [];
  for (const { store, entry } of known.slice(0, LOOKED_AT)) {
    const cost = await costOf(store, entry.conversation, prices, signal);
    if (cost.unknown === 0) amounts.push(inDollars(knownAmount(cost)));
  }
  amounts.sort((a, b) => a - b);
  return { dollars: amounts[Math.floor(amounts.length / 2)], of: amounts.length };
}

/**
 * Gives a task to an agent several times, one after the other, because those that run at once measure the machine. Each works in a
 * worktree of its own with the files that the folder has now; what a check says of it is recorded behind it, as a score. Rejects
 * with an error for a person where none can be begun.
 */
export async function runTimes(parts: TimesParts, request: TimesRequest): Promise<TimesResult> {
  const { agent, prompt, times, models, folder, prices, signal } = request;
  const all = (models.length === 0 ? [''] : models).flatMap((model) =>
    Array.from({ length: times }, (_, at) => ({ model, at })),
  );
  if (all.length > MAX_TIMES) throw new UserError(t`At most ${MAX_TIMES} runs are made at once.`);
  const runs: OneOfTimes[] = [];
  let cost = NO_COST;
  const begun = Date.now().toString(36);
  const guard = guardOf(parts, request);
  const makeOne = async ({ model }: (typeof all)[number], number: number): Promise<void> => {
    request.onRun?.({ number: number + 1, of: all.length, model });
    const name = `${agent.name.replace(/[^\p{L}\p{N}]+/gu, '-')}-${begun}-${number + 1}`;
    const place = await parts.restoreInWorktree(
      { files: [], outside: [], commands: 0 },
      folder,
      name,
      signal,
    );
    const by = model === '' ? agent : { ...agent, models: [model] };
    const { onEvent, attended } = request;
    const { conversation, done } = await startIn(place, parts.runs, {
      agent: by,
      prompt,
      signal,
      ...guard,
      ...(onEvent && { onEvent }),
      ...(attended !== undefined && { attended }),
    });
    const one = { conversation, folder: place.folder, model, result: await done };
    runs.push(one);
    cost = addCosts(cost, await spentOn(await parts.stores.find(conversation), prices));
    if (one.result.outcome === 'cancelled') return;
    const passed = await request.verify?.(place.folder, signal);
    // A check that was interrupted says nothing of the run.
    if (passed === undefined || signal.aborted) return;
    runs[runs.length - 1] = { ...one, passed };
    await recordScore(parts, conversation, request.verifiedBy ?? 'verify', passed);
  };
  const ended = await oneByOne(all, makeOne, request, {
    cost: () => cost,
    isBegun: () => runs.length > 0,
  });
  return { runs, cost, ...ended };
}

/**
 * Makes runs one after the other, until a person or the budget says no, or one cannot be made. Rejects as the first does, unless
 * there is one that was paid for and must be told.
 */
async function oneByOne<Task>(
  tasks: readonly Task[],
  make: (task: Task, at: number) => Promise<void>,
  { signal, budget }: Pick<TimesRequest, 'signal' | 'budget'>,
  made: { readonly cost: () => Cost; readonly isBegun: () => boolean },
): Promise<Pick<TimesResult, 'stopped' | 'error'>> {
  for (const [at, task] of tasks.entries()) {
    const stopped = whyStopped(signal, made.cost(), budget);
    if (stopped) return { stopped };
    try {
      await make(task, at);
    } catch (error) {
      if (signal.aborted) break;
      if (!made.isBegun()) throw error;
      return { error: asError(error) };
    }
  }
  return signal.aborted ? { stopped: 'cancelled' } : {};
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error), { cause: error });
}

function whyStopped(signal: AbortSignal, cost: Cost, budget: number | undefined): Stopped | undefined {
  if (signal.aborted) return 'cancelled';
  if (budget === undefined) return undefined;
  if (cost.unknown > 0) return 'unpriced';
  return inDollars(knownAmount(cost)) >= budget ? 'budget' : undefined;
}

/** Lets no run begin whose cost nobody could hold against the budget. */
function guardOf(
  { stores }: Pick<TimesParts, 'stores'>,
  { budget, prices, signal }: Pick<TimesRequest, 'budget' | 'prices' | 'signal'>,
): Pick<RunRequest, 'mayBegin'> {
  if (budget === undefined) return {};
  const usage = { inputTokens: 1, outputTokens: 1, estimated: false };
  return {
    mayBegin: async ({ id, label, kind }) => {
      if (kind === 'scripted') return;
      if (prices.costOf({ model: id, time: Date.now(), usage }).provenance !== 'unknown') return;
      if (await isCostTold(stores, id, prices, signal)) return;
      throw new UserError(
        t`What ${label} costs is not known, so that a budget cannot be kept, and nothing was run. A file of your own prices can tell it.`,
      );
    },
  };
}

/** Whether the server of a model told what its requests cost when it was last asked. */
async function isCostTold(
  stores: Stores,
  model: string,
  prices: Prices,
  signal: AbortSignal,
): Promise<boolean> {
  const known = (await stores.conversations()).filter(({ entry }) => entry.recordedHere && !entry.scripted);
  for (const { store, entry } of known.slice(0, LOOKED_AT)) {
    const { statistics } = await withTranscript(store, entry.conversation, (transcript) =>
      readTotals(transcript, prices, signal),
    );
    const told = statistics.byModel.find(({ name }) => name === model);
    if (told) return told.requests > 0 && told.cost.unknown === 0;
  }
  return false;
}

/** Why no further run was begun, as a sentence. */
export function stoppedWords(stopped: Stopped): string {
  switch (stopped) {
    case 'budget':
      return t`The budget is spent: no further run was begun.`;
    case 'unpriced':
      return t`What a run cost is not known, so that the budget cannot be kept: no further run was begun.`;
    case 'cancelled':
      return t`No further run was begun, as you stopped it.`;
  }
}

/** Begins a run in a worktree that was made for it; where it cannot begin, the worktree is taken away again. */
export async function startIn(
  { folder, remove }: Pick<RestoredTree, 'folder' | 'remove'>,
  runs: RunStarter,
  request: RunRequest,
): Promise<StartedRun> {
  try {
    return await runs.start({ ...request, folder });
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Conversations that go on from messages of one that was recorded, which say something else. */
export interface ChangesRequest extends Pick<
  TimesRequest,
  'folder' | 'budget' | 'prices' | 'signal' | 'onEvent' | 'attended'
> {
  readonly conversation: string;
  readonly changes: readonly Omit<ForkRequest & { readonly prompt?: string | undefined }, 'conversation'>[];
  /** Told before each run: which of the changes it is, and what a person must know of its files. */
  readonly onRun?: (at: number, told: readonly string[]) => void;
}

/** What came of one of them. */
export interface OneOfChanges extends Omit<OneOfTimes, 'model' | 'passed'> {
  readonly cost: Cost;
}

/** What came of each, undefined where it was not begun; and why not all were, as `runTimes` has it. */
export interface ChangesResult extends Pick<TimesResult, 'stopped' | 'error'> {
  readonly runs: readonly (OneOfChanges | undefined)[];
}

/**
 * Goes on from each of the messages, one after the other, each in a worktree with the files as they were there. Rejects as
 * `runTimes` does.
 */
export async function runChanges(
  {
    runs,
    stores,
    worktreeBehind: makeTree,
  }: Omit<TimesParts, 'restoreInWorktree'> & {
    readonly worktreeBehind: typeof worktreeBehind;
  },
  request: ChangesRequest,
): Promise<ChangesResult> {
  const { conversation: origin, changes, folder, prices, signal } = request;
  const { store } = await stores.find(origin);
  const all = changes.map((): OneOfChanges | undefined => undefined);
  const guard = guardOf({ stores }, request);
  let cost = NO_COST;
  const makeOne = async ({ prompt = '', ...change }: (typeof changes)[number], at: number): Promise<void> => {
    const tree = await withTranscript(store, origin, (transcript) =>
      makeTree(transcript, change.seq, folder, signal),
    );
    request.onRun?.(at, tree.told);
    const { onEvent, attended } = request;
    const { conversation, done } = await startIn(tree, runs, {
      prompt,
      from: { conversation: origin, ...change },
      signal,
      ...guard,
      ...(onEvent && { onEvent }),
      ...(attended !== undefined && { attended }),
    });
    const one = { conversation, folder: tree.folder, result: await done };
    all[at] = { ...one, cost: NO_COST };
    const own = await spentOn(await stores.find(conversation), prices);
    cost = addCosts(cost, own);
    all[at] = { ...one, cost: own };
  };
  const ended = await oneByOne(changes, makeOne, request, {
    cost: () => cost,
    isBegun: () => all.some((one) => one !== undefined),
  });
  return { runs: all, ...ended };
}

/** Agents that are run for tests, one test after the other, until so much is spent. */
export class LiveTests {
  readonly #parts: TimesParts;
  readonly #request: Omit<TimesRequest, 'agent' | 'prompt' | 'times' | 'models' | 'budget'>;
  #left: number;
  #isUnpriced = false;

  constructor(
    parts: TimesParts,
    budget: number,
    request: Omit<TimesRequest, 'agent' | 'prompt' | 'times' | 'models' | 'budget'>,
  ) {
    this.#parts = parts;
    this.#left = budget;
    this.#request = request;
  }

  /** The conversations of the runs that were begun for a test. Rejects as `runTimes` does. */
  async run(
    agents: readonly AgentDefinition[],
    { agent: name, prompt, runs = 1 }: LiveTest,
  ): Promise<readonly string[]> {
    const agent = agents.find((each) => each.name === name);
    if (!agent) throw new UserError(t`There is no agent named ${name ?? ''} here that can be run.`);
    if (this.#isUnpriced) throw new UserError(stoppedWords('unpriced'));
    if (this.#left <= 0) return [];
    const {
      runs: done,
      cost,
      stopped,
      error,
    } = await runTimes(this.#parts, {
      ...this.#request,
      agent,
      prompt: prompt ?? '',
      times: runs,
      models: [],
      budget: this.#left,
    });
    this.#left -= inDollars(knownAmount(cost));
    this.#isUnpriced = cost.unknown > 0;
    if (error !== undefined) throw error;
    if (stopped === 'unpriced') throw new UserError(stoppedWords(stopped));
    return done.map(({ conversation }) => conversation);
  }
}

/** What of a test says what is run. */
type LiveTest = Pick<ExpectationTest, 'agent' | 'prompt' | 'runs'>;

/** What so many runs may cost, as a sentence. */
export function estimateWords({ dollars, of }: CostEstimate, count: number): string {
  if (dollars === undefined)
    return t`${formatCount(count, 'run')}; what one costs is not known, as no earlier run of the agent tells it.`;
  return t`${formatCount(count, 'run')}, about ${dollarWords(count * dollars)}: one cost ${dollarWords(dollars)}, the median of ${formatCount(of, 'earlier run')}.`;
}

/** So many agents are told of one by one, and so much of a name, in code points. */
const MAX_TOLD = 2;
const MAX_NAME = 40;

/** What the runs of several agents may cost: the sum first, then that of the first agents. */
export function estimatesWords(
  all: readonly { readonly agent: string; readonly count: number; readonly estimate: CostEstimate }[],
): string {
  const byAgent = new Map<string, (typeof all)[number]>();
  for (const each of all)
    byAgent.set(each.agent, { ...each, count: each.count + (byAgent.get(each.agent)?.count ?? 0) });
  const agents = [...byAgent.values()];
  const [only] = agents;
  const told = agents
    .slice(0, MAX_TOLD)
    .map(
      ({ agent, count, estimate }) =>
        `${firstCodePoints(singleLine(agent), MAX_NAME)}: ${estimateWords(estimate, count)}`,
    );
  if (agents.length === 1 && only) return told.join(' ');
  const known = agents.filter(({ estimate }) => estimate.dollars !== undefined);
  const sum = known.reduce((dollars, { count, estimate }) => dollars + count * (estimate.dollars ?? 0), 0);
  const runs = formatCount(
    agents.reduce((whole, { count }) => whole + count, 0),
    'run',
  );
  const first =
    known.length === 0
      ? t`${runs}; what they cost is not known.`
      : known.length === agents.length
        ? t`${runs}, about ${dollarWords(sum)}.`
        : t`${runs}, about ${dollarWords(sum)} and what is not known.`;
  const more = agents.length - told.length;
  return [first, ...told, ...(more > 0 ? [t`And ${more} more.`] : [])].join(' ');
}

/** An amount of dollars, as people write it. */
export function dollarWords(amount: number): string {
  return formatMoney(nanos(amount * 1e9) ?? NO_MONEY);
}

/** The dollars that a person typed; undefined where it is no amount. */
export function dollarsIn(text: string): number | undefined {
  const amount = Number(text.trim().replace(/^\$/, ''));
  return amount > 0 && Number.isFinite(amount) ? amount : undefined;
}

/** What a run has cost that is over; a script asks no model, and costs nothing. */
async function spentOn({ store, entry }: StoredConversation, prices: Prices): Promise<Cost> {
  if (entry.scripted) return NO_COST;
  return await costOf(store, entry.conversation, prices, new AbortController().signal);
}

async function costOf(
  store: StoredConversation['store'],
  conversation: string,
  prices: Prices,
  signal: AbortSignal,
): Promise<Cost> {
  return await withTranscript(store, conversation, async (transcript) => {
    return (await readTotals(transcript, prices, signal)).statistics.cost;
  });
}

/** Records what a check said of a run, as evaluations tell their scores. */
async function recordScore(
  { stores }: Pick<TimesParts, 'stores'>,
  conversation: string,
  name: string,
  passed: boolean,
): Promise<void> {
  const { store } = await stores.find(conversation);
  const last = await withTranscript(
    store,
    conversation,
    async (transcript) => (await transcript.read(transcript.length - 1, transcript.length))[0],
  );
  if (!last) return;
  const resumed = await store.resumeConversation(conversation);
  if ('refused' in resumed) throw new UserError(resumed.refused);
  const { journal, lastSeq } = resumed;
  const { run, call, agent, depth } = last;
  const place = { id: newId('message'), time: Date.now(), conversation, run, call, agent, depth };
  const value = { [`Score (${name})`]: passed ? 'passed' : 'failed' };
  // As importers keep what a file tells that is no message; views and comparisons know it so.
  const fact: ReadRecord = { seq: lastSeq + 1, ...place, type: 'imported', kind: 'facts', value };
  journal.append(fact as unknown as LogRecord);
  await journal.close();
}
