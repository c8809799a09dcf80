import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchQuestion } from '../../src/protocol/search.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { median } from '../harness/statistics.js';
import { COMMON, makeStore, PATTERN, RARE } from './makeStore.js';
import { keptBytes, ourSearch, removeKept, timed, type Answered } from './ours.js';
import { fts5, ripgrep } from './peers.js';

/** `SEARCH_SESSIONS=10000` is the full scale, 5 GB; it takes that much room twice over. */
const SESSIONS = Number(process.env.SEARCH_SESSIONS ?? 300);
const ROUNDS = 5;
/** The counts and the newest hits, which is what ours answers with. */
const newest = (where: string) => [
  `SELECT agent, count(*) FROM m WHERE ${where} GROUP BY agent`,
  `SELECT * FROM m WHERE ${where} ORDER BY time DESC LIMIT 100`,
];
const inTexts = (word: string) => newest(`id IN (SELECT rowid FROM t WHERE t MATCH '${word}')`);

interface Question {
  readonly name: string;
  readonly text: string;
  readonly rows: SearchQuestion['rows'];
  /** The same for SQLite, and for ripgrep, where they can be asked. */
  readonly sql?: readonly string[];
  readonly grep?: string;
  readonly isPattern?: true;
}

const QUESTIONS: readonly Question[] = [
  {
    name: 'a tool that failed',
    text: 'tool:Bash is:error',
    rows: 'toolCalls',
    sql: newest("tool = 'Bash' AND failed = 1"),
  },
  {
    name: 'agent, model and tokens',
    ...{ text: 'agent:Reviewer model:gpt-5* tokens:>30000', rows: 'messages' },
    sql: newest("agent = 'Reviewer' AND model LIKE 'gpt-5%' AND tokens > 30000"),
  },
  { name: 'runs of ten days with a tool', text: 'since:2026-10-20 tool:WebFetch', rows: 'runs' },
  { name: 'a rare word', text: RARE, rows: 'messages', sql: inTexts(RARE), grep: RARE },
  { name: 'a common word', text: COMMON, rows: 'messages', sql: inTexts(COMMON), grep: COMMON },
  {
    name: 'a pattern with a literal',
    text: `/${PATTERN}/`,
    rows: 'messages',
    grep: PATTERN,
    isPattern: true,
  },
];

const folder = mkdtempSync(join(process.env.SEARCH_FOLDER ?? tmpdir(), 'agent-logbook-search-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const root = join(folder, 'store');
const made = makeStore(root, SESSIONS);

/** The answers to a question with nothing kept, each by a thread of its own. */
async function unread(text: string, rows: Question['rows']): Promise<Answered> {
  removeKept(root);
  const fresh = ourSearch(root, true);
  const answered = await timed(fresh, text, rows);
  fresh.dispose();
  return answered;
}

const cold = new Map<string, Answered>();
for (const { name, text, rows } of QUESTIONS) cold.set(name, await unread(text, rows));

const builder = ourSearch(root, false);
const start = performance.now();
await timed(builder, 'is:error');
const built = performance.now() - start;
const kept = keptBytes(root);
const indexed = await fts5(root);

const middle = (values: readonly number[]) => median([...values]);
const rows: string[][] = [];
for (const question of QUESTIONS) {
  const answers: Answered[] = [];
  const [greps, asks]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    answers.push(await timed(builder, question.text, question.rows));
    if (question.grep !== undefined)
      greps.push(await ripgrep(root, question.grep, question.isPattern === true));
    if (question.sql && indexed) asks.push(question.sql.reduce((sum, sql) => sum + indexed.ask(sql, []), 0));
  }
  rows.push([
    ...[question.name, figures(answers[0]?.rows ?? 0)],
    duration(middle(answers.map(({ first }) => first))),
    duration(middle(answers.map(({ hundred }) => hundred))),
    duration(middle(answers.map(({ all }) => all))),
    duration(cold.get(question.name)?.all ?? NaN),
    ...[duration(middle(greps)), duration(middle(asks))],
    duration(Math.max(...answers.map(({ stall }) => stall))),
  ]);
}
builder.dispose();

const store = `${figures(made.sessions)} sessions, ${figures(made.records)} records, ${figures(made.bytes / 1e6)} MB`;
const head = [
  store,
  'found',
  'first',
  'first 100',
  'all',
  'all, nothing kept',
  'ripgrep',
  'FTS5',
  'longest stall',
];
console.log(`## Questions to all sessions\n\n${markdownTable(head, rows)}\n`);
const costs = [
  [
    'Agent Logbook',
    duration(built),
    `${figures(kept.bytes / 1e6)} MB`,
    `${figures((100 * kept.bytes) / made.bytes)} %`,
  ],
  ...(indexed
    ? [
        [
          'SQLite, FTS5',
          duration(indexed.milliseconds),
          `${figures(indexed.bytes / 1e6)} MB`,
          `${figures((100 * indexed.bytes) / made.bytes)} %`,
        ],
      ]
    : []),
];
console.log(`${markdownTable(['what is kept', 'made in', 'size', 'of the journals'], costs)}\n`);
