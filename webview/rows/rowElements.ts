import type { CutText, MessageRow, Row, RowField } from '../../src/page/protocol/row.js';
import { markPattern, markTexts } from '../content/marks.js';
import { el } from '../dom.js';
import { setReachable } from './controls.js';
import { textKey, type RowActions } from './rowContext.js';
import { rowElement } from './rowElement.js';
import { isUnasked } from '../../src/page/protocol/question.js';
import { markedTexts, type MarkedText } from '../../src/query/language/markedTexts.js';
import { parseQuery } from '../../src/query/language/parse.js';
import type { SearchMatch, State } from '../state.js';

interface Made {
  readonly row: Row;
  readonly isOpen: boolean;
  readonly isFiltered: boolean;
  readonly newSince: number | undefined;
  readonly texts: State['texts'];
  readonly pattern: string;
  readonly element: HTMLElement;
}

/** How many elements are kept besides those that are rendered. */
const MAX_CACHED = 120;

/** Creates the elements of rows, and recreates them only when something in them has changed. */
export class RowElements {
  readonly #actions: RowActions;
  readonly #made = new Map<number, Made>();
  readonly #skeletons = new Map<number, HTMLElement>();
  /** What was found last and is in sight, and the text that was fetched for it. */
  #shown: SearchMatch | undefined;
  #fetched = '';

  constructor(actions: RowActions) {
    this.#actions = actions;
  }

