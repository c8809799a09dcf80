import { t } from '../core/l10n.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import type {
  ExportApprovals,
  ExportTranscript,
  PanelActions,
  PanelTranscript,
  SavedFilters,
} from './ports.js';

/** What a page's actions work with. */
export interface ActionParts {
  readonly conversation: string;
  readonly transcript: PanelTranscript;
  readonly savedFilters: SavedFilters;
  readonly exportTranscript: ExportTranscript;
  readonly exportApprovals: ExportApprovals;
  readonly actions: PanelActions;
}

/** Answers what a page asks to be done outside of it: to copy, open, export, and keep filters. */
export function answerActions(handlers: RequestHandlers, parts: ActionParts): void {
  const { transcript, actions } = parts;
  handlers.add('copyRow', async ({ row, as }) => {
    await actions.copy(await transcript.copyOf(row, as));
    return {};
  });
  handlers.add('copyText', async ({ text }) => {
    await actions.copy(text);
    return {};
  });
  handlers.add('openInEditor', async ({ row, field, part }) => {
    const text = await transcript.textOf(row, field, part);
    await actions.showText(text, languageOf(text, field));
    return {};
  });
  handlers.add('openFile', async ({ row, file }) => {
    const { path, line } = await transcript.fileOf(row, file);
    await actions.openFile(path, line);
    return {};
  });
  handlers.add('openLink', async ({ url }) => {
    await actions.openLink(checkedUrl(url));
    return {};
  });
  handlers.add('export', async ({ format, scope, target }) => {
    const positions = scope === 'filtered' ? await transcript.foundPositions() : undefined;
    await parts.exportTranscript(parts.conversation, format, positions, target);
    return {};
  });
  handlers.add('exportApprovals', async ({ format, filter }) => {
    await parts.exportApprovals(parts.conversation, format, filter);
    return {};
  });
  answerFilters(handlers, parts.savedFilters);
}

function answerFilters(handlers: RequestHandlers, filters: SavedFilters): void {
  handlers.add('saveFilter', async (filter) => {
    await filters.save(filter);
    return filters.list();
  });
  handlers.add('removeFilter', async ({ name }) => {
    await filters.remove(name);
    return filters.list();
  });
}

/** The URL as it will be opened; throws for anything but a web address. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Error(t`Only addresses of the web can be opened.`);
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
