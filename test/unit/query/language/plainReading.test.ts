import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../../../src/core/ports/log.js';
import { NO_PRICES } from '../../../../src/core/ports/prices.js';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { importFile } from '../../../../src/import/importFile.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../../../src/node/patterns/timeGuard.js';
import { QuestionRun } from '../../../../src/page/panel/filter/questionRun.js';
import { SessionAnswers } from '../../../../src/page/panel/filter/sessionAnswers.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { NO_QUESTION } from '../../../../src/page/protocol/question.js';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import type { RowKind } from '../../../../src/query/language/syntax.js';
import { checkArguments } from '../../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../../src/surfaces/mcp/readTools.js';
import { bakery } from '../../../support/bakeryStory.js';
import { agentLogbook } from '../../../support/commandLine.js';
import { decidedStory } from '../../../support/decidedStory.js';
import { isDeep, someOf } from '../../../support/fixedInputs.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import {
  argumentsOfPlain,
  isError,
  messageOf,
  object,
  readPlainly,
  saidIn,
  speakerOf,
  string,
  textOfPlain,
  type Plain,
  type PlainCall,
  type PlainSession,
  type Raw,
} from '../../../support/plainReader.js';
import { realTranscriptPaths, hasRealTranscripts } from '../../../support/realTranscripts.js';
import { scanMemory } from '../../../support/scanMemory.js';
import { temporaryStore } from '../../../support/storeFixture.js';
import { otherSessions } from './otherSessions.js';

/** What a term says of a record or a tool call, in plain words. */
type Holds = (one: Plain) => boolean;
type Atom = readonly [text: string, holds: Holds];

const callsOf = (one: Plain): readonly PlainCall[] => (one.kind === 'record' ? one.calls : [one]);
const rawOf = (one: Plain): Raw => (one.kind === 'record' ? one.raw : one.place);
const roleOf = (one: Plain): string => (one.kind === 'record' ? speakerOf(one.raw) : '');
const lower = (text: unknown): string => string(text).toLowerCase();

/** The tools that a message calls or whose call it answers, or that was decided on; of a call its own. */
function toolsOf(one: Plain): string[] {
  if (one.kind === 'call') return [one.name];
  const { raw, calls, makes } = one;
  if (raw.type === 'approval') return [string(raw.toolName)];
  if (raw.type !== 'message') return [];
  if (roleOf(one) !== 'tool') return calls.slice(0, makes).map(({ name }) => name);
  return [string(raw.toolName), ...calls.map(({ name }) => name)];
}

const says =
  (word: string): Holds =>
  (one) =>
    lower(textOfPlain(one)).includes(word);
const agentIs =
  (name: string): Holds =>
  (one) =>
    lower(rawOf(one).agent) === name;
const toolIs =
  (pattern: RegExp): Holds =>
  (one) =>
    toolsOf(one).some((tool) => pattern.test(tool));
const became =
  (state: string): Holds =>
  (one) =>
    callsOf(one).some((call) => call.state === state);
const decided =
  (word: string): Holds =>
  (one) => {
    if (one.kind === 'record' && one.raw.type === 'approval') {
      const by = { user: 'person', cancel: 'stopped' }[string(one.raw.decidedBy)];
      return [one.raw.decision, by ?? one.raw.decidedBy].includes(word);
    }
    return callsOf(one).some(({ decisions }) => decisions.has(word));
  };
const argument =
  (key: string, part: string): Holds =>
  (one) =>
    argumentsOfPlain(one).some((args) => [args[key]].flat().some((each) => lower(each).includes(part)));
const fileEnds =
  (end: string): Holds =>
  (one) =>
    argumentsOfPlain(one).some((args) =>
      ['path', 'file_path', 'filePath'].some((key) => string(args[key]).endsWith(end)),
    );

function tookOf(one: Plain): number | undefined {
  if (one.kind === 'call') return one.took;
  if (roleOf(one) === 'tool') return one.calls.find(({ result }) => result === one.raw)?.took;
  const { durationMs } = one.raw;
  return one.raw.type !== 'message' && typeof durationMs === 'number' && durationMs > 0
    ? durationMs
    : undefined;
}

const since =
  (time: number): Holds =>
  (one) =>
    one.time > 0 && one.time >= time;
const NOON = Date.parse('2026-11-21T09:30:20Z');

