import * as vscode from 'vscode';
import { chatParticipantId } from '../manifest.js';
import type { ChatParts } from './answerInChat.js';

/** Registers `@logbook` in VS Code's Chat view; what it does is loaded with its first question. */
export function logbookParticipant(parts: ChatParts): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(
    chatParticipantId,
    async (request, context, stream, token) => {
      const { answerInChat } = await import('./answerInChat.js');
      return answerInChat(parts, request, context.history, stream, token);
    },
  );
  participant.iconPath = new vscode.ThemeIcon('notebook');
  return vscode.Disposable.from(participant);
}
