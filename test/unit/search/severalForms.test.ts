import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { requestsOf } from '../../../src/core/cost.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { importFile } from '../../../src/import/importFile.js';
import type { SearchUpdate } from '../../../src/page/protocol/search.js';
import { exportTablesOnThread } from '../../../src/search/reader/tablesThread.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { checkArguments } from '../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../src/surfaces/mcp/readTools.js';
import { buildWorker } from '../../support/buildWorker.js';
import { codexFamily } from '../../support/codexFamily.js';
import { agentLogbook } from '../../support/commandLine.js';
import { isDeep } from '../../support/fixedInputs.js';
import { temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

let search: URL;
let tables: URL;
beforeAll(async () => {
  search = await buildWorker('search/search.worker.ts');
  tables = await buildWorker('search/reader/tables.worker.ts');
});

/** A made-up family of Codex threads on the disk: forks, subagents, further files of one thread. */
async function familyOf(seed: number) {
  const folder = await mkdtemp(join(tmpdir(), 'family-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const rollouts = codexFamily(seed);
  const names: string[] = [];
  for (const { path, lines } of rollouts) {
    const name = join('sessions', path);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    names.push(name);
  }
  const turns = new Set(rollouts.flatMap(({ lines }) => JSON.stringify(lines).match(/Question \d+/g) ?? []));
  const input = [...turns].reduce((sum, words) => sum + 100 + Number(words.slice(9)), 0);
  return { folder, names, truth: { requests: turns.size, input } };
}

async function inSearch(files: readonly string[]): Promise<number> {
  const { root } = await temporaryStore();
  const asked = new SessionSearch({
    script: search,
    log: silentLog,
    files: () => Promise.resolve(files.map((path) => ({ path, changed: 1_790_000_000_000 }))),
    stores: () => Promise.resolve([{ root, readOnly: false }]),
  });
  onTestFinished(() => asked.dispose());
  const question = {
    text: '',
    rows: 'records',
    now: 1_790_000_100_000,
    timeZone: 'UTC',
    order: 'newest',
    limits: { sessions: 0, hitsOfSession: 0 },
  } as const;
  let last: SearchUpdate | undefined;
  for await (const update of asked.ask(question, new AbortController().signal)) last = update;
  return last?.totals.cost ? requestsOf(last.totals.cost) : 0;
}

async function overMcp(cwd: string, names: readonly string[]): Promise<unknown> {
  const { signal } = new AbortController();
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  const library = new McpLibrary({ cwd, signal, stdin, log: silentLog }, names, () =>
    Date.parse('2027-01-01'),
  );
  onTestFinished(() => library.close());
  const tool = readTools.find(({ name }) => name === 'get_cost');
  return tool && (await tool.run(library, checkArguments(tool, {})));
}

async function inTables(files: readonly string[]) {
  const { store } = await temporaryStore();
  const ids = new Set<string>();
  for (const path of files) {
    const { conversations, format } = await importFile(path);
    for (const { id, title, records } of conversations) {
      const source = { tool: format, session: id, path, title };
      ids.add((await store.importSession({ source, records })).conversation);
    }
  }
  const targets = await Promise.all(
    [...ids].map(async (id) => ({ target: await store.target(id), title: id })),
  );
  const folder = join(await temporaryFolder(), 'tables');
  const sharing = { policy: {}, asks: 'never' as const };
  await exportTablesOnThread(
    { targets, folder, redact: false, ownPrices: '', sharing },
    {
      script: tables,
      log: silentLog,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      review: () => Promise.reject(new Error('nobody was to be asked')),
    },
  );
  const bytes = await readFile(join(folder, 'requests.parquet'));
  const rows: Record<string, unknown>[] = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  const sum = (name: string) => rows.reduce((all, row) => all + Number(row[name] ?? 0), 0);
  return { requests: sum('requests'), input: sum('input_tokens') };
}

interface Totals {
  readonly tokens: { readonly input: number };
  readonly cost: { readonly requests: number };
}

test.each(Array.from({ length: isDeep ? 100 : 2 }, (_, seed) => seed))(
  'each request of family %i is counted once, in every form and order',
  { timeout: 120_000 },
  async (seed) => {
    const { folder, names, truth } = await familyOf(seed);
    const paths = names.map((name) => join(folder, name));
    for (const order of [names, names.toReversed()]) {
      const stats = await agentLogbook(['stats', '--json', ...order], { cwd: folder });
      const { tokens, cost } = stats.json.at(-1) as unknown as Totals;
      expect({ requests: cost.requests, input: tokens.input }).toEqual(truth);
      const { json } = await agentLogbook(['cost', '--json', '--by', 'day', ...order], { cwd: folder });
      expect(json.at(-1)).toMatchObject({ requests: truth.requests });
    }
    expect(await overMcp(folder, names)).toMatchObject({ requests: truth.requests });
    expect(await inSearch(paths)).toBe(truth.requests);
    expect(await inSearch(paths.toReversed())).toBe(truth.requests);
    expect(await inTables(paths)).toEqual(truth);
  },
);
