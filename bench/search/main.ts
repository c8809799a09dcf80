import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchQuestion } from '../../src/page/protocol/search.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { median } from '../harness/statistics.js';
import { COMMON, makeStore, PATTERN, RARE } from './makeStore.js';
import { keptBytes, ourSearch, removeKept, timed, type Answered } from './ours.js';
import { fts5, ripgrep, ripgrepPath } from './peers.js';

/** `SEARCH_SESSIONS=10000` is the full scale, 5 GB; it takes that much room twice over, and some ten minutes. */
const SESSIONS = Number(process.env.SEARCH_SESSIONS ?? 300);
const ROUNDS = 3;
/** The counts by each value that refines, the days, and the newest hits, which is what ours answers with. */
const newest = (where: string) => [
  ...['agent', 'tool', 'model', 'time / 86400000'].map(
    (by) => `SELECT ${by}, count(*) FROM m WHERE ${where} GROUP BY 1`,
  ),
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
  /** A pattern of lines that comes near to a structured question, for ripgrep. */
  readonly grepLines?: string;
  readonly isPattern?: true;
  /** What is waited for where nothing is kept yet; left out: the whole answer. */
  readonly until?: 'first hundred';
}

const QUESTIONS: readonly Question[] = [
  {
    name: 'a tool that failed',
    text: 'tool:Bash is:error',
    rows: 'toolCalls',
    sql: newest("tool = 'Bash' AND failed = 1"),
    grepLines: '"toolName":"Bash".*"isError":true',
  },
  {
    name: 'agent, model and tokens',
    text: 'agent:Reviewer model:gpt-5* tokens:>30000',
    rows: 'messages',
    sql: newest("agent = 'Reviewer' AND model LIKE 'gpt-5%' AND tokens > 30000"),
    grepLines: '"agent":"Reviewer".*"model":"gpt-5',
  },
  {
    name: 'runs of ten days with a tool',
    text: 'since:2026-10-20 tool:WebFetch',
    rows: 'runs',
    sql: [
      `SELECT session, min(time) FROM m WHERE tool = 'WebFetch' AND time >= ${Date.UTC(2026, 9, 20)} GROUP BY session ORDER BY 2 DESC`,
    ],
  },
  { name: 'a rare word', text: RARE, rows: 'messages', sql: inTexts(RARE), grep: RARE },
  {
    name: 'a common word',
    text: COMMON,
    rows: 'messages',
    sql: inTexts(COMMON),
    grep: COMMON,
    until: 'first hundred',
  },
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

/**
 * The answer to a question with nothing kept, by a thread of its own. A common word is asked for its first hundred: all of
 * them need every journal read, as structured questions do, which is what the row of what is kept tells.
 */
async function unread({ text, rows, until }: Question, finder?: string): Promise<Answered> {
  removeKept(root);
  const fresh = ourSearch(root, true, finder);
  const answered = await timed(fresh, text, rows, until);
  fresh.dispose();
  return answered;
}

const cold = new Map<string, Answered>();
const coldFound = new Map<string, Answered>();
const finder = await ripgrepPath();
for (const question of QUESTIONS.filter(({ grep }) => grep !== undefined)) {
  cold.set(question.name, await unread(question));
  if (finder !== undefined) coldFound.set(question.name, await unread(question, finder));
}

const builder = ourSearch(root, false);
const start = performance.now();
await timed(builder, 'is:error');
const built = performance.now() - start;
const kept = keptBytes(root);
const indexed = await fts5(root);

function coldDuration({ name, until }: Question, answers: ReadonlyMap<string, Answered>): string {
  const { all = NaN, hundred = NaN } = answers.get(name) ?? {};
  return until ? `${duration(hundred)} (first 100)` : duration(all);
}

const middle = (values: readonly number[]) => median([...values]);
const rows: string[][] = [];
for (const question of QUESTIONS) {
  const answers: Answered[] = [];
  const [greps, asks]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    answers.push(await timed(builder, question.text, question.rows));
    if (question.grep !== undefined)
      greps.push(await ripgrep(root, question.grep, question.isPattern === true));
    if (question.grepLines !== undefined) greps.push(await ripgrep(root, question.grepLines, true));
    if (question.sql && indexed) asks.push(question.sql.reduce((sum, sql) => sum + indexed.ask(sql, []), 0));
  }
  rows.push([
    question.name,
    figures(answers[0]?.rows ?? 0),
    duration(middle(answers.map(({ first }) => first))),
    duration(middle(answers.map(({ hundred }) => hundred))),
    duration(middle(answers.map(({ all }) => all))),
    coldDuration(question, cold),
    coldDuration(question, coldFound),
    duration(middle(greps)),
    duration(middle(asks)),
    duration(Math.max(...answers.map(({ stall }) => stall))),
    duration(Math.max(...answers.map(({ worked }) => worked))),
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
  'with ripgrep first',
  'ripgrep',
  'FTS5',
  'longest stall',
  'longest work',
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