/** What may be asked of messages and of tool calls. */
const OF_BOTH: readonly Atom[] = [
  ['cookies', says('cookies')],
  ['factor', says('factor')],
  ['the', says('the')],
  ['error', says('error')],
  ['"is turned"', says('is turned')],
  ['text:command', says('command')],
  ['/turn(ed)?/', (one) => /turn(ed)?/u.test(textOfPlain(one))],
  ['/FILE/i', (one) => /file/iu.test(textOfPlain(one))],
  ['word:rm', (one) => /(?<![\p{L}\p{N}_])rm(?![\p{L}\p{N}_])/iu.test(textOfPlain(one))],
  ['word:test', (one) => /(?<![\p{L}\p{N}_])test(?![\p{L}\p{N}_])/iu.test(textOfPlain(one))],
  ['text:=The', (one) => textOfPlain(one).includes('The')],
  ['agent:Baker', agentIs('baker')],
  ['agent:fixer', agentIs('fixer')],
  ['agent:c*', (one) => lower(rawOf(one).agent).startsWith('c')],
  ['agent:=coder', (one) => rawOf(one).agent === 'coder'],
  ['agent:/^B/', (one) => string(rawOf(one).agent).startsWith('B')],
  ['tool:Bash', toolIs(/^bash$/i)],
  ['tool:=Bash', toolIs(/^Bash$/)],
  ['tool:read_file', toolIs(/^read_file$/i)],
  ['tool:*file*', toolIs(/file/i)],
  ['tool:(edit_file OR TodoWrite)', toolIs(/^(?:edit_file|todowrite)$/i)],
  ['tool:/^[a-z_]+$/', toolIs(/^[a-z_]+$/u)],
  ['is:error', (one) => (one.kind === 'record' ? isError(one.raw) : one.failed)],
  ['is:failed', became('failed')],
  ['is:denied', became('denied')],
  ['is:cancelled', became('cancelled')],
  ['is:timeout', became('timedOut')],
  ['is:open', became('open')],
  ['is:(denied OR open)', (one) => became('denied')(one) || became('open')(one)],
  ['is:subagent', (one) => Number(rawOf(one).depth ?? 0) > 0],
  ['depth:0', (one) => rawOf(one).depth === 0],
  ['depth:>=1', (one) => Number(rawOf(one).depth ?? -1) >= 1],
  ['has:result', (one) => (one.kind === 'call' ? one.result !== undefined : roleOf(one) === 'tool')],
  ['approval:denied', decided('denied')],
  ['approval:approved', decided('approved')],
  ['approval:person', decided('person')],
  ['approval:(rule OR policy)', (one) => decided('rule')(one) || decided('policy')(one)],
  ['args.path:scale', argument('path', 'scale')],
  ['args.command:test', argument('command', 'test')],
  ['args.path:=src/scale.ts', (one) => argumentsOfPlain(one).some(({ path }) => path === 'src/scale.ts')],
  ['file:scale.ts', fileEnds('/scale.ts')],
  ['file:*.ts', fileEnds('.ts')],
  ['duration:>1s', (one) => (tookOf(one) ?? 0) > 1_000],
  ['duration:<=80ms', (one) => (tookOf(one) ?? Infinity) <= 80],
  ['duration:50ms..2s', (one) => (tookOf(one) ?? -1) >= 50 && (tookOf(one) ?? -1) <= 2_000],
  ['since:2026-11-21T09:30:20Z', since(NOON)],
  ['before:2026-11-21T09:30:20Z', (one) => one.time > 0 && one.time < NOON],
  ['began.since:2026-01-01', since(Date.parse('2026-01-01'))],
  ['call:*', (one) => string(rawOf(one).call) !== ''],
];

/** What may be asked of messages alone. */
const OF_RECORDS: readonly Atom[] = [
  ['role:user', (one) => roleOf(one) === 'user'],
  ['role:assistant', (one) => roleOf(one) === 'assistant'],
  ['role:(tool OR system)', (one) => /^(?:tool|system)$/.test(roleOf(one))],
  ['content:the', (one) => one.kind === 'record' && lower(saidIn(one.raw)).includes('the')],
  [
    'content.word:it',
    (one) => one.kind === 'record' && /(?<![\p{L}\p{N}_])it(?![\p{L}\p{N}_])/iu.test(saidIn(one.raw)),
  ],
  ['is:message', (one) => one.kind === 'record' && one.raw.type === 'message'],
  ['is:partial', (one) => one.kind === 'record' && string(one.raw.partial) !== ''],
  ['has:calls', (one) => one.kind === 'record' && one.makes > 0],
  [
    'has:reasoning',
    (one) => {
      const { reasoning_content: text, reasoning_details: details } =
        one.kind === 'record' ? messageOf(one.raw) : {};
      return string(text) !== '' || (Array.isArray(details) && details.length > 0);
    },
  ],
  [
    'has:image',
    (one) => {
      const { content } = one.kind === 'record' ? messageOf(one.raw) : {};
      return Array.isArray(content) && content.some((part) => object(part).type === 'image_url');
    },
  ],
];

