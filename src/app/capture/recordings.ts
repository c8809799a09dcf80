import { readdir, stat } from 'node:fs/promises';
import { join, basename } from 'node:path';
import { errorCode } from '../../core/errorCode.js';

/** A file that was recorded. */
export interface Recording {
  readonly path: string;
  readonly kind: RecordingKind;
  readonly bytes: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly changed: number;
}

/** The recordings in a folder, the newest first; none where there is no such folder. */
export async function recordingsIn(folder: string): Promise<readonly Recording[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const found = await Promise.all(
    names.map(async (name): Promise<Recording | undefined> => {
      const path = join(folder, name);
      const kind = kindOf(path);
      // One that was deleted meanwhile is none.
      const about = kind && (await stat(path).catch(() => undefined));
      return kind && about && { path, kind, bytes: about.size, changed: about.mtimeMs };
    }),
  );
  return found.filter((each) => each !== undefined).sort((a, b) => b.changed - a.changed);
}

/** What a recording is of. */
export type RecordingKind = 'traces' | 'requests';

/** What a file of the recordings' folder is of; undefined for one that is none. */
export function kindOf(path: string): RecordingKind | undefined {
  const name = basename(path);
  if (name.endsWith('.otlp.jsonl')) return 'traces';
  return name.endsWith('.exchanges.jsonl') ? 'requests' : undefined;
}
