import type { RequestHandlers } from '../protocol/answerer.js';
import { isUnfiltered } from '../protocol/criteria.js';
import { PAGE_ROWS } from '../protocol/requests.js';
import { filesIn } from './rows/argumentSummary.js';
import type { PanelSession, PanelSessionDeps } from './panelSession.js';
import { copyOf } from './rows/rowCopy.js';
import { fieldOf } from './rows/rowFields.js';

const MOST_TURNS = 500;

/** The host's handlers for the requests of a page. */
export function panelHandlers(session: PanelSession, deps: PanelSessionDeps): RequestHandlers {
  const { folds, view, pages, texts, desk } = session;
  const { runs, drafts, savedFilters, actions, transcript } = deps;
  const { conversation } = transcript;
  return {
    ready: (params) => session.begin(params),
    rows: ({ start, end }) => session.rows(start, Math.min(end, start + PAGE_ROWS)),
    expand: ({ row, expanded }) => {
      view.expand(row, expanded);
      session.settle();
      return {};
    },
    expandAll: ({ expanded }) => {
      view.expandAll(expanded);
      session.settle();
      return {};
    },
    showRaw: ({ shown }) => {
      view.showRaw(shown);
      session.settle();
      return {};
    },
    text: async (params) => texts.piece(await pages.sources(params.row), params),
    filter: ({ question, criteria }) => {
      view.setFilter(question, criteria);
      if (!isUnfiltered(criteria)) savedFilters.last = criteria;
      session.settle();
      return {};
    },
    reveal: async ({ position }) => {
      const row = await session.rowOf(position);
      if (row === undefined) throw new Error('This record is not shown in the list.');
      const index = view.reveal(row);
      session.settle();
      if (index < 0) throw new Error('The filter hides this record.');
      return { generation: view.state.generation, index, id: row };
    },
    statistics: () => session.statistics(),
    tools: () => folds.tools.summary(),
    timeline: (part) => session.timeline(part),
    leave: () => {
      session.leave();
      return {};
    },
    turns: ({ start, count, time }) => {
      // Where all turns fit, there is nothing to choose from.
      const isShort = folds.turns.length <= count;
      const at =
        time !== undefined && (folds.countsSteps ? folds.turns.atPosition(time) : folds.turns.at(time));
      const first = at === false ? start : isShort ? 0 : at;
      const end = first + Math.min(count, MOST_TURNS);
      return { total: folds.turns.length, turns: [...folds.turns.slice(first, end)] };
    },
    prompt: ({ from, by }) => {
      const position = folds.turns.beside(from, by);
      return position === undefined ? {} : { position };
    },
    saveFilter: async (filter) => {
      await savedFilters.save(filter);
      return [...savedFilters.list()];
    },
    removeFilter: async ({ name }) => {
      await savedFilters.remove(name);
      return [...savedFilters.list()];
    },
    copyRow: async ({ row, as }) => {
      await actions.copy(await copyOf(await pages.sources(row), texts, as));
      return {};
    },
    copyText: async ({ text }) => {
      await actions.copy(text);
      return {};
    },
    openInEditor: async ({ row, field, part }) => {
      const text = await texts.whole(await pages.sources(row), field, part);
      await actions.showText(text, languageOf(text, field));
      return {};
    },
    openFile: async ({ row, file }) => {
      const named = filesIn(fieldOf(await pages.sources(row), 'arguments').text)[file];
      if (!named) throw new Error('This row names no such file.');
      await actions.openFile(named.path, named.line);
      return {};
    },
    openLink: async ({ url }) => {
      await actions.openLink(checkedUrl(url));
      return {};
    },
    export: async ({ format, scope, target }) => {
      const filter = view.filter;
      if (scope === 'filtered' && !filter?.state.done)
        throw new Error('The filter is still looking; try again.');
      const positions = scope === 'filtered' ? filter?.positions : undefined;
      await deps.exportTranscript(conversation, format, positions, target);
      return {};
    },
    stop: () => {
      runs.stop(conversation);
      return {};
    },
    continue: async ({ text }) => {
      await drafts.keep(conversation, text);
      await runs.continueConversation(conversation, text);
      // A text typed or put back meanwhile must not be cleared.
      if ((await drafts.draftOf(conversation)) === text) await drafts.keep(conversation, '');
      return {};
    },
    afterFailure: async ({ way }) => {
      await runs.afterFailure(conversation, way);
      return {};
    },
    draft: async ({ text }) => {
      await drafts.keep(conversation, text);
      return {};
    },
    answerApproval: ({ id, nonce, approved, remember, reason }) => {
      desk.answer(id, nonce, { approved, remember, ...(reason !== undefined && { reason }) });
      return {};
    },
  };
}

/** The URL as it will be opened; throws for anything but a web address. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Error('Only addresses of the web can be opened.');
  }
  return url.href;
}

/** The VS Code language id for a text. */
function languageOf(text: string, field: string): string {
  if (/^\s*[[{]/.test(text) && isJson(text)) return 'json';
  return field === 'body' || field === 'task' ? 'markdown' : 'plaintext';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON is an answer, not a failure.
    return false;
  }
}
