import { expect, test } from 'vitest';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { nameOf } from '../../../src/provenance/fileBlame.js';
import { EditReader, linesOf, type RecordedEdit } from '../../../src/provenance/recordedEdits.js';
import { FileStates } from '../../../src/provenance/fileStates.js';
import { Replay } from '../../../src/provenance/replay.js';
import { hasRealTranscripts, realTranscripts } from '../../support/realTranscripts.js';

/** The edits that a session tells, by the files that they are of. */
function editsIn(records: readonly ReadRecord[]): ReadonlyMap<string, readonly RecordedEdit[]> {
  const reader = new EditReader();
  const found = [...records.flatMap((record) => reader.add(record)), ...reader.finish()];
  const byFile = new Map<string, RecordedEdit[]>();
  for (const edit of found) byFile.set(nameOf(edit.path), [...(byFile.get(nameOf(edit.path)) ?? []), edit]);
  return byFile;
}

const withoutBlanks = (line: string) => line.replaceAll(/\s+/g, '');

/** The lines, without blanks, of which an edit left more in its file than there were, as far as it tells. */
function putBy({ change }: RecordedEdit): ReadonlySet<string> {
  if (change.kind === 'delete' || change.kind === 'seen') return new Set();
  const places = change.kind === 'write' ? [{ old: change.before ?? '', now: change.after }] : change.places;
  const counts = new Map<string, number>();
  const add = (text: string, number: number) => {
    for (const line of linesOf(text).map(withoutBlanks)) counts.set(line, (counts.get(line) ?? 0) + number);
  };
  for (const { old, now } of places) {
    add(old, -1);
    add(now, 1);
  }
  return new Set([...counts].flatMap(([line, count]) => (count > 0 ? [line] : [])));
}

test.skipIf(!hasRealTranscripts)(
  'in real sessions every line that is said to be of an edit is one that it put',
  async () => {
    const count = { sessions: 0, told: 0 };
    for await (const records of realTranscripts()) {
      const byFile = editsIn(records);
      if (byFile.size > 0) count.sessions++;
      for (const edits of byFile.values()) {
        const text = new FileStates(edits).last;
        if (typeof text !== 'string') continue;
        const now = linesOf(text);
        const placed = edits.map((edit) => ({ edit, tree: '' }));
        for (const [at, author] of new Replay(placed, []).blame(now).entries()) {
          const [line = '', edit] = [now[at], edits[author - 1]];
          if (!edit) continue;
          count.told++;
          expect({ path: edit.path, line, isPut: putBy(edit).has(withoutBlanks(line)) }).toMatchObject({
            isPut: true,
          });
        }
      }
    }
    expect(count.sessions).toBeGreaterThan(8);
    expect(count.told).toBeGreaterThan(100);
  },
  120_000,
);
