import type { Dialogs } from '../ports/dialogs.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { StoredConversation } from '../stores/storedConversation.js';
import { words } from '../text/plainText.js';
import type { SharedTokens } from './sharedTokens.js';
import { withTranscript } from '../transcripts/withTranscript.js';
import { features } from '../features/features.js';

/** The views of messages that exist as a text. */
export type Aspect = 'timeline' | 'stats' | 'toolSummary';

/** The timeline, statistics or tool summary of a conversation's records, or of those at `positions`, as a text. */
export async function subsetText(
  { store, entry }: StoredConversation,
  positions: readonly number[] | undefined,
  aspect: Aspect,
  { tokens, dialogs }: { readonly tokens: SharedTokens; readonly dialogs: Dialogs },
): Promise<string> {
  return dialogs.progress(words`Reading the messages`, (signal) =>
    withTranscript(store, entry.conversation, async (transcript) => {
      const { MessageQuestions, restoredRecords } = await features.transcripts();
      const counted = tokens.counted(restoredRecords(transcript, positions, signal), signal);
      const items: ReadRecord[] = [];
      for await (const record of counted.records) items.push(record);
      signal.throwIfAborted();
      return String(new MessageQuestions(items, { tokenCounter: counted.counter })[aspect]());
    }),
  );
}
