import { basename } from 'node:path';

/** What a recording is of. */
export type RecordingKind = 'traces' | 'requests';

/** What a file of the recordings' folder is of; undefined for one that is none. */
export function kindOf(path: string): RecordingKind | undefined {
  const name = basename(path);
  if (name.endsWith('.otlp.jsonl')) return 'traces';
  return name.endsWith('.exchanges.jsonl') ? 'requests' : undefined;
}
