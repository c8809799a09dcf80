import { expect, test } from 'vitest';
import { agentLogbook, folderWith } from '../../../support/commandLine.js';

/** An answer of a Claude Code session at a time, with what it used. */
function answer(number: number, timestamp: string, input: number, more: object = {}): string {
  const about = { uuid: `a${number}`, sessionId: 's', cwd: '/srv/bakery', requestId: `req_${number}` };
  const message = {
    id: `msg_${number}`,
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: `Baked ${number}` }],
    usage: { input_tokens: input, output_tokens: 0 },
  };
  return `${JSON.stringify({ ...about, type: 'assistant', timestamp, message, ...more })}\n`;
}

const folder = () =>
  folderWith({
    's.jsonl': [
      // A Sunday, and in Berlin already a Monday; at 3 dollars for a million tokens.
      answer(1, '2026-08-30T22:30:00Z', 100_000),
      answer(2, '2026-08-31T10:00:00Z', 10_000),
      answer(3, '2026-09-01T10:00:00Z', 1_000),
    ].join(''),
  });

async function costs(by: string, zone: string) {
  const { json, out } = await agentLogbook(['cost', '--json', '--by', by, '--time-zone', zone, 's.jsonl'], {
    cwd: await folder(),
  });
  const total = json.at(-1) ?? {};
  return { rows: json.slice(0, -1).map(({ name, dollars }) => [name, dollars]), total, out };
}

test('costs are told by the day, the week and the month in which requests ended, by the clock that was named', async () => {
  expect((await costs('day', 'UTC')).rows).toEqual([
    ['2026-08-30', 0.3],
    ['2026-08-31', 0.03],
    ['2026-09-01', 0.003],
  ]);
  expect((await costs('day', 'Europe/Berlin')).rows).toEqual([
    ['2026-08-31', 0.33],
    ['2026-09-01', 0.003],
  ]);
  expect((await costs('week', 'UTC')).rows).toEqual([
    ['2026-08-24', 0.3],
    ['2026-08-31', 0.033],
  ]);
  expect((await costs('month', 'UTC')).rows).toEqual([
    ['2026-08', 0.33],
    ['2026-09', 0.003],
  ]);
});

test('time zone and the beginning of weeks are said, and the whole is that of every other key', async () => {
  const { total } = await costs('week', 'Europe/Berlin');
  expect(total).toMatchObject({
    timeZone: 'Europe/Berlin',
    weekBegins: 'Monday',
    dollars: 0.333,
    requests: 3,
  });
  expect((await costs('model', 'UTC')).total).toMatchObject({ dollars: 0.333, requests: 3 });
  const { out } = await agentLogbook(['cost', '--by', 'day', '--utc', 's.jsonl'], { cwd: await folder() });
  expect(out).toContain('By the clock of UTC, days from midnight, weeks from Monday.');
});

test('a time zone that does not exist is refused', async () => {
  const { err } = await agentLogbook(['cost', '--by', 'day', '--time-zone', 'Mars/North', 's.jsonl'], {
    cwd: await folder(),
  });
  expect(err).toContain('There is no time zone Mars/North');
});

test('what subagents spent is told beside the whole', async () => {
  const side = { isSidechain: true, agentId: 'a1' };
  const cwd = await folderWith({
    's.jsonl': answer(1, '2026-09-01T10:00:00Z', 100_000),
    's/subagents/agent-a1.jsonl': answer(2, '2026-09-01T10:01:00Z', 10_000, side),
  });
  const { json } = await agentLogbook(['cost', '--json', 's.jsonl'], { cwd });
  expect(json.at(-1)).toMatchObject({ dollars: 0.33, delegated: { dollars: 0.03, requests: 1 } });
  const told = await agentLogbook(['stats', '--json', 's.jsonl'], { cwd });
  for (const each of told.json) expect(each).toMatchObject({ delegated: { dollars: 0.03 } });
  expect((await agentLogbook(['cost', 's.jsonl'], { cwd })).out).toContain('Of this, $0.03 by subagents.');
});
