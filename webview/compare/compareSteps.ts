import { t } from '../../src/core/l10n.js';
import { messageOf } from '../../src/core/text.js';
import { visibleLine } from '../../src/core/visibleText.js';
import {
  MAX_ROWS_ASKED,
  type CompareContract,
  type CompareFound,
  type CompareRow,
  type CompareStep,
} from '../../src/page/protocol/comparePage.js';
import type { RequestClient } from '../../src/page/protocol/requestClient.js';
import { plainText } from '../content/plainText.js';
import { button, iconButton, textField } from '../controls.js';
import { el, fill } from '../dom.js';
import { formatCount } from '../format.js';

/** So many rows beside each difference are shown, too. */
const AROUND = 1;
/** So many lines are drawn at once; the rest by a button, or when a key leads there. */
const DRAWN = 200;

/** What the steps of two runs are drawn from. */
export interface CompareStepsOptions {
  /** A mark for each row: `=` the same, `~` other words only, `x` different. */
  readonly marks: string;
  readonly names: { readonly left: string; readonly right: string };
  readonly client: RequestClient<CompareContract>;
  readonly onProblem: (words: string) => void;
}

/** A line of the list: a row, or a stretch of rows that are folded: from `from` up to, not including, `to`. */
type Line = { readonly row: number } | { readonly from: number; readonly to: number };

/** The steps of two runs in two lanes, with stretches that are alike folded. */
export class CompareSteps {
  readonly element: HTMLElement;
  /** The question, and the way from difference to difference. */
  readonly bar: HTMLElement;
  readonly #options: CompareStepsOptions;
  readonly #rows = new Map<number, CompareRow>();
  readonly #opened = new Set<number>();
  readonly #list = el('tbody');
  readonly #more = el('div', { class: 'compare-more' });
  readonly #status = el('span', { class: 'faint', role: 'status' });
  readonly #places: readonly number[];
  /** Which difference was gone to last. */
  #current = -1;
  #found: CompareFound | undefined;
  #drawn = DRAWN;
  #asked = 0;

