import { describe, expect, test } from 'vitest';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import type { ExportReport } from '../../../src/export/exportFormat.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { TEXT_FORMATS, type TextFormat } from '../../../src/core/ports/exportFormats.js';
import { missingWords } from '../../support/missingWords.js';
import { hasRealTranscripts, readReal, REAL_TRANSCRIPTS } from '../../ui/support/realTranscripts.js';

/** The texts of a value that are long enough to stand nowhere by chance; the ids of calls, which only join, are no texts. */
function textsOf(value: unknown, least = 12): string[] {
  if (typeof value === 'string') return value.length >= least ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (/id$/i.test(key) ? [] : textsOf(each, least)));
}

/** What a full export of one record lacks of its texts without saying that it left something out. */
function silentLosses(record: ReadRecord, format: TextFormat): string[] {
  let report: ExportReport | undefined;
  const onReport = (made: ExportReport) => (report = made);
  const text = exportMessages([record], format, {
    full: true,
    redact: false,
    title: 'T',
    onReport,
  });
  // The ids of a record's place are no texts either.
  const rest = { ...record, conversation: '', run: '', call: '' };
  // Who worked while a text outside of messages stood there is its place, too.
  if (rest.type === 'imported') rest.agent = '';
  // In JSON the letters of escapes would be taken for words.
  const said = format === 'json' ? textsOf(JSON.parse(text), 0).join('\n') : text;
  const lost = missingWords(textsOf(rest), said);
  return lost.length > 0 && report?.leftOut === undefined ? lost : [];
}

describe.skipIf(!hasRealTranscripts)('full exports of real transcripts', () => {
  test.each(REAL_TRANSCRIPTS)('have each text of %s, or say that it was left out', async (name) => {
    const { conversations } = await readReal(name);
    for (const format of TEXT_FORMATS)
      for (const { records } of conversations)
        for (const record of records)
          expect.soft(silentLosses(record, format), `${format} of ${record.id} (${record.type})`).toEqual([]);
  });
});
