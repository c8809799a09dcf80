import * as vscode from 'vscode';
import { chatParticipantId } from '../../app/manifest.js';
import { ChatAnswer } from '../surfaces/chatAnswer.js';
import { answerInChat, type ChatParts } from './answerInChat.js';
import { followUps } from '../../app/chat/followUps.js';
import { chatMemoryOf } from '../../app/chat/chatMemory.js';

/** Registers `@logbook` in VS Code's Chat view. */
export function logbookParticipant(parts: ChatParts): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(
    chatParticipantId,
    async (request, context, stream, token) => {
      return answerInChat(parts, request, context.history, new ChatAnswer(stream), token);
    },
  );
  participant.iconPath = new vscode.ThemeIcon('notebook');
  participant.followupProvider = {
    async provideFollowups({ metadata }) {
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