  /** The element of the row at an index; a placeholder while the row is not known. */
  at(index: number, state: State): HTMLElement {
    const row = state.rows.get(index);
    if (!row) return this.#skeleton(index);
    const found = state.found?.row === row.id ? state.found : undefined;
    const pattern = found ? markPattern([found]) : patternOf(state);
    const looks = {
      row,
      isOpen: isOpen(row, state, pattern),
      isFiltered: !isUnasked(state.asked),
      newSince: newSince(row, index, state),
      texts: state.texts,
      pattern: pattern?.source ?? '',
    };
    const known = this.#made.get(row.id);
    const made = known && isSame(known, looks) ? known : { ...looks, element: this.#make(looks, pattern) };
    if (found) this.#show(found, made);
    this.#made.delete(row.id);
    this.#made.set(row.id, made);
    const { element } = made;
    element.setAttribute('aria-posinset', String(index + 1));
    element.setAttribute('aria-setsize', String(state.list.rows));
    element.classList.toggle('selected', state.selected?.index === index);
    return element;
  }

  /** Brings what a search found in a row into sight, once; fetches the texts that may hold it, where they are cut. */
  #show(found: SearchMatch, { row, element, texts }: Made): void {
    if (this.#shown === found) return;
    const mark = element.querySelector('mark');
    const cut = mark ? [] : cutFields(row).filter((field) => !texts.has(textKey(row.id, field)));
    if (mark || cut.length === 0) this.#shown = found;
    if (mark) setTimeout(() => mark.scrollIntoView({ block: 'center' }), SETTLE_MS);
    for (const field of cut) {
      const key = textKey(row.id, field);
      if (this.#fetched !== key) this.#actions.fetchText(row.id, field);
      this.#fetched = key;
    }
  }

  /** Forgets elements of rows that were not drawn lately. */
  trim(): void {
    for (const id of this.#made.keys()) {
      if (this.#made.size <= MAX_CACHED) break;
      this.#made.delete(id);
    }
    for (const index of this.#skeletons.keys()) {
      if (this.#skeletons.size <= MAX_CACHED) break;
      this.#skeletons.delete(index);
    }
  }

  #make(
    { row, isOpen: isRowOpen, isFiltered, newSince: since, texts }: Omit<Made, 'element'>,
    pattern: RegExp | undefined,
  ): HTMLElement {
    const element = rowElement(row, {
      isOpen: isRowOpen,
      isFiltered,
      newSince: since,
      textOf: (field, part) => texts.get(textKey(row.id, field, part)),
      actions: this.#actions,
    });
    if (pattern) markTexts(element, pattern);
    setReachable(element, false);
    return element;
  }

  #skeleton(index: number): HTMLElement {
    const known = this.#skeletons.get(index);
    const element =
      known ??
      el('div', { class: 'row row-skeleton', attributes: { 'aria-hidden': 'true' } }, el('span'), el('span'));
    this.#skeletons.set(index, element);
    return element;
  }
}

function isSame(made: Made, looks: Omit<Made, 'element'>): boolean {
  return (
    made.row === looks.row &&
    made.isOpen === looks.isOpen &&
    made.isFiltered === looks.isFiltered &&
    made.newSince === looks.newSince &&
    made.pattern === looks.pattern &&
    (made.texts === looks.texts || sameTexts(made.row.id, made.texts, looks.texts))
  );
}

function sameTexts(row: number, a: State['texts'], b: State['texts']): boolean {
  const prefix = `${row}/`;
  const of = (texts: State['texts']) => [...texts].filter(([key]) => key.startsWith(prefix));
  const [before, after] = [of(a), of(b)];
  return (
    before.length === after.length &&
    before.every(([key, text], at) => after[at]?.[0] === key && after[at][1] === text)
  );
}

/** How long the list takes to settle around a row that it was scrolled to, in milliseconds. */
const SETTLE_MS = 120;

/** The fields of a row whose text is cut. */
function cutFields(row: Row): RowField[] {
  const fields: Partial<Record<RowField, CutText | undefined>> =
    row.kind === 'message'
      ? { body: row.body, reasoning: row.reasoning }
      : row.kind === 'tool'
        ? { arguments: row.arguments, result: row.result }
        : row.kind === 'dispatch'
          ? { task: row.task, result: row.result }
          : { detail: row.detail };
  const cut = Object.entries(fields).filter(
    ([, text]) => text && (text.rest > 0 || text.spilledBytes !== undefined),
  );
  return cut.map(([field]) => field as RowField);
}

/** Since when a row is new, where it is the first of new ones: what the person had seen ends above it. */
function newSince({ position }: Row, index: number, { seen, rows }: State): number | undefined {
  if (!seen || position < seen.records) return undefined;
  const before = rows.get(index - 1);
  return index === 0 || (before && before.position < seen.records) ? seen.at : undefined;
}

/** Rows are collapsed by default; where a text is looked for, they are expanded by default, so that it is visible. */
function isOpen(row: Row, { open, asked, found }: State, pattern: RegExp | undefined): boolean {
  const isLookedAt = lookedFor(asked.text).length > 0 || found?.row === row.id;
  return open.has(row.id) !== (isLookedAt && (row.kind !== 'message' || isFolded(row, pattern)));
}

/** Whether what is looked for is, or may be, in a part of a message that is folded. */
function isFolded({ role, reasoning, body }: MessageRow, pattern: RegExp | undefined): boolean {
  const isIn = (text: CutText | undefined) =>
    text !== undefined && (text.rest > 0 || (pattern !== undefined && text.text.search(pattern) >= 0));
  return role === 'system' || role === 'developer' ? isIn(body) : isIn(reasoning);
}

/** What to highlight in rows: the texts that are asked for, and those that patterns of the question match. */
function patternOf({ asked, marks }: State): RegExp | undefined {
  const texts = lookedFor(asked.text);
  if (texts.length === 0) return undefined;
  const key = JSON.stringify([asked.text, marks]);
  if (lastPattern?.key === key) return lastPattern.pattern;
  const literal = texts.flatMap(({ value, wholeWord }) =>
    value.kind === 'text' ? [{ text: value.text, matchCase: value.exact, wholeWord }] : [],
  );
  const pattern = markPattern([...literal, ...marks.map((text) => ({ text, matchCase: true }))]);
  lastPattern = { key, pattern };
  return pattern;
}

/** Rows are drawn one by one, of one question. */
let lastPattern: { readonly key: string; readonly pattern: RegExp | undefined } | undefined;
let lastLookedFor: { readonly text: string; readonly texts: readonly MarkedText[] } = { text: '', texts: [] };

function lookedFor(text: string): readonly MarkedText[] {
  if (lastLookedFor.text !== text) lastLookedFor = { text, texts: markedTexts(parseQuery(text).query) };
  return lastLookedFor.texts;
}
