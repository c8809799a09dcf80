import { t } from '../../src/core/l10n.js';
import type { KnownQuestions, QuestionScope, SavedQuestion } from '../../src/page/protocol/question.js';
import type { Question } from '../../src/query/language/question.js';
import { button, iconButton, textField } from '../controls.js';
import { el, type Child } from '../dom.js';
import { rowName } from '../questionBar/questionBar.js';
import { Popover } from './popover.js';

/** How many of the questions that were asked before are listed. */
const MAX_RECENT = 8;

/** What the menu shows and does. */
export interface QuestionsMenuOptions {
  known(): KnownQuestions;
  /** Whether something is asked, so that it can be saved. */
  isAsked(): boolean;
  ask(question: Question): void;
  /** Saves what is asked under a name. */
  save(name: string, scope: QuestionScope): void;
  remove(name: string, scope: QuestionScope): void;
  /** Copies a link to what is asked. */
  copyLink(): void;
}

/**
 * The questions that were saved and asked before, and what can be done with the present one, below their button,
 * which opens and closes them from then on.
 */
export function questionsMenu(anchor: HTMLElement, options: QuestionsMenuOptions): Popover {
  const popover: Popover = new Popover(anchor, t`Saved questions`, () => {
    const questions = options.known();
    const use = (chosen: Question): void => {
      popover.close();
      options.ask(chosen);
    };
    const recent = questions.recent.slice(0, MAX_RECENT);
    return [
      ...saveLine(options, () => popover.close()),
      el('div', { class: 'popover-title' }, t`Saved questions`),
      ...questions.saved.map((saved) => savedEntry(saved, options, { use, close: () => popover.close() })),
      questions.saved.length === 0 && el('div', { class: 'faint' }, t`None yet.`),
      recent.length > 0 && el('div', { class: 'popover-title' }, t`Asked before`),
      ...recent.map((question) => el('div', { class: 'saved' }, entry(question.text, question, use))),
    ];
  });
  return popover;
}

/** The field in which the present question is named, and the button that copies a link to it. */
function saveLine(options: QuestionsMenuOptions, close: () => void): Child[] {
  if (!options.isAsked())
    return [el('div', { class: 'faint' }, t`Ask something, then name it here to use it again.`)];
  let name = '';
  const save = (scope: SavedQuestion['scope']): void => {
    if (name.trim() === '') return;
    options.save(name.trim(), scope);
    close();
  };
  const field = textField({
    label: t`Name of this question`,
    placeholder: t`Name this question`,
    onInput: (value) => (name = value),
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') save('user');
  });
  const copy = (): void => {
    close();
    options.copyLink();
  };
  return [
    el('div', { class: 'save-line' }, field),
    el(
      'div',
      { class: 'popover-buttons save-line' },
      button({ appearance: 'primary', on: { click: () => save('user') } }, t`Save`),
      button({ on: { click: () => save('workspace') } }, t`Save in this workspace`),
      button({ on: { click: copy } }, t`Copy link`),
    ),
  ];
}

function savedEntry(
  { name, question, scope }: SavedQuestion,
  options: QuestionsMenuOptions,
  { use, close }: { readonly use: (question: Question) => void; readonly close: () => void },
): HTMLElement {
  const remove = (): void => {
    options.remove(name, scope);
    close();
  };
  return el(
    'div',
    { class: 'saved' },
    entry(name, question, use),
    scope === 'workspace' && el('span', { class: 'faint' }, t`in this workspace`),
    iconButton('trash', t`Remove ${name}`, remove),
  );
}

function entry(name: string, question: Question, use: (question: Question) => void): HTMLElement {
  const { text, rows } = question;
  const words = name === text ? rowName(rows) : `${rowName(rows)}: ${text}`;
  return el(
    'button',
    { class: 'saved-name', attributes: { type: 'button' }, on: { click: () => use(question) } },
    el('span', { class: 'saved-title' }, name === '' ? t`(all of them)` : name),
    el('span', { class: 'faint' }, words),
  );
}
