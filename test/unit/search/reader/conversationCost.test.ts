import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { importFile } from '../../../../src/import/importFile.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { loadPrices } from '../../../../src/query/pricing/loadPrices.js';
import { conversationCost } from '../../../../src/search/reader/conversationCost.js';
import { temporaryFolder, temporaryStore } from '../../../support/storeFixture.js';
import { lines, records } from '../../import/reading.js';

const timestamp = '2026-03-01T10:00:00.000Z';
const prices = await loadPrices('');

/** A session of Codex that has used these tokens of input, and their running totals. */
const rollout = (...inputs: readonly number[]) =>
  lines(
    { timestamp, type: 'session_meta', payload: { id: 'c' } },
    { timestamp, type: 'turn_context', payload: { model: 'gpt-5' } },
    {
      timestamp,
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
    },
    ...inputs.map((input_tokens, at) => ({
      timestamp: `2026-03-01T10:0${at}:01.000Z`,
      type: 'event_msg',
      payload: { type: 'token_count', info: { total_token_usage: { input_tokens, output_tokens: 0 } } },
    })),
  );

test('a session that Codex has moved to its archive is imported and paid for once, and goes on there', async () => {
  const folder = await temporaryFolder();
  const { store } = await temporaryStore();
  const name = 'rollout-2026-03-01T10-00-00-c.jsonl';
  const paths = ['sessions/2026/03/01', 'archived_sessions'].map((place) => join(folder, place, name));
  const load = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    const result = await importFile(path);
    const session = result.conversations[0]?.id ?? '';
    const source = { tool: 'codex', session, path, title: 'Go' };
    return store.importSession({ source, records: records(result) });
  };
  const spent = () =>
    Promise.all(
      store.catalog.entries().map(async ({ conversation }) => {
        const { short } = await conversationCost(await store.target(conversation), prices, silentLog);
        return short;
      }),
    );
  const [live = '', archived = ''] = paths;
  expect(await load(live, rollout(200_000))).toMatchObject({ kind: 'new' });
  expect(await load(archived, rollout(200_000))).toMatchObject({ kind: 'unchanged' });
  expect(await spent()).toEqual(['$0.25']);
  expect(await load(archived, rollout(200_000, 280_000))).toMatchObject({ kind: 'grown' });
  expect(await spent()).toEqual(['$0.35']);
});
