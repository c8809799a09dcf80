import * as vscode from 'vscode';
import type { AgentLibrary } from '../agentLibrary.js';
import type { ChatConnectors } from '../../../app/chat/chatConnectors.js';
import type { DraftStore } from '../../../app/chat/draftStore.js';
import type { LogChannel } from '../logChannel.js';
import type { Stores } from '../../../app/services/stores.js';
import type { ModelCatalog } from '../../../app/models/modelCatalog.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import type { ApprovalLogRegistration } from '../approvals/approvalLogRegistration.js';
import type { SearchRegistration } from '../search/searchRegistration.js';
import type { FileEditors } from '../panel/fileEditors.js';
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
import { chatCommands, modelCommands } from './modelCommands.js';
import { captureCommands } from '../capture/captureCommands.js';
import type { CaptureService } from '../../../app/services/captureService.js';
import { compareCommands } from '../reading/compareEditors.js';
import { Replays } from '../reading/replayRuns.js';
import { ConversationChoice, targetsOf } from './chooseConversation.js';
import { conversationCommands } from './conversationCommands.js';
import { forkCommands } from './forkCommands.js';
import { fileCommands, noteCommands } from './fileCommands.js';
import { importCommands } from './importCommands.js';
import type { TelemetryOut } from '../../../app/services/telemetryOut.js';
import { telemetryCommands } from '../telemetry/telemetryCommands.js';
import { editorSettings } from '../settings.js';
import type { NoteBook } from '../../../app/notes/noteBook.js';
import type { NotesView } from '../views/notesView.js';
import type { ExpectationTests, ExpectationTestsOptions } from '../expectations/expectationTests.js';
import type { AgentBlame } from '../reading/agentBlame.js';
import { readingCommands } from './readingCommands.js';
import type { CommandHandlers } from './registerCommands.js';
import { runCommands } from './runCommands.js';
import type { SessionDiscovery } from '../../../app/discovery/sessionDiscovery.js';
import { sessionCommands } from '../sessions/sessionCommands.js';
import { commandName } from '../../../app/manifest.js';
import { retentionPlan } from '../../../app/services/retention.js';
import { formatCount } from '../../../app/text/format.js';
import { words } from '../../../app/text/plainText.js';
import { t } from '../../../core/l10n.js';
import { findOldRecordings, type OldRecordingsOptions } from '../capture/oldRecordings.js';
import { showInformation } from '../ui/notices.js';

export { addEndpoint, askForKey, editEndpoint } from '../models/addEndpoint.js';
export { ApprovalLogEditor } from '../approvals/approvalLogEditor.js';
/** Comes with the commands, one of which begins to receive or record. */
export { CaptureStatus } from '../capture/captureCommands.js';

export { withRowTooltip } from '../views/transcriptTooltips.js';
export { importDropped } from '../views/importByDrop.js';

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
  readonly files: FileEditors;
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
  /** What shows who wrote a line; loaded when somebody first asks. */
  readonly blame: () => Promise<AgentBlame>;
  /** Loads what tests by files of expectations. */
  readonly expectations: () => Promise<{
    readonly ExpectationTests: new (options: ExpectationTestsOptions) => ExpectationTests;
  }>;
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
    panels,
    files,
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
    log,
  } = options;
  const choice = new ConversationChoice(stores, {
    current: () => panels.active ?? transcripts.selection.flatMap(targetsOf)[0]?.conversation,
    selection: () => transcripts.selection,
    open: (path, onProgress) => shown.open(path, onProgress),
  });
  const searching = searches.commands();
  const imports = importCommands(stores, log);
  const importFiles = (files: readonly vscode.Uri[]) => imports.importTranscript(files);
  return {
    ...runCommands({ library, runs, choice, inView, stores, models, log }),
    ...forkCommands({ ...options, choice }),
    ...modelCommands(models),
    ...agentCommands(library),
    ...readingCommands({
      stores,
      reader,
      tokens,
      choice,
      panels,
      files,
      discovery,
      log,
      keptLines: async (conversation, signal) => (await options.blame()).keptLines(conversation, signal),
      searchFor: (question) => searching.searchTranscripts(question),
    }),
    ...compareCommands({ ...options, choice, replays: new Replays(options) }),
    ...approvalCommands({ stores, choice, panels, approvalLog }),
    ...noteCommands({ notes, stores, panels, view: notesView }),
    ...searching,
    ...imports,
    ...commandsOnSessions(options, choice, importFiles),
    ...chatCommands(connectors),
    ...archiveCommands({ ...options, secrets: options.context.secrets }),
    ...captureCommands(capture),
    ...telemetryCommands({ telemetry, choice, settings: editorSettings, secrets: options.context.secrets }),
    ...testCommands(options, choice),
    showAgentBlame: async () => (await options.blame()).toggle(),
    whyIsThisLineHere: async () => (await options.blame()).why(),
    explainBranch: async () => (await options.blame()).explain(),
    showLog: () => log.show(),
  };
}

