import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { commandName, type CommandId, expectationFiles, compareEditorType } from './app/manifest.js';
import { openApplication, type Application } from './app/application/openApplication.js';
import type { ExtensionApi } from './app/application/extensionApi.js';
import type * as library from './library.js';
import type * as parts from './parts.js';
import { PatternThread } from './node/patterns/patternThread.js';
import { AgentLibrary } from './surfaces/vscode/agentLibrary.js';
import { ArchiveView } from './surfaces/vscode/archive/archiveView.js';
import { mcpServers, sessionTools } from './surfaces/vscode/asking/mcpServers.js';
import { logbookParticipant } from './surfaces/vscode/chat/logbookParticipant.js';
import { registerCommands } from './surfaces/vscode/commands/registerCommands.js';
import { useEditorLanguage } from './surfaces/vscode/ui/showPage.js';
import { outputChannelFrontend, LogChannel } from './surfaces/vscode/logChannel.js';
import { TranscriptLinks } from './surfaces/vscode/frontends/transcriptLinks.js';
import { lmTools } from './surfaces/vscode/models/lmTools.js';
import { modelHost } from './surfaces/vscode/models/modelPicker.js';
import { connectPanels } from './surfaces/vscode/panel/connectPanels.js';
import type { TranscriptPanels } from './surfaces/vscode/panel/transcriptPanels.js';
import { FileEditors } from './surfaces/vscode/panel/fileEditors.js';
import { RetentionOffer, StoreProblems } from './surfaces/vscode/storeProblems.js';
import { ApprovalNotices } from './surfaces/vscode/runs/approvalNotices.js';
import { CommandTerminals } from './surfaces/vscode/runs/commandTerminals.js';
import { editorFiles } from './surfaces/vscode/runs/editorFiles.js';
import { failureViews } from './surfaces/vscode/runs/failedRun.js';
import { ApprovalLogRegistration } from './surfaces/vscode/approvals/approvalLogRegistration.js';
import { SearchRegistration } from './surfaces/vscode/search/searchRegistration.js';
import { AgentProblems, AgentsView } from './surfaces/vscode/views/agentsView.js';
import { ConnectorStatus, RunStatus } from './surfaces/vscode/views/runStatus.js';
import { NotesView } from './surfaces/vscode/views/notesView.js';
import { TranscriptsView, type TranscriptsViewOptions } from './surfaces/vscode/views/transcriptsView.js';
import type { TelemetryStatus } from './surfaces/vscode/telemetry/telemetryStatus.js';
import type { Host } from './app/ports/host.js';
import { editorSettings } from './surfaces/vscode/settings.js';
import { dialogs } from './surfaces/vscode/ui/notices.js';
import { editorWorkspace } from './surfaces/vscode/workspaceFolders.js';

/** Where editors of this family keep it, below their own folder: packed or not, for one system or for all. */
const PLACES = ['ripgrep/bin', `ripgrep-universal/bin/${process.platform}-${process.arch}`].flatMap(
  (folder) => ['', '.asar.unpacked'].map((packed) => `node_modules${packed}/@vscode/${folder}`),
);

/** The path of the ripgrep that the editor ships; '' where none is found. */
function shippedRipgrep(): string {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  return PLACES.map((place) => join(vscode.env.appRoot, place, name)).find(existsSync) ?? '';
}

/** This window of VS Code, as the application sees it. */
const editorHost: Host = { settings: editorSettings, workspace: editorWorkspace, dialogs };

/** Loads what is not needed at the start: commands, and what comes with them. */
const late = () => import('./surfaces/vscode/commands/lateCommands.js');
const tree = () => import('./surfaces/vscode/sessions/sessionsTree.js');
const answers = () => import('./surfaces/vscode/asking/asking.js');
const run = (id: CommandId, argument?: unknown) => vscode.commands.executeCommand(commandName(id), argument);

let close: (() => Promise<void>) | undefined;

