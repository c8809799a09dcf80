import { realpath } from 'node:fs/promises';
import { addCosts, formatCost, NO_COST, type Cost } from '../../core/cost.js';
import { t } from '../../core/l10n.js';
import type { Page } from '../../compare/forms.js';
import { GitFailed, Repository, type BranchCommit } from '../../provenance/git.js';
import type { MarkedPrices } from '../../search/columns/readSession.js';
import { countedTotals } from '../stores/countedTotals.js';
import type { NamedSession } from '../stores/namedSessions.js';
import { formatCount } from '../text/format.js';
import { UserError } from '../userError.js';
import { beginnings, BlamedFiles, keyOf, type BlameRequest } from './blamedFiles.js';
import type { SessionEdit } from './sessionEdits.js';

/** What is asked of a branch. */
export interface ExplainRequest extends Omit<BlameRequest, 'sessions'> {
  /** A folder in the repository. */
  readonly folder: string;
  /** A branch or another name of a commit, or a range of two of them with `..` between; what is checked out, where it is ''. */
  readonly range: string;
  /** All sessions by which it is explained, each time that it is called. */
  readonly sessions: () => AsyncIterable<NamedSession>;
  /** By which is told what sessions cost; left out: nothing is. */
  readonly prices?: MarkedPrices | undefined;
}

/** Lines by who let them happen. */
interface Lines {
  /** Proved to be of sessions. */
  readonly proved: number;
  /** Of these, by edits that no person approved, as far as that is recorded. */
  readonly unreviewed: number;
  /** Only told by another program. */
  readonly told: number;
}

/** A commit with what is proved of it. */
export interface ExplainedCommit extends BranchCommit, Lines {
  /** The sessions of its lines, by their places in `ExplainedBranch.sessions`. */
  readonly sessions: readonly number[];
}

/** A session that wrote lines of a branch. */
export interface ExplainedSession {
  readonly session: string;
  readonly where: string;
  readonly title: string;
  readonly source?: string | undefined;
  readonly agents: readonly string[];
  readonly models: readonly string[];
  /** The prompts that its lines were written for, whole: what is shown of them say `beginnings`. */
  readonly prompts: readonly string[];
  readonly lines: number;
  readonly unreviewed: number;
  /** What the whole session cost. */
  readonly cost?: Cost | undefined;
}

/** A branch as the sessions behind it tell it. */
export interface ExplainedBranch extends Lines {
  readonly range: string;
  readonly base: string;
  readonly tip: string;
  /** The oldest first. */
  readonly commits: readonly ExplainedCommit[];
  /** The one with the most lines first. */
  readonly sessions: readonly ExplainedSession[];
  /** Lines that its commits bring, as git counts them. */
  readonly added: number;
  /** Files that were not looked at, or not as a whole: there are too many, or git could not tell all that they were. */
  readonly filesLeftOut: number;
}

/** So many files of a branch are looked at, and so many prompts of a session told. */
const MAX_FILES = 2_000;
const MAX_PROMPTS = 20;

/** Says by which sessions the commits of a branch were written, as far as they prove it. Rejects with a UserError. */
export async function explainBranch(request: ExplainRequest): Promise<ExplainedBranch> {
  const { signal, range } = request;
  const folder = await realpath(request.folder);
  const repository = await Repository.around(folder, signal);
  if (!repository) throw new UserError(t`There is no repository of git around ${folder}.`);
  const { base, fork, tip } = await endsOf(repository, range, signal);
  const { commits, paths } = await changesOf(repository, { base, fork, tip }, signal);
  const found = new Gathered(commits);
  const blamed = new BlamedFiles();
  const looked = { paths: paths.slice(0, MAX_FILES), tip };
  let filesLeftOut = paths.length - looked.paths.length;
  for await (const { versions, isIncomplete } of blamed.brought(repository, looked, request)) {
    if (isIncomplete) filesLeftOut++;
    for (const { commit, lines, told } of versions) {
      for (const edit of lines) if (edit) found.add(commit, edit);
      found.addTold(commit, told.filter((author) => author !== undefined).length);
    }
  }
  const costs = await costsOf(found.keys, request);
  return {
    range: range === '' ? ((await repository.branch(signal)) ?? 'HEAD') : range,
    base,
    tip,
    ...found.told(costs),
    filesLeftOut,
  };
}

