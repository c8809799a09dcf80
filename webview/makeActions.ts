import { t } from '../src/core/l10n.js';
import type { RequestClient } from '../src/protocol/requestClient.js';
import { isUnfiltered, NO_CRITERIA } from '../src/protocol/criteria.js';
import { fetchText } from './fetchText.js';
import type { PageActions } from './pageActions.js';
import { Questions } from './questions.js';
import { RowSelection, type Reveal } from './rowSelection.js';
import type { Found } from './state.js';
import type { Store } from './store.js';

/** What the page's actions work with. */
export interface ActionParts {
  readonly client: RequestClient;
  readonly store: Store;
  readonly showKeys: () => void;
  readonly reveal: Reveal;
  readonly toEnd: () => void;
  /** Appends a text to what is in the chat box, and goes there. */
  readonly putIntoChat: (text: string) => void;
}

/** Implements what a person can do, by events to the store and requests to the host. */
export function makeActions(parts: ActionParts): PageActions {
  const { client, store } = parts;
  const questions = new Questions(client, store);
  const run: Questions['run'] = (name, params, done) => questions.run(name, params, done);
  const selection = new RowSelection(store, parts.reveal);
  const filter: PageActions['filter'] = (criteria) => {
    store.dispatch({ type: 'criteria', criteria });
    run('filter', { question: store.state.question, criteria });
  };
  const showInContext = async (position: number, what?: Omit<Found, 'row'>): Promise<void> => {
    store.dispatch({ type: 'tab', tab: 'messages' });
    if (!isUnfiltered(store.state.criteria)) filter(NO_CRITERIA);
    const found = await questions.ask('reveal', { position });
    if (!found) return;
    store.dispatch({ type: 'found', found: what && { ...what, row: found.id } });
    selection.goTo(found.id, found.index);
  };
  return {
    ...savedFilterActions(questions, store),
    ...chatActions(parts, questions),
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
    filter,
    expandAll: (expanded) => {
      store.dispatch({ type: 'expandAll', expanded });
      run('expandAll', { expanded });
    },
    step: (by) => selection.step(by),
    select: (index) => selection.select(index),
    touch: (index) => selection.touch(index),
    toEnd: () => {
      store.dispatch({ type: 'follow', following: true });
      parts.toEnd();
    },
    stop: () => run('stop', {}),
    afterFailure: (choice) => run('afterFailure', choice),
    answerApproval: (answer) => run('answerApproval', answer),
    exportApprovals: (what) => run('exportApprovals', what),
    exportAs: (what) => run('export', what, what.target === 'clipboard' ? 'Copied.' : undefined),
    showKeys: parts.showKeys,
    dismissNotice: () => store.dispatch({ type: 'notice', notice: undefined }),
  };
}

/** The actions on the chat box. */
function chatActions(
  { store, putIntoChat }: ActionParts,
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
        questions.run('copyText', { text }, `Copied.${left}`);
        return;
      }
      store.dispatch({ type: 'tab', tab: 'messages' });
      putIntoChat(text);
      questions.tell(`${t`The messages are in the chat box.`}${left}`);
    },
  };
}

/** The actions on saved filters. */
function savedFilterActions(
  questions: Questions,
  store: Store,
): Pick<PageActions, 'saveFilter' | 'removeFilter'> {
  return {
    saveFilter: (name) => {
      const { criteria } = store.state;
      void questions.ask('saveFilter', { name, criteria }).then((filters) => {
        if (!filters) return;
        store.dispatch({ type: 'savedFilters', filters });
        questions.tell(t`Saved as “${name}”.`);
      });
    },
    removeFilter: (name) => {
      void questions.ask('removeFilter', { name }).then((filters) => {
        if (filters) store.dispatch({ type: 'savedFilters', filters });
      });
    },
  };
}
