import { t } from '../../src/core/l10n.js';
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
import { fetchText } from './fetchText.js';
import { noteActions, type NoteActions } from '../notes/noteActions.js';
import type { PageActions } from './pageActions.js';
import { Questions } from '../questions.js';
import { RowSelection, type Reveal } from '../rowSelection.js';
import type { SearchMatch } from '../state.js';
import type { Store } from '../store.js';

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
    openInEditor: (row, field) => run('openInEditor', { row, field }),
    openFile: (row, file) => run('openFile', { row, file }),
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
