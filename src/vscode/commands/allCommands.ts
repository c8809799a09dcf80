import type * as vscode from 'vscode';
import type { AgentLibrary } from '../agentLibrary.js';
import type { LogChannel } from '../logChannel.js';
import type { Logbooks } from '../logbooks.js';
import type { ModelShelf } from '../models/modelShelf.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import type { TeamRuns } from '../runs/teamRuns.js';
import type { TranscriptsView } from '../views/transcriptsView.js';
import { agentCommands } from './agentCommands.js';
import { ConversationChoice } from './chooseConversation.js';
import { conversationCommands } from './conversationCommands.js';
import { modelCommands } from './modelCommands.js';
import { readingCommands } from './readingCommands.js';
import type { CommandHandlers } from './registerCommands.js';
import { runCommands } from './runCommands.js';

export interface CommandParts {
  readonly context: vscode.ExtensionContext;
  readonly library: AgentLibrary;
  readonly logbooks: Logbooks;
  readonly models: ModelShelf;
  readonly runs: TeamRuns;
  readonly panels: TranscriptPanels;
  readonly transcripts: TranscriptsView;
  readonly log: LogChannel;
}

/** Every command of the extension. */
export function allCommands(parts: CommandParts): CommandHandlers {
  const { library, logbooks, models, runs, panels, transcripts, log } = parts;
  const current = () => panels.active ?? transcripts.selected[0]?.conversation;
  const choice = new ConversationChoice(logbooks, current);
  return {
    ...runCommands({ library, runs, choice }),
    ...modelCommands(models),
    ...agentCommands(library),
    ...conversationCommands({ choice, view: transcripts }),
    ...readingCommands({ logbooks, choice, panels }),
    showLog: () => log.show(),
  };
}
