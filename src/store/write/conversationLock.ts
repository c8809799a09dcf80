import { ProcessLock, type Acquired } from '../../node/processLock.js';
import type { ConversationPaths } from '../files/storePaths.js';

/** Takes the right to write one conversation, or tells a person who has it. Its folder must exist. */
export async function lockConversation(
  paths: ConversationPaths,
): Promise<{ readonly lock: ProcessLock } | { readonly refused: string }> {
  const acquired = await ProcessLock.acquire(paths.lock);
  return 'lock' in acquired ? acquired : { refused: whoHolds(acquired) };
}

function whoHolds({ holder, isOnThisMachine }: Exclude<Acquired, { lock: ProcessLock }>): string {
  const who = holder && isOnThisMachine ? `process ${holder.pid}` : 'another computer or container';
  return `This conversation is being written by another window (${who}). Close it there, or read it here without adding to it.`;
}
