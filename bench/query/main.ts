import type { ChatMessage } from '../../src/core/message.js';
import { loadLibrary } from '../harness/library.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { sideBySide } from '../harness/sideBySide.js';
import { median, medianRatio } from '../harness/statistics.js';
import * as naive from './naive.js';
import { COMMON, makeTranscript, RARE } from './transcript.js';

const ROUNDS = 5;
const OURS = 'MessageQuery';
const NAIVE = 'loop';

interface Question {
  readonly name: string;
  /** Our answer, and the plain loop's; where both count the same, their lengths are compared. */
  readonly ours: (messages: readonly ChatMessage[]) => unknown;
  readonly naive: (messages: readonly ChatMessage[]) => unknown;
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
    naive: (messages) => [...naive.toolCalls(messages)],
  },
  { name: 'timeline', ours: (messages) => query(messages).timeline(), naive: naive.turns },
  {
    name: 'statistics',
    ours: (messages) => new MessageQuery(messages, { tokenCounter }).stats(),
    naive: naive.statistics,
  },
];

const exports: readonly Question[] = (['json', 'markdown', 'csv'] as const).map((format) => ({
  name: `export ${format}`,
  ours: (messages) => query(messages).export(format),
  naive: naive.json,
}));

async function table(questions: readonly Question[], length: number, naiveName: string): Promise<string> {
  const messages = makeTranscript(length);
  const rows: string[][] = [];
  for (const question of questions) {
    checkSame(question, messages);
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

function checkSame({ name, ours, naive: loop }: Question, messages: readonly ChatMessage[]): void {
  const [mine, theirs] = [ours(messages), loop(messages)];
  if (!Array.isArray(mine) || !Array.isArray(theirs) || mine.length === theirs.length) return;
  throw new Error(`${name}: ${mine.length} against ${theirs.length}`);
}

console.log(`## Query\n\n${await table(filters, 1_000_000, 'Array.filter')}\n`);
console.log(`${await table(views, 1_000_000, 'plain loops')}\n`);
console.log(`${await table(exports, 100_000, 'JSON.stringify')}\n`);
