import { allUses, type FileTouched } from '../../query/numbers/filesTouched.js';
import { FILE_USES, type FileUseKind } from '../../query/numbers/fileUses.js';
import { NO_TOKENS, sumOf, type TokenCount } from '../../query/numbers/tokens.js';
import type { TranscriptTotals } from '../../query/numbers/usageTotals.js';
import { addCosts, NO_COST, type Cost } from '../../core/cost.js';
import type { SessionTotals } from '../../app/sources/sessionTotals.js';

/** What something has used in all sessions together. */
export interface Sum {
  readonly name: string;
  sessions: number;
  messages: number;
  tokens: TokenCount;
  cost: Cost;
}

/** Sums by a name: that of an agent, a model, a role, a project or a tool that recorded. */
export class Sums {
  readonly #sums = new Map<string, Sum>();

  /** Adds what one session has used under a name. */
  add(
    name: string,
    used: { readonly messages: number; readonly tokens: TokenCount; readonly cost?: Cost },
  ): void {
    const sum = this.#sums.get(name) ?? { name, sessions: 0, messages: 0, tokens: NO_TOKENS, cost: NO_COST };
    sum.sessions++;
    sum.messages += used.messages;
    sum.tokens = sumOf(sum.tokens, used.tokens);
    if (used.cost) sum.cost = addCosts(sum.cost, used.cost);
    this.#sums.set(name, sum);
  }

  /** All sums, in the order in which their names were first heard of. */
  get all(): readonly Sum[] {
    return [...this.#sums.values()];
  }
}

/** What the tool calls of all sessions together did with one file. */
export interface FileSum {
  readonly path: string;
  readonly uses: Record<FileUseKind, number>;
  failures: number;
}

/** What sessions come to together. */
export class AllSessions {
  sessions = 0;
  messages = 0;
  runs = 0;
  calls = 0;
  toolCalls = 0;
  errors = 0;
  durationMs = 0;
  tokens: TokenCount = NO_TOKENS;
  cost: Cost = NO_COST;
  delegated: Cost = NO_COST;
  prices = '';
  readonly byAgent = new Sums();
  readonly byModel = new Sums();
  readonly byRole = new Sums();
  readonly #files = new Map<string, FileSum>();

  /** The files that tool calls name, the most used first. */
  get files(): readonly FileSum[] {
    return mostUsed([...this.#files.values()]);
  }

  add({ statistics, durationMs, files }: SessionTotals): void {
    const { messages, runs, calls, toolCalls, errors, tokens, cost, delegated, prices } = statistics;
    this.sessions++;
    this.messages += messages;
    this.runs += runs;
    this.calls += calls;
    this.toolCalls += toolCalls;
    this.errors += errors;
    this.durationMs += durationMs;
    this.tokens = sumOf(this.tokens, tokens);
    this.cost = addCosts(this.cost, cost);
    this.delegated = addCosts(this.delegated, delegated);
    this.prices = prices;
    this.#addShares(statistics);
    for (const file of files) this.#addFile(file);
  }

  #addFile({ path, uses, failures }: FileTouched): void {
    const sum = this.#files.get(path) ?? { path, uses: { read: 0, written: 0, named: 0 }, failures: 0 };
    for (const use of FILE_USES) sum.uses[use] += uses[use];
    sum.failures += failures;
    this.#files.set(path, sum);
  }

  #addShares({ byAgent, byModel, byRole }: TranscriptTotals): void {
    for (const each of byAgent) this.byAgent.add(each.name, each);
    for (const each of byModel) this.byModel.add(each.name, each);
    for (const each of byRole) this.byRole.add(each.name, each);
  }
}

/** Files, the most used first; of equals, the one that was named first. */
export function mostUsed<T extends Pick<FileTouched, 'uses'>>(files: readonly T[]): T[] {
  return files.toSorted((one, other) => allUses(other) - allUses(one));
}
