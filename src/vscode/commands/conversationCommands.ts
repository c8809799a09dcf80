import { join } from 'node:path';
import * as vscode from 'vscode';
import type { KeptConversation } from '../logbooks.js';
import { chosen } from '../userError.js';
import type { TranscriptsView } from '../views/transcriptsView.js';
import type { ConversationChoice } from './chooseConversation.js';

export interface ConversationCommandsDeps {
  readonly choice: ConversationChoice;
  readonly view: TranscriptsView;
}

/** The commands that change, delete or show what is kept of a conversation. */
export function conversationCommands({ choice, view }: ConversationCommandsDeps) {
  return {
    async filterTranscripts() {
      const options = {
        title: 'Filter Transcripts',
        prompt: 'Words of the title, the agents or the state',
        value: view.filter,
      };
      view.filter = chosen(await vscode.window.showInputBox(options));
    },

    clearTranscriptsFilter() {
      view.filter = '';
    },

    async revealConversation(argument?: unknown) {
      const kept = await choice.one(argument, 'Reveal in File Explorer');
      await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(journalOf(kept)));
    },

    async openRawJournal(argument?: unknown) {
      const kept = await choice.one(argument, 'Open Raw Journal');
      const uri = vscode.Uri.file(journalOf(kept));
      await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
    },
  };
}

/** Where the journal of a conversation lies. */
function journalOf({ root, entry }: KeptConversation): string {
  return join(root, 'conversations', entry.conversation, 'messages.jsonl');
}
