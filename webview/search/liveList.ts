import { explainCost, formatCostShortly } from '../../src/core/cost.js';
import { formatDuration } from '../../src/core/duration.js';
import { t } from '../../src/core/l10n.js';
import { shortNumber } from '../../src/core/shortNumber.js';
import { visibleLine } from '../../src/core/visibleText.js';
import type { LiveRow } from '../../src/page/protocol/searchPage.js';
import { plainText } from '../content/plainText.js';
import { el, fillInPlace } from '../dom.js';
import { icon, type IconName } from '../icons.js';

const ICONS: Readonly<Record<string, IconName>> = {
  waiting: 'question',
  working: 'loading',
  limited: 'watch',
  finished: 'pass',
  broken: 'warning',
};

/** All sessions that are live, a row each, who needs somebody first: each leads to its session. */
export class LiveList {
  readonly element = el('div', { class: 'sheet spending-sheet' });
  readonly #open: (row: LiveRow) => void;
  #drawn = '';

  constructor(open: (row: LiveRow) => void) {
    this.#open = open;
  }

  /** What is the same as before is not drawn again: a focus stays, and a screen reader is left in peace. */
  show(rows: readonly LiveRow[], now: number): void {
    const key = JSON.stringify(rows.map((row) => ({ ...row, since: sinceWords(row, now) })));
    if (key === this.#drawn) return;
    this.#drawn = key;
    fillInPlace(this.element, rows.length === 0 ? nothing() : table(rows, now, this.#open));
  }
}

function nothing(): HTMLElement {
  return el(
    'div',
    { class: 'empty' },
    el('h2', {}, t`Nothing is live now`),
    el(
      'p',
      {},
      t`Agents that work, wait for you or ended within the hour stand here: those of this window, and the sessions of the tools that you chose in the view Sessions.`,
    ),
  );
}

function table(rows: readonly LiveRow[], now: number, open: (row: LiveRow) => void): HTMLElement {
  const heads = [t`State`, t`Session`, t`Context`, t`Cost`, t`For`];
  return el(
    'table',
    { class: 'live-table' },
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        heads.map((head) => el('th', { attributes: { scope: 'col' } }, head)),
      ),
    ),
    el(
      'tbody',
      {},
      rows.map((row) => drawn(row, now, open)),
    ),
  );
}

function drawn(row: LiveRow, now: number, open: (row: LiveRow) => void): HTMLElement {
  const { place, title, source, project, state, doing, words, cost } = row;
  const name = visibleLine(title === '' ? t`(no title)` : title);
  const said = visibleLine(words);
  const attributes = { type: 'button', 'data-key': `${place.kind} ${place.root} ${place.conversation}` };
  return el(
    'tr',
    { class: `live-row live-${state}`, on: { click: () => open(row) } },
    el(
      'td',
      { class: 'live-state' },
      el('div', {}, icon(ICONS[state] ?? 'circle-large-outline'), ' ', el('span', {}, doing)),
      said !== '' && el('div', { class: 'live-words faint', title: said }, plainText(said)),
    ),
    el(
      'td',
      {},
      el(
        'button',
        {
          class: 'link live-title',
          title: name,
          attributes,
          on: {
            click: (event) => {
              event.stopPropagation();
              open(row);
            },
          },
        },
        plainText(name),
      ),
      el('div', { class: 'faint' }, plainText([source, project].filter((part) => part !== '').join(' · '))),
    ),
    el('td', {}, contextWords(row.context)),
    cost ? el('td', { title: explainCost(cost) }, formatCostShortly(cost)) : el('td', {}),
    el('td', {}, sinceWords(row, now)),
  );
}

function contextWords(context: LiveRow['context']): string {
  if (!context) return '';
  const { used, window } = context;
  return window === undefined || window === 0
    ? shortNumber(used)
    : t`${Math.round((100 * used) / window)} % of ${shortNumber(window)}`;
}

/** Whole minutes: a row is not drawn anew each second. */
function sinceWords({ since }: LiveRow, now: number): string {
  const ms = now - since;
  return ms < 60_000
    ? t`under 1 min`
    : formatDuration(Math.floor(ms / 60_000) * 60_000).replace(/ 00 s$/, '');
}
