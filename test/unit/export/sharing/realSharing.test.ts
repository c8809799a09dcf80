import { describe, expect, test } from 'vitest';
import { fileChunks } from '../../../../src/export/files/fileChunks.js';
import { masked } from '../../../../src/export/sharing/finding.js';
import { SharingGate } from '../../../../src/export/sharing/sharingGate.js';
import { FILE_FORMATS } from '../../../../src/core/ports/exportFormats.js';
import { isDeep } from '../../../support/fixedInputs.js';
import { hasRealTranscripts, readReal, REAL_TRANSCRIPTS } from '../../../ui/support/realTranscripts.js';

function gateOver(records: readonly unknown[]): SharingGate {
  const gate = new SharingGate();
  records.forEach((record, at) => gate.look(record, at));
  return gate;
}

const placeholdersIn = (text: string) =>
  new Set(Array.from(text.matchAll(/\[REDACTED:[a-z0-9-]+(?::\d+)?\]/g), ([one]) => one));

describe.skipIf(!hasRealTranscripts)('the gate over real transcripts', () => {
  // The largest takes as long as all others.
  test.each(
    isDeep ? REAL_TRANSCRIPTS : REAL_TRANSCRIPTS.filter((name) => !name.endsWith('obra-large.jsonl')),
  )('refuses no export of %s, and names each value once for all of them', async (name) => {
    const { conversations } = await readReal(name);
    for (const { records } of conversations) {
      const { findings } = gateOver(records);
      const named = new Set(findings.map(({ placeholder }) => placeholder));
      expect(named.size).toBe(findings.length);
      for (const format of FILE_FORMATS) {
        let text = '';
        const options = { full: true, includeMetadata: true, gate: gateOver(records) };
        for await (const chunk of fileChunks(records, format, options)) text += chunk;
        const unnamed = [...placeholdersIn(text)].filter((one) => !named.has(one));
        const values = findings
          .filter(({ value }) => value.length >= 16)
          .filter(({ value }) => text.includes(value));
        expect.soft([format, unnamed, values.map(({ value }) => masked(value))]).toEqual([format, [], []]);
      }
    }
  });
});
