import fc from 'fast-check';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { query } from '../../../src/app/transcripts/queryTranscripts.js';
import { McpLibrary } from '../../../src/surfaces/mcp/library.js';
import { ToolArguments } from '../../../src/surfaces/mcp/readTool.js';
import { readTools } from '../../../src/surfaces/mcp/readTools.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../../src/node/patterns/timeGuard.js';
import { guardedPatterns } from '../../../src/node/patterns/guardedPatterns.js';
import { TranscriptSession } from '../../../src/page/panel/transcriptSession.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { loadPrices } from '../../../src/query/pricing/loadPrices.js';
import type { PanelEvent } from '../../../src/page/protocol/events.js';
import type { LiveTranscript } from '../../../src/page/panel/ports.js';
import { sourceDetails } from '../../../src/import/sourceDetails.js';
import { UserError } from '../../../src/app/userError.js';
import { TRANSCRIPT_ROWS } from '../../../src/page/protocol/question.js';
import type { LogRecord } from '../../../src/core/record.js';
import { sessionFacts } from '../../../src/query/language/sessionFactsBuilder.js';
import type { RowKind } from '../../../src/query/language/syntax.js';
import { agentLogbook } from '../../support/commandLine.js';
import { inRuns, runs, seed } from '../../support/fixedInputs.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { hasRealTranscripts, realTranscripts } from '../../support/realTranscripts.js';
import { scanMemory } from '../../support/scanMemory.js';
import { STORY_START } from '../../support/storyTeller.js';
import { temporaryStore } from '../../support/storeFixture.js';
import { teamStory } from '../../support/teamStory.js';
import { anyQuestion } from '../query/language/questionArbitrary.js';
import { vocabularyOf } from '../query/language/vocabularyOf.js';

/** When everybody asks; the command line of the tests has no other clock. */
const NOW = STORY_START + 60_000;
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const prices = await loadPrices('');
const never = new AbortController().signal;
const ID = 'c1';

// A panel asks by the clock of the computer.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterAll(() => void vi.useRealTimers());

/** How many rows match, and of messages and records which; or that the question is refused. */
type Answer = { readonly count: number; readonly positions?: readonly number[] } | 'refused';

const hasPositions = (rows: RowKind) => rows === 'messages' || rows === 'records';

function answerOf(rows: RowKind, count: number, positions: readonly number[]): Answer {
  return hasPositions(rows) ? { count, positions } : { count };
}

const LIVE: LiveTranscript = {
  state: { state: 'done', canStop: false, canContinue: false },
  title: 'A title',
  texts: [],
};

/** The panel's bar. */
function panelOver(records: readonly LogRecord[]) {
  const events: PanelEvent[] = [];
  const memory = new MemoryTranscript(ID, records);
  const panel = new TranscriptSession({
    transcript: memory,
    scan: (question, signal, from) => scanMemory(memory, question, signal, from),
    guard: (work) => endsWithin(MAX_TEXT_TEST_MS, work),
    patterns: guardedPatterns,
    countTokens: () => Promise.resolve([]),
    details: sourceDetails,
    log: silentLog,
    prices,
    send: (event) => Promise.resolve(void events.push(event)),
  });
  onTestFinished(() => panel.dispose());
  let number = 0;
  const ask = async (text: string, rows: RowKind): Promise<Answer> => {
    number++;
    await panel.ask('ask', { number, question: { text, rows } });
    const matches = () => events.findLast((event) => event.name === 'matches')?.data;
    await expect.poll(() => matches()?.number === number && matches()?.done).toBe(true);
    if ((matches()?.problems.length ?? 0) > 0) return 'refused';
    const positions = await panel.foundPositions();
    // Of everything, the bar counts the rows of its list, of which one record may have several.
    return answerOf(rows, rows === 'records' ? positions.length : (matches()?.found ?? -1), positions);
  };
  const begin = async (): Promise<void> => {
    await panel.begin({ expandedAll: true }, LIVE);
    await panel.follow(LIVE);
  };
  return { begin, ask };
}

