import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openArchive, openForPushing } from '../../src/app/archive/openArchive.js';
import { pushManySessions } from '../../src/app/archive/pushSessions.js';
import { Sources } from '../../src/app/sources/sources.js';
import { ArchiveThreads } from '../../src/archive/archiveThreads.js';
import { ArchivedSession } from '../../src/archive/archivedSession.js';
import { ArchiveReader } from '../../src/archive/archiveReader.js';
import { ARCHIVE_MODES, type ArchiveMode } from '../../src/archive/archiveMode.js';
import { DEFAULT_RULES } from '../../src/export/sharing/sharingPolicy.js';
import { silentLog } from '../../src/core/ports/log.js';
import { planQuery } from '../../src/query/language/plan.js';
import type { RowKind } from '../../src/query/language/syntax.js';
import { Asking } from '../../src/search/asking.js';
import { ColumnCache } from '../../src/search/columns/columnCache.js';
import { markedPrices } from '../../src/search/markedPrices.js';
import { PASSWORD, PostgresServer } from '../../test/support/postgresServer.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { median } from '../harness/statistics.js';
import { COMMON, makeStore, RARE } from '../search/makeStore.js';

/** `ARCHIVE_CONVERSATIONS=10000` is the full scale, of some 1,000,000 messages; it takes some ten minutes and 5 GB. */
const CONVERSATIONS = Number(process.env.ARCHIVE_CONVERSATIONS ?? 500);
/** The mean size of a conversation, in bytes: some 100 messages. */
const MEAN_BYTES = Number(process.env.ARCHIVE_MEAN_BYTES ?? 130_000);
const ROUNDS = 3;
const signal = new AbortController().signal;

const folder = mkdtempSync(join(process.env.ARCHIVE_FOLDER ?? tmpdir(), 'agent-logbook-archive-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const root = join(folder, 'store');
const made = makeStore(root, CONVERSATIONS, MEAN_BYTES);
const prices = await markedPrices('');
const server = await PostgresServer.start();

/** As the editor and the command line have them; `ARCHIVE_THREADS` says how many there may be. */
const script = pathToFileURL(resolve('dist/workers/archive.js'));
const { ARCHIVE_THREADS } = process.env;
const most = ARCHIVE_THREADS === undefined ? undefined : Number(ARCHIVE_THREADS);
const threads = new ArchiveThreads({ log: silentLog, script, most });

const addressOf = (database: string) => server.address(database);
const connect = (database: string) =>
  openArchive(addressOf(database), { password: () => Promise.resolve(PASSWORD) }, true);

interface Pushed {
  readonly mode: ArchiveMode;
  readonly records: number;
  readonly ms: number;
  readonly againMs: number;
}

/** Pushes the whole store into an archive of its own, then once more. */
async function push(mode: ArchiveMode): Promise<Pushed> {
  const owner = await connect('postgres');
  await owner.query(`CREATE DATABASE "${mode}"`);
  await owner.close();
  const archive = await openForPushing(addressOf(mode), { password: () => Promise.resolve(PASSWORD) });
  let records = 0;
  const once = async () => {
    const sources = new Sources({
      cwd: folder,
      store: root,
      stdin: () => process.stdin,
      log: silentLog,
      mayBlock: true,
      signal,
      onProblem: ({ message }) => console.error(message),
    });
    const began = performance.now();
    const pushed = pushManySessions(
      archive,
      sources.sessions([]),
      { mode, rules: DEFAULT_RULES, prices, signal },
      { threads, address: addressOf(mode), password: PASSWORD, mode, policy: {}, ownPrices: '', signal },
    );
    for await (const { outcome, problem } of pushed) {
      if (problem !== undefined) throw new Error(problem);
      records += outcome?.added ?? 0;
    }
    await sources.close();
    return performance.now() - began;
  };
  const ms = await once();
  const againMs = await once();
  await archive.close();
  return { mode, records, ms, againMs };
}

const QUESTIONS: readonly { readonly name: string; readonly text: string; readonly rows: RowKind }[] = [
  { name: 'a tool that failed', text: 'tool:Bash is:error', rows: 'toolCalls' },
  { name: 'agent, model and tokens', text: 'agent:Reviewer model:gpt-5* tokens:>30000', rows: 'messages' },
  { name: 'runs of ten days with a tool', text: 'since:2026-10-20 tool:WebFetch', rows: 'runs' },
  { name: 'a rare word', text: RARE, rows: 'messages' },
  { name: 'a common word', text: COMMON, rows: 'messages' },
];

/**
 * Asks the archive one question, with a connection of its own that is open already. `cache`: what is known from questions
 * before, as the search of the editor keeps it.
 */
async function ask({ text, rows }: (typeof QUESTIONS)[number], database: string, cache: ColumnCache) {
  const planned = planQuery(text, { rows, now: Date.UTC(2026, 10, 1), timeZone: 'UTC' });
  if (!planned.ok) throw new Error(`${text} is no question.`);
  const connection = await connect(database);
  cache.begin();
  const reader = new ArchiveReader(() => Promise.resolve(connection), cache);
  const asking = new Asking(planned.plan, prices, 'not told');
  const began = performance.now();
  let found = 0;
  for (const conversation of await reader.conversations(planned.plan)) {
    const session = new ArchivedSession(database, conversation, reader);
    found += (await asking.ask(session, signal))?.indexes.length ?? 0;
  }
  const ms = performance.now() - began;
  await connection.close();
  return { ms, found };
}

try {
  const pushed: Pushed[] = [];
  for (const mode of ARCHIVE_MODES.toReversed()) pushed.push(await push(mode));
  console.log('## The archive of a team\n');
  console.log(
    markdownTable(
      [
        `${figures(made.sessions)} conversations, ${figures(made.records)} records, ${figures(Math.round(made.bytes / 1e6))} MB`,
        'pushed',
        'records a second',
        'nothing new',
      ],
      pushed.map(({ mode, records, ms, againMs }) => [
        mode,
        duration(ms),
        figures(Math.round((records / ms) * 1000)),
        duration(againMs),
      ]),
    ),
  );
  const rows: string[][] = [];
  for (const question of QUESTIONS) {
    const [answers, again] = [[], []] as { readonly ms: number; readonly found: number }[][];
    for (let round = 0; round < ROUNDS; round++) {
      const cache = new ColumnCache();
      answers?.push(await ask(question, 'full', cache));
      again?.push(await ask(question, 'full', cache));
    }
    const middle = (some: typeof answers = []) => duration(median(some.map(({ ms }) => ms)));
    rows.push([question.name, figures(answers?.[0]?.found ?? 0), middle(answers), middle(again)]);
  }
  console.log(
    markdownTable(
      [`a question over ${figures(made.sessions)} conversations`, 'rows', 'answered', 'asked again'],
      rows,
    ),
  );
} finally {
  threads.dispose();
  await server.remove();
}
