import { inLanguage, t } from '../../../core/l10n.js';
import { dialogs } from '../ui/notices.js';
import * as vscode from 'vscode';
import { isObject } from '../../../core/message.js';
import type { ExportTarget } from '../../../page/panel/ports.js';
import { SAVED_FORMATS, type SavedFormat } from '../../../core/ports/exportFormats.js';
import type { Log } from '../../../core/ports/log.js';
import type { EventData } from '../../../page/protocol/events.js';
import type { Stores } from '../../../app/services/stores.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { copiedText, showText } from '../ui/clipboard.js';
import { askForText, choose, heading, type Choice, type Heading } from '../ui/pickers.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { withProgress } from '../ui/progress.js';
import { formatWords } from '../../../app/transcripts/exportFormatWords.js';
import { formatGroups, formatNames } from '../../../page/protocol/formatNames.js';
import type { Question } from '../../../query/language/question.js';
import {
  questionIn,
  readMessageLink,
  readQuestionLink,
  type LinkedMessage,
} from '../../../app/transcripts/questionLink.js';
import {
  recordsFound,
  MessageFilters,
  subsetText,
  type Aspect,
} from '../../../app/services/messageFilters.js';
import type { WindowReader } from '../../../search/reader/windowReader.js';
import type { SharedTokens } from '../../../app/services/sharedTokens.js';
import { exportIntoEditors, exportIntoFolder } from '../reading/exportSeveral.js';
import { exportAsTables } from '../reading/tableExport.js';
import {
  exportTranscript,
  type ExportRequest,
  type TranscriptExportOptions,
} from '../reading/transcriptExport.js';
import { handOver } from '../reading/handOver.js';
import { formatCount } from '../../../app/text/format.js';
import { chosen, UserError } from '../../../app/userError.js';
import { keyOfConversation, sessionKey } from '../../../core/sessionKey.js';
import type { SessionDiscovery } from '../../../app/discovery/sessionDiscovery.js';
import type { FileEditors } from '../panel/fileEditors.js';
import { targetOf, type ConversationChoice } from './chooseConversation.js';
import { filterCommands } from './filterCommands.js';

/** What the commands for reading need. */
export interface ReadingCommandsOptions {
  readonly stores: Stores;
  readonly reader: WindowReader;
  readonly tokens: SharedTokens;
  readonly choice: ConversationChoice;
  readonly panels: TranscriptPanels;
  readonly files: FileEditors;
  readonly discovery: () => Promise<SessionDiscovery>;
  /** Shows the search with a question. */
  readonly searchFor: (question: Question) => Promise<unknown>;
  readonly keptLines: NonNullable<TranscriptExportOptions['keptLines']>;
  readonly log: Log;
}

/** The whole transcript, or what its current filter finds. */
type Scope = 'all' | 'filtered';

const SCOPES: readonly Scope[] = ['all', 'filtered'];
const TARGETS: readonly ExportTarget[] = ['editor', 'file', 'clipboard'];

/** What was searched for, where an argument tells it; anything else in its place is ignored. */
function foundIn(argument: unknown): EventData<'show'>['found'] {
  const found = isObject(argument) && isObject(argument.found) ? argument.found : undefined;
  if (typeof found?.text !== 'string' || found.text === '') return undefined;
  return { text: found.text, matchCase: found.matchCase === true, wholeWord: found.wholeWord === true };
}

