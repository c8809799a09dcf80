import { inLanguage, message, t } from '../../src/core/l10n.js';
import { visibleLine } from '../../src/core/visibleText.js';
import type { NearRecord, SearchGroup, SearchHit, ToldElsewhere } from '../../src/page/protocol/search.js';
import { markPattern, markTexts } from '../content/marks.js';
import { plainText } from '../content/plainText.js';
import { button } from '../controls.js';
import { el, fill } from '../dom.js';
import { formatMoment, formatTime } from '../format.js';
import { icon } from '../icons.js';
import { alsoLine, type HueOf } from './resultRow.js';

/** What records that carry no message are called. */
const WORDS: ReadonlyMap<string, ReturnType<typeof message>> = new Map([
  ['callStart', message`task`],
  ['callEnd', message`end`],
  ['dispatch', message`dispatch`],
  ['request', message`request`],
  ['approval', message`approval`],
  ['error', message`failure`],
  ['title', message`title`],
]);

/** The role of a message, or what a record of this type is called. */
function wordOf(role: string): string {
  const word = WORDS.get(role);
  return word ? inLanguage(word) : role;
}

/** What is shown of a hit: where it is, what is found in it, and what is said around it. */
export interface Previewed {
  readonly group: SearchGroup;
  readonly hit: SearchHit;
  readonly records: readonly NearRecord[];
}

/** A hit among the messages around it. */
export class Preview {
  readonly element: HTMLElement;
  readonly #head = el('div', { class: 'preview-head' });
  readonly #body = el('div', {
    class: 'preview-body',
    tabIndex: 0,
    role: 'region',
    attributes: { 'aria-label': t`Messages around the match` },
  });
  readonly #open: (other?: ToldElsewhere) => void;
  readonly #hueOf: HueOf;

  /** `open`: opens the transcript of what is shown; with another, that one where the same stands. */
  constructor(open: (other?: ToldElsewhere) => void, hueOf: HueOf) {
    this.#open = open;
    this.#hueOf = hueOf;
    this.element = el(
      'aside',
      { class: 'preview', attributes: { 'aria-label': t`Preview` } },
      this.#head,
      this.#body,
    );
    this.clear();
  }

  clear(): void {
    fill(this.#head);
    fill(this.#body, el('p', { class: 'faint preview-hint' }, t`Choose a match to read what is around it.`));
  }

  fail(words: string): void {
    fill(this.#body, el('p', { class: 'faint preview-hint' }, t`It cannot be shown: ${visibleLine(words)}`));
  }

  show({ group, hit, records }: Previewed): void {
    fill(
      this.#head,
      el('h2', { title: visibleLine(group.title) }, plainText(visibleLine(group.title))),
      button({ appearance: 'secondary', on: { click: () => this.#open() } }, t`Open Transcript`),
      hit.alsoIn && alsoLine(hit.alsoIn, group, (other) => this.#open(other)),
    );
    const found = hit.excerpt.marks.map(({ start, end }) => hit.excerpt.text.slice(start, end));
    const pattern = markPattern([...new Set(found)].map((text) => ({ text, matchCase: true })));
    let target: HTMLElement | undefined;
    fill(
      this.#body,
      records.flatMap((record) => {
        const isHit = record.position === hit.position;
        // What says nothing, such as the request for an answer, is of no help here.
        if (!isHit && record.text.trim() === '') return [];
        const element = this.#record(record, isHit);
        if (isHit) {
          target = element;
          if (pattern) markTexts(element, pattern);
        }
        return element;
      }),
    );
    const shown = target?.querySelector('mark') ?? target;
    shown?.scrollIntoView({ block: 'center' });
  }

  #record({ role, agent = '', time, text, isCut }: NearRecord, isHit: boolean): HTMLElement {
    return el(
      'article',
      { class: `near near-${role.replace(/[^a-z]/g, '')}${isHit ? ' is-hit' : ''}` },
      el(
        'div',
        { class: 'near-head meta' },
        el('span', { class: `dot hue-${this.#hueOf(agent)}` }),
        el('span', { class: 'hit-agent' }, plainText(visibleLine(agent || wordOf(role)))),
        agent !== '' && el('span', { class: 'hit-kind' }, plainText(visibleLine(wordOf(role)))),
        isHit && el('span', { class: 'near-hit' }, icon('search'), t`match`),
        el('span', { class: 'spacer' }),
        time !== undefined && el('time', { class: 'hit-fact', title: formatMoment(time) }, formatTime(time)),
      ),
      el('div', { class: 'near-text' }, plainText(text), isCut && el('span', { class: 'faint' }, ' …')),
    );
  }
}
