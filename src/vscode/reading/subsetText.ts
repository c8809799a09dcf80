import type { ReadRecord } from '../../ports/transcript.js';
import type { KeptConversation } from '../logbooks.js';
import { words } from '../../app/text/plainText.js';
import { withProgress } from '../surfaces/progress.js';
import type { SharedTokens } from '../../app/transcripts/sharedTokens.js';
import { wholeRecords } from '../../app/transcripts/wholeRecords.js';
import { withTranscript } from '../../app/transcripts/withTranscript.js';

/** The views of messages that exist as a text. */
export type Aspect = 'timeline' | 'stats' | 'toolSummary';

/** The timeline, statistics or tool summary of a conversation's records, or of those at `positions`, as a text. */
export async function subsetText(
  { store, entry }: KeptConversation,
  positions: readonly number[] | undefined,
  aspect: Aspect,
  tokens: SharedTokens,
): Promise<string> {
  return withProgress(words`Reading the messages`, (signal) =>
    withTranscript(store, entry.conversation, async (transcript) => {
      const counted = tokens.counted(wholeRecords(transcript, positions, signal), signal);
      const items: ReadRecord[] = [];
      for await (const record of counted.records) items.push(record);
      signal.throwIfAborted();
      const { MessageQuestions } = await import('../../query/messageQuestions.js');
      return String(new MessageQuestions(items, { tokenCounter: counted.counter })[aspect]());
    }),
  );
}
