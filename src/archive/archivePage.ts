import type { ArchiveReader } from './archiveReader.js';
import type { ArchivePage } from './archiveReadingCalls.js';

/** How many models of a conversation are told. */
const MAX_MODELS = 10;

/** So many conversations of an archive behind others, the newest first. Rejects with an ArchiveError. */
export async function archivePage(reader: ArchiveReader, from: number, count: number): Promise<ArchivePage> {
  const all = await reader.count();
  const known = await reader.page(from, count);
  return {
    count: all,
    conversations: known.map(({ conversation: { id, entry, records, source, project }, facts }) => {
      const models = new Set(facts?.recordKinds.examples.flatMap(({ model }) => model ?? []));
      return {
        id,
        entry,
        records,
        source,
        project,
        models: [...models].slice(0, MAX_MODELS),
        cost: facts?.whole.totalCost,
      };
    }),
  };
}
