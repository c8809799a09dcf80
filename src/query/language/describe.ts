import { inLanguage, t, type Message } from '../../core/l10n.js';
import { isLarger, rowWords, sideScope, witnessScope, type SideScope } from './checkRows.js';
import { fieldNamed, fieldOf, KEYWORDS, ORDER_WORDS } from './fields.js';
import { andWords, orWords } from './values.js';
import { printDuration } from './print.js';
import { termWords } from './termWords.js';
import type {
  All,
  Group,
  Inside,
  Not,
  Order,
  OrderWord,
  ParsedQuery,
  Part,
  Range,
  RowKind,
  Sequence,
  Term,
} from './syntax.js';

/** What a part of a question asks for, in prose: for whoever points at it. */
export interface Description extends Range {
  /** What exactly this part asks for. */
  readonly summary: string;
  /** What its field or keyword asks for; absent for brackets and orders. */
  readonly meaning?: string;
  readonly example?: string;
}

/** What a part is asked of: a row, or in `with:` and on the sides of some orders whatever fits of messages and tool calls. */
type QuerySubject = RowKind | 'any';

/** The whole question as one sentence. */
export function describeQuery(query: Sequence, rows: RowKind): string {
  const several = rowWords(rows, 2);
  if (query.kind === 'all' && query.of.length === 0) return t`All ${several}.`;
  return `${several.charAt(0).toUpperCase()}${several.slice(1)} ${clausesOf(query, rows)}.`;
}

/** What the innermost part at an offset asks for; undefined where none stands there. */
export function describeAt({ query }: ParsedQuery, offset: number, rows: RowKind): Description | undefined {
  const found = partPositionAt(query, offset, rows);
  if (!found) return undefined;
  if ('word' in found) return wordDescription(found);
  const { part, side, asked } = found;
  const inner = part.kind === 'not' ? part.of : part;
  const known =
    inner.kind === 'term'
      ? fieldNamed(inner.field)
      : inner.kind === 'inside'
        ? KEYWORDS.find(({ name }) => name === inner.where)
        : undefined;
  return {
    ...part.range,
    summary: t`It holds where ${isLarger(asked) ? partInRow(part, side, asked) : partWords(part, asked)}.`,
    ...(known && { meaning: meaningWords(`${known.name}:`, known.meaning), example: known.example }),
  };
}

/** A part with what stands side by side with it, or a word of an order. */
type PartPosition =
  | { readonly part: Part; readonly side: All; readonly asked: QuerySubject }
  | (OrderWord & { readonly order: Order; readonly asked: QuerySubject });

const isAt = ({ start, end }: Range, offset: number) => start <= offset && offset <= end;

function partPositionAt(sequence: Sequence, offset: number, asked: QuerySubject): PartPosition | undefined {
  const isOrder = sequence.kind === 'order';
  const word = isOrder && sequence.words.find(({ range }) => isAt(range, offset));
  if (word) return { ...word, order: sequence, asked };
  const sides: readonly (readonly [All, QuerySubject])[] = isOrder
    ? [
        [sequence.left, isLarger(asked) ? 'any' : asked],
        [sequence.right, scopesOf(sequence, asked).right],
      ]
    : [[sequence, asked]];
  for (const [side, of] of sides) {
    const part = side.of.find(({ range }) => isAt(range, offset));
    if (!part) continue;
    const inner = part.kind === 'not' ? part.of : part;
    const within = inner.kind === 'term' ? [] : inner.of;
    for (const each of within) {
      const found = partPositionAt(each, offset, inner.kind === 'inside' ? askedIn(inner) : of);
      if (found) return found;
    }
    return { part, side, asked: of };
  }
  return undefined;
}

function wordDescription({
  word,
  order,
  asked,
  range,
}: Extract<PartPosition, { word: string }>): Description {
  const isOrder = word === 'after' || word === 'before';
  const name = isOrder ? word : `${word}:`;
  const known = (isOrder ? ORDER_WORDS : KEYWORDS).find((each) => each.name === word);
  const summaries = {
    after: () => t`It holds for what begins after ${otherSide(order, asked)}.`,
    before: () => t`It holds for what has ended before ${otherSide(order, asked)}.`,
    same: () => t`It holds where both sides have the same ${andWords(order.same)}.`,
    within: () => t`It holds with ${nearnessWords(order, asked)}.`,
  };
  return {
    ...range,
    summary: summaries[word](),
    ...(known && { meaning: meaningWords(name, known.meaning), example: known.example }),
  };
}

function meaningWords(name: string, meaning: Message): string {
  return t`\`${name}\` asks for ${inLanguage(meaning)}.`;
}

function askedIn({ where }: Inside): QuerySubject {
  return where === 'with' ? 'any' : 'agentCalls';
}

