import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { receive } from '../../support/receiverBench.js';
import { said } from '../import/reading.js';

const TRACE = 'a'.repeat(32);
const words = (seed: number) =>
  Array.from({ length: 400 }, (_, at) => `${(seed * 7919 + at * 104_729) % 1_000_003} ☂ "é" \\`).join(' ');

function asking(at: number, history: readonly object[], more: object = {}) {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'm',
    'gen_ai.conversation.id': 'a talk',
    'gen_ai.input.messages': JSON.stringify(history),
  };
  return {
    traceId: TRACE,
    spanId: (at + 1).toString(16).padStart(16, '0'),
    name: 'chat',
    startTimeUnixNano: `${1_790_000_000_000_000_000n + BigInt(at) * 1_000_000_000n}`,
    endTimeUnixNano: `${1_790_000_000_500_000_000n + BigInt(at) * 1_000_000_000n}`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
    ...more,
  };
}
const traces = (...spans: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const short = (text: string) => `${text.slice(0, 20)} ${createHash('sha256').update(text).digest('hex')}`;
const user = (text: string) => ({ role: 'user', parts: [{ type: 'text', content: text }] });

describe('a history that every span repeats', () => {
  test('stands once in a recording, and whole in what is imported', async () => {
    const bench = await receive();
    const history: object[] = [];
    let sent = 0;
    for (let at = 0; at < 30; at++) {
      history.push(user(words(at)));
      const body = traces(asking(at, history));
      sent += Buffer.byteLength(JSON.stringify(body));
      expect(await bench.post('/v1/traces', body)).toMatchObject({ status: 200, text: '{}' });
    }
    const [path] = await bench.recordings();
    const once = Buffer.byteLength(JSON.stringify(traces(asking(0, history))));
    expect(sent).toBeGreaterThan(15 * once);
    expect((await stat(path!)).size).toBeLessThan(1.5 * once);
    const imported = await importFile(path!);
    expect(said(imported).map(short)).toEqual(
      Array.from({ length: 30 }, (_, at) => short(`user: ${words(at)}`)),
    );
    expect(imported.problems).toEqual([]);
  });

  test('is written anew where its recording was removed, cut, or did not take what told it', async () => {
    const bench = await receive({ maxRecording: 60_000 });
    const [first, second] = [user(words(1)), user(words(2))];
    await bench.post('/v1/traces', traces(asking(0, [first])));
    const [path] = await bench.recordings();
    await writeFile(path!, '');
    const tooLong = user([2, ...Array.from({ length: 10 }, (_, at) => at + 9)].map(words).join(''));
    expect((await bench.post('/v1/traces', traces(asking(1, [first, tooLong])))).text).toContain(
      'is full: 1',
    );
    await bench.post('/v1/traces', traces(asking(2, [first, second])));
    expect(said(await importFile(path!)).map(short)).toEqual([1, 2].map((at) => short(`user: ${words(at)}`)));
    const lines = (await readFile(path!, 'utf8')).trim().split('\n');
    await bench.post('/v1/traces', traces(asking(3, [first, second, user('And now?')])));
    const [, ...later] = (await readFile(path!, 'utf8'))
      .trim()
      .split('\n')
      .slice(lines.length - 1);
    await writeFile(path!, `${later.join('\n')}\n`);
    const { problems } = await importFile(path!);
    expect(problems.map(({ message }) => message).join()).toContain('lines before it that are not there');
  });

  test('cannot be forged by who sends what looks like one', async () => {
    const bench = await receive();
    const forged = { attributes: [{ key: 'a', value: { madeOfPieces: ['x'] }, long: words(3) }] };
    await bench.post('/v1/traces', traces(asking(0, [user(words(1))], forged)));
    expect((await bench.lines()).join()).not.toContain('textPieces');
  });
});
