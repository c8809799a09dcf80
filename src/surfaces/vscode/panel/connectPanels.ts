import { t } from '../../../core/l10n.js';
import { dirname } from 'node:path';
import type * as vscode from 'vscode';
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
import { showText } from '../ui/showText.js';
import { copyQuestionLink } from '../frontends/transcriptLinks.js';
import { openDropped } from './openDropped.js';
import { openFile, openLink } from './openOutside.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import { provenanceOf } from '../../../app/panel/provenanceOf.js';
import { TranscriptPanels, type TranscriptPanelsOptions } from './transcriptPanels.js';

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
    originOf: (conversation) => {
      const origin = stores.known(conversation)?.origin;
      return origin && { source: origin.tool, project: origin.project };
    },
    titleOf: (conversation) => stores.known(conversation)?.title ?? t`Transcript`,
    conversationTitled: async (title) =>
      (await stores.conversations()).find(({ entry }) => entry.title === title)?.entry.conversation,
    conversationAt: (journal) => conversationAt(stores, journal),
    runs,
    approvals,
    drafts,
    notes,
    inView,
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
      await exportAsTables(log, { kept: [await stores.find(conversation)], positions });
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
    copyQuestionLink: (conversation, question) => copyQuestionLink(context, log, { conversation, question }),
    openFile,
    openDropped,
    openLink,
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
    log.debug(`Where ${conversation} comes from is not shown: ${String(error)}`);
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
