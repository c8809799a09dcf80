import type { Asker } from '../src/protocol/asker.js';
import { isUnfiltered, NO_CRITERIA } from '../src/protocol/criteria.js';
import type { Answer, Params, RequestName } from '../src/protocol/requests.js';
import type { RowField } from '../src/protocol/row.js';
import type { PageActions } from './pageActions.js';
import { textKey } from './rows/rowContext.js';
import { NOWHERE } from './state.js';
import type { Store } from './store.js';

export interface ActionParts {
  readonly asker: Asker;
  readonly store: Store;
  readonly showKeys: () => void;
  readonly reveal: (index: number, align: 'auto' | 'center') => void;
  readonly toEnd: () => void;
}

/** The longest text that is fetched into the page, in characters; what is longer is for an editor. */
const LONGEST_TEXT = 2_000_000;
/** The longest address of a picture that is fetched, in characters: more than a tool's picture can have. */
const LONGEST_PICTURE = 5_000_000;

/** What a person can do, done: by events to the store, and by questions to the host whose failures become notices. */
export function makeActions(parts: ActionParts): PageActions {
  const { asker, store, reveal } = parts;
  const tell = (text: string, level: 'info' | 'error' = 'info'): void =>
    store.dispatch({ type: 'notice', notice: { text, level } });
  const fail = (error: unknown): void =>
    tell(error instanceof Error ? error.message : String(error), 'error');
  const ask = async <N extends RequestName>(name: N, params: Params<N>): Promise<Answer<N> | undefined> => {
    try {
      return await asker.ask(name, params);
    } catch (error) {
      fail(error);
      return undefined;
    }
  };
  const run = <N extends RequestName>(name: N, params: Params<N>, done?: string): void => {
    void ask(name, params).then((answer) => {
      if (answer && done !== undefined) tell(done);
    });
  };
  const filter: PageActions['filter'] = (criteria) => {
    store.dispatch({ type: 'criteria', criteria });
    run('filter', { question: store.state.question, criteria });
  };
  const select = (index: number, align: 'auto' | 'center' = 'auto'): void => {
    const { rows, list } = store.state;
    if (index < 0 || index >= list.rows) return;
    store.dispatch({ type: 'select', selected: { id: rows.get(index)?.id ?? NOWHERE, index } });
    if (index < list.rows - 1) store.dispatch({ type: 'follow', following: false });
    reveal(index, align);
  };
  const fetchText = async (row: number, field: RowField, part?: number): Promise<void> => {
    let text = '';
    const longest = field === 'image' ? LONGEST_PICTURE : LONGEST_TEXT;
    for (let from: number | undefined = 0; from !== undefined && text.length < longest;) {
      const piece: Answer<'text'> | undefined = await ask('text', {
        row,
        field,
        from,
        ...(part !== undefined && { part }),
      });
      if (!piece) return;
      text += piece.text;
      from = piece.next;
      const { total, next } = piece;
      const isLast = next === undefined || text.length >= longest;
      if (isLast)
        store.dispatch({
          type: 'text',
          key: textKey(row, field, part),
          text: { text, total, ...(next !== undefined && { next }) },
        });
    }
    if (text.length >= longest) tell('This text is very long; the rest of it can be read in an editor.');
  };
  const showInContext = async (position: number): Promise<void> => {
    store.dispatch({ type: 'tab', tab: 'messages' });
    if (!isUnfiltered(store.state.criteria)) filter(NO_CRITERIA);
    const found = await ask('reveal', { position });
    if (!found) return;
    store.dispatch({ type: 'follow', following: false });
    store.dispatch({ type: 'select', selected: { id: found.id, index: found.index } });
    reveal(found.index, 'center');
  };
  return {
    copy: (text) => run('copyText', { text }, 'Copied.'),
    openLink: (url) => run('openLink', { url }),
    toggle: (row) => store.dispatch({ type: 'open', row, open: !store.state.open.has(row) }),
    expand: (row, expanded) => run('expand', { row, expanded }),
    fetchText: (row, field, part) => void fetchText(row, field, part),
    copyRow: (row, as) => run('copyRow', { row, as }, as === 'markdown' ? 'Copied as Markdown.' : 'Copied.'),
    openInEditor: (row, field) => run('openInEditor', { row, field }),
    openFile: (row, file) => run('openFile', { row, file }),
    showInContext: (position) => void showInContext(position),
    showTab: (tab) => store.dispatch({ type: 'tab', tab }),
    filter,
    saveFilter: (name) => {
      const { criteria } = store.state;
      void ask('saveFilter', { name, criteria }).then((filters) => {
        if (!filters) return;
        store.dispatch({ type: 'savedFilters', filters });
        tell(`Saved as “${name}”.`);
      });
    },
    removeFilter: (name) => {
      void ask('removeFilter', { name }).then((filters) => {
        if (filters) store.dispatch({ type: 'savedFilters', filters });
      });
    },
    expandAll: (expanded) => {
      store.dispatch({ type: 'expandAll', expanded });
      run('expandAll', { expanded });
    },
    step: (by) => {
      const { selected, list } = store.state;
      const isKnown = selected !== undefined && selected.index !== NOWHERE;
      const from = isKnown ? selected.index : by > 0 ? -1 : list.rows;
      const isWrapping = !isUnfiltered(store.state.criteria);
      const next = from + by;
      select(
        isWrapping ? (next + list.rows) % Math.max(list.rows, 1) : Math.max(0, Math.min(next, list.rows - 1)),
      );
    },
    select: (index) => select(index),
    touch: (index) => {
      const id = store.state.rows.get(index)?.id;
      if (id !== undefined) store.dispatch({ type: 'select', selected: { id, index } });
    },
    toEnd: () => {
      store.dispatch({ type: 'follow', following: true });
      parts.toEnd();
    },
    stop: () => run('stop', {}),
    say: async (text) => {
      store.dispatch({ type: 'follow', following: true });
      return (await ask('continue', { text })) !== undefined;
    },
    keepDraft: (text) => run('draft', { text }),
    answerApproval: (answer) => run('answerApproval', answer),
    exportAs: (what) => run('export', what, what.target === 'clipboard' ? 'Copied.' : undefined),
    showKeys: parts.showKeys,
    dismissNotice: () => store.dispatch({ type: 'notice', notice: undefined }),
  };
}
