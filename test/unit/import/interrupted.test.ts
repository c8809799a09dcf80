import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openImport } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { ImportSink } from '../../../src/import/building/importSink.js';
import { otlp } from '../../../src/import/spans/otlp.js';
import { readWith } from '../../../src/import/building/transcriptFormat.js';
import { atOnce, inSlices, type Steps } from '../../../src/import/reading/steps.js';

/** A session of Claude Code in which so many questions are answered. */
function session(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const about = { sessionId: 's', timestamp: new Date(1.7e12 + at * 1000).toISOString(), cwd: '/work' };
    const content = `What of ${at}? ${'word '.repeat(200)}`;
    return [
      { ...about, type: 'user', uuid: `u${at}`, message: { role: 'user', content } },
      {
        ...about,
        type: 'assistant',
        uuid: `a${at}`,
        parentUuid: `u${at}`,
        requestId: `r${at}`,
        message: { id: `m${at}`, role: 'assistant', content: [{ type: 'text', text: `${content} Yes.` }] },
      },
    ];
  });
  return lines
    .flat()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

test('a file that is read in bounded memory is left when somebody interrupts, in each part of the work', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'interrupted-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'session.jsonl');
  await writeFile(path, session(2_000));
  for (const when of ['reading', 'records', 'comparing']) {
    const stop = new AbortController();
    const onPart = (part: string) => {
      if (part === when) setImmediate(() => stop.abort(new Error(`Interrupted while ${when}.`)));
    };
    await expect(openImport(path, { heldBytes: 1, signal: stop.signal, onPart })).rejects.toThrow(
      `Interrupted while ${when}.`,
    );
  }
});

test('so is one that is held', async () => {
  const stop = new AbortController();
  async function* bytes() {
    yield Buffer.from(session(2_000));
    await Promise.resolve();
    // From here on nothing is waited for.
    setImmediate(() => stop.abort(new Error('Interrupted.')));
  }
  await expect(importTranscript(bytes(), 'session.jsonl', { signal: stop.signal })).rejects.toThrow(
    'Interrupted.',
  );
});

test('work in slices gives what it gives at once, and closes what it had open where it is left', async () => {
  let isOpen = false;
  function* work(): Steps<number> {
    isOpen = true;
    let sum = 0;
    try {
      for (let at = 0; at < 1_000_000; at++) {
        sum += at;
        yield;
      }
    } finally {
      isOpen = false;
    }
    return sum;
  }
  expect(await inSlices(work(), undefined)).toBe(atOnce(work()));
  const stop = new AbortController();
  function* endless(): Steps<never> {
    isOpen = true;
    try {
      for (;;) yield;
    } finally {
      isOpen = false;
    }
  }
  setImmediate(() => stop.abort(new Error('Enough.')));
  await expect(inSlices(endless(), stop.signal)).rejects.toThrow('Enough.');
  expect(isOpen).toBe(false);
});

test('a format that goes through the values itself can be left after each of them', () => {
  const spans = Array.from({ length: 500 }, (_, at) => ({
    value: {
      traceId: String(at % 50).padStart(32, '0'),
      spanId: String(at).padStart(16, '0'),
      name: 'chat',
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5' },
    },
  }));
  expect([...readWith(otlp, spans, new ImportSink('spans'), [])].length).toBeGreaterThan(spans.length);
});
