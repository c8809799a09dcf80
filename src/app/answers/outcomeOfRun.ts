import type { ConversationOutcome } from '../../core/ports/conversationRunner.js';
import type { RunResult } from '../../agents/loop/agentSession.js';

/** Converts the result of a run to a conversation outcome: the answer, or why there is none. */
export function outcomeOfRun(
  conversation: string,
  { outcome, text, error }: Pick<RunResult, 'outcome' | 'text' | 'error'>,
): ConversationOutcome {
  if (outcome === 'done') return { conversation, answer: text };
  return { conversation, failure: error?.message ?? outcome };
}