/** What a branch brings. */
async function changesOf(
  repository: Repository,
  { base, fork, tip }: Ends,
  signal: AbortSignal,
): Promise<{ readonly commits: readonly BranchCommit[]; readonly paths: readonly string[] }> {
  try {
    return {
      commits: await repository.commits(base, tip, signal),
      paths: await repository.changed(fork, tip, signal),
    };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new UserError(
      t`Git could not tell the commits between ${base.slice(0, 10)} and ${tip.slice(0, 10)}: it took too long, or not all objects are here, as in a partial clone. Fetch the repository as a whole first.`,
    );
  }
}

/** The ends of a range. */
interface Ends {
  /** The commits that are in it are not told. */
  readonly base: string;
  /** Where it parted from that. */
  readonly fork: string;
  readonly tip: string;
}

async function endsOf(repository: Repository, range: string, signal: AbortSignal): Promise<Ends> {
  const commitOf = async (name: string) => {
    const commit = await repository.commit(name, signal);
    if (commit === undefined)
      throw new UserError(
        t`There is no commit ${name} here; write a branch, a tag, a commit, or two of them as ONE..OTHER.`,
      );
    return commit;
  };
  const [, from, to] = /^(.+?)\.\.(?!\.)(.+)$/.exec(range) ?? [];
  if (from !== undefined && to !== undefined) {
    const [base, tip] = [await commitOf(from), await commitOf(to)];
    return { base, fork: (await repository.mergeBase(base, tip, signal)) ?? base, tip };
  }
  const tip = await commitOf(range === '' ? 'HEAD' : range);
  const main = await repository.mainBranch(signal);
  const base = main === undefined ? undefined : await repository.mergeBase(main, tip, signal);
  if (base === undefined || base === tip)
    throw new UserError(
      t`It is not known where ${range === '' ? 'HEAD' : range} went out from; write the range, as main..${range === '' ? 'HEAD' : range}.`,
    );
  return { base, fork: base, tip };
}

/** What sessions cost, by their keys. */
async function costsOf(
  keys: ReadonlySet<string>,
  { sessions, prices, signal }: ExplainRequest,
): Promise<ReadonlyMap<string, Cost>> {
  const costs = new Map<string, Cost>();
  if (!prices || keys.size === 0) return costs;
  for await (const session of sessions()) {
    if (!keys.has(keyOf(session))) continue;
    const { statistics } = await countedTotals(session, prices, signal, async (work) => {
      const transcript = await session.open();
      try {
        return await work(transcript);
      } finally {
        await transcript.close();
      }
    });
    costs.set(keyOf(session), statistics.cost);
  }
  return costs;
}

interface SessionSum {
  readonly first: SessionEdit;
  readonly agents: Set<string>;
  readonly models: Set<string>;
  readonly prompts: Map<number, string>;
  lines: number;
  unreviewed: number;
}

/** Lines of commits as they are found. */
class Gathered {
  readonly #commits: readonly BranchCommit[];
  readonly #byCommit = new Map<
    string,
    { proved: number; unreviewed: number; told: number; keys: Set<string> }
  >();
  readonly #sessions = new Map<string, SessionSum>();

  constructor(commits: readonly BranchCommit[]) {
    this.#commits = commits;
    for (const { commit } of commits)
      this.#byCommit.set(commit, { proved: 0, unreviewed: 0, told: 0, keys: new Set() });
  }

  get keys(): ReadonlySet<string> {
    return new Set(this.#sessions.keys());
  }

  /** Adds a line; one of another commit than those of the branch is left alone. */
  add(commit: string, edit: SessionEdit): void {
    const sum = this.#byCommit.get(commit);
    if (!sum) return;
    const key = keyOf({ where: edit.where, id: edit.session });
    const session = this.#sessions.get(key) ?? {
      first: edit,
      agents: new Set(),
      models: new Set(),
      prompts: new Map(),
      lines: 0,
      unreviewed: 0,
    };
    this.#sessions.set(key, session);
    sum.keys.add(key);
    sum.proved++;
    session.lines++;
    session.agents.add(edit.agent);
    if (edit.model !== undefined) session.models.add(edit.model);
    if (edit.prompt !== undefined && edit.asked !== undefined) session.prompts.set(edit.prompt, edit.asked);
    if (edit.approvedBy === 'user') return;
    sum.unreviewed++;
    session.unreviewed++;
  }

  addTold(commit: string, lines: number): void {
    const sum = this.#byCommit.get(commit);
    if (sum) sum.told += lines;
  }

