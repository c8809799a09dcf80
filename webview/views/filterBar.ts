import { t } from '../../src/core/l10n.js';
import { isUnasked, NO_QUESTION, TRANSCRIPT_ROWS } from '../../src/page/protocol/question.js';
import { namesAskedFor } from '../../src/query/language/edit.js';
import { parseQuery } from '../../src/query/language/parse.js';
import type { Sequence } from '../../src/query/language/syntax.js';
import { plainText } from '../content/plainText.js';
import { button, checkbox, iconButton, setPressed } from '../controls.js';
import { el, fill, setWords, type Child } from '../dom.js';
import { formatNoun } from '../format.js';
import { icon } from '../icons.js';
import type { PageActions } from '../rows/pageActions.js';
import { foundWords, shownAs } from '../questionBar/foundWords.js';
import { QuestionBar } from '../questionBar/questionBar.js';
import type { State } from '../state.js';
import { Popover } from './popover.js';
import { questionsButton, type QuestionsButton } from './questionsButton.js';
import { LatePart } from '../latePart.js';
import type { QuestionChips } from '../questionBar/questionChips.js';

const ROLES = ['user', 'assistant', 'tool', 'system', 'developer'] as const;

/** A menu that writes the values of a field into the question, and shows those that stand there. */
interface FacetMenu {
  readonly anchor: HTMLElement;
  readonly label: string;
  readonly field: string;
  readonly names: () => readonly string[];
  readonly popover: Popover;
}

/** The bar above the messages: the question, the menus that write into it, and how much was found. */
export class FilterBar {
  readonly element: HTMLElement;
  readonly #bar: QuestionBar;
  readonly #chips: LateChips;
  readonly #errors: HTMLElement;
  readonly #facets: readonly FacetMenu[];
  readonly #questions: QuestionsButton;
  readonly #count = el('span', { class: 'count', role: 'status' });
  readonly #shownAs = el('div', { class: 'question-shown', hidden: true });
  readonly #steps: HTMLElement;
  readonly #clear: HTMLElement;
  readonly #raw: HTMLElement;
  readonly #expand: HTMLElement;
  readonly #stateOf: () => State;
  /** The values of fields that occur, as far as they were asked for. */
  readonly #occurring = new Map<string, { readonly records: number; readonly values: readonly string[] }>();
  /** The question as it was read last; its own text while that is right, else that of the one that is answered. */
  #read: { readonly text: string; readonly query: Sequence } = { text: '', query: parseQuery('').query };

