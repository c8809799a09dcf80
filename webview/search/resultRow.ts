import { explainCost, formatCost } from '../../src/core/cost.js';
import { t } from '../../src/core/l10n.js';
import { formatDuration } from '../../src/core/duration.js';
import { visibleLine } from '../../src/core/visibleText.js';
import type { Excerpt, SearchGroup, SearchHit, ToldElsewhere } from '../../src/page/protocol/search.js';
import { plainText } from '../content/plainText.js';
import { append, el, type Child } from '../dom.js';
import { formatCount, formatDate, formatMoment, formatTime } from '../format.js';
import { icon } from '../icons.js';
import type { ResultRow } from './resultRows.js';

/** The colour of each agent, by the order in which agents were found. */
export type HueOf = (agent: string) => number;

/** Below this width, in pixels, little of a text is before what was found in it. */
const NARROW = 480;

/** What a row shows besides what it stands for. */
export interface RowLook {
  readonly id: string;
  readonly isSelected: boolean;
  readonly hueOf: HueOf;
  readonly now: number;
}

/** The element of a row. Every text in it is a text node: titles, agents and excerpts are what strangers wrote. */
export function resultRow(row: ResultRow, look: RowLook): HTMLElement {
  const element = el(
    'div',
    {
      class: `row result result-${row.kind}${look.isSelected ? ' selected' : ''}`,
      id: look.id,
      role: 'treeitem',
      attributes: {
        'aria-level': row.kind === 'session' ? 1 : 2,
        'aria-selected': String(look.isSelected),
        // What the menu of VS Code on this row is for.
        ...(row.kind !== 'more' && { 'data-vscode-context': menuContext(row.group) }),
        ...(row.kind === 'session' && !isItselfFound(row.group) && { 'aria-expanded': String(row.isOpen) }),
      },
    },
    row.kind === 'session' && sessionWords(row.group, row.isOpen),
    row.kind === 'hit' && hitWords(row.hit, row.group, look),
    row.kind === 'more' && moreWords(row.left),
  );
  return element;
}

function menuContext({ place }: SearchGroup): string {
  return JSON.stringify({
    webviewSection: 'agentLogbookFound',
    preventDefaultContextMenuItems: true,
    place,
  });
}

/** What a row begins with for somebody who types its beginning: a title, or an agent, or the text. */
export function beginningsOf(row: ResultRow): readonly string[] {
  if (row.kind === 'session') return [visibleLine(row.group.title)];
  if (row.kind === 'more') return [];
  return [row.hit.agent ?? '', ...row.hit.tools, row.hit.excerpt.text].map(visibleLine);
}

/** Whether the session itself is what was asked for. */
export function isItselfFound({ hits }: SearchGroup): boolean {
  return hits[0]?.rows === 'sessions';
}

function countWords(count: number): string {
  return count === 1 ? t`1 match` : t`${formatCount(count)} matches`;
}

function sessionWords(group: SearchGroup, isOpen: boolean): Child[] {
  const { place: location, title, count, sourceName, project, agents, endedAt, isLive } = group;
  const facts = [
    location.kind === 'archive' && t`archive`,
    endedAt !== undefined && formatDate(endedAt),
    sourceName,
    agents.length > 3 ? t`${agents.slice(0, 3).join(', ')} and ${agents.length - 3} more` : agents.join(', '),
    project,
  ];
  const itself = isItselfFound(group) ? group.hits[0] : undefined;
  const { cost } = group;
  return [
    el(
      'div',
      { class: 'session-line' },
      !itself && icon(isOpen ? 'chevron-down' : 'chevron-right'),
      el('span', { class: 'session-title', title: visibleLine(title) }, plainText(visibleLine(title))),
      isLive && el('span', { class: 'session-live', title: t`An agent is at work in it` }, t`live`),
      itself?.isError && icon('error', 'bad'),
      !itself && el('span', { class: 'session-count', title: countWords(count) }, formatCount(count)),
    ),
    el(
      'div',
      { class: 'session-facts' },
      facts
        .filter((fact): fact is string => typeof fact === 'string' && fact !== '')
        .map((fact) => el('span', {}, plainText(visibleLine(fact)))),
      itself?.durationMs !== undefined && el('span', {}, formatDuration(itself.durationMs)),
      cost && el('span', { title: explainCost(cost) }, formatCost(cost)),
    ),
    itself && itself.excerpt.text !== '' && excerptWords(itself.excerpt, true),
  ];
}

