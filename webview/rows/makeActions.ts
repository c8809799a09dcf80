import { t } from '../../src/core/l10n.js';
import type { Params } from '../../src/page/protocol/requests.js';
import type { RequestClient } from '../../src/page/protocol/requestClient.js';
import { withValues } from '../../src/query/language/edit.js';
import { isSameQuestion, problemsOf, type Question } from '../../src/query/language/question.js';
import {
  isUnasked,
  NO_QUESTION,
  withoutSaved,
  type KnownQuestions,
} from '../../src/page/protocol/question.js';
import type { DropActions } from '../fileDrop.js';
import { noteActions, type NoteActions } from '../notes/noteActions.js';
import type { PageActions } from './pageActions.js';
import { Questions } from '../questions.js';
import { type SearchMatch, NOWHERE } from '../state.js';
import type { Store } from '../store.js';
import type { Answer } from '../../src/page/protocol/requests.js';
import type { RowField } from '../../src/page/protocol/row.js';
import { textKey } from './rowContext.js';

/** The longest text that is fetched into the page, in UTF-16 code units; a longer one is opened in an editor. */
const MAX_TEXT = 2_000_000;
/** The longest `data:` URL of a picture that is fetched, in UTF-16 code units; more than a tool's picture can have. */
const MAX_PICTURE = 5_000_000;

/** Fetches a text of a row piece by piece, and adds it to the state when it is complete. */
async function fetchText(
  questions: Questions,
  store: Store,
  row: number,
  field: RowField,
  part?: number,
): Promise<void> {
  const place = { row, field, ...(part !== undefined && { part }) };
  const longest = field === 'image' ? MAX_PICTURE : MAX_TEXT;
  let text = '';
  let last: Answer<'text'> | undefined;
  do {
    last = await questions.ask('text', { ...place, from: last?.next ?? 0 });
    if (!last) return;
    text += last.text;
  } while (last.next !== undefined && text.length < longest);
  const { total, next } = last;
  const fetched = { text, total, ...(next !== undefined && { next }) };
  store.dispatch({ type: 'text', key: textKey(row, field, part), text: fetched });
  if (text.length >= longest)
    questions.tell(t`This text is very long; the rest of it can be read in an editor.`);
}

/** What the page's actions work with. */
export interface ActionOptions {
  readonly client: RequestClient;
  readonly store: Store;
  readonly showKeys: () => void;
  readonly tellFailure: (error: unknown) => void;
  readonly editNote: NoteActions['editNote'];
  readonly reveal: Reveal;
  readonly toEnd: () => void;
  /** Appends a text to what is in the chat box, and goes there. */
  readonly putIntoChat: (text: string) => void;
}

