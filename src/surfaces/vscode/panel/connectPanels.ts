import { dirname, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import type { Drafts, LiveRuns, NoteKeeper, PendingApprovals } from '../../../page/panel/ports.js';
import type { WindowReader } from '../../../search/reader/windowReader.js';
import type { Log } from '../../../core/ports/log.js';
import type { FileReport } from '../../../capture/openedFile.js';
import { formatCount } from '../../../app/text/format.js';
import type { Provenance } from '../../../page/protocol/panelState.js';
import type { Stores } from '../../../app/services/stores.js';
import { importReportText } from '../../../app/services/importReports.js';
import type { ShownFiles } from '../../../app/services/shownFiles.js';
import type { LateArchive } from '../../../app/application/openApplication.js';
import type { SharedTokens } from '../../../app/services/sharedTokens.js';
import type * as editorExports from '../reading/editorExports.js';
import { keyOfConversation } from '../../../core/sessionKey.js';
import { messageLink } from '../../../app/transcripts/questionLink.js';
import { copyText, showText } from '../ui/clipboard.js';
import { copyQuestionLink } from '../frontends/transcriptLinks.js';
import { askedOrigin, type PanelsInView, provenanceOf } from '../../../app/panel/panelsInView.js';
import { TranscriptPanels, type TranscriptPanelsOptions } from './transcriptPanels.js';
import { visibleText } from '../../../core/visibleText.js';
import { PathGuard } from '../../../agents/tools/paths/pathGuard.js';
import { UserError } from '../../../app/userError.js';
import { commandName } from '../../../app/manifest.js';
import { FILE_VIEW_TYPE } from './fileEditors.js';

/** What the panels work with. */
export interface PanelOptions {
  readonly stores: Stores;
  readonly shown: ShownFiles;
  readonly archived: LateArchive;
  readonly reader: WindowReader;
  readonly tokens: SharedTokens;
  readonly runs: LiveRuns;
  readonly approvals: PendingApprovals;
  readonly drafts: Drafts;
  readonly notes: NoteKeeper;
  readonly inView: PanelsInView;
  readonly keptLines: NonNullable<TranscriptPanelsOptions['keptLines']>;
  readonly restoreOther: TranscriptPanelsOptions['restoreOther'];
  /** Loads what exports. */
  readonly exports: () => Promise<typeof editorExports>;
  readonly log: Log;
}

/** Connects the panels to the stores, the runs and the editor. */
export function connectPanels(context: vscode.ExtensionContext, parts: PanelOptions): TranscriptPanels {
  const { stores, reader, runs, approvals, drafts, notes, inView, restoreOther, exports, log } = parts;
  return new TranscriptPanels({
    extensionUri: context.extensionUri,
    openTranscript: async (conversation, options) =>
      reader.open((await stores.find(conversation)).store, conversation, options),
    provenance: (conversation) => provenanceIn(parts, conversation),
    originOf: (conversation) => askedOrigin(stores.known(conversation)?.origin),
    titleOf: (conversation) => stores.known(conversation)?.title ?? t`Transcript`,
    conversationTitled: async (title) =>
      (await stores.conversations()).find(({ entry }) => entry.title === title)?.entry.conversation,
    conversationAt: (journal) => conversationAt(stores, journal),
    runs,
    approvals,
    drafts,
    notes,
    looking: async (conversation) => (await stores.kept())?.looking(conversation, parts),
    inView,
    keptLines: parts.keptLines,
    restoreOther,
    closed: (conversation) => void parts.archived.loaded?.closed(conversation),
    exportTranscript: async (conversation, format, positions, target, withNotes) => {
      const { exportAsTables, exportTranscript } = await exports();
      if (format !== 'parquet')
        return exportTranscript(parts, {
          conversation,
          format,
          positions,
          target,
          withNotes,
          isReviewed: true,
        });
      await exportAsTables(parts, { kept: [await stores.find(conversation)], positions });
      return { isTold: true };
    },
    exportApprovals: async (conversation, format, filter) => {
      const { exportApprovalLogs } = await exports();
      await exportApprovalLogs([await stores.find(conversation)], format, filter);
    },
    memories: { user: context.globalState, workspace: context.workspaceState },
    showImportReport: async (conversation) => {
      await showText(await importReportText(parts, conversation), 'plaintext');
    },
    handOver: async (conversation, position, origin) => {
      const from = (position ?? origin) === undefined ? 'handOver' : 'goOn';
      const id = origin === 'compare' ? 'compareTranscripts' : from;
      await vscode.commands.executeCommand(commandName(id), { conversation, position, origin });
    },
    copyMessageLink: async (conversation, message) => {
      const session = keyOfConversation(conversation, stores.known(conversation)?.origin);
      const at = { scheme: vscode.env.uriScheme, extension: context.extension.id };
      await copyText(messageLink({ session, message }, at));
    },
    copyQuestionLink: (conversation, question) => copyQuestionLink(context, log, { conversation, question }),
    openFile,
    openChanges: async (changes) => (await exports()).openChanges(context, changes),
    openDropped,
    openLink: async (url) => (await exports()).openLink(url),
    log,
  });
}

/** Where a conversation comes from, as far as its store knows. */
async function provenanceIn(
  { stores, shown, archived, log }: PanelOptions,
  conversation: string,
): Promise<Provenance> {
  try {
    const read = archived.loaded?.provenance(conversation);
    if (read) return read;
    const { root, entry, store } = await stores.find(conversation);
    const file = shown.reportOf(conversation);
    if (!file) {
      const problems = entry.origin && (await store.importReport(conversation))?.problemCount;
      return { ...provenanceOf(dirname(root), entry.origin), ...(problems !== undefined && { problems }) };
    }
    // How often it was read anew is no version of anything that is kept.
    const about = { ...provenanceOf(file.folder, entry.origin), details: shownDetails(file) };
    return { ...about, problems: file.problems.length };
  } catch (error) {
    // A conversation that was deleted meanwhile comes from nowhere; reading it tells so.
    log.debug(`No provenance of ${conversation}: ${String(error)}`);
    return { details: [] };
  }
}

/** What the header says of a file that is shown where it is. */
function shownDetails({ conversations, replacedAt }: FileReport): Provenance['details'] {
  const several = conversations.length > 1;
  return [
    { name: t`Shown`, value: t`where it is, not kept` },
    ...(several
      ? [{ name: t`Conversations of the file`, value: formatCount(conversations.length, 'conversation') }]
      : []),
    ...(replacedAt === undefined
      ? []
      : [
          {
            name: t`Replaced or cut off, and read anew`,
            value: new Date(replacedAt).toLocaleTimeString('en-GB'),
          },
        ]),
  ];
}

async function conversationAt(stores: Stores, journal: vscode.Uri): Promise<string | undefined> {
  for (const { store } of await stores.all()) {
    const conversation = await store.conversationOf(journal.fsPath);
    if (conversation !== undefined) return conversation;
  }
  return undefined;
}

/** Opens a file that a record names, if its real path is in the workspace. `line` counts from 1. */
async function openFile(path: string, line: number | undefined): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath).filter(isAbsolute);
  const checked = await new PathGuard(folders).resolve(path);
  if (!checked.ok) throw new UserError(checked.message);
  const { place } = checked;
  if (place.kind !== 'file')
    throw new UserError(t`'${visibleText(place.relative)}' is not a file that can be shown.`);
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  await vscode.window.showTextDocument(vscode.Uri.file(place.path), { selection: new vscode.Range(at, at) });
}

/**
 * Opens files as transcripts that a person has dropped on a panel, by their URIs as the window tells them: those of a remote
 * window name the remote, on which this program runs. Rejects with an error for a person where one is no file on a disk.
 */
async function openDropped(addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const uri = vscode.Uri.parse(address);
    const isHere =
      uri.scheme === 'file' || (uri.scheme === 'vscode-remote' && vscode.env.remoteName !== undefined);
    if (!isHere) throw new UserError(t`Only files on a disk of this machine can be opened as transcripts.`);
    const file = uri.scheme === 'file' ? uri : vscode.Uri.file(uri.path);
    await vscode.commands.executeCommand('vscode.openWith', file, FILE_VIEW_TYPE);
  }
}