/** Opens the application with this window's ports, and registers its surfaces. Reads no file and uses no network. */
export function activate(context: vscode.ExtensionContext): ExtensionApi<typeof library & typeof parts> {
  useEditorLanguage();
  const log = new LogChannel();
  const agents = new AgentLibrary(log);
  const application = applicationIn(context, agents, log);
  showApplication(context, application, agents, log);
  context.subscriptions.push(vscode.window.registerUriHandler({ handleUri: openLink }));
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
      dialogs: late,
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
  const blame = blameOf(context, stores, log);
  const panels: TranscriptPanels = connectPanels(context, {
    ...application,
    keptLines: async (conversation) => (await blame()).keptLines(conversation),
    runs: chat,
    exports: () => import('./surfaces/vscode/reading/editorExports.js'),
    log,
    restoreOther: async (panel, state) => (await archiveView.rows()).restore(panel, state),
  });
  const files = new FileEditors(application.shown, panels, inView, log);
  const searches = new SearchRegistration(async () => {
    const pages = await import('./surfaces/vscode/search/searchPages.js');
    return new pages.SearchPages({ context, stores, panels, files, log, live: application });
  });
  const approvalLog = new ApprovalLogRegistration(
    async () => new (await late()).ApprovalLogEditor({ context, stores, panels, log }),
  );
  const archiveView: ArchiveView = archiveViewOf(application, panels);
  const transcripts = new TranscriptsView({
    stores,
    runs,
    approvals,
    state: context.workspaceState,
    log,
    archive: archiveView,
    late: late,
    found: foundSessions(application),
    readCost: async (conversation) => reader.cost((await stores.find(conversation)).store, conversation),
  });
  const badge = (shown: TranscriptsView['badge']) => (transcripts.badge = shown);
  const notesView = new NotesView(stores, notes, files, log);
  const asking = async () => new (await answers()).Asking(stores, log);
  context.subscriptions.push(
    new ApprovalNotices(approvals, inView, log),
    panels,
    files,
    searches,
    approvalLog,
    transcripts,
    notesView,
    archiveView,
    captureStatusOf(application.capture, context.subscriptions),
    telemetryStatusOf(application.telemetry, context.subscriptions),
    new AgentsView(agents),
    new AgentProblems(agents),
    new RetentionOffer(stores, async () => (await late()).offerRetention(stores, application), log),
    new RunStatus(runs, approvals),
    application.watch(async () => new (await tree()).WatchNotices(badge, inView)),
    comparisonsAgain(),
    testsAtHand(),
    logbookParticipant({ library: agents, stores, runs, asking, log }),
    sessionTools(asking),
    mcpServers(context.extension, stores),
    registerCommands(async () => {
      const commands = await late();
      return commands.lateCommands({
        ...application,
        context,
        library: agents,
        panels,
        files,
        searches,
        approvalLog,
        transcripts,
        notesView,
        archiveView,
        expectations: () => import('./surfaces/vscode/expectations/expectationTests.js'),
        blame,
        log,
      });
    }, log),
  );
}

/** Shows the comparisons again that were open when the window was closed. */
function comparisonsAgain(): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(compareEditorType, {
    deserializeWebviewPanel: async (panel, state: unknown) => {
      await run('compareTranscripts', { panel, state });
    },
  });
}

/** Loads what tests by files of expectations where the workspace has one, and once one is opened. */
function testsAtHand(): vscode.Disposable {
  const { workspace } = vscode;
  const load = () => run('openChecked');
  void workspace.findFiles(`**/*${expectationFiles}`, undefined, 1).then(([file]) => file && load());
  return workspace.onDidOpenTextDocument(({ fileName }) => {
    if (fileName.endsWith(expectationFiles)) void load();
  });
}

/** Opens an address that leads here, as of a message that was copied from a panel. */
function openLink(uri: vscode.Uri): void {
  void run('openQuestionLink', uri.toString(true));
}

/** Loads what shows who wrote a line: when somebody asks, or once the setting wants it, which it then follows itself. */
function blameOf(context: vscode.ExtensionContext, stores: Application['stores'], log: LogChannel) {
  const load = async () => (await answers()).blameIn(context, stores, log);
  const look = () => void (editorSettings.get('blame.show') && load());
  look();
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration(look));
  return load;
}

/** The sessions of other tools in the list of all sessions, loaded when it is first looked at. */
function foundSessions(application: Application): TranscriptsViewOptions['found'] {
  return async (shown, changed) => {
    const { SessionsTree, offerWords } = await tree();
    return {
      tree: new SessionsTree(await application.discovery(), application, shown, changed),
      offerWords,
    };
  };
}

/** The view of the archive. */
function archiveViewOf({ archived }: Application, panels: TranscriptPanels): ArchiveView {
  return new ArchiveView(async (redraw) => {
    const rows = await import('./surfaces/vscode/archive/archiveTree.js');
    return new rows.ArchiveTree(await archived.load(), panels, redraw);
  });
}

/** Says in the status bar what is received and recorded, from the first time that something is. */
function captureStatusOf(
  capture: Application['capture'],
  subscriptions: vscode.ExtensionContext['subscriptions'],
): vscode.Disposable {
  const waiting = capture.onDidChange(() => {
    waiting.dispose();
    void late().then(({ CaptureStatus }) => subscriptions.push(new CaptureStatus(capture)));
  });
  return waiting;
}

/** Says in the status bar what waits for a collector, from the first time that something does. */
function telemetryStatusOf(
  telemetry: Application['telemetry'],
  subscriptions: vscode.ExtensionContext['subscriptions'],
): vscode.Disposable {
  let status: Promise<TelemetryStatus> | undefined;
  return telemetry.onDidChange((waiting) => {
    if (waiting.words === undefined && waiting.spans === 0 && !status) return;
    status ??= late().then((commands) => {
      const made = new commands.TelemetryStatus();
      subscriptions.push(made);
      return made;
    });
    void status.then((shown) => shown.show(waiting));
  });
}

/** Saves typed texts, disconnects the chat platforms, then writes the rest; VS Code allows five seconds. */
export async function deactivate(): Promise<void> {
  await close?.();
}
