import type * as vscode from 'vscode';
import type { AgentLibrary } from '../agentLibrary.js';
import type { ChatConnectors } from '../../../app/chat/chatConnectors.js';
import type { DraftStore } from '../../../app/chat/draftStore.js';
import type { LogChannel } from '../logChannel.js';
import type { Stores } from '../../../app/services/stores.js';
import type { ModelCatalog } from '../../../app/models/modelCatalog.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import type { ApprovalLogRegistration } from '../approvals/approvalLogRegistration.js';
import type { SearchRegistration } from '../search/searchRegistration.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import type { WindowReader } from '../../../search/reader/windowReader.js';
import type { ShownFiles } from '../../../app/services/shownFiles.js';
import type { SharedTokens } from '../../../app/services/sharedTokens.js';
import type { RunRegistry } from '../../../app/runs/runRegistry.js';
import type { TranscriptsView } from '../views/transcriptsView.js';
import { agentCommands } from './agentCommands.js';
import type { ArchivePushing } from '../../../app/archive/archivePushing.js';
import type { LateArchive } from '../../../app/application/openApplication.js';
import type { ArchiveView } from '../archive/archiveView.js';
import { archiveCommands } from './archiveCommands.js';
import { approvalCommands } from './approvalCommands.js';
import { chatCommands } from './chatCommands.js';
import { captureCommands } from '../capture/captureCommands.js';
import type { CaptureService } from '../../../app/services/captureService.js';
import { ConversationChoice, targetsOf } from './chooseConversation.js';
import { conversationCommands } from './conversationCommands.js';
import { fileCommands } from './fileCommands.js';
import { importCommands } from './importCommands.js';
import { modelCommands } from './modelCommands.js';
import type { TelemetryOut } from '../../../app/services/telemetryOut.js';
import { telemetryCommands } from '../telemetry/telemetryCommands.js';
import { editorSettings } from '../settings.js';
import type { NoteBook } from '../../../app/notes/noteBook.js';
import type { NotesView } from '../views/notesView.js';
import { noteCommands } from './noteCommands.js';
import { readingCommands } from './readingCommands.js';
import type { CommandHandlers } from './registerCommands.js';
import { runCommands } from './runCommands.js';
import type { SessionDiscovery } from '../../../app/discovery/sessionDiscovery.js';
import { sessionCommands } from '../sessions/sessionCommands.js';
import type { SessionsView } from '../sessions/sessionsView.js';

export { addEndpoint, editEndpoint } from '../models/addEndpoint.js';
export { ApprovalLogEditor } from '../approvals/approvalLogEditor.js';
/** Comes with the commands, one of which begins to receive or record. */
export { CaptureStatus } from '../capture/captureStatus.js';
export { offerRetention } from './offerRetention.js';
/** Comes with them, too: what waits for a collector is mostly sent by one of them. */
export { TelemetryStatus } from '../telemetry/telemetryStatus.js';

/** What the commands work with. */
export interface CommandOptions {
  readonly context: vscode.ExtensionContext;
  readonly library: AgentLibrary;
  readonly stores: Stores;
  readonly shown: ShownFiles;
  readonly reader: WindowReader;
  readonly tokens: SharedTokens;
  readonly models: ModelCatalog;
  readonly runs: RunRegistry;
  readonly drafts: DraftStore;
  readonly panels: TranscriptPanels;
  readonly searches: SearchRegistration;
  readonly approvalLog: ApprovalLogRegistration;
  readonly inView: PanelsInView;
  readonly transcripts: TranscriptsView;
  readonly notes: NoteBook;
  readonly notesView: NotesView;
  readonly connectors: ChatConnectors;
  readonly archive: () => Promise<ArchivePushing>;
  readonly archived: LateArchive;
  readonly archiveView: ArchiveView;
  readonly capture: CaptureService;
  readonly telemetry: TelemetryOut;
  readonly discovery: () => Promise<SessionDiscovery>;
  readonly sessions: SessionsView;
  readonly log: LogChannel;
}

/** Every command of the extension. */
export function lateCommands(options: CommandOptions): CommandHandlers {
  const {
    library,
    stores,
    shown,
    reader,
    tokens,
    models,
    runs,
    drafts,
    panels,
    searches,
    approvalLog,
    inView,
    transcripts,
    notes,
    notesView,
    connectors,
    capture,
    telemetry,
    discovery,
    sessions,
    log,
  } = options;
  const choice = new ConversationChoice(stores, {
    current: () => panels.active ?? transcripts.selection.flatMap(targetsOf)[0]?.conversation,
    selection: () => transcripts.selection,
  });
  const searching = searches.commands();
  const forget = (conversation: string) => {
    panels.close(conversation);
    void drafts.keep(conversation, '');
  };
  const imports = importCommands(stores, log);
  const importFiles = (files: readonly vscode.Uri[]) => imports.importTranscript(files);
  return {
    ...runCommands({ library, runs, choice, inView, log }),
    ...modelCommands(models),
    ...agentCommands(library),
    ...conversationCommands({
      stores,
      choice,
      view: transcripts,
      forget,
      isRunning: (conversation) => runs.running.includes(conversation),
      recorded: { capture, shown },
    }),
    ...readingCommands({
      stores,
      reader,
      tokens,
      choice,
      panels,
      log,
      searchFor: (question) => searching.searchTranscripts(question),
    }),
    ...approvalCommands({ stores, choice, panels, approvalLog }),
    ...noteCommands({ notes, panels, view: notesView }),
    ...searching,
    ...imports,
    ...fileCommands({ stores, shown, panels, importFiles }),
    ...chatCommands(connectors),
    ...archiveCommands({ ...options, secrets: options.context.secrets }),
    ...captureCommands(capture),
    ...telemetryCommands({ telemetry, choice, settings: editorSettings, secrets: options.context.secrets }),
    ...sessionCommands({ discovery, view: sessions, importFiles }),
    showLog: () => log.show(),
  };
}
