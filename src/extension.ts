import type * as vscode from 'vscode';
import type * as library from './library.js';
import { MessageAccumulator } from './record/messageAccumulator.js';
import { AgentLibrary } from './vscode/agentLibrary.js';
import { EditorChat } from './vscode/bus/editorChat.js';
import { MessageBuses } from './app/buses/messageBuses.js';
import { logbookParticipant } from './vscode/chat/logbookParticipant.js';
import { allCommands } from './vscode/commands/allCommands.js';
import { registerCommands } from './vscode/commands/registerCommands.js';
import { extensionApi, type ExtensionApi } from './vscode/extensionApi.js';
import { UnsaidTexts } from './app/chat/draftStore.js';
import { outputChannelFrontend } from './vscode/frontends/outputChannel.js';
import { TranscriptLinks } from './vscode/frontends/transcriptLinks.js';
import { LogChannel } from './vscode/logChannel.js';
import { Logbooks } from './app/stores/logbooks.js';
import { ModelShelf } from './app/models/modelShelf.js';
import { connectPanels } from './vscode/panel/connectPanels.js';
import { PanelsInView } from './vscode/panel/panelsInView.js';
import { RetentionOffer } from './vscode/retentionOffer.js';
import { CommandTerminals } from './vscode/runs/commandTerminals.js';
import { ApprovalPrompts } from './vscode/runs/approvalPrompts.js';
import { PinnedTools } from './app/runs/pinnedTools.js';
import { SharedTokens } from './app/transcripts/sharedTokens.js';
import { TeamRuns } from './vscode/runs/teamRuns.js';
import { setting } from './vscode/settings.js';
import { editorHost } from './vscode/editorHost.js';
import { StoreProblems } from './vscode/storeProblems.js';
import { modelHost } from './vscode/models/modelHost.js';
import { BusStatus } from './vscode/bus/busStatus.js';

import { AgentProblems } from './vscode/views/agentProblems.js';
import { AgentsView } from './vscode/views/agentsView.js';
import { RunStatus } from './vscode/views/runStatus.js';
import { sharedPatterns } from './app/sharedPatterns.js';
import { TranscriptsView } from './vscode/views/transcriptsView.js';

let close: (() => Promise<void>) | undefined;

/** Builds the parts and connects them. Reads no file and uses no network: both wait until they are needed. */
export function activate(context: vscode.ExtensionContext): ExtensionApi<typeof library> {
  const log = new LogChannel();
  const accumulator = newAccumulator(log);
  const storage = (context.storageUri ?? context.globalStorageUri).fsPath;
  const problems = new StoreProblems(log);
  const logbooks = new Logbooks({
    ...editorHost,
    problems,
    ownStorage: storage,
    log,
  });
  const agents = new AgentLibrary(log);
  const tokens = new SharedTokens(log);
  const models = new ModelShelf(modelHost(context.secrets, log));
  const inView = new PanelsInView((error) => log.error('A notice could not follow the panels', error));
  const prompts = new ApprovalPrompts(inView, log);
  const pins = new PinnedTools(context.globalState, log);
  const terminals = new CommandTerminals();
  const links = new TranscriptLinks(context.globalState, logbooks, log);
  const channel = outputChannelFrontend(log, links);
  const runs = new TeamRuns({
    ...{ library: agents, logbooks, models, prompts, pins, terminals, accumulator, channel, log },
  });
  const unsaid = new UnsaidTexts(storage, log);
  const chat = new EditorChat(runs, unsaid, inView, log);
  const panels = connectPanels(context, { logbooks, tokens, runs: chat, drafts: unsaid, inView, log });
  const transcripts = new TranscriptsView(logbooks, runs, context.workspaceState, log);
  const buses = new MessageBuses({
    ...editorHost,
    library: agents,
    runs,
    secrets: context.secrets,
    storage: context.globalStorageUri.fsPath,
    statusOf: (platform) => new BusStatus(platform),
    log,
  });
  const parts = {
    ...{ context, library: agents, logbooks, tokens, models, runs, unsaid },
    ...{ panels, inView, transcripts, buses, log },
  };
  context.subscriptions.push(
    ...[log, accumulator, problems, logbooks, tokens, agents, prompts, buses, chat, runs, inView, terminals],
    ...[panels, transcripts, links, unsaid, sharedPatterns],
    new AgentsView(agents),
    new AgentProblems(agents),
    new RetentionOffer(logbooks, log),
    new RunStatus(runs),
    logbookParticipant({ library: agents, logbooks, runs, log }),
    registerCommands(allCommands(parts), log),
  );
  close = async () => {
    chat.close();
    await unsaid.close();
    await buses.close();
    await logbooks.close();
    await log.written();
  };
  return extensionApi({ accumulator, runs, agents, library: () => import('./library.js') });
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
