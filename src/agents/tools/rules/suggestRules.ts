import type { ApprovalAction } from '../../../core/ports/approvals.js';
import { judgeCommand } from '../command/decide.js';
import { renderCommands } from '../command/shell/plainCommands.js';
import { allowedByRules, namedCommands, readRule, type AllowRule, type ParsedRule } from './allowRules.js';

/** A tool call of the record, as rules see it. */
export interface PastCall {
  readonly tool: string;
  readonly action: ApprovalAction;
  /** `asked`: a person was asked and approved. `denied`: a person was asked and refused. `other`: nobody was asked. */
  readonly how: 'asked' | 'denied' | 'other';
}

/** A rule that would have answered questions. */
export interface SuggestedRule {
  readonly rule: AllowRule;
  readonly text: string;
  /** How many of the questions it answers, alone or together with the other rules. */
  readonly answers: number;
  /** What else it would have let through by itself: how many calls, and some of them, each once. */
  readonly others: number;
  readonly examples: readonly string[];
}

/** The smallest set of rules that was found. */
export interface Suggestion {
  /** Those that answer most come first. */
  readonly rules: readonly SuggestedRule[];
  /** How many questions there were, how many of them no rule may answer, and how many these rules answer. */
  readonly questions: number;
  readonly unanswerable: number;
  readonly answered: number;
  /** How many calls that nobody was asked about these rules together would have let through. */
  readonly others: number;
  /** Whether there is no smaller set; else each rule was taken that names most of what was left. */
  readonly isSmallest: boolean;
}

/** How the search is done; everything has a default. */
export interface SuggestOptions {
  /** How many questions are to be answered; all that rules can. */
  readonly goal?: number;
  /** The rules that there are: what they allow is no question any more. */
  readonly rules?: readonly ParsedRule[];
}

/** How many candidates are tried in all combinations, and how many combinations at most. */
const MAX_EXACT = 24;
const MAX_TRIALS = 50_000;
/** More candidates are not looked at: those that name most stay. */
const MAX_CANDIDATES = 400;
const MAX_EXAMPLES = 5;
const MAX_FOLDERS = 8;

/** What has to be named for a call to be allowed: each program of a line, or the whole call. */
interface Part {
  readonly tool: string;
  readonly words: readonly string[];
  readonly path: string;
}

/** Equal calls, taken apart once; without parts, no rule can allow them. */
interface Kind {
  readonly action: ApprovalAction;
  readonly parts: readonly number[] | undefined;
  /** Whether it always asks, by its text. */
  readonly isAsked: boolean;
  asked: number;
  denied: number;
  other: number;
}

interface Candidate {
  readonly known: ParsedRule;
  readonly rule: AllowRule;
  /** The numbers of the parts that it names. */
  readonly parts: ReadonlySet<number>;
  /** How many parts of questions are among them. */
  readonly open: number;
  readonly others: number;
}

/**
 * Looks for the smallest set of allow rules that would have answered `goal` of the questions among these calls. A set that
 * would have let through what a person denied is none, alone or with the rules that there are. Of sets of one size the one
 * that lets through least else.
 */
export function suggestRules(calls: readonly PastCall[], options: SuggestOptions = {}): Suggestion {
  return new Search(calls, options.rules ?? []).suggest(options.goal ?? Infinity);
}

class Search {
  readonly #parts: Part[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #kinds: readonly Kind[];
  /** The parts that existing rules name. */
  readonly #given: ReadonlySet<number>;
  readonly #denied: readonly Kind[];
  #questions: readonly Kind[] = [];

  constructor(calls: readonly PastCall[], rules: readonly ParsedRule[]) {
    this.#kinds = this.#kindsOf(calls);
    this.#given = new Set(
      [...this.#parts.keys()].filter((part) => rules.some((rule) => this.#names(rule, part))),
    );
    this.#denied = this.#kinds.filter(({ denied }) => denied > 0);
  }