interface Question {
  readonly text: string;
  readonly rows: RowKind;
  /** The positions that it finds in a session. */
  readonly find: (session: PlainSession) => number[];
}

const messagesOf = ({ records }: PlainSession) => records.filter(({ raw }) => raw.type === 'message');
const unitsOf = ({ records, calls }: PlainSession): Plain[] => [...records, ...calls];
const LISTS = {
  messages: messagesOf,
  records: ({ records }: PlainSession) => records,
  toolCalls: ({ calls }: PlainSession) => calls,
} as const;

function rowsWhere(rows: keyof typeof LISTS, text: string, holds: Holds): Question {
  const find = (session: PlainSession) =>
    (LISTS[rows](session) as readonly Plain[]).filter(holds).map(({ begin }) => begin);
  return { text, rows, find };
}

/** Sessions: one message or call for all that stands side by side. */
function sessionsWhere(text: string, holds: (session: PlainSession) => boolean): Question {
  return { text, rows: 'sessions', find: (session) => (holds(session) ? [0] : []) };
}

/** Calls of agents: what holds for a message or a tool call in one of them. */
function agentCallsWhere(text: string, holds: Holds): Question {
  const find = (session: PlainSession) => {
    const first = new Map<unknown, number>();
    for (const { raw, begin } of session.records) if (!first.has(raw.call)) first.set(raw.call, begin);
    const found = new Set(
      unitsOf(session)
        .filter(holds)
        .map((one) => rawOf(one).call),
    );
    return [...first].filter(([call]) => found.has(call)).map(([, begin]) => begin);
  };
  return { text, rows: 'agentCalls', find };
}

/** Every term alone, denied, and beside the next ones, asked of each kind of rows. */
function questions(): Question[] {
  const all: Question[] = [];
  const pairs = (list: readonly Atom[], rows: keyof typeof LISTS) => {
    list.forEach(([text, holds], at) => {
      const [other, holdsToo] = list[(at + 7) % list.length] ?? ['', () => true];
      const [third, holdsThird] = list[(at + 17) % list.length] ?? ['', () => true];
      const add = (words: string, test: Holds) => all.push(rowsWhere(rows, words, test));
      add(text, holds);
      add(`-${text}`, (one) => !holds(one));
      add(`${text} ${other}`, (one) => holds(one) && holdsToo(one));
      add(`${text} -${other}`, (one) => holds(one) && !holdsToo(one));
      add(`(${text} OR ${other}) ${third}`, (one) => (holds(one) || holdsToo(one)) && holdsThird(one));
      add(`(${text} ${third} OR -${other})`, (one) => (holds(one) && holdsThird(one)) || !holdsToo(one));
    });
  };
  pairs([...OF_BOTH, ...OF_RECORDS], 'messages');
  pairs(OF_BOTH, 'toolCalls');
  pairs([...OF_RECORDS, ...OF_BOTH], 'records');
  const some = (session: PlainSession, holds: Holds) => unitsOf(session).some(holds);
  OF_BOTH.forEach(([text, holds], at) => {
    const [other, holdsToo] = OF_BOTH[(at + 11) % OF_BOTH.length] ?? ['', () => true];
    if (!isOwn(text)) all.push(agentCallsWhere(text, holds));
    all.push(
      sessionsWhere(text, (session) => isOwn(text) || some(session, holds)),
      sessionsWhere(`(${text}) (${other})`, (session) => some(session, holds) && some(session, holdsToo)),
      sessionsWhere(`-(${text} ${other})`, (session) => !some(session, (one) => holds(one) && holdsToo(one))),
    );
  });
  return all.filter(({ text, rows }) => !(rows === 'sessions' && isOwn(text)));
}

/** Whether a question asks something of the session itself, which is not that of a message. */
const isOwn = (text: string): boolean => /duration:|began/.test(text);

