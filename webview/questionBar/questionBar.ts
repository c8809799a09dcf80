import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import type { Description, describeAt, describeQuery } from '../../src/query/language/describe.js';
import { parseQuery } from '../../src/query/language/parse.js';
import type { Question } from '../../src/query/language/question.js';
import type { QueryProblem, RowKind } from '../../src/query/language/syntax.js';
import { shown } from '../../src/query/language/values.js';
import { button } from '../controls.js';
import { el, fill, type Child } from '../dom.js';
import { formatCount } from '../format.js';
import { icon } from '../icons.js';
import { barWith, reduceBar, type BarContext, type BarEvent, type BarState } from './barState.js';
import { FieldMarks } from './fieldMarks.js';
import { messageOf } from '../../src/core/text.js';
import { LatePart } from '../latePart.js';

/** The words for questions: loaded when a person points at a part or finds nothing, for which no page has to wait. */
interface Descriptions {
  readonly describeAt: typeof describeAt;
  readonly describeQuery: typeof describeQuery;
}

const part = new LatePart<Descriptions>(() => import('../../src/query/language/describe.js'));

/** Calls `then` with them once they are loaded. Where they cannot be, questions stand without words, and the next one tries again. */
export function withDescriptions(then: (descriptions: Descriptions) => void): void {
  part.get().then(then, (error: unknown) => console.warn(t`Unexpected: ${messageOf(error)}`));
}

/** Those that are loaded; else undefined, and `then` is called as soon as they are. */
function descriptionsOr(then: () => void): Descriptions | undefined {
  if (!part.present) withDescriptions(then);
  return part.present;
}

/** What the page that has a bar gives it. */
export interface QuestionBarOptions extends BarContext {
  /** What the field is, for screen readers. */
  readonly label: string;
  readonly placeholder: string;
  /** The kinds of rows that may be asked for here, in their order. */
  readonly rows: readonly RowKind[];
  /** The question that asks for nothing in particular: what is answered before any was right. */
  readonly nothing: Question;
  /** Whether everything is shown where nothing is asked. */
  readonly showsAllUnasked: boolean;
  /**
   * Called whenever the person has changed the question. `answered` is what is to be answered: the same, or the last one
   * without a problem.
   */
  readonly onChange: (question: Question, answered: Question) => void;
  /** Called for Enter where nothing is chosen from a list, and with -1 for Shift+Enter. */
  readonly onEnter: (by: 1 | -1) => void;
  /** Called when the person goes down, out of the bar, to what was found. */
  readonly onLeave: () => void;
}

/** What the rows of each kind are called where they are chosen. */
const ROW_NAMES: Readonly<Record<RowKind, Message>> = {
  records: message`Everything`,
  messages: message`Messages`,
  toolCalls: message`Tool calls`,
  agentCalls: message`Agent calls`,
  runs: message`Runs`,
  sessions: message`Sessions`,
};

/** What rows of a kind are called where they are chosen. */
export function rowName(rows: RowKind): string {
  return inLanguage(ROW_NAMES[rows]);
}

/** How long a person has stopped typing when they are told what is wrong, in milliseconds. */
const TELL_MS = 500;
/** How long the pointer rests on a part of the question before it is described, in milliseconds. */
const REST_MS = 350;

let bars = 0;

/**
 * The bar in which a question is asked: the rows, the text, what may stand in it, what it asks for in words, and what is
 * wrong with it. Its state is the question alone: whoever changes that elsewhere gives it with `show`.
 */
export class QuestionBar {
  /** The choice of rows and the field. */
  readonly element: HTMLElement;
  /** What is wrong, in words; to be placed below the bar. */
  readonly problems: HTMLElement;
  readonly #options: QuestionBarOptions;
  readonly #id = `question-${++bars}`;
  readonly #rows: HTMLSelectElement;
  readonly #input: HTMLInputElement;
  readonly #marks = new FieldMarks();
  readonly #description: HTMLElement;
  readonly #list: HTMLElement;
  readonly #below: HTMLElement;
  readonly #announcer = el('div', { class: 'sr', attributes: { 'aria-live': 'polite' } });
  #state: BarState;
  /** What whoever answers says is wrong with the question. */
  #refused: readonly QueryProblem[] = [];
  #pointed: Description | undefined;
  /** Where the pointer is above the field. */
  #pointer: number | undefined;
  #rest: number | undefined;
  #tell: number | undefined;
  #isTold = true;
  #shownProblems = '';

