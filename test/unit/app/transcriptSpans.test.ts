import { expect, test } from 'vitest';
import { TranscriptSpans, type SpanWork } from '../../../src/app/telemetry/transcriptSpans.js';
import { fillExample } from '../../../src/export/secrets/secretRow.js';
import { sharingRules } from '../../../src/export/sharing/sharingPolicy.js';
import { NO_PRICES } from '../../../src/core/ports/prices.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { recordOf, said } from '../../support/storeFixture.js';

test('an id of a conversation that holds what is left out stands on no span, and the same one in its place on each', async () => {
  const id = `annabel-${fillExample('ghp_{36}')}`;
  const queued: unknown[] = [];
  const work = {
    conversation: id,
    timeless: 1,
    prices: NO_PRICES,
    rules: await sharingRules({ names: ['Annabel', 'Agent'] }),
    origin: { resource: {}, version: '' },
    dialect: '1.41',
    additions: new Set(),
    content: 'full',
    queue: { add: (batch: unknown) => Promise.resolve(queued.push(batch) > 0) },
  } as unknown as SpanWork;
  const transcript = new MemoryTranscript(id, [
    recordOf(1, said('Hello, Annabel.'), id),
    recordOf(2, said('Soup.'), id),
  ]);
  const spans = new TranscriptSpans(work);
  await spans.advance(transcript, 0, new AbortController().signal);
  await spans.end();
  const sent = JSON.stringify(queued);
  expect(sent).toContain('Soup.');
  expect(sent).not.toMatch(/annabel|ghp_/i);
  expect(new Set(sent.match(/"gen_ai\.conversation\.id":"[^"]*"/g)).size).toBe(1);
});
