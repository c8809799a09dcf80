import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { knownAmount, requestsOf } from '../../../src/core/cost.js';
import { inDollars } from '../../../src/core/money.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { importFile } from '../../../src/import/importFile.js';
import type { SearchUpdate } from '../../../src/page/protocol/search.js';
import { exportTablesOnThread } from '../../../src/search/reader/tablesThread.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { checkArguments } from '../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../src/surfaces/mcp/readTools.js';
import { buildWorker } from '../../support/buildWorker.js';
import { claudeFamily } from '../../support/claudeFamily.js';
import { codexFamily, type MadeRollout } from '../../support/codexFamily.js';
import { agentLogbook } from '../../support/commandLine.js';
import { isDeep } from '../../support/fixedInputs.js';
import { temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

let search: URL;
let tables: URL;
beforeAll(async () => {
  search = await buildWorker('search/search.worker.ts');
  tables = await buildWorker('search/reader/tables.worker.ts');
});

/** Writes the files of a family; gives their folder and their names in it. */
async function written(files: readonly MadeRollout[]) {
  const folder = await mkdtemp(join(tmpdir(), 'family-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const { path, lines } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  return { folder, names: files.map(({ path }) => path) };
}

/** A made-up family of Claude Code's sessions on the disk: copies, beginnings of others, subagents. */
async function claudeOnDisk(seed: number) {
  const { files, used } = claudeFamily(seed);
  const input = used.input + used.cacheRead + used.cacheWrite;
  return { ...(await written(files)), truth: { requests: used.requests, input } };
}

/** A made-up family of Codex threads on the disk: forks, subagents, further files of one thread. */
async function codexOnDisk(seed: number) {
  const rollouts = codexFamily(seed);
  const { folder, names } = await written(
    rollouts.map(({ path, lines }) => ({ path: join('sessions', path), lines })),
  );
  const turns = new Set(rollouts.flatMap(({ lines }) => JSON.stringify(lines).match(/Question \d+/g) ?? []));
  const input = [...turns].reduce((sum, words) => sum + 100 + Number(words.slice(9)), 0);
  return { folder, names, truth: { requests: turns.size, input } };
}

/** What the page of spending shows: all that a search for nothing finds. */
async function inSearch(files: readonly string[]) {
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
  const { cost } = last?.totals ?? {};
  return { requests: cost ? requestsOf(cost) : 0, dollars: cost ? inDollars(knownAmount(cost)) : 0 };
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

const FAMILIES = { 'Claude Code': claudeOnDisk, Codex: codexOnDisk } as const;
const seeds = Array.from({ length: isDeep ? 100 : 2 }, (_, seed) => seed);

test.each(
  Object.entries(FAMILIES).flatMap(([tool, make]) => seeds.map((seed) => [seed, tool, make] as const)),
)(
  'each request of family %i of %s is counted once, in every form and order',
  { timeout: 120_000 },
  async (seed, _, make) => {
    const { folder, names, truth } = await make(seed);
    const paths = names.map((name) => join(folder, name));
    let dollars = 0;
    for (const order of [names, names.toReversed()]) {
      const stats = await agentLogbook(['stats', '--json', ...order], { cwd: folder });
      const { tokens, cost } = stats.json.at(-1) as unknown as Totals;
      expect({ requests: cost.requests, input: tokens.input }).toEqual(truth);
      const { json } = await agentLogbook(['cost', '--json', '--by', 'day', ...order], { cwd: folder });
      expect(json.at(-1)).toMatchObject({ requests: truth.requests });
      dollars = Number(json.at(-1)?.dollars ?? 0);
    }
    expect(await overMcp(folder, names)).toMatchObject({ requests: truth.requests });
    const spending = { requests: truth.requests, dollars: expect.closeTo(dollars, 9) as unknown };
    expect(await inSearch(paths)).toEqual(spending);
    expect(await inSearch(paths.toReversed())).toEqual(spending);
    expect(await inTables(paths)).toEqual(truth);
  },
);
