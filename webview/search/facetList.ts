import { explainCost, formatCost, formatCostShortly } from '../../src/core/cost.js';
import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { greatestOf } from '../../src/core/lists.js';
import { visibleLine } from '../../src/core/visibleText.js';
import type { Facet, FacetValue } from '../../src/page/protocol/search.js';
import { isRefinedBy, type Refinement } from '../../src/query/language/refine.js';
import { plainText } from '../content/plainText.js';
import { el, fill } from '../dom.js';
import { formatCount } from '../format.js';
import type { SearchState } from './searchState.js';

const NAMES: Readonly<Record<Facet['field'], Message>> = {
  agent: message`Agents`,
  tool: message`Tools`,
  model: message`Models`,
  source: message`Sources`,
  project: message`Projects`,
  day: message`Days`,
};

/** So many values of a field are shown at first. */
const SHOWN = 6;

/** A value as it is offered: without a count where the question as it stands finds none of it. */
interface Offered extends Omit<FacetValue, 'count'> {
  readonly count: number | undefined;
  readonly isChosen: boolean;
}

/** The counts of what was found by agent, tool, model, source, project and day: each refines the question. */
export class FacetList {
  readonly element = el('div', {
    class: 'facet-list',
    role: 'group',
    attributes: { 'aria-label': t`Refine` },
  });
  readonly #refine: (field: Facet['field'], refinement: Refinement) => void;
  readonly #whole = new Set<string>();
  /** The value that the keyboard's focus was on, to which it returns when that is drawn anew. */
  #held: string | undefined;
  #state: SearchState | undefined;

  constructor(refine: (field: Facet['field'], refinement: Refinement) => void) {
    this.#refine = refine;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Whether anything can be refined. */
  get isEmpty(): boolean {
    return this.element.childElementCount === 0;
  }

  /** How many of what is offered the question asks for. */
  get chosen(): number {
    return this.element.querySelectorAll('[aria-pressed="true"]').length;
  }

  update(state: SearchState): void {
    if (this.#state?.facets === state.facets && this.#state.asked === state.asked) return;
    this.#state = state;
    const { activeElement } = document;
    const isAway = activeElement !== document.body && !this.element.contains(activeElement);
    if (isAway) this.#held = undefined;
    else if (activeElement instanceof HTMLElement) this.#held = activeElement.dataset.facet ?? this.#held;
    fill(
      this.element,
      state.facets.map((facet) => this.#section(facet, state)),
    );
    if (this.#held === undefined) return;
    const again = [...this.element.querySelectorAll<HTMLElement>('[data-facet]')].find(
      ({ dataset }) => dataset.facet === this.#held,
    );
    again?.focus();
  }

  #section(facet: Facet, state: SearchState): HTMLElement | false {
    const { field, more } = facet;
    const offered = offeredOf(facet, state);
    // What all have says nothing, unless it was asked for.
    if (offered.length === 0 || (offered.length === 1 && !offered[0]?.isChosen && field !== 'source'))
      return false;
    const name = inLanguage(NAMES[field]);
    const isWhole = this.#whole.has(field);
    const shown = offered.filter(({ isChosen }, at) => isWhole || at < SHOWN || isChosen);
    const most = greatestOf(
      offered.map(({ count = 0 }) => count),
      1,
    );
    const left = offered.length - shown.length;
    return el(
      'section',
      { class: 'facet-section', attributes: { 'aria-label': name } },
      el('h2', {}, name),
      shown.map((value) => this.#button(field, value, most)),
      (left > 0 || isWhole) &&
        el(
          'button',
          {
            class: 'facet-more link',
            attributes: { type: 'button', 'data-facet': `…${field}`, tabindex: -1 },
            on: { click: () => this.#toggleWhole(field) },
          },
          left > 0 ? t`${formatCount(left)} more` : t`Fewer`,
        ),
      more > 0 &&
        isWhole &&
        el('span', { class: 'faint facet-rest' }, t`and ${formatCount(more)} more that are rare`),
    );
  }

  #button(field: Facet['field'], value: Offered, most: number): HTMLElement {
    const { count, isChosen, cost, name = value.value } = value;
    const words = visibleLine(name);
    const meaning = isChosen ? t`Ask for it no more: ${words}` : t`Only this: ${words}`;
    const button = el(
      'button',
      {
        class: `facet-value${isChosen ? ' chosen' : ''}${count === undefined ? ' absent' : ''}`,
        title: cost ? `${meaning}\n${formatCost(cost)}. ${explainCost(cost)}` : meaning,
        attributes: {
          type: 'button',
          'aria-pressed': String(isChosen),
          'data-facet': `${field} ${value.value}`,
          tabindex: -1,
        },
        on: {
          click: () =>
            // A day on which nothing is found takes the place of the one that was chosen.
            this.#refine(field, {
              refine: value.refine,
              with: field !== 'day' ? 'joins' : count === undefined ? 'replaces' : 'narrows',
            }),
        },
      },
      el('span', { class: 'facet-bar' }),
      el('span', { class: 'facet-name' }, plainText(words)),
      cost && el('span', { class: 'facet-cost' }, formatCostShortly(cost)),
      el('span', { class: 'facet-count' }, count === undefined ? '' : formatCount(count)),
    );
    const bar = button.firstElementChild;
    if (bar instanceof HTMLElement) bar.style.width = `${((count ?? 0) / most) * 100}%`;
    return button;
  }

  #toggleWhole(field: string): void {
    if (!this.#whole.delete(field)) this.#whole.add(field);
    const state = this.#state;
    this.#state = undefined;
    if (state) this.update(state);
  }

  /** One stop of the Tab key, within which arrows move. */
  #onKey(event: KeyboardEvent): void {
    const all = [...this.element.querySelectorAll<HTMLElement>('[data-facet]')];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = all[Math.min(all.length - 1, Math.max(0, to))];
    for (const each of all) each.tabIndex = each === next ? 0 : -1;
    next?.focus();
  }

  /** Lets the Tab key in. */
  reach(): void {
    const all = [...this.element.querySelectorAll<HTMLElement>('[data-facet]')];
    if (!all.some(({ tabIndex }) => tabIndex === 0) && all[0]) all[0].tabIndex = 0;
  }
}

/** What is found, and behind it what was offered before one of it was chosen. */
function offeredOf({ field, values }: Facet, { asked, offered }: SearchState): readonly Offered[] {
  const text = asked?.text ?? '';
  const found = new Set(values.map(({ value }) => value));
  const others = (offered.get(field)?.values ?? []).filter(({ value }) => !found.has(value));
  return [
    ...values.map((each) => ({ ...each, isChosen: isRefinedBy(text, each) })),
    ...others.map(({ value, name, refine }) => ({
      value,
      refine,
      count: undefined,
      ...(name !== undefined && { name }),
      isChosen: isRefinedBy(text, { refine }),
    })),
  ];
}