/** What the sides of an order are, and what is counted between them. */
function scopesOf(
  { left, right }: Order,
  asked: QuerySubject,
): { readonly right: SideScope; readonly counted: SideScope } {
  const isRow = asked !== 'any' && !isLarger(asked);
  return {
    right: sideScope(right, asked === 'messages' ? 'messages' : 'records'),
    counted: isRow ? asked : sideScope(left, 'messages') === 'toolCalls' ? 'toolCalls' : 'messages',
  };
}

/** The conditions of a sequence for rows, as they stand behind what these are called: `for which …`, `in which …`. */
function clausesOf(sequence: Sequence, asked: QuerySubject): string {
  return clauseList(sequence, asked)
    .map(clauseWords)
    .join(t`, and `);
}

/** A condition, and whether it is one of the rows themselves or of what is in them. */
interface Clause {
  readonly of: 'row' | 'inside';
  readonly words: string;
}

const ofRow = (words: string): Clause => ({ of: 'row', words });
const inside = (words: string): Clause => ({ of: 'inside', words });

function clauseWords({ of, words }: Clause): string {
  return of === 'row' ? t`for which ${words}` : t`in which ${words}`;
}

function clauseList(sequence: Sequence, asked: QuerySubject): readonly Clause[] {
  if (!isLarger(asked)) return [ofRow(sequenceWords(sequence, asked))];
  if (sequence.kind === 'order') return [inside(witnessWords(orderWords(sequence, asked), 1))];
  const { own, groups, shared } = sortedParts(sequence);
  return [
    ...(own.length > 0 ? [ofRow(andWords(allWords(own, asked)))] : []),
    ...(shared.length > 0 ? [inside(sharedWords(shared))] : []),
    ...groups.flatMap((part) => groupClauses(part, asked)),
  ];
}

/** The parts side by side in a larger row: what is asked of the row, of messages in brackets of their own, and of one. */
function sortedParts({ of }: All): {
  readonly own: readonly Part[];
  readonly groups: readonly Part[];
  readonly shared: readonly Part[];
} {
  const [own, groups, shared]: [Part[], Part[], Part[]] = [[], [], []];
  for (const part of of) {
    const inner = part.kind === 'not' ? part.of : part;
    const isOfWitness =
      inner.kind === 'term' ? !isOfRow(inner) : inner.kind === 'inside' && inner.where !== 'with';
    (isOfWitness ? shared : inner.kind === 'term' ? own : groups).push(part);
  }
  return { own, groups, shared };
}

/** Whether a term is asked of a larger row itself, or of its session. */
function isOfRow(term: Term): boolean {
  const isLive = term.values.every((value) => value.kind === 'text' && value.text === 'live');
  return fieldOf(term).reach !== 'witness' || (term.field === 'is' && isLive);
}

/** Brackets in a larger row. */
function groupClauses(part: Part, asked: QuerySubject): readonly Clause[] {
  const inner = part.kind === 'not' ? part.of : part;
  const [only, other] = inner.kind === 'group' ? inner.of : [];
  if (only && !other) {
    if (part.kind !== 'not') return clauseList(only, asked);
    const { own, groups, shared } = only.kind === 'all' ? sortedParts(only) : NOTHING;
    const isOne = shared.length > 0 && own.length === 0 && groups.length === 0;
    if (isOne && shared.some(({ kind }) => kind !== 'not'))
      return [inside(noWitness(allWords(shared, 'any'), 'all'))];
  }
  if (inner.kind === 'inside') {
    const words = orWords(inner.of.map((each) => alternativeWords(each, 'any', inner.of.length > 1)));
    return [inside(part.kind === 'not' ? noWitness([words], 'all') : witnessWords(words, 1))];
  }
  return [ofRow(partWords(part, asked))];
}

const NOTHING = { own: [], groups: [], shared: [] } as const;

function witnessWords(words: string, count: number): string {
  return count > 1
    ? t`one message or call meets all of this: ${words}`
    : t`one message or call meets this: ${words}`;
}

/** What is asked of one and the same message or call in a larger row; nothing but negated terms: that there is none. */
function sharedWords(shared: readonly Part[]): string {
  if (shared.some(({ kind }) => kind !== 'not'))
    return witnessScope(shared) === 'toolCalls'
      ? t`one and the same tool call meets all of this: ${andWords(allWords(shared, 'any'))}`
      : witnessWords(andWords(allWords(shared, 'any')), shared.length);
  const denied = shared.map((part) => partWords(part.kind === 'not' ? part.of : part, 'any'));
  return noWitness(denied, 'any');
}

function noWitness(words: readonly string[], of: 'all' | 'any'): string {
  const [only = ''] = words;
  if (words.length < 2) return t`no message or call meets this: ${only}`;
  return of === 'all'
    ? t`no message or call meets all of this: ${andWords(words)}`
    : t`no message or call meets any of this: ${orWords(words)}`;
}

