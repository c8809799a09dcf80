import fc from 'fast-check';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { askedOrigin } from '../../../src/app/panel/panelsInView.js';
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
import { STORY_START, StoryTeller } from '../../support/storyTeller.js';
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
function panelOver(records: readonly LogRecord[], live: LiveTranscript = LIVE) {
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
    await panel.begin({ expandedAll: true }, live);
    await panel.follow(live);
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

test('an accent is found however it is written, by a question that writes it in either way', async () => {
  const story = new StoryTeller(ID);
  const baker = story.run('Zoé', 'Le café de Zoé'.normalize('NFD'));
  baker.useTool('goûter', { path: 'menu/crème.md', why: 'brûlée' }, 'Un CAFÉ crème.'.normalize('NFD'));
  baker.useTool('goûter'.normalize('NFD'), { path: 'menu/crème.md'.normalize('NFD') }, 'une tarte');
  baker.say('Encore un café, 한국 어');
  baker.end();
  const again = story.run('Zoé'.normalize('NFD'), 'Rien.');
  again.say('한국 어'.normalize('NFD'));
  again.end();
  const { records } = story;
  const wanted: readonly (readonly [string, RowKind, number])[] = [
    ['café', 'messages', 3],
    ['text:=café', 'messages', 2],
    ['word:café', 'messages', 3],
    ['word:caf', 'messages', 0],
    ['/caf[éx]/i', 'messages', 3],
    ['한국', 'messages', 2],
    ['-café role:tool', 'messages', 1],
    ['tool:goûter', 'toolCalls', 2],
    ['tool:=goûter', 'toolCalls', 2],
    ['tool:go*ûter', 'toolCalls', 2],
    ['file:crème.md', 'toolCalls', 2],
    ['file:=menu/crème.md', 'toolCalls', 2],
    ['args.why:=brûlée', 'toolCalls', 1],
    ['args.path:/è/', 'toolCalls', 2],
    ['agent:zoé', 'runs', 2],
  ];
  for (const [text, rows, count] of wanted)
    for (const form of ['NFC', 'NFD'] as const) {
      const answer = await inLibrary(records, text.normalize(form), rows);
      expect({ text, form, count: answer === 'refused' ? answer : answer.count }).toEqual({
        text,
        form,
        count,
      });
    }
  const both = wanted.flatMap(([text]) => [text.normalize('NFC'), text.normalize('NFD')]);
  expect(await expectOneAnswer(records, both)).toBeGreaterThan(10);
});

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

test.each([
  ['our own id', `session:${ID}`, 2],
  ['what its tool calls it', 'session:0d1cbb2a-6b8e-4b3c-9d0e-000000000005', 2],
  ['the beginning of that', 'session:0d1c* role:user', 1],
  ['another id', 'session:0d1d*', 0],
  ['all but it', '-session:0d1c*', 0],
])('a panel is asked for its session by %s', async (_, text, count) => {
  const story = new StoryTeller(ID);
  story.run('Pickle', 'Why?').message({ role: 'assistant', content: 'Because.' });
  const { records } = story;
  const origin = askedOrigin({ tool: 'gemini-cli', session: '0d1cbb2a-6b8e-4b3c-9d0e-000000000005' });
  const { begin, ask } = panelOver(records, { ...LIVE, ...(origin && { origin }) });
  await begin();
  expect(await ask(text, 'messages')).toMatchObject({ count });
});
