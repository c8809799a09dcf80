import { t } from '../../src/core/l10n.js';
import { isUnfiltered, NO_CRITERIA, someOf, type Criteria } from '../../src/protocol/criteria.js';
import { plainText } from '../content/plainText.js';
import { button, checkbox, iconButton, setPressed, textField, type TextField } from '../controls.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount, formatNoun } from '../format.js';
import { icon } from '../icons.js';
import type { PageActions } from '../pageActions.js';
import type { State } from '../state.js';
import { Popover } from './popover.js';
import { savedFiltersMenu } from './savedFilters.js';

const ROLES = ['user', 'assistant', 'tool', 'system', 'developer'] as const;

/** The bar with the filter of the messages. */
export class FilterBar {
  readonly element: HTMLElement;
  readonly #field: TextField;
  readonly #matchCase: HTMLElement;
  readonly #wholeWord: HTMLElement;
  readonly #regex: HTMLElement;
  readonly #raw: HTMLElement;
  readonly #errors: HTMLElement;
  readonly #facets: readonly {
    readonly anchor: HTMLElement;
    readonly label: string;
    readonly chosen: (criteria: Criteria) => number;
    readonly popover: Popover;
  }[];
  readonly #count = el('span', { class: 'count', role: 'status' });
  readonly #steps: HTMLElement;
  readonly #clear: HTMLElement;
  readonly #expand: HTMLElement;
  readonly #problem = el('div', { class: 'problem', role: 'alert', hidden: true });
  readonly #stateOf: () => State;
  readonly #actions: PageActions;
  readonly #goToList: () => void;

  constructor(actions: PageActions, stateOf: () => State, goToList: () => void) {
    this.#stateOf = stateOf;
    this.#actions = actions;
    this.#goToList = goToList;
    const change = (part: Partial<Criteria>): void => actions.filter({ ...stateOf().criteria, ...part });
    const toggle = (part: 'matchCase' | 'wholeWord' | 'regex' | 'errorsOnly'): void =>
      change({ [part]: !stateOf().criteria[part] });
    this.#matchCase = iconButton('case-sensitive', t`Match case (Alt+C)`, () => toggle('matchCase'));
    this.#wholeWord = iconButton('whole-word', t`Match whole words (Alt+W)`, () => toggle('wholeWord'));
    this.#regex = iconButton('regex', t`Use a regular expression (Alt+R)`, () => toggle('regex'));
    this.#field = textField(
      {
        label: t`Filter messages by text`,
        placeholder: t`Filter messages`,
        onInput: (text) => change({ text }),
        class: 'filter-text',
      },
      el('span', { attributes: { slot: 'start' } }, icon('search')),
      el(
        'div',
        { class: 'toggles', attributes: { slot: 'end' } },
        this.#matchCase,
        this.#wholeWord,
        this.#regex,
      ),
    );
    this.#field.addEventListener('keydown', (event) => this.#onKey(event));
    this.#errors = button(
      { class: 'facet', title: t`Show only what failed`, on: { click: () => toggle('errorsOnly') } },
      icon('error'),
      t`Errors`,
    );
    this.#facets = [
      this.#facet(
        t`Roles`,
        ({ role }) => role?.length ?? 0,
        () => choices(ROLES, stateOf().criteria.role ?? [], (roles) => change({ role: someOf(roles) })),
      ),
      this.#facet(
        t`Agents`,
        ({ agent }) => agent?.length ?? 0,
        () =>
          choices(
            stateOf().facets.agents.map(({ name }) => name),
            stateOf().criteria.agent ?? [],
            (agents) => change({ agent: someOf(agents) }),
            (name) => `hue-${stateOf().facets.agents.find((agent) => agent.name === name)?.hue ?? 0}`,
          ),
      ),
      this.#facet(
        t`Tools`,
        ({ toolName }) => toolName?.length ?? 0,
        () =>
          choices(stateOf().facets.tools, stateOf().criteria.toolName ?? [], (tools) =>
            change({ toolName: someOf(tools) }),
          ),
      ),
    ];
    this.#steps = el(
      'span',
      { class: 'steps' },
      iconButton('arrow-up', t`Previous match (Shift+F3)`, () => actions.step(-1)),
      iconButton('arrow-down', t`Next match (F3)`, () => actions.step(1)),
    );
    this.#clear = iconButton('clear-all', t`Clear the filter (Escape)`, () => actions.filter(NO_CRITERIA));
    this.#expand = iconButton('expand-all', t`Show the conversations of all dispatches`, () =>
      actions.expandAll(!stateOf().expandedAll),
    );
    this.#raw = button({
      class: 'facet raw-events',
      title: t`What the imported file holds besides messages, as it was; folded away unless this is on`,
      on: { click: () => actions.showRaw(!stateOf().list.showsRaw) },
    });
    this.element = el(
      'div',
      { class: 'filter', role: 'search', attributes: { 'aria-label': t`Filter` } },
      el(
        'div',
        { class: 'filter-line' },
        this.#field,
        el(
          'span',
          { class: 'facets' },
          this.#facets.map(({ anchor }) => anchor),
          this.#errors,
        ),
        savedFiltersMenu(actions, stateOf),
        el('span', { class: 'spacer' }),
        el('span', { class: 'found' }, this.#count, this.#steps, this.#clear),
        this.#raw,
        this.#expand,
      ),
      this.#problem,
    );
  }

  /** Whether the person types here. */
  get hasFocus(): boolean {
    return document.activeElement === this.#field;
  }

  focus(): void {
    this.#field.focus();
    this.#field.shadowRoot?.querySelector('input')?.select();
  }

  update(state: State, before: State): void {
    const { criteria, matches, list } = state;
    if (this.#field.value !== criteria.text) this.#field.value = criteria.text;
    setPressed(this.#matchCase, criteria.matchCase);
    setPressed(this.#wholeWord, criteria.wholeWord);
    setPressed(this.#regex, criteria.regex);
    this.#raw.hidden = list.rawRows === 0;
    setPressed(this.#raw, list.showsRaw);
    fill(this.#raw, formatNoun(list.rawRows, 'raw event'));
    setPressed(this.#errors, criteria.errorsOnly);
    for (const { anchor, label, chosen, popover } of this.#facets) {
      const count = chosen(criteria);
      anchor.classList.toggle('pressed', count > 0);
      const words: Child[] = [
        label,
        count > 0 && el('span', { class: 'chosen' }, count),
        icon('chevron-down'),
      ];
      fill(anchor, words);
      if (popover.isOpen && state.facets !== before.facets) popover.refresh();
    }
    const isOff = isUnfiltered(criteria);
    this.#steps.hidden = isOff;
    this.#clear.hidden = isOff;
    const problem = matches?.problem;
    this.#problem.hidden = problem === undefined;
    fill(this.#problem, icon('warning'), problem);
    this.#field.setAttribute('aria-invalid', String(problem !== undefined));
    this.#count.textContent = isOff || problem !== undefined ? '' : countWords(matches, list.allRows);
    fill(this.#expand, icon(state.expandedAll ? 'collapse-all' : 'expand-all'));
    setPressed(this.#expand, state.expandedAll);
    this.#expand.title = state.expandedAll
      ? t`Hide the conversations of all dispatches`
      : t`Show the conversations of all dispatches`;
    this.#expand.setAttribute('aria-label', this.#expand.title);
  }

  #facet(label: string, chosen: (criteria: Criteria) => number, content: () => Child[]) {
    const anchor = button({ class: 'facet', title: t`Show only some ${label.toLowerCase()}` });
    const popover = new Popover(anchor, label, content);
    return { anchor, label, chosen, popover };
  }

  #onKey(event: KeyboardEvent): void {
    const { criteria } = this.#stateOf();
    if (event.key === 'Enter') this.#actions.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'ArrowDown') this.#goToList();
    else if (event.key === 'Escape' && !isUnfiltered(criteria)) this.#actions.filter(NO_CRITERIA);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function countWords(matches: State['matches'], rows: number): string {
  if (!matches) return t`Looking…`;
  const words = `${formatCount(matches.matches)} of ${formatCount(Math.max(rows, matches.matches))}`;
  return matches.done ? words : `${words}, looking…`;
}

/** Checkboxes, one for each name. */
function choices<T extends string>(
  names: readonly T[],
  chosen: readonly T[],
  onChange: (chosen: T[]) => void,
  dotOf?: (name: T) => string,
): Child[] {
  if (names.length === 0) return [el('div', { class: 'faint' }, t`There are none yet.`)];
  const ticked = new Set(chosen);
  const boxes = names.map((name) =>
    checkbox(
      ticked.has(name),
      (isTicked) => {
        if (isTicked) ticked.add(name);
        else ticked.delete(name);
        onChange([...ticked]);
      },
      dotOf && el('span', { class: `dot ${dotOf(name)}` }),
      plainText(name),
    ),
  );
  return [el('div', { class: 'choices' }, boxes)];
}