/** Orders and trees: what the words of the page say, by hand. */
function orders(): Question[] {
  const toolOrder =
    (first: RegExp, then: RegExp, holds: (a: PlainCall, b: PlainCall, s: PlainSession) => boolean) =>
    ({ calls }: PlainSession, session: PlainSession) =>
      calls
        .filter(
          (b) =>
            then.test(b.name) &&
            calls.some((a) => first.test(a.name) && a.end < b.begin && holds(a, b, session)),
        )
        .map(({ begin }) => begin);
  const between = (a: PlainCall, b: PlainCall, { calls }: PlainSession) =>
    calls.filter(({ begin }) => a.end < begin && begin < b.begin).length;
  const order = (text: string, ...about: Parameters<typeof toolOrder>): Question => ({
    text,
    rows: 'toolCalls',
    find: (session) => toolOrder(...about)(session, session),
  });
  const all = () => true;
  const agentOf = ({ place }: PlainCall) => place.agent;
  return [
    order('tool:edit_file after tool:read_file', /^read_file$/i, /^edit_file$/i, all),
    order(
      'tool:bash after tool:read_file within:1',
      /^read_file$/i,
      /^bash$/i,
      (a, b, s) => between(a, b, s) <= 1,
    ),
    order(
      'tool:bash after tool:read_file within:1s',
      /^read_file$/i,
      /^bash$/i,
      (a, b) => a.endTime !== undefined && b.time > 0 && b.time - a.endTime <= 1_000 && b.time >= a.endTime,
    ),
    order(
      'tool:* after tool:* same:agent within:0',
      /./,
      /./,
      (a, b, s) => agentOf(a) === agentOf(b) && between(a, b, s) === 0,
    ),
    order('tool:* after tool:* same:tool', /./, /./, (a, b) => a.name === b.name),
    {
      text: 'role:assistant after is:error',
      rows: 'messages',
      find: (s) =>
        messagesOf(s)
          .filter(
            (b) => roleOf(b) === 'assistant' && messagesOf(s).some((a) => isError(a.raw) && a.end < b.begin),
          )
          .map(({ begin }) => begin),
    },
    {
      text: 'in:(agent:Fixer) role:assistant',
      rows: 'messages',
      find: (s) =>
        messagesOf(s)
          .filter((one) => roleOf(one) === 'assistant' && agentIs('fixer')(one))
          .map(({ begin }) => begin),
    },
    {
      text: 'under:(agent:Baker)',
      rows: 'messages',
      find: (s) => {
        const ofBaker = new Set(s.records.filter(agentIs('baker')).map(({ raw }) => raw.call));
        return messagesOf(s)
          .filter(({ raw }) => ofBaker.has(raw.parentCall))
          .map(({ begin }) => begin);
      },
    },
    {
      text: 'with:(tool:edit_file is:error) role:assistant',
      rows: 'messages',
      find: (s) =>
        messagesOf(s)
          .filter(
            (one) =>
              roleOf(one) === 'assistant' &&
              one.calls.some((call) => toolIs(/^edit_file$/i)(call) && call.failed),
          )
          .map(({ begin }) => begin),
    },
    sessionsWhere('tool:edit_file is:error', ({ calls }) =>
      calls.some((call) => toolIs(/^edit_file$/i)(call) && call.failed),
    ),
    sessionsWhere('tool:read_file -is:error', ({ calls }) =>
      calls.some((call) => toolIs(/^read_file$/i)(call) && !call.failed),
    ),
    sessionsWhere('tool:bash -is:denied', ({ calls }) =>
      calls.some((call) => toolIs(/^bash$/i)(call) && call.state !== 'denied'),
    ),
  ];
}

const FILES =
  /(?:obra-short|obra-tiny|todowrite_examples|representative_messages|edge_cases|tool_call_pending|vibe-codex-with-custom-tool|qa-runner-sample|function_calls|vibe-session-19k|tool_calls_with_results|cli-events-163k)\.jsonl?$/;

interface Asked {
  readonly cwd: string;
  readonly sessions: ReadonlyMap<string, readonly Raw[]>;
  readonly read: ReadonlyMap<string, PlainSession>;
}

let asked: Asked;
async function setUp(): Promise<Asked> {
  const { store, root } = await temporaryStore();
  const stories = [
    bakery().records,
    decidedStory().records,
    ...otherSessions().map(({ records }) => records),
  ];
  for (const [at, records] of stories.entries())
    await store.importConversation(`20261121-09301${at}-0000000${at}`, records);
  const paths = hasRealTranscripts ? [...realTranscriptPaths('.jsonl'), ...realTranscriptPaths('.json')] : [];
  for (const path of paths.filter((each) => FILES.test(each)).sort()) {
    const { conversations, format } = await importFile(path);
    for (const { id, title, records } of conversations)
      await store.importSession({ source: { tool: format, session: id, path, title }, records });
  }
  const sessions = new Map<string, readonly Raw[]>();
  for (const id of await readdir(join(root, 'conversations'))) {
    const lines = (await readFile(join(root, 'conversations', id, 'messages.jsonl'), 'utf8')).split('\n');
    const raws = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Raw);
    sessions.set(
      id,
      raws.filter(({ type }) => type !== undefined),
    );
  }
  const read = new Map([...sessions].map(([id, raws]) => [id, readPlainly(raws)]));
  return { cwd: dirname(root), sessions, read };
}

