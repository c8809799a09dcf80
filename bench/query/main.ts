import { deepEqual } from 'node:assert';
import type { ChatMessage } from '../../src/core/message.js';
import type { MessageRecord } from '../../src/core/record.js';
import type { FilterCriteria } from '../../src/query/filterCriteria.js';
import { loadLibrary } from '../harness/library.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { sideBySide } from '../harness/sideBySide.js';
import { median, medianRatio } from '../harness/statistics.js';
import { IndexedTranscript, recordOf } from './indexed.js';
import * as naive from './naive.js';
import { COMMON, makeTranscript, RARE } from './transcript.js';

const ROUNDS = 5;
/** How many messages are asked about before the clock runs, to see that both ways answer the same. */
const CHECKED = 20_000;
const OURS = 'MessageQuery';
const NAIVE = 'loop';
const INDEXED = 'indexed transcript';

interface Question {
  readonly name: string;
  /** Our answer, and the plain loop's. */
  readonly ours: (messages: readonly ChatMessage[]) => unknown;
  readonly naive: (messages: readonly ChatMessage[]) => unknown;
  /** True where the loop answers only a part of the question; everywhere else both must say the same. */
  readonly isPart?: true;
}

/** A question to a transcript that is open, and the plain loop's over its messages. */
interface IndexedQuestion {
  readonly name: string;
  readonly indexed: (transcript: IndexedTranscript) => unknown;
  readonly naive: (messages: readonly ChatMessage[], records: readonly MessageRecord[]) => unknown;
  /** What is asked for, where both answer with messages: they must be the same. */
  readonly criteria?: FilterCriteria;
  /** What a million messages may take, or how many times as fast as the loop it is. */
  readonly goal?: string;
}

const { MessageQuery } = await loadLibrary();
const query = (messages: readonly ChatMessage[]) => new MessageQuery(messages);
/** As many words as tokens: what a counter costs is measured elsewhere. */
const tokenCounter = { count: (text: string) => text.length };

const criteria: Readonly<Record<string, readonly [FilterCriteria, Question['naive']]>> = {
  'role = tool': [{ role: 'tool' }, (messages) => naive.byRole(messages, 'tool')],
  'tool name, calls and results': [
    { toolName: 'edit_file' },
    (messages) => naive.byTool(messages, 'edit_file'),
  ],
  'role and tool and text': [
    { role: 'tool', toolName: 'edit_file', content: RARE },
    (messages) => naive.byText(naive.byRole(naive.byTool(messages, 'edit_file'), 'tool'), RARE),
  ],
  'text, ignoring case, rare': [
    { content: RARE.toUpperCase() },
    (messages) => naive.byText(messages, RARE.toUpperCase()),
  ],
  'text, ignoring case, common': [
    { content: COMMON.toUpperCase() },
    (messages) => naive.byText(messages, COMMON.toUpperCase()),
  ],
  'regex, rare': [
    { content: 'Quetz\\w+atl', regex: true },
    (messages) => naive.byPattern(messages, 'Quetz\\w+atl'),
  ],
};

const filters: readonly Question[] = Object.entries(criteria).map(([name, [asked, loop]]) => ({
  name,
  ours: (messages) => query(messages).filter(asked),
  naive: loop,
}));

const views: readonly Question[] = [
  {
    name: 'tool summary',
    ours: (messages) => query(messages).toolSummary(),
    naive: naive.toolSummary,
  },
  { name: 'timeline', ours: (messages) => query(messages).timeline(), naive: naive.turns },
  {
    name: 'statistics',
    ours: (messages) => {
      const stats = new MessageQuery(messages, { tokenCounter }).stats();
      const { totalMessages, messagesByRole, totalTokens, tokensByRole } = stats;
      return { totalMessages, messagesByRole, totalTokens, tokensByRole };
    },
    naive: (messages) => naive.statistics(messages, tokenCounter.count),
  },
];

