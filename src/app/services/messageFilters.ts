import { isUnasked, NO_QUESTION } from '../../page/protocol/question.js';
import type { Question } from '../../query/language/question.js';
import type { RecordMatches } from '../../search/searchCalls.js';
import type { StoredConversation } from '../stores/storedConversation.js';
import type { Stores } from './stores.js';
import type { Dialogs } from '../ports/dialogs.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { words } from '../text/plainText.js';
import type { SharedTokens } from './sharedTokens.js';
import { withTranscript } from '../transcripts/withTranscript.js';
import { features } from '../features/features.js';

/** The latest question from the command palette to each conversation, until the window closes. */
export class MessageFilters {
  readonly #questions = new Map<string, Question>();

  /** Undefined where everything is to be seen. */
  questionOf(conversation: string): Question | undefined {
    return this.#questions.get(conversation);
  }

  /** Sets a conversation's question; one that asks for nothing in particular removes it. */
  set(conversation: string, question: Question = NO_QUESTION): void {
    if (isUnasked(question)) this.#questions.delete(conversation);
    else this.#questions.set(conversation, question);
  }
}

/** What a question finds in a conversation; answered on another thread. Rejects like `SessionSearch.recordsIn`. */
export async function recordsFound(
  stores: Pick<Stores, 'search'>,
  { root, entry: { conversation } }: StoredConversation,
  question: Question,
  signal: AbortSignal,
): Promise<RecordMatches> {
  const search = await stores.search();
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const asked = { ...question, now: Date.now(), timeZone };
  return await search.recordsIn({ kind: 'stored', root, conversation }, asked, signal);
}

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
