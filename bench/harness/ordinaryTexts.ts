import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Ordinary text, the same for everyone with the same lock file: the READMEs of the installed packages, prose and code,
 * each once, cut into texts of `length` UTF-16 units.
 */
export function ordinaryTexts(length: number): string[] {
  const files = readdirSync('node_modules', { recursive: true, encoding: 'utf8' });
  const readmes = files.filter((file) => /(^|[\\/])readme\.md$/i.test(file)).sort();
  const contents = new Set(readmes.map((file) => readFileSync(join('node_modules', file), 'utf8')));
  const text = [...contents].join('\n');
  return Array.from({ length: Math.floor(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

/** A JSON text of about `length` UTF-16 units, as a tool gives it: a list of records with nested fields. */
export function jsonText(length: number): string {
  const records: unknown[] = [];
  for (let id = 1, size = 0; size < length; id++) {
    const record = {
      id,
      name: `file-${id * 7919}.test.ts`,
      path: `/home/user/project/src/module${id % 17}/deep/file-${id}.ts`,
      size: (id * 104_729) % 1_000_003,
      modified: new Date(1_700_000_000_000 + id * 86_399_000).toISOString(),
      tags: ['source', id % 2 ? 'generated' : 'written'],
      owner: { uid: 1000 + (id % 3), group: null, writable: id % 5 !== 0 },
    };
    size += JSON.stringify(record).length + 1;
    records.push(record);
  }
  return JSON.stringify(records).slice(0, length);
}
