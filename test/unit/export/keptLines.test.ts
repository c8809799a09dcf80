import { expect, test } from 'vitest';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { teamStory } from '../../support/teamStory.js';

const { records } = teamStory();
const WAY = {
  full: true,
  includeMetadata: true,
  title: 'Small cookies',
  kept: { put: 80, kept: 62 },
} as const;

test.each(['markdown', 'html'] as const)('%s says below its title how many lines still stand', (format) => {
  const text = exportMessages(records, format, WAY);
  const [before = '', after] = text.split('kept 62 of 80 lines');
  expect(before).toContain('Small cookies');
  expect(after).toBeDefined();
  expect(exportMessages(records, format, { ...WAY, kept: { put: 1, kept: 0 } })).toContain(
    'kept 0 of 1 line',
  );
  expect(exportMessages(records, format, { ...WAY, kept: undefined })).not.toContain('kept 62');
});

test('JSON says it with the title, and reads back without a rest', async () => {
  const text = exportMessages(records, 'json', WAY);
  expect((JSON.parse(text) as unknown[]).at(-1)).toMatchObject({
    title: 'Small cookies',
    lines: { put: 80, kept: 62 },
  });
  const { problems, conversations } = await importTranscript(text, 'export.json');
  expect(problems).toEqual([]);
  expect(conversations).toHaveLength(1);
});