  constructor(options: QuestionBarOptions) {
    const { label, placeholder, rows, nothing } = options;
    this.#options = options;
    this.#state = barWith(nothing, nothing);
    this.#description = el('div', { class: 'question-description', id: `${this.#id}-description` });
    this.#list = el('div', {
      class: 'question-options',
      id: `${this.#id}-options`,
      role: 'listbox',
      attributes: { 'aria-label': t`Suggestions` },
    });
    this.#below = el('div', { class: 'question-below', hidden: true }, this.#description, this.#list);
    this.#input = el('input', {
      class: 'question-input',
      role: 'combobox',
      attributes: {
        type: 'text',
        placeholder,
        spellcheck: 'false',
        autocomplete: 'off',
        autocapitalize: 'off',
        'aria-label': label,
        'aria-autocomplete': 'list',
        'aria-haspopup': 'listbox',
        'aria-expanded': 'false',
        'aria-controls': this.#list.id,
        'aria-describedby': this.#description.id,
      },
    });
    this.#rows = el(
      'select',
      { class: 'question-rows', title: t`What to find`, attributes: { 'aria-label': t`What to find` } },
      rows.map((kind) => el('option', { attributes: { value: kind } }, rowName(kind))),
    );
    this.problems = el('div', {
      class: 'problem question-problem',
      role: 'alert',
      id: `${this.#id}-problem`,
      hidden: true,
    });
    this.element = el(
      'div',
      { class: 'question' },
      this.#rows,
      el(
        'div',
        { class: 'question-field' },
        icon('search'),
        el('div', { class: 'question-text' }, this.#marks.element, this.#input),
        this.#below,
      ),
      this.#announcer,
    );
    this.#listen();
    this.#draw();
  }

  /** The question as it stands in the bar. */
  get question(): Question {
    return this.#state.question;
  }

  /** Whether the person types here. */
  get hasFocus(): boolean {
    return document.activeElement === this.#input;
  }

  /** Shows a question that somebody else has changed; one that stands there already changes nothing. */
  show(question: Question): void {
    this.#take({ type: 'set', question }, false);
  }

  /** Says what whoever answers found wrong with the question; nothing where it is answered. */
  refuse(problems: readonly QueryProblem[]): void {
    if (problems.length === 0 && this.#refused.length === 0) return;
    this.#refused = problems;
    this.#isTold = true;
    this.#draw();
  }

  /** To be called when values that may be offered have come to be known. */
  refresh(): void {
    if (this.hasFocus) this.#take({ type: 'values' });
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  #take(event: BarEvent, isByPerson = true): void {
    const before = this.#state;
    this.#state = reduceBar(before, event, this.#options);
    const { question, answered } = this.#state;
    if (this.#state === before) return;
    const isChanged = question !== before.question;
    if (isChanged) this.#refused = [];
    if (isChanged) this.#tellSoon(event.type === 'typed');
    this.#draw();
    if (isChanged && isByPerson) this.#options.onChange(question, answered);
  }

  /** What is wrong with a word that is being written is not said before the person has stopped. */
  #tellSoon(isTyping: boolean): void {
    clearTimeout(this.#tell);
    this.#isTold = !isTyping || this.#state.problems.length === 0;
    if (this.#isTold) return;
    this.#tell = window.setTimeout(() => {
      this.#isTold = true;
      this.#draw();
    }, TELL_MS);
  }

  #listen(): void {
    const input = this.#input;
    const caret = (): number => input.selectionStart ?? input.value.length;
    this.#rows.addEventListener('change', () =>
      this.#take({ type: 'rows', rows: this.#rows.value as RowKind }),
    );
    input.addEventListener('input', () => this.#take({ type: 'typed', text: input.value, caret: caret() }));
    input.addEventListener('keydown', (event) => this.#onKey(event));
    // Keys and clicks move the caret after their events.
    for (const name of ['keyup', 'click'] as const)
      input.addEventListener(name, () => {
        if (input.value === this.#state.question.text) this.#take({ type: 'moved', caret: caret() });
      });
    input.addEventListener('scroll', () => (this.#marks.element.scrollLeft = input.scrollLeft));
    input.addEventListener('blur', () => {
      this.#take({ type: 'close' });
      if (this.#isTold) return;
      clearTimeout(this.#tell);
      this.#isTold = true;
      this.#draw();
    });
    input.addEventListener('pointermove', ({ clientX }) => this.#point(clientX));
    input.addEventListener('pointerleave', () => this.#point(undefined));
    // The field keeps the focus, and with it the list stays.
    this.#below.addEventListener('pointerdown', (event) => event.preventDefault());
  }

  #point(x: number | undefined): void {
    clearTimeout(this.#rest);
    this.#pointer = x;
    const offset = x === undefined ? undefined : this.#marks.offsetAt(x);
    const pointed =
      offset === undefined ? undefined : this.#describe(offset, () => this.#point(this.#pointer));
    if (!pointed && !this.#pointed) return;
    if (!pointed) {
      this.#pointed = undefined;
      this.#drawBelow();
      return;
    }
    this.#rest = window.setTimeout(() => {
      this.#pointed = pointed;
      this.#drawBelow();
    }, REST_MS);
  }

  /** What the question asks for at an offset. Where the words are not there yet, `again` is called when they are. */
  #describe(offset: number, again: () => void): Description | undefined {
    const { text, rows } = this.#state.question;
    return descriptionsOr(again)?.describeAt(parseQuery(text), offset, rows);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey !== (event.key === ' ') || event.metaKey || event.altKey) return;
    if (!this.#handle(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Whether a key had a meaning here. */
  #handle({ key, shiftKey }: KeyboardEvent): boolean {
    const { offered, active, describes, recalled, question } = this.#state;
    switch (key) {
      case ' ':
        this.#take({ type: 'complete' });
        return true;
      case 'ArrowDown':
        if (offered) this.#take({ type: 'option', by: 1 });
        else if (recalled) this.#take({ type: 'recall', by: -1 });
        else this.#options.onLeave();
        return true;
      case 'ArrowUp':
        this.#take(offered ? { type: 'option', by: -1 } : { type: 'recall', by: 1 });
        return true;
      case 'Tab':
        if (active < 0 || shiftKey) return false;
        this.#take({ type: 'accept', option: active });
        return true;
      case 'Enter':
        if (active >= 0) this.#take({ type: 'accept', option: active });
        else {
          this.#take({ type: 'close' });
          this.#options.onEnter(shiftKey ? -1 : 1);
        }
        return true;
      case 'Escape':
        if (offered || (describes && !this.#below.hidden)) this.#take({ type: 'close' });
        else if (question.text !== '') this.#take({ type: 'typed', text: '', caret: 0 });
        else return false;
        return true;
      default:
        return false;
    }
  }

  #draw(): void {
    const { question, problems, caret } = this.#state;
    const input = this.#input;
    if (input.value !== question.text) {
      input.value = question.text;
      if (this.hasFocus) input.setSelectionRange(caret, caret);
    }
    if (this.#rows.value !== question.rows) this.#rows.value = question.rows;
    const wrong = problems.length > 0 ? problems : this.#refused;
    const isWrong = wrong.length > 0 && this.#isTold;
    input.setAttribute('aria-invalid', String(isWrong));
    if (isWrong) input.setAttribute('aria-errormessage', this.problems.id);
    else input.removeAttribute('aria-errormessage');
    this.#marks.show(question.text, wrong, input.scrollLeft);
    this.problems.hidden = !isWrong;
    this.#drawProblems(isWrong ? wrong : []);
    this.#drawBelow();
  }

  /** Made anew only where they have changed: who clicks into them takes the focus out of the field first. */
  #drawProblems(wrong: readonly QueryProblem[]): void {
    const shown = JSON.stringify([wrong, this.#state.answered.text]);
    if (shown === this.#shownProblems) return;
    this.#shownProblems = shown;
    fill(this.problems, this.#problemWords(wrong));
  }

  #problemWords([first, ...more]: readonly QueryProblem[]): Child[] {
    if (!first) return [];
    const { fix } = first;
    const { answered, problems } = this.#state;
    const isEarlier = problems.length > 0;
    const { text } = answered;
    return [
      icon('warning'),
      el('span', {}, first.message, more.length > 0 && t` (and ${formatCount(more.length)} more)`),
      fix !== undefined &&
        button({ class: 'question-fix', on: { click: () => this.#fix(first) } }, t`Write ${shown(fix)}`),
      isEarlier &&
        (text.trim() !== '' || this.#options.showsAllUnasked) &&
        el(
          'span',
          { class: 'question-still' },
          text.trim() === '' ? t`Still shown: all, without a question.` : t`Still shown: what ${text} finds.`,
        ),
    ];
  }

  #fix(problem: QueryProblem): void {
    this.#take({ type: 'fix', problem });
    this.#input.focus();
    const { caret } = this.#state;
    this.#input.setSelectionRange(caret, caret);
  }

  #drawBelow(): void {
    const { offered, active, describes, caret } = this.#state;
    const described =
      this.#pointed ??
      (describes && this.hasFocus ? this.#describe(caret, () => this.#drawBelow()) : undefined);
    fill(this.#description, described && descriptionWords(described));
    this.#description.hidden = described === undefined;
    const items = offered?.items ?? [];
    const before = this.#list.childElementCount;
    this.#list.hidden = items.length === 0;
    fill(
      this.#list,
      items.map(({ text, meaning }, at) =>
        el(
          'div',
          {
            class: at === active ? 'question-option active' : 'question-option',
            id: `${this.#id}-option-${at}`,
            role: 'option',
            attributes: { 'aria-selected': String(at === active) },
            on: { click: () => this.#take({ type: 'accept', option: at }) },
          },
          el('span', { class: 'question-option-text' }, text),
          meaning !== '' && el('span', { class: 'question-option-meaning' }, wordsWithCode(meaning)),
        ),
      ),
    );
    this.#list.children[active]?.scrollIntoView({ block: 'nearest' });
    this.#below.hidden = described === undefined && items.length === 0;
    this.#below.style.left = `${this.#leftOf(offered?.start ?? described?.start ?? 0)}px`;
    this.#input.setAttribute('aria-expanded', String(items.length > 0));
    if (active >= 0) this.#input.setAttribute('aria-activedescendant', `${this.#id}-option-${active}`);
    else this.#input.removeAttribute('aria-activedescendant');
    if (items.length !== before)
      this.#announcer.textContent = items.length > 0 ? t`${items.length} suggestions` : '';
  }

  /** Where the box below begins: under what it is about, as far as there is room. */
  #leftOf(offset: number): number {
    const field = this.#below.parentElement?.getBoundingClientRect();
    if (!field) return 0;
    const room = Math.max(0, field.width - this.#below.offsetWidth);
    return Math.max(0, Math.min(this.#marks.leftOf(offset) - field.left - 6, room));
  }
}

function descriptionWords({ summary, meaning, example }: Description): Child[] {
  return [
    el('div', { class: 'question-summary' }, summary),
    meaning !== undefined && el('div', { class: 'question-meaning' }, wordsWithCode(meaning)),
    example !== undefined &&
      el('div', { class: 'question-meaning' }, t`For example`, ' ', el('code', {}, example)),
  ];
}

/** Words in which what stands between backticks is code. */
function wordsWithCode(words: string): Child[] {
  return words.split('`').map((part, at) => (at % 2 === 1 ? el('code', {}, part) : part));
}
