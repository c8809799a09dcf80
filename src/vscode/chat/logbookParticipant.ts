import * as vscode from 'vscode';
import { chatParticipantId } from '../../app/manifest.js';
import { ChatAnswer } from '../surfaces/chatAnswer.js';
import type { ChatParts } from './answerInChat.js';
import { chatMemoryOf } from '../../app/chat/chatMemory.js';

/** Registers `@logbook` in VS Code's Chat view; its code is loaded with the first question. */
export function logbookParticipant(parts: ChatParts): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(
    chatParticipantId,
    async (request, context, stream, token) => {
      const { answerInChat } = await import('./answerInChat.js');
      return answerInChat(parts, request, context.history, new ChatAnswer(stream), token);
    },
  );
  participant.iconPath = new vscode.ThemeIcon('notebook');
  participant.followupProvider = {
    async provideFollowups({ metadata }) {
      const { followUps } = await import('../../app/chat/followUps.js');
      const agents = await parts.library.invocable();
      return [
        ...followUps(
          chatMemoryOf(metadata),
          agents.map(({ name }) => name),
        ),
      ];
    },
  };
  return vscode.Disposable.from(participant);
}