  told(costs: ReadonlyMap<string, Cost>) {
    const inOrder = [...this.#sessions].sort(([, one], [, two]) => two.lines - one.lines);
    const places = new Map(inOrder.map(([key], at) => [key, at]));
    const commits = this.#commits.map((commit): ExplainedCommit => {
      const { keys = new Set<string>(), ...lines } = this.#byCommit.get(commit.commit) ?? {
        proved: 0,
        unreviewed: 0,
        told: 0,
      };
      const sessions = [...keys].map((key) => places.get(key) ?? 0).sort((one, two) => one - two);
      return { ...commit, ...lines, sessions };
    });
    const sessions = inOrder.map(
      ([key, { first, agents, models, prompts, lines, unreviewed }]): ExplainedSession => ({
        session: first.session,
        where: first.where,
        title: first.title,
        source: first.source,
        agents: [...agents],
        models: [...models],
        prompts: [...prompts]
          .sort(([one], [two]) => one - two)
          .slice(0, MAX_PROMPTS)
          .map(([, asked]) => asked),
        lines,
        unreviewed,
        cost: costs.get(key),
      }),
    );
    const sum = (of: (commit: ExplainedCommit) => number) =>
      commits.reduce((all, commit) => all + of(commit), 0);
    return {
      commits,
      sessions,
      added: sum(({ added }) => added),
      proved: sum(({ proved }) => proved),
      unreviewed: sum(({ unreviewed }) => unreviewed),
      told: sum(({ told }) => told),
    };
  }
}

/** A branch as a page; what it says may be of others, and is not safe to show yet. */
export function pageOfBranch(branch: ExplainedBranch): Page {
  const { range, commits, sessions, added, proved, unreviewed, told, filesLeftOut } = branch;
  const costs = sessions.flatMap(({ cost }) => cost ?? []);
  const beginningOf = beginnings((asked) => asked);
  const without = commits.filter((commit) => commit.sessions.length === 0);
  return {
    title: t`What is behind ${range}`,
    sentence:
      proved === 1
        ? t`${formatCount(commits.length, 'commit')} with ${formatCount(added, 'new line')}: 1 line is proved to be of agents, in ${formatCount(sessions.length, 'session')}.`
        : t`${formatCount(commits.length, 'commit')} with ${formatCount(added, 'new line')}: ${formatCount(proved, 'line')} are proved to be of agents, in ${formatCount(sessions.length, 'session')}.`,
    notes: [
      unreviewed > 0
        ? t`Of ${formatCount(unreviewed, 'proved line')} no approval by a person is recorded.`
        : proved > 0
          ? t`A person approved every edit behind a proved line.`
          : t`No line is proved, so that nothing is said of approvals.`,
      ...(without.length > 0
        ? [
            t`${formatCount(without.length, 'commit')} not covered by any session: written by people, or by what is not recorded here.`,
          ]
        : []),
      ...(told > 0
        ? [t`Of ${formatCount(told, 'more line')} only another program tells that an agent wrote it.`]
        : []),
      ...(costs.length > 0
        ? [t`What the sessions cost as a whole: ${formatCost(costs.reduce(addCosts, NO_COST))}.`]
        : []),
      ...(filesLeftOut > 0
        ? [
            t`Not looked at as a whole: ${formatCount(filesLeftOut, 'file')}, of which there are too many or git could not tell all.`,
          ]
        : []),
      t`A line counts where its session proves it; lines without an author are not said to be of people.`,
    ],
    tables: [
      {
        title: t`Commits`,
        heads: [t`Commit`, t`What`, t`By`, t`New lines`, t`Proved`, t`Not approved`, t`Sessions`],
        numbers: [3, 4, 5],
        rows: commits.map((commit) => [
          commit.commit.slice(0, 10),
          commit.subject,
          commit.author,
          String(commit.added),
          String(commit.proved),
          String(commit.unreviewed),
          commit.sessions.length === 0 ? t`none` : commit.sessions.map((at) => at + 1).join(', '),
        ]),
      },
      {
        title: t`Sessions`,
        heads: [t`No.`, t`Session`, t`Agents`, t`Asked`, t`Lines`, t`Not approved`, t`Cost`],
        numbers: [0, 4, 5, 6],
        rows: sessions.map((session, at) => [
          String(at + 1),
          session.source === undefined ? session.title : `${session.title} (${session.source})`,
          [...session.agents, ...session.models].join(', '),
          session.prompts.flatMap((asked) => beginningOf(asked) ?? []).join(' · '),
          String(session.lines),
          String(session.unreviewed),
          session.cost ? formatCost(session.cost) : '',
        ]),
      },
    ].filter(({ rows }) => rows.length > 0),
  };
}
