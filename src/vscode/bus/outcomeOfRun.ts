import type { ConversationOutcome } from '../../ports/conversationRunner.js';
import type { RunResult } from '../../runtime/agentSession.js';

/** What a run of a conversation means for whoever asked: its answer, or in words why there is none. */
export function outcomeOfRun(
  conversation: string,
  { outcome, text, error }: Pick<RunResult, 'outcome' | 'text' | 'error'>,
): ConversationOutcome {
  if (outcome === 'done') return { conversation, answer: text };
  return { conversation, failure: error?.message ?? outcome };
}