/** The views are those of the panel, which show less of each message than the loops gather. */
const indexedQuestions: readonly IndexedQuestion[] = [
  ...Object.entries(criteria).map(([name, [asked, loop]]) => ({
    name,
    indexed: (transcript: IndexedTranscript) => transcript.filter(asked),
    naive: loop,
    criteria: asked,
    goal: asked.content === undefined ? '2 ms' : asked.regex === true ? '1.5 ×' : '3 ×',
  })),
  {
    name: 'agent',
    indexed: (transcript) => transcript.filter({ agent: 'Taster' }),
    naive: (_, records) => naive.byRecord(records, ({ agent }) => agent === 'Taster'),
    criteria: { agent: 'Taster' },
    goal: '2 ms',
  },
  {
    name: 'failures',
    indexed: (transcript) => transcript.filter({ errorsOnly: true }),
    naive: (_, records) => naive.byRecord(records, ({ isError }) => isError === true),
    criteria: { errorsOnly: true },
    goal: '2 ms',
  },
  { name: 'tool summary', indexed: (transcript) => transcript.toolSummary(), naive: naive.toolSummary },
  { name: 'timeline', indexed: (transcript) => transcript.timeline(), naive: naive.turns },
  {
    name: 'statistics',
    indexed: (transcript) => transcript.statistics(),
    naive: (messages) => naive.statistics(messages, tokenCounter.count),
  },
];

const exports: readonly Question[] = (['json', 'markdown', 'csv'] as const).map((format) => ({
  name: `export ${format}`,
  ours: (messages) => query(messages).export(format),
  naive: naive.json,
  isPart: true,
}));

async function table(questions: readonly Question[], length: number, naiveName: string): Promise<string> {
  const messages = makeTranscript(length);
  const checked = messages.slice(0, CHECKED);
  const rows: string[][] = [];
  for (const question of questions) {
    if (!question.isPart) deepEqual(question.ours(checked), question.naive(checked), question.name);
    const samples = await sideBySide(
      [
        { name: OURS, run: () => question.ours(messages) },
        { name: NAIVE, run: () => question.naive(messages) },
      ],
      ROUNDS,
    );
    const [ours, loop] = [samples.get(OURS)!, samples.get(NAIVE)!];
    const ratio = figures(medianRatio(loop, ours));
    rows.push([question.name, duration(median(ours)), duration(median(loop)), `${ratio} ×`]);
  }
  return markdownTable([`${figures(length)} messages`, OURS, naiveName, 'faster by'], rows);
}

async function indexedTable(length: number): Promise<string> {
  const messages = makeTranscript(length);
  const transcript = new IndexedTranscript(messages);
  const records = messages.map(recordOf);
  const rows: string[][] = [];
  for (const question of indexedQuestions) {
    if (question.criteria) {
      const found = Array.from(transcript.filter(question.criteria), (position) => messages[position]);
      deepEqual(
        found.slice(0, CHECKED),
        (question.naive(messages, records) as ChatMessage[]).slice(0, CHECKED),
      );
    }
    const samples = await sideBySide(
      [
        { name: INDEXED, run: () => question.indexed(transcript) },
        { name: NAIVE, run: () => question.naive(messages, records) },
      ],
      ROUNDS,
    );
    const [ours, loop] = [samples.get(INDEXED)!, samples.get(NAIVE)!];
    const ratio = figures(medianRatio(loop, ours));
    const { name, goal = '' } = question;
    rows.push([name, duration(median(ours)), duration(median(loop)), `${ratio} ×`, goal]);
  }
  return markdownTable([`${figures(length)} messages`, INDEXED, 'plain loops', 'faster by', 'goal'], rows);
}

console.log(`## Query\n\n${await table(filters, 1_000_000, 'Array.filter')}\n`);
console.log(`${await table(views, 1_000_000, 'plain loops')}\n`);
console.log(`${await table(exports, 100_000, 'JSON.stringify')}\n`);
console.log(`${await indexedTable(1_000_000)}\n`);
