import type { NamedSession } from '../../app/stores/namedSessions.js';
import { costShape } from '../../export/costShape.js';
import { formatCount, formatShortMoment } from '../../app/text/format.js';
import { visibleText } from '../../core/visibleText.js';
import type { Excerpt, SearchHit } from '../../page/protocol/search.js';
import { hitsAt, type QueriedSession } from '../../search/asking.js';
import { Excerpts } from '../../search/excerpts.js';
import { isOfOneRecord } from '../../search/owners.js';
import type { Call } from './call.js';
import { cutTo, widthOf } from './styles.js';

/** How many rows are made ready at once. */
const BATCH = 200;

/** The first rows of a session that match, as they are told: secrets are replaced before texts are cut to excerpts. */
export async function* hitsIn(
  { out, signal }: Call,
  text: string,
  answer: QueriedSession,
  most: number,
): AsyncGenerator<SearchHit, void, undefined> {
  const { indexes } = answer;
  const end = Math.min(most, indexes.length);
  const telling = { text, excerpts: new Excerpts(answer.plan), clean: <T>(record: T) => out.clean(record) };
  for (let from = 0; from < end; from += BATCH) {
    signal.throwIfAborted();
    yield* await hitsAt(answer, indexes.slice(from, Math.min(from + BATCH, end)), telling);
  }
}

/** How many rows match, in how many sessions. */
export function matchWords(rows: number, sessions: number): string {
  const matches = rows === 1 ? '1 match' : `${rows.toLocaleString('en')} matches`;
  return `${matches} in ${formatCount(sessions, 'session')}`;
}

/** Where a session is, as programs get it. */
export function positionShape({ id, kind, where }: NamedSession): object {
  return { session: id, ...(kind === 'file' && { file: where }) };
}

/** A row as programs get it, without its place; with the sessions that tell it as well. */
export function shapeOfHit({ excerpt, cost, ...hit }: SearchHit, { alsoIn }: NamedSession): object {
  const others = toldIn(hit, alsoIn);
  return {
    ...hit,
    ...(cost && { cost: costShape(cost) }),
    text: excerpt.text,
    marks: excerpt.marks.map(({ start, end }) => [start, end]),
    isCut: excerpt.isCutBefore || excerpt.isCutAfter,
    ...(others.length > 0 && { alsoIn: others }),
  };
}

/** The other sessions that tell a row; what is larger than a message or a call is told by its session alone. */
function toldIn(
  { rows, position }: Pick<SearchHit, 'rows' | 'position'>,
  alsoIn: NamedSession['alsoIn'],
): readonly string[] {
  return isOfOneRecord(rows) ? (alsoIn?.(position) ?? []) : [];
}

/** How many of the other sessions that tell a row are named on its line. */
const MAX_OTHERS = 3;

/** Where else a row stands, on a line of its own; '' where that is nowhere. */
export function alsoLine({ out }: Call, hit: SearchHit, { alsoIn }: NamedSession): string {
  const others = toldIn(hit, alsoIn);
  if (others.length === 0) return '';
  const more = others.length > MAX_OTHERS ? ` and ${others.length - MAX_OTHERS} more` : '';
  return out.style('dim', out.line(`    also stands in ${others.slice(0, MAX_OTHERS).join(', ')}${more}`));
}

/** A row on one line of the terminal, what matches in it in another style. */
export function hitLine({ out, terminal }: Call, hit: SearchHit, before: string): string {
  const place = `#${hit.seq ?? hit.position + 1}`;
  const who = [hit.role, hit.agent, hit.tools.slice(0, 3).join(', ')].filter(
    (part): part is string => part !== undefined && part !== '',
  );
  const when = hit.time === undefined ? '' : formatShortMoment(hit.time, terminal.now());
  const head = [before, place, out.line(who.join(' · ')), when].filter((part) => part !== '').join('  ');
  const failed = hit.isError ? `  ${out.style('red', 'failed')}` : '';
  const room = Math.max(20, out.columns - widthOf(head) - (hit.isError ? 8 : 0) - 2);
  return `${out.style('dim', head)}${failed}  ${marked(out, hit.excerpt, room)}`;
}

/** An excerpt with its marks, cut to so many columns. */
export function marked(
  out: Call['out'],
  { text, marks, isCutBefore, isCutAfter }: Excerpt,
  room: number,
): string {
  const [first] = marks;
  // What matches shall be seen, however short the line is.
  const from = first && first.start > room / 2 ? Math.max(0, first.start - Math.floor(room / 3)) : 0;
  const shown = cutTo(text.slice(from), Math.max(1, room - 2));
  const isCut = shown.length < text.length - from;
  const end = from + shown.length - (isCut ? 1 : 0);
  let line = isCutBefore || from > 0 ? '…' : '';
  let at = from;
  for (const mark of marks) {
    const [start, stop] = [Math.max(at, mark.start), Math.min(end, mark.end)];
    if (stop <= start) continue;
    line += visibleText(text.slice(at, start)) + out.style('yellow', visibleText(text.slice(start, stop)));
    at = stop;
  }
  line += visibleText(text.slice(at, end));
  return isCut || isCutAfter ? `${line}…` : line;
}
