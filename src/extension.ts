import * as vscode from 'vscode';
import { openApplication, type Application } from './app/application/openApplication.js';
import type { ExtensionApi } from './app/application/extensionApi.js';
import type * as library from './library.js';
import type * as parts from './parts.js';
import { PatternThread } from './node/patterns/patternThread.js';
import { AgentLibrary } from './surfaces/vscode/agentLibrary.js';
import { ArchiveView } from './surfaces/vscode/archive/archiveView.js';
import { mcpServers } from './surfaces/vscode/asking/mcpServers.js';
import { sessionTools } from './surfaces/vscode/asking/sessionTools.js';
import { logbookParticipant } from './surfaces/vscode/chat/logbookParticipant.js';
import { registerCommands } from './surfaces/vscode/commands/registerCommands.js';
import { editorHost } from './surfaces/vscode/editorHost.js';
import { useEditorLanguage } from './surfaces/vscode/editorLanguage.js';
import { outputChannelFrontend } from './surfaces/vscode/frontends/outputChannel.js';
import { TranscriptLinks } from './surfaces/vscode/frontends/transcriptLinks.js';
import { LogChannel } from './surfaces/vscode/logChannel.js';
import { lmTools } from './surfaces/vscode/models/lmTools.js';
import { modelHost } from './surfaces/vscode/models/modelHost.js';
import { connectPanels } from './surfaces/vscode/panel/connectPanels.js';
import type { TranscriptPanels } from './surfaces/vscode/panel/transcriptPanels.js';
import { FileEditors } from './surfaces/vscode/panel/fileEditors.js';
import { SessionsView } from './surfaces/vscode/sessions/sessionsView.js';
import { RetentionOffer } from './surfaces/vscode/retentionOffer.js';
import { ApprovalNotices } from './surfaces/vscode/runs/approvalNotices.js';
import { CommandTerminals } from './surfaces/vscode/runs/commandTerminals.js';
import { editorFiles } from './surfaces/vscode/runs/editorFiles.js';
import { failureViews } from './surfaces/vscode/runs/failedRun.js';
import { ApprovalLogRegistration } from './surfaces/vscode/approvals/approvalLogRegistration.js';
import { shippedRipgrep } from './surfaces/vscode/search/shippedRipgrep.js';
import { SearchRegistration } from './surfaces/vscode/search/searchRegistration.js';
import { StoreProblems } from './surfaces/vscode/storeProblems.js';
import { AgentProblems } from './surfaces/vscode/views/agentProblems.js';
import { AgentsView } from './surfaces/vscode/views/agentsView.js';
import { ConnectorStatus } from './surfaces/vscode/views/connectorStatus.js';
import { NotesView } from './surfaces/vscode/views/notesView.js';
import { RunStatus } from './surfaces/vscode/views/runStatus.js';
import { TranscriptsView } from './surfaces/vscode/views/transcriptsView.js';
import type { TelemetryStatus } from './surfaces/vscode/telemetry/telemetryStatus.js';

let close: (() => Promise<void>) | undefined;

/** Opens the application with this window's ports, and registers its surfaces. Reads no file and uses no network. */
export function activate(context: vscode.ExtensionContext): ExtensionApi<typeof library & typeof parts> {
  useEditorLanguage();
  const log = new LogChannel();
  const agents = new AgentLibrary(log);
  const application = applicationIn(context, agents, log);
  showApplication(context, application, agents, log);
  application.capture.startIfWanted();
  close = async () => {
    await application.close();
    await log.written();
  };
  return application.api(async () => ({
    ...(await import('./library.js')),
    ...(await import('./parts.js')),
  }));
}

/** The application with the ports of this window. */
function applicationIn(
  { extension, globalState, globalStorageUri, secrets, storageUri, subscriptions }: vscode.ExtensionContext,
  agents: AgentLibrary,
  log: LogChannel,
): Application {
  const problems = new StoreProblems(log);
  const terminals = new CommandTerminals();
  const patterns = new PatternThread();
  const application = openApplication({
    ...editorHost,
    agents,
    problems,
    secrets,
    log,
    models: modelHost(secrets, log, {
      dialogs: () => import('./surfaces/vscode/commands/lateCommands.js'),
      models: () => import('./surfaces/vscode/models/editorModels.js'),
    }),
    files: editorFiles,
    foreignTools: lmTools,
    patterns,
    watcherOf: (conversation) => terminals.watcher(conversation),
    channelOf: (stores) => {
      const links = new TranscriptLinks(globalState, stores, log);
      subscriptions.push(links);
      return outputChannelFrontend(log, links);
    },
    failuresOf: (inView) => failureViews(inView, log),
    connectorStatusOf: (platform) => new ConnectorStatus(platform),
    memory: globalState,
    storage: { workspace: (storageUri ?? globalStorageUri).fsPath, person: globalStorageUri.fsPath },
    ripgrep: shippedRipgrep,
    version: (extension.packageJSON as { readonly version: string }).version,
  });
  subscriptions.push(log, problems, agents, application, terminals, patterns);
  return application;
}