/** Implements what a person can do, by events to the store and requests to the host. */
export function makeActions(options: ActionOptions): PageActions {
  const { client, store } = options;
  const questions = new Questions(client, store);
  const run: Questions['run'] = (name, params, done) => questions.run(name, params, done);
  const selection = new RowSelection(store, options.reveal);
  const { ask, choose } = askActions(questions, store);
  const showInContext = async (position: number, what?: Omit<SearchMatch, 'row'>): Promise<void> => {
    store.dispatch({ type: 'tab', tab: 'messages' });
    if (!isUnasked(store.state.question) || !isUnasked(store.state.asked)) ask(NO_QUESTION);
    const found = await questions.ask('reveal', { position });
    if (!found) return;
    store.dispatch({ type: 'found', found: what && { ...what, row: found.id } });
    selection.goTo(found.id, found.index);
  };
  const stepTo = async (
    of: Params<'next'>['of'],
    by: 1 | -1,
    isRound = false,
    at?: number,
  ): Promise<void> => {
    const { selected, rows } = store.state;
    const from = at ?? (selected && rows.get(selected.index)?.position);
    const next = await questions.ask('next', { of, by, ...(from !== undefined && { from }) });
    const isBehind = isRound && next?.position === undefined && from !== undefined;
    const found = isBehind ? await questions.ask('next', { of, by }) : next;
    if (found?.position !== undefined) await showInContext(found.position);
    else if (found) questions.tell(by > 0 ? t`There is none further down.` : t`There is none further up.`);
  };
  return {
    ...questionActions(questions, store),
    ...noteActions(questions, options.editNote),
    ...chatActions(options, questions),
    ...dropActions(store, run),
    copy: (text) => run('copyText', { text }, 'Copied.'),
    openLink: (url) => run('openLink', { url }),
    toggle: (row) => {
      // Whoever opens a card reads it: the list stays there.
      if (!store.state.open.has(row)) store.dispatch({ type: 'follow', following: false });
      store.dispatch({ type: 'open', row, open: !store.state.open.has(row) });
    },
    expand: (row, expanded) => run('expand', { row, expanded }),
    fetchText: (row, field, part) => void fetchText(questions, store, row, field, part),
    copyRow: (row, as) => run('copyRow', { row, as }, as === 'markdown' ? t`Copied as Markdown.` : 'Copied.'),
    copyLink: (row) => run('copyMessageLink', { row }, t`The link is copied.`),
    openInEditor: (row, field) => run('openInEditor', { row, field }),
    openFile: (row, file) => run('openFile', { row, file }),
    openChanges: (row) => run('openChanges', { row }),
    showInContext: (position) => void showInContext(position),
    showFound: (position, found) => void showInContext(position, found),
    showRaw: (shown) => run('showRaw', { shown }),
    showTab: (tab) => store.dispatch({ type: 'tab', tab }),
    ask,
    choose,
    expandAll: (expanded) => {
      store.dispatch({ type: 'expandAll', expanded });
      run('expandAll', { expanded });
    },
    step: (by) => selection.step(by),
    select: (index) => selection.select(index),
    touch: (index) => selection.touch(index),
    stepTo: (...where) => void stepTo(...where),
    toEnd: () => {
      store.dispatch({ type: 'follow', following: true });
      options.toEnd();
    },
    stop: () => run('stop', {}),
    afterFailure: (choice) => run('afterFailure', choice),
    answerApproval: (answer) => run('answerApproval', answer),
    exportApprovals: (what) => run('exportApprovals', what),
    exportAs: (what) => run('export', what, what.target === 'clipboard' ? 'Copied.' : undefined),
    showImportReport: () => run('showImportReport', {}),
    handOver: () => run('handOver', {}),
    goOn: (at) => run('handOver', { at }),
    showOrigin: (origin) => run('handOver', { origin }),
    showKeys: options.showKeys,
    tellFailure: options.tellFailure,
    dismissNotice: () => store.dispatch({ type: 'notice', notice: undefined }),
  };
}

/** The actions on the chat box. */
function chatActions(
  { store, putIntoChat }: ActionOptions,
  questions: Questions,
): Pick<PageActions, 'say' | 'keepDraft' | 'quote'> {
  return {
    say: async (text) => {
      store.dispatch({ type: 'follow', following: true });
      return (await questions.ask('continue', { text })) !== undefined;
    },
    keepDraft: (text) => questions.run('draft', { text }),
    quote: (text, rest) => {
      const left = rest === 0 ? '' : ` ${t`${rest} messages did not fit.`}`;
      if (!store.state.live.canContinue) {
        void questions.ask('copyText', { text }).then((answer) => {
          const told = answer?.isTold ? left.trim() : `Copied.${left}`;
          if (answer && told !== '') questions.tell(told);
        });
        return;
      }
      store.dispatch({ type: 'tab', tab: 'messages' });
      putIntoChat(text);
      questions.tell(`${t`The messages are in the chat box.`}${left}`);
    },
  };
}

/** A question, or where it has problems another one that has none. */
function rightOr(question: Question, otherwise: Question): Question {
  return problemsOf(question).length === 0 ? question : otherwise;
}

