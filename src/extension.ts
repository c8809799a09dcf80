import type * as vscode from 'vscode';
import type * as library from './library.js';
import { MessageAccumulator } from './record/messageAccumulator.js';
import { AgentLibrary } from './vscode/agentLibrary.js';
import { PanelChat } from './app/chat/panelChat.js';
import { MessageBuses } from './app/buses/messageBuses.js';
import { logbookParticipant } from './vscode/chat/logbookParticipant.js';
import { allCommands } from './vscode/commands/allCommands.js';
import { registerCommands } from './vscode/commands/registerCommands.js';
import { extensionApi, type ExtensionApi } from './app/extensionApi.js';
import { DraftStore } from './app/chat/draftStore.js';
import { outputChannelFrontend } from './vscode/frontends/outputChannel.js';
import { TranscriptLinks } from './vscode/frontends/transcriptLinks.js';
import { LogChannel } from './vscode/logChannel.js';
import { Stores } from './app/stores/stores.js';
import { ModelCatalog } from './app/models/modelCatalog.js';
import { connectPanels } from './vscode/panel/connectPanels.js';
import { PanelsInView } from './app/panel/panelsInView.js';
import { RetentionOffer } from './vscode/retentionOffer.js';
import { CommandTerminals } from './vscode/runs/commandTerminals.js';
import { ApprovalService } from './app/runs/approvalService.js';
import { ApprovalNotices } from './vscode/runs/approvalNotices.js';
import { editorFiles } from './vscode/runs/editorFiles.js';
import { failureViews } from './vscode/runs/failedRun.js';
import { lmTools } from './vscode/models/lmTools.js';
import { ApprovedTools } from './app/runs/approvedTools.js';
import { SharedTokens } from './app/transcripts/sharedTokens.js';
import { RunRegistry } from './app/runs/runRegistry.js';
import { useEditorLanguage } from './vscode/editorLanguage.js';
import { setting } from './vscode/settings.js';
import { editorHost } from './vscode/editorHost.js';
import { StoreProblems } from './vscode/storeProblems.js';
import { modelHost } from './vscode/models/modelHost.js';
import { BusStatus } from './vscode/views/busStatus.js';

import { AgentProblems } from './vscode/views/agentProblems.js';
import { AgentsView } from './vscode/views/agentsView.js';
import { RunStatus } from './vscode/views/runStatus.js';
import { features } from './app/features/features.js';
import { WindowReader } from './reader/windowReader.js';
import { sharedPatterns } from './app/sharedPatterns.js';
import { TranscriptsView } from './vscode/views/transcriptsView.js';

let close: (() => Promise<void>) | undefined;

/** Builds the parts and connects them. Reads no file and uses no network: both wait until they are needed. */
export function activate(context: vscode.ExtensionContext): ExtensionApi<typeof library> {
  useEditorLanguage();
  const log = new LogChannel();
  const parts = openApplication(context, log);
  const { stores, agents, tokens, inView, approvals, runs, drafts, chat, buses, accumulator } = parts;
  const { problems, terminals, links, reader } = parts;
  const panels = connectPanels(context, { ...parts, runs: chat, drafts: drafts, log });
  const transcripts = new TranscriptsView({ stores, runs, approvals, state: context.workspaceState, log });
  context.subscriptions.push(
    ...[log, accumulator, problems, stores, tokens, agents, approvals],
    new ApprovalNotices(approvals, inView, log),
    ...[buses, chat, runs, inView, terminals, panels, transcripts, links, drafts, sharedPatterns, reader],
    new AgentsView(agents),
    new AgentProblems(agents),
    new RetentionOffer(stores, log),
    new RunStatus(runs, approvals),
    logbookParticipant({ library: agents, stores, runs, log }),
    registerCommands(allCommands({ ...parts, context, library: agents, panels, transcripts, log }), log),
  );
  close = async () => {
    chat.close();
    await drafts.close();
    await buses.close();
    await stores.close();
    await log.written();
  };
  return extensionApi({ ...editorHost, accumulator, runs, agents, library: () => import('./library.js') });
}

/** The application of this window, and the adapters that it works with. */
function openApplication(context: vscode.ExtensionContext, log: LogChannel) {
  const accumulator = newAccumulator(log);
  const storage = (context.storageUri ?? context.globalStorageUri).fsPath;
  const problems = new StoreProblems(log);
  const reader = new WindowReader(
    log,
    async () => (await features.transcripts()).ReaderThread,
    () => editorHost.settings.get('prices.file'),
  );
  const stores = new Stores({ ...editorHost, problems, ownStorage: storage, beside: reader, log });
  const agents = new AgentLibrary(log);
  const tokens = new SharedTokens(log);
  const models = new ModelCatalog(modelHost(context.secrets, log));
  const inView = new PanelsInView((error) => log.error('A notice could not follow the panels', error));
  const approvals = new ApprovalService((error) => log.error('A view could not follow the approvals', error));
  const terminals = new CommandTerminals();
  const links = new TranscriptLinks(context.globalState, stores, log);
  const runs = new RunRegistry({
    ...editorHost,
    ...{ library: agents, stores, models, approvals, accumulator, log },
    approved: new ApprovedTools(context.globalState, log),
    files: editorFiles,
    foreignTools: lmTools,
    watcherOf: (conversation) => terminals.watcher(conversation),
    channel: outputChannelFrontend(log, links),
  });
  const drafts = new DraftStore(storage, log);
  const failures = failureViews(inView, log);
  const chat = new PanelChat({ ...editorHost, runs, inView, log, drafts: drafts, failures });
  const buses = new MessageBuses({
    ...editorHost,
    ...{ library: agents, runs, secrets: context.secrets, log },
    storage: context.globalStorageUri.fsPath,
    statusOf: (platform) => new BusStatus(platform),
  });
  return {
    ...{ accumulator, stores, agents, tokens, models, inView, approvals, runs, drafts, chat, buses },
    ...{ problems, terminals, links, reader },
  };
}

function newAccumulator(log: LogChannel): MessageAccumulator {
  const limits = {
    maxMessages: setting('recording.maxMessages'),
    maxBytes: setting('recording.maxMegabytes') * 1024 * 1024,
  };
  return new MessageAccumulator(limits, (error) => log.error('A subscriber of the messages failed', error));
}

/** Saves typed texts, disconnects the chat platforms, then writes the rest; VS Code allows five seconds. */
export async function deactivate(): Promise<void> {
  await close?.();
}