  constructor(options: CompareStepsOptions) {
    this.#options = options;
    const { marks, names } = options;
    this.#places = differencesIn(marks);
    const head = (words: string) => el('th', { attributes: { scope: 'col' } }, plainText(visibleLine(words)));
    this.element = el(
      'section',
      { class: 'compare-steps', attributes: { 'aria-label': t`Steps` } },
      el('h2', {}, t`Steps`),
      el(
        'table',
        { class: 'compare-lanes' },
        el(
          'thead',
          {},
          el('tr', {}, head(t`Left: ${names.left}`), head(t`Difference`), head(t`Right: ${names.right}`)),
        ),
        this.#list,
      ),
      this.#more,
    );
    const question = textField({
      class: 'compare-question',
      label: t`Find steps by a question`,
      placeholder: t`Find steps: tool:read_file side:left`,
      onInput: () => undefined,
      on: {
        keydown: (event) => {
          event.stopPropagation();
          if (event.key === 'Enter') void this.#ask(question.value);
          if (event.key === 'Escape') {
            question.value = '';
            void this.#ask('');
          }
        },
      },
    });
    this.bar = el(
      'div',
      { class: 'compare-bar' },
      question,
      iconButton('search', t`Find`, () => void this.#ask(question.value)),
      button({ on: { click: () => void this.#step(-1) } }, t`Previous Difference`),
      button({ on: { click: () => void this.#step(1) } }, t`Next Difference`),
      this.#status,
    );
    this.#status.textContent = this.#places.length === 0 ? t`No differences` : '';
    void this.#draw();
  }

  /** A key that was pressed on the page. */
  key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isOn = event.key === 'F7' || event.key === 'n' || event.key === 'p';
    if (!isOn) return;
    event.preventDefault();
    void this.#step(event.key === 'p' || event.shiftKey ? -1 : 1);
  }

  async #ask(text: string): Promise<void> {
    const number = ++this.#asked;
    try {
      const found = text.trim() === '' ? undefined : await this.#options.client.ask('ask', { text });
      if (number !== this.#asked) return;
      if (found?.problem !== undefined) {
        this.#status.textContent = found.problem;
        return;
      }
      this.#found = found;
      this.#drawn = DRAWN;
      this.#status.textContent = found
        ? t`Found: ${formatCount(found.left)} left, ${formatCount(found.right)} right`
        : '';
      await this.#draw();
    } catch (error) {
      this.#status.textContent = '';
      this.#options.onProblem(messageOf(error));
    }
  }

  /** Goes to the next difference, or to the previous one. */
  async #step(by: 1 | -1): Promise<void> {
    if (this.#found) {
      this.#found = undefined;
      await this.#draw();
    }
    const { length } = this.#places;
    if (length === 0) return;
    this.#current = this.#current < 0 ? (by > 0 ? 0 : length - 1) : (this.#current + by + length) % length;
    const row = this.#places[this.#current] ?? 0;
    const line = this.#lines().findIndex((each) => 'row' in each && each.row === row);
    if (line >= this.#drawn) {
      this.#drawn = line + DRAWN;
      await this.#draw();
    }
    this.#status.textContent = t`Difference ${formatCount(this.#current + 1)} of ${formatCount(length)}`;
    const element = this.#list.querySelector(`[data-row="${row}"]`);
    element?.scrollIntoView({ block: 'center' });
    element?.querySelector<HTMLElement>('.compare-kind')?.focus();
  }

  #lines(): readonly Line[] {
    const { marks } = this.#options;
    if (this.#found) return this.#found.rows.map((row) => ({ row }));
    const isShown = new Uint8Array(marks.length);
    for (let at = 0; at < marks.length; at++)
      if (marks[at] !== '=')
        isShown.fill(1, Math.max(0, at - AROUND), Math.min(marks.length, at + AROUND + 1));
    const lines: Line[] = [];
    for (let at = 0; at < marks.length; at++) {
      let to = at;
      while (to < marks.length && isShown[to] === 0) to++;
      // To fold one step would hide it without saving a line.
      if (to - at > 1) {
        lines.push({ from: at, to });
        if (this.#opened.has(at)) for (let row = at; row < to; row++) lines.push({ row });
        at = to - 1;
      } else lines.push({ row: at });
    }
    return lines;
  }

  async #draw(): Promise<void> {
    const lines = this.#lines();
    const shown = lines.slice(0, this.#drawn);
    try {
      await this.#load(shown.flatMap((line) => ('row' in line ? [line.row] : [])));
    } catch (error) {
      this.#options.onProblem(messageOf(error));
      return;
    }
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset.stretch : undefined;
    fill(
      this.#list,
      shown.map((line) => ('row' in line ? this.#rowElement(line.row) : this.#stretch(line.from, line.to))),
    );
    const left = lines.length - shown.length;
    fill(
      this.#more,
      left > 0 &&
        el(
          'button',
          {
            class: 'link',
            attributes: { type: 'button' },
            on: {
              click: () => {
                this.#drawn += DRAWN;
                void this.#draw();
              },
            },
          },
          t`${formatCount(left)} more lines`,
        ),
    );
    if (focused !== undefined) this.#list.querySelector<HTMLElement>(`[data-stretch="${focused}"]`)?.focus();
  }

  /** Asks for rows that are not there yet, in stretches. */
  async #load(wanted: readonly number[]): Promise<void> {
    const missing = wanted.filter((row) => !this.#rows.has(row));
    for (let at = 0; at < missing.length;) {
      const from = missing[at] ?? 0;
      let to = at;
      while ((missing[to] ?? Infinity) < from + MAX_ROWS_ASKED) to++;
      const count = (missing[to - 1] ?? from) - from + 1;
      const { rows } = await this.#options.client.ask('rows', { from, count });
      for (const [behind, row] of rows.entries()) this.#rows.set(from + behind, row);
      at = to;
    }
  }

  #stretch(from: number, to: number): HTMLElement {
    const isOpen = this.#opened.has(from);
    const toggle = () => {
      if (isOpen) this.#opened.delete(from);
      else this.#opened.add(from);
      void this.#draw();
    };
    return el(
      'tr',
      { class: 'compare-stretch' },
      el(
        'td',
        { attributes: { colspan: 3 } },
        el(
          'button',
          {
            class: 'link',
            attributes: { type: 'button', 'aria-expanded': String(isOpen), 'data-stretch': from },
            on: { click: toggle },
          },
          t`${formatCount(to - from)} steps alike`,
        ),
      ),
    );
  }

  #rowElement(at: number): HTMLElement {
    const row = this.#rows.get(at);
    if (!row) return el('tr');
    const mark = this.#options.marks[at] ?? '=';
    const kind =
      mark === '=' ? 'same' : mark === '~' ? 'style' : row.left ? (row.right ? 'both' : 'left') : 'right';
    return el(
      'tr',
      { class: `compare-row is-${kind}`, attributes: { 'data-row': at } },
      this.#side(row.left, row.depth, at, 'left'),
      el(
        'td',
        { class: 'compare-difference' },
        el(
          'button',
          {
            class: 'link compare-kind',
            title: t`Show both texts in the editor`,
            attributes: {
              type: 'button',
              ...(row.difference === '' && { 'aria-label': t`Show both texts` }),
            },
            on: { click: () => this.#do(this.#options.client.ask('bodies', { row: at })) },
          },
          row.difference === '' ? '=' : row.difference,
        ),
        row.detail !== '' && el('span', { class: 'compare-detail' }, plainText(visibleLine(row.detail))),
      ),
      this.#side(row.right, row.depth, at, 'right'),
    );
  }

  #side(step: CompareStep | undefined, depth: number, row: number, side: 'left' | 'right'): HTMLElement {
    if (!step)
      return el(
        'td',
        { class: `compare-side compare-none compare-${side}` },
        el('span', { class: 'sr' }, t`no step`),
      );
    const cell = el(
      'td',
      { class: `compare-side compare-${side}` },
      el(
        'button',
        {
          class: 'link compare-number',
          title: t`Open the transcript here`,
          attributes: {
            type: 'button',
            'aria-label':
              side === 'left'
                ? t`Open the left transcript at step ${step.number}`
                : t`Open the right transcript at step ${step.number}`,
          },
          on: { click: () => this.#do(this.#options.client.ask('open', { row, side })) },
        },
        String(step.number),
      ),
      el(
        'span',
        { class: step.isBad ? 'compare-words is-bad' : 'compare-words' },
        step.agent !== '' && el('span', { class: 'compare-agent' }, plainText(visibleLine(step.agent))),
        ' ',
        plainText(visibleLine(step.words)),
      ),
    );
    cell.style.setProperty('--depth', String(Math.min(depth, 8)));
    return cell;
  }

  #do(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#options.onProblem(messageOf(error)));
  }
}

/** The rows with which differences begin. */
function differencesIn(marks: string): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < marks.length; at++) if (marks[at] === 'x' && marks[at - 1] !== 'x') found.push(at);
  return found;
}