/** The actions by which the question changes. */
function askActions(questions: Questions, store: Store): Pick<PageActions, 'ask' | 'choose'> {
  const ask: PageActions['ask'] = (question, asked = rightOr(question, store.state.asked)) => {
    const before = store.state.number;
    store.dispatch({ type: 'question', question, asked });
    const { number } = store.state;
    if (number !== before) questions.run('ask', { number, question: asked });
  };
  const choose: PageActions['choose'] = (field, values, known = values) => {
    const { question } = store.state;
    const text = withValues(question.text, field, values, { known, rows: question.rows });
    if (text === undefined) questions.tell(t`First mend what is wrong with the question.`);
    else ask({ ...question, text });
  };
  return { ask, choose };
}

/** The actions on questions that are kept. */
function questionActions(
  questions: Questions,
  store: Store,
): Pick<PageActions, 'noteQuestion' | 'saveQuestion' | 'removeQuestion' | 'copyQuestionLink' | 'occurring'> {
  const take = (known: KnownQuestions | undefined): void => {
    if (known) store.dispatch({ type: 'questions', questions: known });
  };
  return {
    noteQuestion: () => {
      const { asked, questions: known } = store.state;
      const [latest] = known.recent;
      if (isUnasked(asked) || (latest && isSameQuestion(latest, asked))) return;
      void questions.ask('noteQuestion', { question: asked }).then(take);
    },
    saveQuestion: (name, scope) => {
      void questions.ask('saveQuestion', { name, scope, question: store.state.asked }).then((known) => {
        take(known);
        if (known) questions.tell(t`Saved as “${name}”.`);
      });
    },
    removeQuestion: (name, scope) => {
      const before = store.state.questions;
      take(withoutSaved(before, name, scope));
      // What could not be removed is there again.
      void questions.ask('removeQuestion', { name, scope }).then((known) => take(known ?? before));
    },
    copyQuestionLink: () =>
      questions.run('copyQuestionLink', { question: store.state.asked }, t`The link is copied.`),
    occurring: async (field) => (await questions.ask('occurring', { field }))?.values ?? [],
  };
}

/** What is done with files that were dropped on the page. */
function dropActions(store: Store, run: Questions['run']): DropActions {
  return {
    openDropped: (addresses) => run('openDropped', { addresses: addresses.slice(0, 20) }),
    tellNoAddress: () =>
      store.dispatch({
        type: 'notice',
        notice: {
          text: t`A page is not told where a file of the desktop lies. Drop it on the editor area without Shift, or use Open File as Transcript….`,
          level: 'info',
        },
      }),
  };
}

/** Scrolls a row of the list into view. */
type Reveal = (index: number, align: 'auto' | 'center') => void;

/** The selected row, moved by steps, by place and by click. */
class RowSelection {
  readonly #store: Store;
  readonly #reveal: Reveal;

  constructor(store: Store, reveal: Reveal) {
    this.#store = store;
    this.#reveal = reveal;
  }

  /** Selects a row and brings it into sight; the list follows its end no longer, unless it is the last one. */
  select(index: number): void {
    const { rows, list } = this.#store.state;
    if (index < 0 || index >= list.rows) return;
    this.#choose(rows.get(index)?.id ?? NOWHERE, index);
    if (index < list.rows - 1) this.#store.dispatch({ type: 'follow', following: false });
    this.#reveal(index, 'auto');
  }

  /** Goes so many rows further; among what a question found from the last to the first. */
  step(by: number): void {
    const { selected, list, asked } = this.#store.state;
    const isKnown = selected !== undefined && selected.index !== NOWHERE;
    const next = (isKnown ? selected.index : by > 0 ? -1 : list.rows) + by;
    const last = list.rows - 1;
    this.select(
      isUnasked(asked) ? Math.max(0, Math.min(next, last)) : (next + list.rows) % Math.max(list.rows, 1),
    );
  }

  /** Selects a row without scrolling. */
  touch(index: number): void {
    const id = this.#store.state.rows.get(index)?.id;
    if (id !== undefined) this.#choose(id, index);
  }

  /** Selects a row at the place that the host gave, and shows its surroundings. */
  goTo(id: number, index: number): void {
    this.#store.dispatch({ type: 'follow', following: false });
    this.#choose(id, index);
    this.#reveal(index, 'center');
  }

  #choose(id: number, index: number): void {
    this.#store.dispatch({ type: 'select', selected: { id, index } });
  }
}
