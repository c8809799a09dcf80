import { callsOf } from '../query/numbers/toolCalls.js';
import { messageIn } from '../query/numbers/transcriptItem.js';
import { costOf, type Cost } from '../core/cost.js';
import { firstCodePoints, singleLine } from '../core/text.js';
import type { SearchHit } from '../page/protocol/search.js';
import type { QueryPlan } from '../query/language/plan.js';
import type {
  Listed,
  SessionFacts,
  SpanFacts,
  ToolCallFacts,
  UnitFacts,
} from '../query/language/sessionFacts.js';
import { isLarger, type LargerRow } from '../query/language/checkRows.js';
import type { RowKind, Part, Sequence, Term } from '../query/language/syntax.js';
import { UnitNotes } from '../query/language/unitNotes.js';
import { positionsOfTexts, TextsOfUnit, type ItemAt } from '../query/language/unitTexts.js';
import type { Excerpts } from './excerpts.js';
import { fieldOf } from '../query/language/fields.js';
import { decisionsOf } from '../query/language/scopes.js';

/** So much of a note is told, in code points. */
const MAX_NOTE = 300;

/** A row of a session that matches: a record or a tool call, or one that holds some. */
export type RowMatch =
  | { readonly kind: 'unit'; readonly unit: UnitFacts; readonly position: number }
  | { readonly kind: 'span'; readonly span: SpanFacts; readonly position: number };

/** Whether rows of a kind are records or tool calls. */
export function isOfUnits(rows: RowKind): rows is Exclude<RowKind, LargerRow> {
  return !isLarger(rows);
}

/** The row of a session at an index that `evaluate` gave; undefined where there is none. */
export function foundRow(
  facts: SessionFacts,
  { rows }: Pick<QueryPlan, 'rows'>,
  index: number,
): RowMatch | undefined {
  if (isOfUnits(rows)) {
    const unit = rows === 'toolCalls' ? facts.toolCalls.at(index) : facts.records.at(index);
    return unit && { kind: 'unit', unit, position: unit.begin };
  }
  const spans: Listed<SpanFacts> = {
    agentCalls: facts.agentCalls,
    runs: facts.runs,
    sessions: [facts.whole],
  }[rows];
  const span = spans.at(index);
  return span && { kind: 'span', span, position: Math.max(0, span.firstPosition) };
}

/** What a row adds to a sum of costs; undefined where it asked nothing of a model. */
export function costOfRow(row: RowMatch): Cost | undefined {
  if (row.kind === 'span') return row.span.cost;
  const spent = row.unit.kind === 'record' ? row.unit.spent : undefined;
  return spent && costOf(spent.cost, spent.requests);
}

/** The positions of the records that are read to show a row. */
export function positionsShown(found: RowMatch): number[] {
  return found.kind === 'unit' ? positionsOfTexts(found.unit) : [found.position];
}

/** What is asked, and where the texts of what is found are; `itemAt` gives what `positionsShown` names. */
export interface Shown {
  readonly text: string;
  readonly plan: QueryPlan;
  readonly excerpts: Excerpts;
  readonly itemAt: ItemAt;
}

/** A row as it is told. */
export function hitOf(found: RowMatch, facts: SessionFacts, shown: Shown): SearchHit {
  const { text: asked, plan, excerpts, itemAt } = shown;
  const { position } = found;
  const { rows } = plan;
  const record = facts.records.at(position);
  const cost = costOfRow(found);
  const base = {
    rows,
    position,
    ...(record?.seq !== undefined && { seq: record.seq }),
    ...(cost && { cost }),
  };
  if (found.kind === 'span') {
    const { id, agent, beganAt, durationMs } = found.span;
    const first = record ? new TextsOfUnit(record, facts, itemAt).shown() : '';
    const text = rows === 'sessions' ? facts.info.title : first;
    return {
      ...base,
      id,
      agent,
      tools: [],
      isError: false,
      excerpt: excerpts.of(text),
      ...(beganAt !== undefined && { time: beganAt }),
      ...(durationMs !== undefined && { durationMs }),
      why: [],
    };
  }
  const { unit } = found;
  const { agent, model, beganAt, durationMs, tools, isError } = unit;
  const texts = new TextsOfUnit(unit, facts, itemAt);
  const role = unit.kind === 'record' ? unit.role : undefined;
  // They are known where the question asks for them; a bookmark says nothing.
  const noted = facts.info.notes ? new UnitNotes(facts).of(unit) : [];
  const notes = noted
    .map((text) => firstCodePoints(singleLine(text), MAX_NOTE))
    .filter((text) => text !== '');
  return {
    ...base,
    tools,
    isError,
    excerpt: excerpts.of(texts.shown()),
    ...(unit.kind === 'toolCall' && idOf(unit, itemAt)),
    ...(beganAt !== undefined && { time: beganAt }),
    ...(agent !== undefined && { agent }),
    ...(role !== undefined && { role }),
    ...(model !== undefined && { model }),
    ...(durationMs !== undefined && { durationMs }),
    ...(notes.length > 0 && { notes }),
    why: reasonsFor(unit, { text: asked, plan, facts, texts }),
  };
}

/** The id that a model gave a tool call; that of facts from columns stands in its record only. */
function idOf({ id, askedAt, answeredAt, order }: ToolCallFacts, itemAt: ItemAt): { readonly id?: string } {
  const at = askedAt ?? answeredAt;
  const message = at === undefined ? undefined : messageIn(itemAt(at));
  const asked = askedAt === undefined ? '' : (callsOf(message ?? {})[order]?.id ?? '');
  const known = id === '' ? asked : id;
  return known === '' ? {} : { id: known };
}

/**
 * The terms of a question that hold for a record or a tool call itself, as they are written in `text`. Negated ones, and
 * those that ask for other rows, are none; texts are not looked through for them, because their marks show them.
 */
function reasonsFor(
  unit: UnitFacts,
  { text, plan, facts, texts }: { text: string; plan: QueryPlan; facts: SessionFacts; texts: TextsOfUnit },
): string[] {
  const notes = new UnitNotes(facts);
  const holds = (term: Term): boolean => {
    const compiled = plan.terms.get(term);
    if (!compiled || (unit.kind === 'toolCall' && !fieldOf(term).ofToolCalls)) return false;
    switch (compiled.on) {
      case 'session':
        return compiled.test(facts.info);
      case 'measure':
        return compiled.test(unit);
      case 'facts':
        return compiled.test(
          unit,
          () => decisionsOf(unit, facts),
          () => notes.of(unit),
        );
      case 'arguments':
        return term.values.every(({ kind }) => kind !== 'pattern') && compiled.test(texts);
      case 'texts':
        return false;
    }
  };
  const written = ownTerms(plan.query)
    .filter(holds)
    .map(({ range }) => text.slice(range.start, range.end));
  return [...new Set(written)];
}

function ownTerms(sequence: Sequence): Term[] {
  const { of } = sequence.kind === 'all' ? sequence : sequence.left;
  return of.flatMap(termsOf);
}

function termsOf(part: Part): Term[] {
  if (part.kind === 'term') return [part];
  return part.kind === 'group' ? part.of.flatMap(ownTerms) : [];
}