/** The library. */
async function inLibrary(records: readonly LogRecord[], text: string, rows: RowKind): Promise<Answer> {
  const transcript = new MemoryTranscript(ID, records);
  const title = sessionFacts(records, { session: ID }).info.title;
  const result = await query([{ transcript, ...(title && { title }) }], text, {
    rows,
    now: NOW,
    timeZone,
    prices,
  });
  if (!result.ok) return 'refused';
  const positions = result.found.flatMap((row) => ('position' in row ? [row.position] : []));
  return answerOf(rows, result.found.length, positions);
}

/** The command line. */
async function onCommandLine(cwd: string, text: string, rows: RowKind): Promise<Answer> {
  const { code, json, err } = await agentLogbook(['query', '--json', '--rows', rows, '--', text], { cwd });
  if (code === 2) return 'refused';
  expect({ text, err }).toEqual({ text, err: '' });
  const found = json.filter(({ kind }) => kind === 'row');
  return answerOf(
    rows,
    found.length,
    found.map(({ position }) => Number(position)),
  );
}

/** The server of the Model Context Protocol. */
async function overMcp(cwd: string, text: string, rows: RowKind): Promise<number | 'refused'> {
  const options = { cwd, store: undefined, stdin: () => Readable.from([]), log: silentLog, signal: never };
  const library = new McpLibrary({ ...options, onProblem: () => undefined }, [], () => NOW);
  const tool = readTools.find(({ name }) => name === 'search_sessions');
  const args = new ToolArguments({ question: text, rows, include_active: true });
  try {
    const { sessions } = (await tool?.run(library, args)) as { sessions: readonly { matches: number }[] };
    return sessions.reduce((sum, { matches }) => sum + matches, 0);
  } catch (error) {
    if (error instanceof UserError) return 'refused';
    throw error;
  }
}

/** Asks everybody, and gives how many rows were found by all of the questions. */
async function expectOneAnswer(records: readonly LogRecord[], questions: readonly string[]): Promise<number> {
  const { store, root } = await temporaryStore();
  await store.importConversation(ID, records);
  const cwd = dirname(root);
  const panel = panelOver(records);
  await panel.begin();
  let found = 0;
  for (const [at, text] of questions.entries()) {
    const rows = TRANSCRIPT_ROWS[at % TRANSCRIPT_ROWS.length] ?? 'messages';
    const wanted = await inLibrary(records, text, rows);
    const told = { panel: await panel.ask(text, rows), commandLine: await onCommandLine(cwd, text, rows) };
    const matches = wanted === 'refused' ? wanted : wanted.count;
    expect({ text, rows, ...told, mcp: await overMcp(cwd, text, rows) }).toEqual({
      text,
      rows,
      panel: wanted,
      commandLine: wanted,
      mcp: matches,
    });
    if (wanted !== 'refused') found += wanted.count;
  }
  return found;
}

const questionsAbout = (records: readonly LogRecord[], full: number, own: number) =>
  fc.sample(anyQuestion(vocabularyOf(sessionFacts(records, { session: ID }), records)), {
    numRuns: runs(full),
    seed: seed + own,
  });

test('panel, library, command line and MCP find the same in a story, and refuse the same', async () => {
  const records = teamStory().records.map((record) => ({ ...record, conversation: ID }));
  const questions = [...questionsAbout(records, 60, 11), 'agnt:x', 'tokens:>', '(a OR'];
  expect(await expectOneAnswer(records, questions)).toBeGreaterThan(inRuns(50));
}, 240_000);

test.runIf(hasRealTranscripts)(
  'and in real transcripts',
  async () => {
    let [at, found] = [0, 0];
    for await (const records of realTranscripts()) {
      if (at++ % 30 !== 0 || records.length < 4) continue;
      const some = records
        .slice(0, 200)
        .map((record, index) => ({ ...record, conversation: ID, seq: index + 1 }));
      found += await expectOneAnswer(some as LogRecord[], questionsAbout(some as LogRecord[], 8, at));
    }
    expect(found).toBeGreaterThan(50);
  },
  300_000,
);