/** The commands that show or export a transcript, or the part of it that a filter finds. */
export function readingCommands({
  stores,
  reader,
  tokens,
  choice,
  panels,
  files,
  discovery,
  log,
  searchFor,
  keptLines,
}: ReadingCommandsOptions) {
  const filters = new MessageFilters();
  const parts = { stores, reader, tokens, log };
  const send = (request: ExportRequest) => exportTranscript({ ...parts, keptLines }, request);
  return {
    async openTranscript(argument?: unknown) {
      const position = targetOf(argument)?.position;
      const { entry } = await choice.one(argument, t`Open Transcript`);
      const found = foundIn(argument);
      const question = isObject(argument) ? questionIn(argument.question) : undefined;
      const note = isObject(argument) && typeof argument.note === 'string' ? argument.note : undefined;
      const preserveFocus = isObject(argument) && argument.preserveFocus === true;
      const what = {
        ...(position !== undefined && { position }),
        ...(found && { found }),
        ...(note !== undefined && { note }),
        ...(question && { question, tab: 'messages' as const }),
      };
      panels.open(entry.conversation, what, preserveFocus);
    },
    ...filterCommands({
      stores,
      choice,
      panels,
      filters,
      actions: {
        read: async ({ entry: { conversation } }, positions) => {
          await send({ conversation, positions, format: 'markdown', target: 'editor', isReviewed: true });
        },
        export: async (kept, positions) => {
          const { conversation } = kept.entry;
          const format = await chooseFormat(t`Export Transcript`);
          if (format === 'parquet') await exportAsTables(parts, { kept: [kept], positions });
          else
            await send({ conversation, positions, format, target: await chooseTarget(), isReviewed: true });
        },
      },
    }),
    askTranscript: (argument?: unknown) => showBar(argument, t`Ask the Transcript`, 'focus'),
    chooseQuestion: (argument?: unknown) => showBar(argument, t`Choose a Question`, 'choose'),
    saveQuestion: (argument?: unknown) => showBar(argument, t`Save the Question`, 'save'),
    copyQuestionLink: (argument?: unknown) => showBar(argument, t`Copy Link to the Question`, 'copyLink'),
    async openQuestionLink(argument?: unknown) {
      const given = typeof argument === 'string' ? argument : await askForLink();
      const message = readMessageLink(given);
      if (message) {
        await openMessage(message);
        return;
      }
      const linked = readQuestionLink(given);
      if (!linked) throw new UserError(t`This is no link to a question or a message.`);
      const { conversation, question } = linked;
      if (conversation === undefined) {
        await searchFor(question);
        return;
      }
      const { entry } = await choice.one({ conversation }, t`Open Link`);
      panels.open(entry.conversation, { tab: 'messages', question });
    },
    showTimeline: (argument?: unknown) => show(argument, t`Show Timeline`, 'timeline', 'timeline'),
    showStatistics: (argument?: unknown) => show(argument, t`Show Statistics`, 'statistics', 'stats'),
    showToolSummary: (argument?: unknown) => show(argument, t`Show Tool Summary`, 'tools', 'toolSummary'),

    async exportMarkdown(argument?: unknown, selection?: unknown) {
      const kept = await choice.several(argument, selection, t`Export Transcript to Markdown`);
      await sendAll(kept, { format: 'markdown', target: 'editor', isReviewed: true });
    },

    exportTranscript: (argument?: unknown, selection?: unknown) =>
      choice.withSessions(argument, selection, t`Export Transcript`, (kept) => exportKept(argument, kept)),
    async handOver(argument?: unknown) {
      await choice.withSessions(argument, [argument], t`Hand Over To…`, async (kept) => {
        const [one, ...others] = kept;
        if (one && others.length === 0) await handOver(parts, one);
        else throw new UserError(t`Choose one session.`);
      });
    },
    async exportTables(argument?: unknown, selection?: unknown) {
      const folder = asked(argument).file;
      const kept = await choice.many(argument, selection, t`Export as Tables`);
      await exportAsTables(parts, { kept, folder, isReviewed: folder === undefined });
    },
  };

  /** Exports conversations as an argument says, and else as the person does. */
  async function exportKept(argument: unknown, kept: readonly StoredConversation[]) {
    const said = asked(argument);
    const [only, ...others] = kept;
    const subset = only && others.length === 0 ? subsetOf(only) : undefined;
    const title = others.length === 0 ? t`Export Transcript` : t`Export ${kept.length} Transcripts`;
    const unsaid = said.format ? 'all' : await chooseScope(title, subset);
    const scope = said.scope ?? unsaid;
    const { format = await chooseFormat(title), file } = said;
    const positions = scope === 'filtered' ? await subset?.positions() : undefined;
    if (format === 'parquet') {
      await exportAsTables(parts, { kept, positions, folder: file, isReviewed: said.format === undefined });
      return;
    }
    const { target = await chooseTarget(title, kept.length) } = said;
    const { withNotes = said.format === undefined && (await chooseNotes(title, kept)) } = said;
    // A program that says what it wants gets that by the settings, without a question to anybody.
    const isReviewed = said.format === undefined;
    await sendAll(kept, { positions, format, target, file, withNotes, isReviewed });
  }

  async function sendAll(kept: readonly StoredConversation[], request: Omit<ExportRequest, 'conversation'>) {
    const [only, ...others] = kept;
    if (only && others.length === 0) {
      await send({ ...request, conversation: only.entry.conversation });
      return;
    }
    const exportAll = request.target === 'file' ? exportIntoFolder : exportIntoEditors;
    await exportAll(parts, kept, request);
  }

  /** Shows a message of a session that is in a store of this window, or is found on this machine. */
  async function openMessage({ session, message }: LinkedMessage) {
    const wanted = sessionKey(session);
    const kept = (await stores.conversations())
      .map(({ entry }) => entry)
      .filter(({ conversation, origin }) => sessionKey(keyOfConversation(conversation, origin)) === wanted)
      .sort((a, b) => (b.origin?.version ?? 1) - (a.origin?.version ?? 1))[0];
    if (kept) {
      panels.open(kept.conversation, { tab: 'messages', message });
      return;
    }
    const path = await withProgress(words`Looking for the session`, async (signal) =>
      (await discovery()).pathOf(session.session, signal),
    );
    if (path === undefined)
      throw new UserError(
        t`The session that the link names is neither kept here nor found on this machine; sessions of a tool are found once it is chosen in the view Sessions.`,
      );
    const what = { tab: 'messages' as const, message };
    await files.show(path, { at: { session: session.session }, what }, false);
  }

  /** Shows a view of the whole transcript in its panel, or of the messages that the filter finds as a text. */
  async function show(
    argument: unknown,
    title: string,
    tab: 'timeline' | 'statistics' | 'tools',
    aspect: Aspect,
  ) {
    const kept = await choice.one(argument, title);
    const subset = subsetOf(kept);
    const scope = asked(argument).scope ?? (await chooseScope(title, subset));
    if (scope === 'all') {
      panels.open(kept.entry.conversation, { tab });
      return;
    }
    await showText(
      await subsetText(kept, await subset?.positions(), aspect, { tokens, dialogs }),
      'plaintext',
    );
  }

  /** Does something with the question of a panel, in that panel. */
  async function showBar(argument: unknown, title: string, bar: NonNullable<EventData<'show'>['bar']>) {
    const { entry } = await choice.one(argument, title);
    panels.open(entry.conversation, { tab: 'messages', bar });
  }

  /** What the question of the panel finds, which is visible, else what the filter from the command palette does. */
  function subsetOf(kept: StoredConversation): Subset | undefined {
    const { conversation } = kept.entry;
    const inPanel = panels.askedIn(conversation);
    if (inPanel) return { words: inPanel.question.text, positions: inPanel.positions };
    const question = filters.questionOf(conversation);
    return (
      question && {
        words: question.text,
        positions: () =>
          withProgress(words`Filtering messages`, async (signal) => [
            ...(await recordsFound(stores, kept, question, signal)).positions,
          ]),
      }
    );
  }
}

