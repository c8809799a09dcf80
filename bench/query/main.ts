import { deepEqual } from 'node:assert';
import type { ChatMessage } from '../../src/core/message.js';
import { loadLibrary } from '../harness/library.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { sideBySide } from '../harness/sideBySide.js';
import { median, medianRatio } from '../harness/statistics.js';
import * as naive from './naive.js';
import { COMMON, makeTranscript, RARE } from './transcript.js';

const ROUNDS = 5;
/** How many messages are asked about before the clock runs, to see that both ways answer the same. */
const CHECKED = 20_000;
const OURS = 'MessageQuery';
const NAIVE = 'loop';

interface Question {
  readonly name: string;
  /** Our answer, and the plain loop's. */
  readonly ours: (messages: readonly ChatMessage[]) => unknown;
  readonly naive: (messages: readonly ChatMessage[]) => unknown;
  /** True where the loop answers only a part of the question; everywhere else both must say the same. */
  readonly isPart?: true;
}

const { MessageQuery } = await loadLibrary();
const query = (messages: readonly ChatMessage[]) => new MessageQuery(messages);
/** As many words as tokens: what a counter costs is measured elsewhere. */
const tokenCounter = { count: (text: string) => text.length };

const filters: readonly Question[] = [
  {
    name: 'role = tool',
    ours: (messages) => query(messages).filter({ role: 'tool' }),
    naive: (messages) => naive.byRole(messages, 'tool'),
  },
  {
    name: 'tool name, calls and results',
    ours: (messages) => query(messages).filter({ toolName: 'edit_file' }),
    naive: (messages) => naive.byTool(messages, 'edit_file'),
  },
  {
    name: 'role and tool and text',
    ours: (messages) => query(messages).filter({ role: 'tool', toolName: 'edit_file', content: RARE }),
    naive: (messages) => naive.byText(naive.byRole(naive.byTool(messages, 'edit_file'), 'tool'), RARE),
  },
  {
    name: 'text, ignoring case, rare',
    ours: (messages) => query(messages).filter({ content: RARE.toUpperCase() }),
    naive: (messages) => naive.byText(messages, RARE.toUpperCase()),
  },
  {
    name: 'text, ignoring case, common',
    ours: (messages) => query(messages).filter({ content: COMMON.toUpperCase() }),
    naive: (messages) => naive.byText(messages, COMMON.toUpperCase()),
  },
  {
    name: 'regex, rare',
    ours: (messages) => query(messages).filter({ content: 'Quetz\\w+atl', regex: true }),
    naive: (messages) => naive.byPattern(messages, 'Quetz\\w+atl'),
  },
];

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

console.log(`## Query\n\n${await table(filters, 1_000_000, 'Array.filter')}\n`);
console.log(`${await table(views, 1_000_000, 'plain loops')}\n`);
console.log(`${await table(exports, 100_000, 'JSON.stringify')}\n`);
