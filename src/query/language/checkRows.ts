import { inLanguage, message, t, type Message } from '../../core/l10n.js';
import { appliesTo, fieldOf, type Field } from './fields.js';
import type { All, Part, QueryProblem, RowKind, Sequence, Term } from './syntax.js';

const ROW_WORDS: Readonly<Record<RowKind, readonly [one: Message, several: Message]>> = {
  messages: [message`message`, message`messages`],
  records: [message`record`, message`records`],
  toolCalls: [message`tool call`, message`tool calls`],
  agentCalls: [message`call of an agent`, message`calls of agents`],
  runs: [message`run`, message`runs`],
  sessions: [message`session`, message`sessions`],
};

/** What so many rows of a kind are called. */
export function rowWords(rows: RowKind, count: number): string {
  return inLanguage(ROW_WORDS[rows][count === 1 ? 0 : 1]);
}

/** The kinds of rows that hold records and calls. */
export type LargerRow = 'agentCalls' | 'runs' | 'sessions';

/** Whether rows of a kind hold records and calls. */
export function isLarger(rows: RowKind | 'any'): rows is LargerRow {
  return rows === 'agentCalls' || rows === 'runs' || rows === 'sessions';
}

/** What of `is:` and `has:` only a record has. */
const RECORDS_ONLY: ReadonlySet<string> = new Set([
  'is message',
  'is partial',
  'is compaction',
  'is injected',
  'has image',
  'has reasoning',
  'has calls',
]);

/** Whether rows of a kind can meet a field, and of one that takes some words, this one. */
export function isMetBy(field: Field, rows: RowKind, value = ''): boolean {
  return appliesTo(field, rows) && (rows !== 'toolCalls' || !RECORDS_ONLY.has(`${field.name} ${value}`));
}

/** Whether a term is one that a tool call can meet. */
export function isOfToolCalls(term: Term): boolean {
  const { name, ofToolCalls, type }: Field = fieldOf(term);
  if (!ofToolCalls) return false;
  return (
    type !== 'choice' ||
    !term.values.every((value) => value.kind === 'text' && RECORDS_ONLY.has(`${name} ${value.text}`))
  );
}

/**
 * The terms of a question that rows of a kind can never meet, each as a problem with its place. What stands in `in:`,
 * `under:` or `with:`, or behind an order, is asked of other things than the row, and so of any.
 */
export function problemsOfRows(query: Sequence, rows: RowKind): QueryProblem[] {
  const problems: QueryProblem[] = [];
  const visit = (part: Part): void => {
    if (part.kind === 'not') visit(part.of);
    else if (part.kind === 'group') for (const sequence of part.of) walk(sequence);
    else if (part.kind === 'term') {
      const isMet = appliesTo(fieldOf(part), rows) && (rows !== 'toolCalls' || isOfToolCalls(part));
      if (isMet) return;
      const written = part.field + (fieldOf(part).type === 'choice' ? `:${valueOf(part)}` : ':');
      const row = rowWords(rows, 1);
      problems.push({
        ...part.range,
        message: t`A ${row} has no ${written} to ask for. Ask for messages, or for what the ${row} belongs to: in:(…).`,
      });
    }
  };
  const walk = (sequence: Sequence): void => {
    for (const part of sequence.kind === 'all' ? sequence.of : sequence.left.of) visit(part);
  };
  walk(query);
  return problems;
}

function valueOf({ values: [first] }: Term): string {
  return first?.kind === 'text' ? first.text : '';
}

/** What a side of an order may be. */
export type SideScope = Extract<RowKind, 'messages' | 'records' | 'toolCalls'>;

/** Fields that only tool calls have of their own; messages have them through the calls that they make or answer. */
const OF_TOOL_CALLS: ReadonlySet<string> = new Set(['tool', 'file', 'command', 'args', 'approval']);

/**
 * What a side of an order asks for where it does not have to be the row: a tool call, where it asks for a tool, a file, a
 * program, an argument or an approval and for nothing that a tool call cannot have; else what is given.
 */
export function sideScope(side: All, otherwise: SideScope): SideScope {
  const terms: Term[] = [];
  const visit = (part: Part): void => {
    if (part.kind === 'term') terms.push(part);
    else if (part.kind === 'group')
      for (const each of part.of) (each.kind === 'all' ? each : each.left).of.forEach(visit);
  };
  side.of.forEach(visit);
  const isOfCalls = terms.some(({ field }) => OF_TOOL_CALLS.has(field)) && terms.every(isOfToolCalls);
  return isOfCalls ? 'toolCalls' : otherwise;
}

/**
 * What meets terms that stand side by side in a larger row: a tool call, where some ask for one and others deny something of it,
 * because the message that makes a call has not failed where the call has; else a message or a call.
 */
export function witnessScope(parts: readonly Part[]): 'toolCalls' | 'any' {
  const asked = parts.filter(({ kind }) => kind !== 'not');
  if (asked.length === parts.length) return 'any';
  const terms = parts.map((part) => (part.kind === 'not' ? part.of : part));
  const isOfCalls =
    asked.some((part) => part.kind === 'term' && OF_TOOL_CALLS.has(part.field)) &&
    terms.every((each) => each.kind === 'term' && isOfToolCalls(each));
  return isOfCalls ? 'toolCalls' : 'any';
}