/** Asks for a link; one that is in the clipboard stands there already. */
async function askForLink(): Promise<string> {
  const copied = await copiedText();
  return chosen(
    await askForText({
      title: words`Open Link`,
      prompt: words`A link that was copied from a transcript panel`,
      value: readQuestionLink(copied) || readMessageLink(copied) ? copied : '',
    }),
  );
}

/** A part of a transcript, in words and as positions of records. */
interface Subset {
  readonly words: string;
  positions(): Promise<readonly number[]>;
}

interface ReadingQuery {
  readonly format?: SavedFormat;
  readonly target?: ExportTarget;
  readonly scope?: Scope;
  readonly file?: vscode.Uri;
  readonly withNotes?: boolean;
}

/** What an argument from another extension asks for. */
function asked(argument: unknown): ReadingQuery {
  if (!isObject(argument)) return {};
  const format = SAVED_FORMATS.find((known) => known === argument.format);
  const target = TARGETS.find((known) => known === argument.target);
  const scope = SCOPES.find((known) => known === argument.scope);
  const file = argument.file instanceof vscode.Uri ? argument.file : undefined;
  return {
    ...(format && { format }),
    ...(target && { target }),
    ...(typeof argument.withNotes === 'boolean' && { withNotes: argument.withNotes }),
    ...(scope && { scope }),
    ...(file && { file }),
  };
}

