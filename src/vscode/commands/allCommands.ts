import type * as vscode from 'vscode';
import type { AgentLibrary } from '../agentLibrary.js';
import type { MessageBuses } from '../../app/buses/messageBuses.js';
import type { DraftStore } from '../../app/chat/draftStore.js';
import type { LogChannel } from '../logChannel.js';
import type { Stores } from '../../app/stores/stores.js';
import type { ModelCatalog } from '../../app/models/modelCatalog.js';
import type { PanelsInView } from '../../app/panel/panelsInView.js';
import type { SearchRegistration } from '../search/searchRegistration.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import type { WindowReader } from '../../reader/windowReader.js';
import type { SharedTokens } from '../../app/transcripts/sharedTokens.js';
import type { RunRegistry } from '../../app/runs/runRegistry.js';
import type { TranscriptsView } from '../views/transcriptsView.js';
import { agentCommands } from './agentCommands.js';
import { approvalCommands } from './approvalCommands.js';
import { ConversationChoice, targetsOf } from './chooseConversation.js';
import { conversationCommands } from './conversationCommands.js';
import { importCommands } from './importCommands.js';
import { modelCommands } from './modelCommands.js';
import { readingCommands } from './readingCommands.js';
import type { CommandHandlers } from './registerCommands.js';
import { runCommands } from './runCommands.js';

/** What the commands work with. */
export interface CommandParts {
  readonly context: vscode.ExtensionContext;
  readonly library: AgentLibrary;
  readonly stores: Stores;
  readonly reader: WindowReader;
  readonly tokens: SharedTokens;
  readonly models: ModelCatalog;
  readonly runs: RunRegistry;
  readonly drafts: DraftStore;
  readonly panels: TranscriptPanels;
  readonly searches: SearchRegistration;
  readonly inView: PanelsInView;
  readonly transcripts: TranscriptsView;
  readonly buses: MessageBuses;
  readonly log: LogChannel;
}

/** Every command of the extension. */
export function allCommands(parts: CommandParts): CommandHandlers {
  const {
    library,
    stores,
    reader,
    tokens,
    models,
    runs,
    drafts,
    panels,
    searches,
    inView,
    transcripts,
    buses,
    log,
  } = parts;
  const choice = new ConversationChoice(stores, {
    current: () => panels.active ?? transcripts.selection.flatMap(targetsOf)[0]?.conversation,
    selection: () => transcripts.selection,
  });
  const isRunning = (conversation: string) => runs.running.includes(conversation);
  const forget = (conversation: string) => {
    panels.close(conversation);
    void drafts.keep(conversation, '');
  };
  return {
    ...runCommands({ library, runs, choice, inView, log }),
    ...modelCommands(models),
    ...agentCommands(library),
    ...conversationCommands({ stores, choice, view: transcripts, forget, isRunning }),
    ...readingCommands({ stores, reader, tokens, choice, panels }),
    ...approvalCommands({ stores, choice, panels }),
    ...searches.commands(),
    ...importCommands(stores, log),
    ...buses.commands(),
    showLog: () => log.show(),
  };
}
