import type { ArchiveConnection } from '../../src/archive/archiveConnection.js';
import { ConversationPush } from '../../src/archive/conversationPush.js';
import { DEFAULT_RULES } from '../../src/export/sharing/sharingPolicy.js';
import type { ReadRecord } from '../../src/core/ports/transcript.js';
import type { MarkedPrices } from '../../src/search/columns/readSession.js';
import { markedPrices } from '../../src/search/markedPrices.js';
import { MemoryTranscript } from './memoryTranscript.js';

/** What is known of a conversation that is pushed. */
interface About {
  readonly title?: string;
  readonly source?: string;
  readonly project?: string;
  /** The id that its tool gave it. */
  readonly session?: string;
  /** What models cost where it is pushed; by default as here. */
  readonly prices?: MarkedPrices;
}

/** Pushes a conversation in full, as this program does. */
export async function pushTo(
  connection: ArchiveConnection,
  id: string,
  records: readonly ReadRecord[],
  { title = '', source, project, session, prices }: About = {},
): Promise<void> {
  const transcript = new MemoryTranscript(id, records);
  const push = new ConversationPush(
    { id, about: { title, source, project, session }, transcript },
    {
      mode: 'full',
      rules: DEFAULT_RULES,
      prices: prices ?? (await markedPrices('')),
      signal: new AbortController().signal,
    },
  );
  await push.push(connection);
}