/** The views, commands and notices through which a person meets the application. */
function showApplication(
  context: vscode.ExtensionContext,
  application: Application,
  agents: AgentLibrary,
  log: LogChannel,
): void {
  const { approvals, chat, inView, notes, reader, runs, stores } = application;
  const exports = () => import('./surfaces/vscode/reading/editorExports.js');
  const panels: TranscriptPanels = connectPanels(context, {
    ...application,
    runs: chat,
    exports,
    log,
    restoreOther: async (panel, state) => (await archiveView.rows()).restore(panel, state),
  });
  const files = new FileEditors(application.shown, panels, inView, log);
  const searches = new SearchRegistration(async () => {
    const { SearchPages } = await import('./surfaces/vscode/search/searchPages.js');
    return new SearchPages({ context, stores, panels, files, log });
  });
  const approvalLog = new ApprovalLogRegistration(async () => {
    const { ApprovalLogEditor } = await import('./surfaces/vscode/commands/lateCommands.js');
    return new ApprovalLogEditor({ extensionUri: context.extensionUri, stores, panels, log });
  });
  const transcripts = new TranscriptsView({
    stores,
    runs,
    approvals,
    state: context.workspaceState,
    log,
    readCost: async (conversation) => reader.cost((await stores.find(conversation)).store, conversation),
  });
  const notesView = new NotesView(stores, notes, log);
  const sessions = new SessionsView(application.discovery, async () => {
    const { SessionsTree } = await import('./surfaces/vscode/sessions/sessionsTree.js');
    return SessionsTree;
  });
  const archiveView = archiveViewOf(application, panels);
  const asking = async () => {
    const { Asking } = await import('./surfaces/vscode/asking/asking.js');
    return new Asking(stores, log);
  };
  context.subscriptions.push(
    new ApprovalNotices(approvals, inView, log),
    panels,
    files,
    searches,
    approvalLog,
    transcripts,
    notesView,
    sessions,
    archiveView,
    captureStatusOf(application.capture, context.subscriptions),
    telemetryStatusOf(application.telemetry, context.subscriptions),
    new AgentsView(agents),
    new AgentProblems(agents),
    new RetentionOffer(stores, () => offerLate(application), log),
    new RunStatus(runs, approvals),
    logbookParticipant({ library: agents, stores, runs, asking, log }),
    sessionTools(asking),
    mcpServers(context.extension, stores),
    registerCommands(async () => {
      const { lateCommands } = await import('./surfaces/vscode/commands/lateCommands.js');
      return lateCommands({
        ...application,
        context,
        library: agents,
        panels,
        searches,
        approvalLog,
        transcripts,
        notesView,
        sessions,
        archiveView,
        log,
      });
    }, log),
  );
}

/** The view of the archive. */
function archiveViewOf({ archived }: Application, panels: TranscriptPanels): ArchiveView {
  return new ArchiveView(async (shown, redraw) => {
    const { ArchiveTree } = await import('./surfaces/vscode/archive/archiveTree.js');
    return new ArchiveTree(await archived.load(), panels, shown, redraw);
  });
}

/** Says in the status bar what is received and recorded, from the first time that something is. */
function captureStatusOf(
  capture: Application['capture'],
  subscriptions: vscode.ExtensionContext['subscriptions'],
): vscode.Disposable {
  const waiting = capture.onDidChange(() => {
    waiting.dispose();
    void import('./surfaces/vscode/commands/lateCommands.js').then(({ CaptureStatus }) =>
      subscriptions.push(new CaptureStatus(capture)),
    );
  });
  return new vscode.Disposable(() => waiting.dispose());
}

async function offerLate(application: Application): Promise<void> {
  const { offerRetention } = await import('./surfaces/vscode/commands/lateCommands.js');
  await offerRetention(application.stores, application);
}

/** Says in the status bar what waits for a collector, from the first time that something does. */
function telemetryStatusOf(
  telemetry: Application['telemetry'],
  subscriptions: vscode.ExtensionContext['subscriptions'],
): vscode.Disposable {
  let status: Promise<TelemetryStatus> | undefined;
  const following = telemetry.onDidChange((waiting) => {
    if (waiting.words === undefined && waiting.spans === 0 && !status) return;
    status ??= import('./surfaces/vscode/commands/lateCommands.js').then((commands) => {
      const made = new commands.TelemetryStatus();
      subscriptions.push(made);
      return made;
    });
    void status.then((shown) => shown.show(waiting));
  });
  return new vscode.Disposable(() => following.dispose());
}

/** Saves typed texts, disconnects the chat platforms, then writes the rest; VS Code allows five seconds. */
export async function deactivate(): Promise<void> {
  await close?.();
}