function hitWords(hit: SearchHit, group: SearchGroup, { hueOf, now }: RowLook): Child[] {
  const { agent = '', role, tools, time, isError, durationMs, model, excerpt, rows, cost } = hit;
  const { notes = [], alsoIn = [] } = hit;
  const kind = tools.length > 0 ? tools.slice(0, 3).join(', ') : rows === 'runs' ? t`run` : role;
  const isFromTheSameDay =
    group.endedAt !== undefined && time !== undefined && isSameDay(group.endedAt, time);
  return [
    el(
      'div',
      { class: 'hit-line' },
      el('span', { class: `dot hue-${hueOf(agent)}` }),
      agent !== '' && el('span', { class: 'hit-agent' }, plainText(visibleLine(agent))),
      kind !== undefined &&
        el(
          'span',
          { class: 'hit-kind' },
          tools.length > 0 && icon('tools'),
          el('span', {}, plainText(visibleLine(kind))),
        ),
      isError && el('span', { class: 'hit-error bad', title: t`Error` }, icon('error')),
      el('span', { class: 'spacer' }),
      durationMs !== undefined && el('span', { class: 'hit-fact hit-duration' }, formatDuration(durationMs)),
      cost && el('span', { class: 'hit-fact hit-cost', title: explainCost(cost) }, formatCost(cost)),
      model !== undefined && el('span', { class: 'hit-fact hit-model' }, plainText(visibleLine(model))),
      time !== undefined &&
        el(
          'time',
          { class: 'hit-fact', title: formatMoment(time) },
          isFromTheSameDay || isSameDay(now, time) ? formatTime(time) : formatDate(time),
        ),
    ),
    excerpt.text !== '' && excerptWords(excerpt),
    ...notes.map((note) =>
      el(
        'div',
        { class: 'hit-note', title: t`Note` },
        icon('note'),
        el('span', {}, plainText(visibleLine(note))),
      ),
    ),
    alsoIn.length > 0 && alsoLine(alsoIn, group),
  ];
}

/** So many of the other sessions that tell a row are named below it. */
const MAX_OTHERS = 3;

/**
 * Where else a row stands. Each session is a button that opens it there; without `open` only a text, with the number of the
 * session in `data-also`, for rows of a list, which have no focus of their own.
 */
export function alsoLine(
  alsoIn: readonly ToldElsewhere[],
  { title }: SearchGroup,
  open?: (other: ToldElsewhere) => void,
): HTMLElement {
  const named = alsoIn.slice(0, MAX_OTHERS);
  const left = alsoIn.length - named.length;
  const names = named.flatMap((other, at): Child[] => {
    const { place } = other;
    const file = place.kind === 'file' ? (place.root.split(/[\\/]/).at(-1) ?? '') : place.conversation;
    // Copies have the title of what they are copies of.
    const name = other.title === '' || other.title === title ? file : other.title;
    const where = visibleLine(place.kind === 'file' ? place.root : place.conversation);
    const words = plainText(visibleLine(name));
    const on = { click: () => open?.(other) };
    const link = open
      ? el('button', { class: 'link', title: where, attributes: { type: 'button' }, on }, words)
      : el('span', { class: 'link', title: where, attributes: { 'data-also': at } }, words);
    return at === 0 ? [' ', link] : [', ', link];
  });
  const line = el('div', { class: 'hit-also' }, icon('references'), ' ', t`also stands in`);
  append(line, names);
  if (left > 0) append(line, [' ', t`and ${left} more`]);
  return line;
}

function excerptWords(excerpt: Excerpt, isOfSession = false): HTMLElement {
  const before = window.innerWidth < NARROW ? 24 : 100;
  return el(
    'div',
    { class: isOfSession ? 'excerpt excerpt-of-session' : 'excerpt' },
    markedText(excerpt, before),
  );
}

/**
 * An excerpt with its marks, as text nodes, so much before the first of them that it is in sight; marks that do not lie in
 * the text are left out.
 */
export function markedText({ text, marks, isCutBefore, isCutAfter }: Excerpt, before: number): Child[] {
  const from = Math.max(0, (marks[0]?.start ?? 0) - before);
  let at = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  if (at > (marks[0]?.start ?? 0)) at = from;
  const pieces: Child[] = [(isCutBefore || at > 0) && '… '];
  for (const { start, end } of marks) {
    if (start < at || end <= start || end > text.length) continue;
    pieces.push(plainText(text.slice(at, start)), el('mark', {}, plainText(text.slice(start, end))));
    at = end;
  }
  pieces.push(plainText(text.slice(at)), isCutAfter && ' …');
  return pieces;
}

function moreWords(left: number): Child[] {
  return [
    el(
      'span',
      { class: 'link' },
      left === 1 ? t`Show 1 more match` : t`Show ${formatCount(left)} more matches`,
    ),
  ];
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}