/** The commands on one conversation, a file that is shown where it is, or a session of another tool. */
function commandsOnSessions(
  { stores, shown, panels, drafts, runs, transcripts, capture, discovery, context }: CommandOptions,
  choice: ConversationChoice,
  importFiles: (files: readonly vscode.Uri[]) => Promise<void>,
) {
  const conversations = conversationCommands({
    context,
    stores,
    choice,
    view: transcripts,
    forget: (conversation: string) => {
      panels.close(conversation);
      void drafts.keep(conversation, '');
    },
    isRunning: (conversation) => runs.running.includes(conversation),
    recorded: { capture, shown },
  });
  const ofFiles = fileCommands({ stores, shown, panels, importFiles, memory: context.globalState });
  const others = {
    renameConversation: (argument?: unknown) => conversations.renameConversation(argument),
    revealConversation: (argument?: unknown) => conversations.revealConversation(argument),
    keepCopy: () => ofFiles.keepCopy(),
  };
  const ofSessions = sessionCommands({ discovery, view: transcripts, importFiles, others });
  return { ...conversations, ...ofFiles, ...ofSessions };
}

/** The commands for tests of runs; the first loads what tests. */
function testCommands(
  { library, runs, stores, panels, files, log, context: { subscriptions }, expectations }: CommandOptions,
  choice: ConversationChoice,
) {
  let loading: Promise<ExpectationTests> | undefined;
  const load = async () => {
    const { ExpectationTests } = await expectations();
    const tests = new ExpectationTests({ library, runs, stores, panels, files, log });
    subscriptions.push(tests);
    return tests;
  };
  const tests = () => (loading ??= load());
  return {
    async makeTest(argument?: unknown) {
      const { root, entry } = await choice.one(argument, t`Make a Test`);
      const { conversation, title, runs } = entry;
      const place = { kind: 'stored', root, conversation, ...(runs > 1 && { run: runs }) } as const;
      await (await tests()).make(place, title);
    },
    async openChecked(argument?: unknown) {
      const known = await tests();
      if (argument !== undefined) await known.openRecord(argument);
    },
  };
}

/** Offers to delete what the retention settings say: conversations, and recordings. */
export async function offerRetention(stores: Stores, recorded: OldRecordingsOptions): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  const doomed = await retentionPlan(stores, editorSettings);
  const recordings = await findOldRecordings(recorded);
  if (doomed.length + recordings.length === 0) return;
  const review = t`Review…`;
  const [count, noun] =
    doomed.length > 0 ? [doomed.length, 'conversation'] : [recordings.length, 'recording'];
  const verb = count === 1 ? 'is' : 'are';
  const offered = words`${formatCount(count, noun)} ${verb} older or larger than your retention settings allow. Nothing is deleted yet.`;
  if ((await showInformation(offered, review)) === review)
    await vscode.commands.executeCommand(commandName('applyRetention'));
}