  suggest(goal: number): Suggestion {
    const asked = this.#kinds.filter((kind) => kind.asked > 0 && !this.#isAllowed(kind, []));
    const total = countOf(asked);
    const candidates = this.#candidates(asked.filter(({ isAsked }) => !isAsked));
    this.#questions = asked.filter((kind) => !kind.isAsked && this.#isAllowed(kind, candidates));
    const wanted = Math.min(goal, countOf(this.#questions));
    const smallest = this.#smallestSet(candidates, wanted);
    const chosen = smallest ?? this.#greedySet(candidates, wanted);
    return {
      rules: chosen.map((each) => this.#suggested(each)).sort((a, b) => b.answers - a.answers),
      questions: total,
      unanswerable: total - countOf(this.#questions),
      answered: this.#answered(chosen),
      others: this.#others(chosen),
      isSmallest: smallest !== undefined,
    };
  }

  #kindsOf(calls: readonly PastCall[]): Kind[] {
    const kinds = new Map<string, Kind>();
    for (const { tool, action, how } of calls) {
      const key = JSON.stringify([tool, action]);
      const known = kinds.get(key);
      const parts = known ? known.parts : this.#partsOf(tool, action);
      const isAsked =
        action.kind === 'command' && (known?.isAsked ?? judgeCommand(action.line).kind !== 'ordinary');
      const kind = known ?? { action, parts, isAsked, asked: 0, denied: 0, other: 0 };
      kind[how]++;
      kinds.set(key, kind);
    }
    return [...kinds.values()];
  }

  #partsOf(tool: string, action: ApprovalAction): readonly number[] | undefined {
    if (action.kind === 'command')
      return namedCommands(action.line)?.map((words) => this.#numberOf({ tool, words, path: '' }));
    return [this.#numberOf({ tool, words: [], path: action.kind === 'write' ? action.path : '' })];
  }

  #numberOf(part: Part): number {
    const key = JSON.stringify(part);
    const known = this.#numbers.get(key) ?? this.#parts.push(part) - 1;
    this.#numbers.set(key, known);
    return known;
  }

  #names(rule: ParsedRule, part: number): boolean {
    const { tool, words, path } = this.#parts[part] ?? { tool: '', words: [], path: '' };
    if (rule.tool !== tool) return false;
    if (rule.kind === 'command') return rule.words.every((word, at) => words[at] === word);
    const action: ApprovalAction = path === '' ? { kind: 'call' } : { kind: 'write', path };
    return allowedByRules([rule], tool, action) !== undefined;
  }

  /** Whether rules allow a call, together with those that there are. */
  #isAllowed({ parts }: Kind, chosen: readonly Candidate[]): boolean {
    return (
      parts?.every((part) => this.#given.has(part) || chosen.some((each) => each.parts.has(part))) === true
    );
  }

  #answered(chosen: readonly Candidate[]): number {
    return countOf(this.#questions.filter((kind) => this.#isAllowed(kind, chosen)));
  }

  #others(chosen: readonly Candidate[]): number {
    const through = this.#kinds
      .filter(({ other }) => other > 0)
      .filter((kind) => this.#isAllowed(kind, chosen));
    return through.reduce((sum, { other }) => sum + other, 0);
  }

  #allowsDenied(chosen: readonly Candidate[]): boolean {
    return this.#denied.some((kind) => this.#isAllowed(kind, chosen) && !this.#isAllowed(kind, []));
  }

  /** The rules that may be suggested, without those that another one is better than. */
  #candidates(questions: readonly Kind[]): readonly Candidate[] {
    const open = new Set(
      questions.flatMap(({ parts = [] }) => parts).filter((part) => !this.#given.has(part)),
    );
    const rules = new Map(
      [...open].flatMap((part) => this.#rulesFor(part)).map((rule) => [JSON.stringify(rule), rule]),
    );
    const made = [...rules.values()].flatMap((rule): Candidate[] => {
      const known = readRule(rule);
      if (typeof known === 'string') return [];
      const parts = new Set([...this.#parts.keys()].filter((part) => this.#names(known, part)));
      const each = {
        known,
        rule,
        parts,
        open: [...parts].filter((part) => open.has(part)).length,
        others: 0,
      };
      const candidate = { ...each, others: this.#others([each]) };
      return this.#allowsDenied([candidate]) ? [] : [candidate];
    });
    const best = made.toSorted((a, b) => b.open - a.open || a.others - b.others);
    const names = (one: Candidate, other: Candidate) =>
      one.others <= other.others && [...other.parts].every((part) => !open.has(part) || one.parts.has(part));
    return best
      .filter((each, at) => !best.slice(0, at).some((other) => names(other, each)))
      .slice(0, MAX_CANDIDATES);
  }

  #rulesFor(part: number): AllowRule[] {
    const { tool, words, path } = this.#parts[part] ?? { tool: '', words: [], path: '' };
    if (words.length > 0) return beginnings(words).map((command) => ({ tool: 'run_command', command }));
    if (path === '') return [{ tool }];
    const folders = path.split('/').slice(0, -1).slice(0, MAX_FOLDERS);
    const below = folders.map((_, at) => `${folders.slice(0, at + 1).join('/')}/`);
    return [...below, path].map((each) => ({ tool, path: each }));
  }

  /** The smallest set, tried by size; undefined where there is too much to try, or no set that denies what was denied. */
  #smallestSet(candidates: readonly Candidate[], goal: number): readonly Candidate[] | undefined {
    if (goal === 0) return [];
    if (candidates.length > MAX_EXACT) return undefined;
    let trials = 0;
    for (let size = 1; size <= candidates.length; size++) {
      let best: { readonly chosen: readonly Candidate[]; readonly others: number } | undefined;
      for (const chosen of combinations(candidates, size)) {
        if (++trials > MAX_TRIALS) return undefined;
        if (this.#answered(chosen) < goal || this.#allowsDenied(chosen)) continue;
        const others = this.#others(chosen);
        if (!best || others < best.others) best = { chosen, others };
      }
      if (best) return best.chosen;
    }
    return undefined;
  }

  /**
   * Takes the rule again and again that names most of the parts that are left; of equals, the one that lets through least
   * else. Without denied calls it needs no more than 1 + ln p times as many rules as the smallest set that names all p parts
   * (Chvátal 1979).
   */
  #greedySet(candidates: readonly Candidate[], goal: number): readonly Candidate[] {
    const left = new Set(
      this.#questions.flatMap(({ parts = [] }) => parts).filter((part) => !this.#given.has(part)),
    );
    const refused = new Set<Candidate>();
    let chosen: readonly Candidate[] = [];
    while (this.#answered(chosen) < goal) {
      const named = (each: Candidate) => [...each.parts].filter((part) => left.has(part)).length;
      const [best] = candidates
        .filter((each) => !refused.has(each))
        .map((each) => ({ each, count: named(each) }))
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count || a.each.others - b.each.others);
      if (!best) break;
      refused.add(best.each);
      if (this.#allowsDenied([...chosen, best.each])) continue;
      chosen = [...chosen, best.each];
      for (const part of best.each.parts) left.delete(part);
    }
    return chosen;
  }

  #suggested(candidate: Candidate): SuggestedRule {
    const { rule, known, parts, others } = candidate;
    const through = this.#kinds.filter((kind) => kind.other > 0 && this.#isAllowed(kind, [candidate]));
    return {
      rule,
      text: known.text,
      others,
      answers: countOf(this.#questions.filter((kind) => kind.parts?.some((part) => parts.has(part)))),
      examples: through.slice(0, MAX_EXAMPLES).map(({ action }) => wordsOf(action)),
    };
  }
}

function countOf(kinds: readonly Kind[]): number {
  return kinds.reduce((sum, { asked }) => sum + asked, 0);
}

const subcommand = /^[a-z][a-z0-9:_-]*$/;

/**
 * The beginnings of a command that rules may name: the program with the words behind it that look like subcommands, at least
 * one where there are any, and the whole of it.
 */
function beginnings(words: readonly string[]): readonly string[] {
  let count = 1;
  while (count < Math.min(words.length, 3) && subcommand.test(words[count] ?? '')) count++;
  const lengths = new Set([count, count === 3 ? 2 : count, words.length]);
  return [...lengths].map((length) =>
    renderCommands([{ joined: '', words: words.slice(0, length), redirects: [] }]),
  );
}

function wordsOf(action: ApprovalAction): string {
  return action.kind === 'command' ? action.line : action.kind === 'write' ? action.path : '';
}

function* combinations<T>(items: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let at = from; at <= items.length - size; at++)
    for (const rest of combinations(items, size - 1, at + 1)) yield [...items.slice(at, at + 1), ...rest];
}