/** A part that stands in a larger row, for whoever points at it. */
function partInRow(part: Part, side: All, asked: QuerySubject): string {
  const { shared } = sortedParts(side);
  if (!shared.includes(part)) {
    const isOfMessage = part.kind !== 'term' && !(part.kind === 'not' && part.of.kind === 'term');
    if (!isOfMessage) return partWords(part, asked);
    const [first, ...more] = groupClauses(part, asked);
    return [...(first ? [first.words] : []), ...more.map(clauseWords)].join(t`, and `);
  }
  if (!shared.some(({ kind }) => kind !== 'not')) return t`${sharedWords([part])}, in the whole row`;
  const words = witnessWords(partWords(part, 'any'), 1);
  return shared.length > 1 ? t`${words}; the same one meets what stands beside it` : words;
}

function sequenceWords(sequence: Sequence, asked: QuerySubject): string {
  if (sequence.kind === 'order') return orderWords(sequence, asked);
  return andWords(allWords(sequence.of, asked));
}

/** The words of parts side by side. */
function allWords(parts: readonly Part[], asked: QuerySubject): string[] {
  return parts.map((part) => partWords(part, asked, parts.length > 1));
}

/** A sequence that stands beside others; in brackets where it could be read together with them. */
function alternativeWords(sequence: Sequence, asked: QuerySubject, isBeside: boolean): string {
  if (isLarger(asked)) {
    const [first, ...more] = clauseList(sequence, asked);
    const words = [
      ...(first ? [first.of === 'row' ? first.words : t`in it, ${first.words}`] : []),
      ...more.map(clauseWords),
    ].join(t`, and `);
    return isBeside ? `(${words})` : words;
  }
  const words = sequenceWords(sequence, asked);
  const isLong = sequence.kind === 'order' || sequence.of.length > 1;
  return isBeside && isLong ? `(${words})` : words;
}

function orderWords(order: Order, asked: QuerySubject): string {
  const { left, same, within } = order;
  const other = otherSide(order, asked);
  return [
    sequenceWords(left, isLarger(asked) ? 'any' : asked),
    order.order === 'after' ? t`which begins after ${other}` : t`which has ended before ${other}`,
    ...(same.length > 0 ? [t`with the same ${andWords(same)}`] : []),
    ...(within ? [t`with ${nearnessWords(order, asked)}`] : []),
  ].join(', ');
}

function otherSide(order: Order, asked: QuerySubject): string {
  const { right } = scopesOf(order, asked);
  const row = rowWords(right, 1);
  const isWithin = asked === 'agentCalls' || asked === 'runs';
  const one = isWithin ? t`a ${row} of the same ${rowWords(asked, 1)}` : t`a ${row}`;
  const words = sequenceWords(order.right, right);
  return order.order === 'after'
    ? t`${one} has ended for which ${words}`
    : t`${one} begins for which ${words}`;
}

function nearnessWords(order: Order, asked: QuerySubject): string {
  const { within } = order;
  if (within?.unit !== 'rows') return t`at most ${printDuration(within?.most ?? 0)} between them`;
  const { counted } = scopesOf(order, asked);
  return t`at most ${within.most} ${rowWords(counted, within.most)} between them`;
}

/** `isBeside`: whether something else stands beside it, so that its alternatives need brackets. */
function partWords(part: Part, asked: QuerySubject, isBeside = false): string {
  switch (part.kind) {
    case 'not':
      return notWords(part, asked);
    case 'group':
      return groupWords(part, asked, isBeside);
    case 'inside':
      return insideWords(part);
    case 'term': {
      const words = termWords(part);
      return isBeside && words.length > 1 ? `(${orWords(words)})` : orWords(words);
    }
  }
}

function notWords({ of }: Not, asked: QuerySubject): string {
  return t`not (${partWords(of, asked)})`;
}

function groupWords({ of }: Group, asked: QuerySubject, isBeside: boolean): string {
  const words = orWords(of.map((each) => alternativeWords(each, asked, of.length > 1)));
  const [only] = of;
  const isLong = of.length > 1 || only?.kind === 'order' || (only && only.of.length > 1);
  return isBeside && isLong ? `(${words})` : words;
}

function insideWords(inside: Inside): string {
  const { where, of } = inside;
  const asked = askedIn(inside);
  const words = orWords(of.map((each) => alternativeWords(each, asked, of.length > 1)));
  const [only, other] = of;
  if (where === 'with') return t`one message or tool call in it meets this: (${words})`;
  const clauses = only && !other ? clausesOf(only, asked) : t`for which ${words}`;
  return where === 'in'
    ? t`it belongs to a call of an agent (${clauses})`
    : t`it belongs to a call below a call of an agent (${clauses})`;
}
