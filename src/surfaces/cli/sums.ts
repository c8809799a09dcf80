import { allUses, type FileTouched } from '../../query/numbers/filesTouched.js';
import { FILE_USES, type FileUseKind } from '../../query/numbers/fileUses.js';
import { NO_TOKENS, sumOf, type TokenCount } from '../../query/numbers/tokens.js';
import type { TranscriptTotals } from '../../query/numbers/usageTotals.js';
import { addCosts, explainCost, formatCost, NO_COST, type Cost } from '../../core/cost.js';
import { addMoney, NO_MONEY, type NanoDollars } from '../../core/money.js';
import { noStates, statesOf } from '../../query/numbers/toolUse.js';
import { CALL_STATES } from '../../core/record.js';
import type { SessionTotals } from '../../query/numbers/sessionTotals.js';

/** What something has used in all sessions together. */
export interface Sum {
  readonly name: string;
  sessions: number;
  messages: number;
  tokens: TokenCount;
  cost: Cost;
  /** Of a model, by which prices of which tables it is counted. */
  readonly priceRows: Set<string>;
}

/** Sums by a name: that of an agent, a model, a role, a project or a tool that recorded. */
export class Sums {
  readonly #sums = new Map<string, Sum>();

  /** Adds what one session has used under a name. */
  add(
    name: string,
    used: {
      readonly messages: number;
      readonly tokens: TokenCount;
      readonly cost?: Cost;
      readonly priceRows?: readonly string[];
    },
  ): void {
    const sum = this.#sums.get(name) ?? {
      name,
      sessions: 0,
      messages: 0,
      tokens: NO_TOKENS,
      cost: NO_COST,
      priceRows: new Set(),
    };
    sum.sessions++;
    sum.messages += used.messages;
    sum.tokens = sumOf(sum.tokens, used.tokens);
    if (used.cost) sum.cost = addCosts(sum.cost, used.cost);
    for (const row of used.priceRows ?? []) sum.priceRows.add(row);
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
  readonly states = statesOf(noStates());
  durationMs = 0;
  spanMs = 0;
  activeMs = 0;
  tokens: TokenCount = NO_TOKENS;
  cost: Cost = NO_COST;
  delegated: Cost = NO_COST;
  /** What tools themselves say that their sessions cost, and what we count of those. */
  told: { dollars: NanoDollars; ours: Cost; sessions: number } = {
    dollars: NO_MONEY,
    ours: NO_COST,
    sessions: 0,
  };
  prices = '';
  readonly byAgent = new Sums();
  readonly byModel = new Sums();
  readonly byRole = new Sums();
  readonly #files = new Map<string, FileSum>();

  /** The files that tool calls name, the most used first. */
  get files(): readonly FileSum[] {
    return mostUsed([...this.#files.values()]);
  }

  add({ statistics, durationMs, files, toldCost }: Omit<SessionTotals, 'turns'>): void {
    const { messages, runs, calls, toolCalls, errors, tokens, cost, delegated, prices } = statistics;
    this.sessions++;
    this.messages += messages;
    this.runs += runs;
    this.calls += calls;
    this.toolCalls += toolCalls;
    this.errors += errors;
    for (const state of CALL_STATES) this.states[state] += statistics.states[state];
    this.spanMs += statistics.spanMs;
    this.activeMs += statistics.activeMs;
    this.durationMs += durationMs;
    this.tokens = sumOf(this.tokens, tokens);
    this.cost = addCosts(this.cost, cost);
    this.delegated = addCosts(this.delegated, delegated);
    this.prices = prices;
    if (toldCost !== undefined) {
      const { dollars, ours, sessions } = this.told;
      this.told = {
        dollars: addMoney(dollars, toldCost),
        ours: addCosts(ours, cost),
        sessions: sessions + 1,
      };
    }
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

/** What stands behind the sum of a cost: how it is known, of which one of a single kind says the sum itself, so that it is not said twice. */
export function explainSum(cost: Cost, between: string): string {
  const [sum, explained] = [formatCost(cost), explainCost(cost)];
  return explained.startsWith(sum) ? explained.slice(sum.length) : between + explained;
}
