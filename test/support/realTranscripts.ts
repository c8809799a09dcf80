import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/import/importFile.js';
import type { ReadRecord } from '../../src/core/ports/transcript.js';

const folder = join(import.meta.dirname, '../../../shared/transcripts');

/** Whether transcripts of other tools lie beside the project. */
export const hasRealTranscripts = existsSync(folder);

/** The paths of those whose names end so. */
export function realTranscriptPaths(ending: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

/**
 * The records of each conversation in them, or in every so many of the files; what is no transcript is left out, the tests
 * of the importers say which.
 */
export async function* realTranscripts(every = 1): AsyncGenerator<readonly ReadRecord[]> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const transcripts = names.filter((name) => /\.(?:jsonl?|eval)$/.test(name));
  for (const name of transcripts.filter((_, at) => at % every === 0)) {
    const result = await importFile(join(folder, name)).catch(() => ({ conversations: [] }));
    for (const { records } of result.conversations) yield records;
  }
}