  constructor(actions: PageActions, stateOf: () => State, goToList: () => void) {
    this.#stateOf = stateOf;
    this.#bar = this.#newBar(actions, goToList);
    this.#chips = new LateChips(
      (text) => actions.ask({ ...stateOf().asked, text }),
      () => this.#bar.focus(),
      actions.tellFailure,
    );
    const toggleErrors = (): void => {
      const asked = this.#namesOf('is', ['error']);
      actions.choose('is', asked.length > 0 ? [] : ['error']);
    };
    this.#errors = button(
      { class: 'facet', title: t`Show only what failed`, on: { click: toggleErrors } },
      icon('error'),
      t`Errors`,
    );
    const hueOf = (name: string): string =>
      `hue-${stateOf().facets.agents.find((agent) => agent.name === name)?.hue ?? 0}`;
    this.#facets = [
      this.#facet(actions, { label: t`Roles`, field: 'role', names: () => ROLES }),
      this.#facet(
        actions,
        { label: t`Agents`, field: 'agent', names: () => stateOf().facets.agents.map(({ name }) => name) },
        hueOf,
      ),
      this.#facet(actions, { label: t`Tools`, field: 'tool', names: () => stateOf().facets.tools }),
    ];
    const questions = {
      known: () => stateOf().questions,
      isAsked: () => !isUnasked(stateOf().asked),
      ask: actions.ask,
      save: actions.saveQuestion,
      remove: actions.removeQuestion,
      copyLink: actions.copyQuestionLink,
    };
    this.#questions = questionsButton(questions, actions.tellFailure);
    this.#steps = el(
      'span',
      { class: 'steps' },
      iconButton('arrow-up', t`Previous match (Shift+F3)`, () => actions.step(-1)),
      iconButton('arrow-down', t`Next match (F3)`, () => actions.step(1)),
    );
    this.#clear = iconButton('clear-all', t`Clear the question (Escape)`, () => actions.ask(NO_QUESTION));
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
      { class: 'filter', role: 'search', attributes: { 'aria-label': t`Question` } },
      el(
        'div',
        { class: 'filter-line' },
        this.#bar.element,
        el(
          'span',
          { class: 'facets' },
          this.#facets.map(({ anchor }) => anchor),
          this.#errors,
        ),
        this.#questions.element,
        el('span', { class: 'spacer' }),
        el('span', { class: 'found' }, this.#count, this.#steps, this.#clear),
        this.#raw,
        iconButton('account', t`Next prompt (P)`, () => actions.stepTo('prompt', 1, true)),
        this.#expand,
      ),
      // What is wrong appears where the field is left: above them it would push away what is clicked.
      this.#chips.element,
      this.#bar.problems,
      this.#shownAs,
    );
  }

  /** Whether the person types here. */
  get hasFocus(): boolean {
    return this.#bar.hasFocus;
  }

  focus(): void {
    this.#bar.focus();
  }

  /** Opens the menu of saved questions. */
  openQuestions(): void {
    this.#questions.open();
  }

  update(state: State, before: State): void {
    const { question, asked, matches, list } = state;
    this.#bar.show(question);
    this.#bar.refuse(matches?.problems ?? []);
    this.#chips.show(asked.text);
    this.#raw.hidden = list.rawRows === 0;
    setPressed(this.#raw, list.showsRaw);
    fill(this.#raw, formatNoun(list.rawRows, 'raw event'));
    setPressed(this.#errors, this.#namesOf('is', ['error']).length > 0);
    for (const { anchor, label, field, names, popover } of this.#facets) {
      const count = this.#namesOf(field, names()).length;
      anchor.classList.toggle('pressed', count > 0);
      const words: Child[] = [
        label,
        count > 0 && el('span', { class: 'chosen' }, count),
        icon('chevron-down'),
      ];
      fill(anchor, words);
      if (popover.isOpen && state.facets !== before.facets) popover.refresh();
    }
    const isOff = isUnasked(asked);
    this.#steps.hidden = isOff;
    this.#clear.hidden = isOff && isUnasked(question);
    this.#count.textContent = isOff ? '' : countWords(matches);
    const shown = isOff ? undefined : shownAs(asked.rows);
    this.#shownAs.hidden = shown === undefined;
    this.#shownAs.textContent = shown ?? '';
    fill(this.#expand, icon(state.expandedAll ? 'collapse-all' : 'expand-all'));
    setPressed(this.#expand, state.expandedAll);
    const words = state.expandedAll
      ? t`Hide the conversations of all dispatches`
      : t`Show the conversations of all dispatches`;
    setWords(this.#expand, 'title', words);
    setWords(this.#expand, 'aria-label', words);
  }

  #newBar(actions: PageActions, goToList: () => void): QuestionBar {
    const bar = new QuestionBar({
      label: t`Question about this transcript`,
      placeholder: t`Ask: words, agent:Name, tool:bash, is:error, …`,
      rows: TRANSCRIPT_ROWS,
      nothing: NO_QUESTION,
      showsAllUnasked: true,
      values: (name) => this.#valuesOf(name, actions),
      history: () => this.#stateOf().questions.recent,
      onChange: (question, answered) => actions.ask(question, answered),
      onEnter: (by) => {
        actions.noteQuestion();
        actions.step(by);
      },
      onLeave: () => {
        actions.noteQuestion();
        goToList();
      },
    });
    bar.element.addEventListener('focusout', () => actions.noteQuestion());
    return bar;
  }

  /** The values of a field or an argument that occur, as far as they are known; what is not is asked for. */
  #valuesOf(name: string, actions: PageActions): readonly string[] {
    const { records } = this.#stateOf().list;
    const known = this.#occurring.get(name);
    if (known?.records === records) return known.values;
    this.#occurring.set(name, { records, values: known?.values ?? [] });
    void actions.occurring(name).then((values) => {
      this.#occurring.set(name, { records, values });
      this.#bar.refresh();
    });
    return known?.values ?? [];
  }

  /** Those of some names that the question asks a field for. */
  #namesOf(field: string, names: readonly string[]): readonly string[] {
    const { question, asked } = this.#stateOf();
    if (this.#read.text !== question.text) {
      const parsed = parseQuery(question.text);
      const right = parsed.problems.length === 0 ? parsed : parseQuery(asked.text);
      this.#read = { text: question.text, query: right.query };
    }
    return namesAskedFor(this.#read.query, field, names);
  }

  #facet(
    actions: PageActions,
    { label, field, names }: Pick<FacetMenu, 'label' | 'field' | 'names'>,
    dotOf?: (name: string) => string,
  ): FacetMenu {
    const anchor = button({ class: 'facet', title: t`Show only some ${label.toLowerCase()}` });
    const content = (): Child[] =>
      choices(
        names(),
        this.#namesOf(field, names()),
        (chosen) => actions.choose(field, chosen, names()),
        dotOf,
      );
    return { anchor, label, field, names, popover: new Popover(anchor, label, content) };
  }
}

function countWords(matches: State['matches']): string {
  if (!matches) return t`Looking…`;
  const words = foundWords(matches);
  return matches.done ? words : t`${words}, looking…`;
}

/** Checkboxes, one for each name. */
function choices(
  names: readonly string[],
  chosen: readonly string[],
  onChange: (chosen: string[]) => void,
  dotOf?: (name: string) => string,
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

/** The parts of a question, see `QuestionChips`: loaded with the first question, for which no page has to wait. */
class LateChips {
  /** Where they stand. */
  readonly element = el('div');
  readonly #part: LatePart<QuestionChips>;
  readonly #tellFailure: (error: unknown) => void;
  #text = '';

  /** `ask` and `onLast` are those of `QuestionChips`; what fails is told, and tried again with the next question. */
  constructor(ask: (text: string) => void, onLast: () => void, tellFailure: (error: unknown) => void) {
    this.#tellFailure = tellFailure;
    this.#part = new LatePart(async () => {
      const { QuestionChips } = await import('../questionBar/questionChips.js');
      const chips = new QuestionChips(ask, onLast);
      this.element.append(chips.element);
      return chips;
    });
  }

  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    const { present } = this.#part;
    if (present) present.show(text);
    else this.#part.get().then((chips) => chips.show(this.#text), this.#tellFailure);
  }
}