/** The positions that a question finds, by session: those without any are left out. */
function expected({ find }: Question): Record<string, number[]> {
  const found = [...asked.read].map(
    ([id, session]) => [id, find(session).toSorted((a, b) => a - b)] as const,
  );
  return Object.fromEntries(found.filter(([, positions]) => positions.length > 0));
}

async function onCommandLine({ text, rows }: Question): Promise<Record<string, number[]>> {
  const { json, code, err } = await agentLogbook(
    ['query', '--json', '--utc', '--rows', rows, '--', text],
    asked,
  );
  expect([0, 1], `${text}: ${err}`).toContain(code);
  const found: Record<string, number[]> = {};
  for (const { kind, session, position } of json)
    if (kind === 'row') (found[String(session)] ??= []).push(rows === 'sessions' ? 0 : Number(position));
  for (const each of Object.values(found)) each.sort((a, b) => a - b);
  return found;
}

const counts = (found: Record<string, number[]>) =>
  Object.fromEntries(Object.entries(found).map(([id, positions]) => [id, positions.length]));

async function overMcp(library: McpLibrary, { text, rows }: Question): Promise<Record<string, number>> {
  const tool = readTools.find(({ name }) => name === 'search_sessions');
  const args = { question: text, rows, limit: 50, include_active: true, max_tokens: 100_000 };
  const told = (await tool?.run(library, checkArguments(tool, args))) as {
    readonly sessions: readonly { readonly session: string; readonly matches: number }[];
  };
  return Object.fromEntries(told.sessions.map(({ session, matches }) => [session, matches]));
}

async function inPanel({ text, rows }: Question): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [id, raws] of asked.sessions) {
    const records = raws as unknown as readonly ReadRecord[];
    const transcript = new MemoryTranscript(id, records);
    const projection = new TranscriptProjection();
    projection.add(records.map(factsOf));
    const answers = new SessionAnswers({
      transcript,
      prices: NO_PRICES,
      info: () => ({ session: id }),
      whole: (record) => Promise.resolve(record),
      guard: (work) => endsWithin(MAX_TEXT_TEST_MS, work),
    });
    const run = new QuestionRun({
      number: 1,
      index: projection.index,
      answers,
      reached: () => Promise.resolve(),
      question: { ...NO_QUESTION, text, rows },
      scan: (question, signal, from) => scanMemory(transcript, question, signal, from),
      length: () => records.length,
      onAdvance: () => undefined,
    });
    await run.looked;
    const count =
      rows === 'records' ? run.recordPositions().length : run.state(projection.index.length).found;
    if (count > 0) found[id] = count;
  }
  return found;
}

test(
  'a plain reading of the page finds what the command line, MCP and the panel find',
  { timeout: 600_000 },
  async () => {
    asked = await setUp();
    const all = [...questions(), ...orders()];
    expect(all.length).toBeGreaterThan(700);
    const library = new McpLibrary(
      {
        cwd: asked.cwd,
        signal: new AbortController().signal,
        stdin: () => {
          throw new Error('Nothing is read.');
        },
        log: silentLog,
      },
      [],
      () => Date.parse('2027-01-01'),
    );
    const differences: string[] = [];
    let found = 0;
    for (const [at, question] of (isDeep ? all : someOf(all, 50)).entries()) {
      const truth = expected(question);
      if (Object.keys(truth).length > 0) found++;
      const differs = (where: string, other: unknown, own: unknown) => {
        if (JSON.stringify(sorted(other)) !== JSON.stringify(sorted(own)))
          differences.push(
            `${where} ${question.rows} ${question.text}: ${JSON.stringify(other)} for ${JSON.stringify(own)}`,
          );
      };
      differs('query', await onCommandLine(question), truth);
      // Both ask as the command line does: of some questions it is enough.
      if (isDeep || at % 5 === 0) differs('mcp', await overMcp(library, question), counts(truth));
      if (question.rows !== 'sessions' && (isDeep || at % 3 === 0))
        differs('panel', await inPanel(question), counts(truth));
    }
    await library.close();
    expect(differences).toEqual([]);
    expect(found).toBeGreaterThan(isDeep ? 200 : 30);
  },
);

const sorted = (value: unknown): unknown =>
  Object.fromEntries(Object.entries(object(value)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