async function chooseScope(title: string, subset: Subset | undefined): Promise<Scope> {
  if (!subset) return 'all';
  const items: readonly (Choice & { readonly scope: Scope })[] = [
    { label: iconText(t`All Messages`), scope: 'all' },
    {
      label: iconText(t`The Filtered Messages`),
      description: iconText(subset.words),
      scope: 'filtered',
    },
  ];
  const options = { title: plain(title), placeHolder: words`Which messages` };
  return chosen(await choose(items, options)).scope;
}

/** Whether notes are exported too: asked only where there are any. */
async function chooseNotes(title: string, kept: readonly StoredConversation[]): Promise<boolean> {
  let count = 0;
  for (const { store, entry } of kept) count += (await store.notes(entry.conversation)).notes.length;
  if (count === 0) return false;
  const items = [
    { label: iconText(t`Without Notes`), withNotes: false },
    {
      label: iconText(t`With Your Notes`, 'note'),
      withNotes: true,
      description: iconText(formatCount(count, 'note')),
    },
  ];
  const options = { title: plain(title), placeHolder: words`What you have noted` };
  return chosen(await choose(items, options)).withNotes;
}

async function chooseFormat(title: string): Promise<SavedFormat> {
  const choiceOf = (format: SavedFormat) => ({
    label: iconText(inLanguage(formatNames[format])),
    description: iconText(
      format === 'parquet' ? t`a folder of .parquet, for SQL` : `.${formatWords[format].extension}`,
    ),
    format,
  });
  const items = formatGroups.flatMap(({ words: group, formats }) => [
    heading(iconText(inLanguage(group))),
    ...formats.map(choiceOf),
  ]);
  const options = { title: plain(title), placeHolder: words`Format` };
  const picked = chosen(await choose<Heading | ReturnType<typeof choiceOf>>(items, options));
  return chosen('format' in picked ? picked.format : undefined);
}

type TargetItem = Choice & { readonly target: ExportTarget };

async function chooseTarget(title = t`Export Transcript`, count = 1): Promise<ExportTarget> {
  const one: readonly TargetItem[] = [
    { label: iconText(t`Into an editor`, 'go-to-file'), target: 'editor' },
    { label: iconText(t`To a file…`, 'save'), target: 'file' },
    { label: iconText(t`To the clipboard`, 'clippy'), target: 'clipboard' },
  ];
  const several: readonly TargetItem[] = [
    { label: iconText(t`To files in a folder…`, 'save'), target: 'file' },
    { label: iconText(t`Into editors`, 'go-to-file'), target: 'editor' },
  ];
  const options = { title: plain(title), placeHolder: words`Where to` };
  return chosen(await choose(count === 1 ? one : several, options)).target;
}
