import { readFileSync } from 'node:fs';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as door from '../../src/library.js';
import * as parts from '../../src/parts.js';
import type {
  AgentDefinition,
  CallOptions,
  ConnectorExecutorOptions,
  RuntimeConfig,
} from '../../src/parts.js';
import { MemoryTranscript } from '../support/memoryTranscript.js';

const library = { ...door, ...parts };
const { silentLog } = library;
const folder = await mkdtemp(join(tmpdir(), 'doors-'));
const transcript = join(folder, 'chat.json');
await writeFile(transcript, JSON.stringify([{ role: 'user', content: 'hi' }]));

/** A part that a program hands over, of which nothing is asked before the options are refused. */
const part: never = { name: '', onDidChangeState: () => undefined } as never;
const unused = (): never => expect.unreachable();

const model = new library.ScriptedModel({ name: 'script', agents: new Map() });
const agents = [{ name: 'Cookie', instructions: 'You bake.' }];
const endpoint = { name: 'here', url: { base: 'http://127.0.0.1:9/v1', query: {} } };
const search = () => new library.SessionSearch({ log: silentLog, stores: () => Promise.resolve([]) });
const question = {
  text: 'a',
  rows: 'messages',
  now: 0,
  timeZone: 'UTC',
  order: 'newest',
  limits: { sessions: 1, hitsOfSession: 1 },
} as const;
const config = { limits: library.DEFAULT_LIMITS } as RuntimeConfig;
const agent = { name: 'Cookie' } as AgentDefinition;
const store = { root: join(folder, 'store'), log: silentLog, onProblem: unused };

/**
 * Every door that takes options, by the type of these, with what it says they are of. `odd` holds an option that does not
 * exist, besides nothing else.
 */
const doors: Record<string, [of: string, call: (odd: object) => unknown]> = {
  TeamOptions: ['createTeam', (odd) => library.createTeam({ agents, models: model, ...odd })],
  TeamAgent: [
    'an agent',
    (odd) => library.createTeam({ agents: [{ ...agents[0]!, ...odd }], models: model }),
  ],
  Limits: ['limits', (odd) => library.createTeam({ agents, models: model, limits: odd })],
  'run of a team': ['team.run', (odd) => library.createTeam({ agents, models: model }).run('a', odd)],
  'run of a session': [
    'session.run',
    (odd) => library.createTeam({ agents, models: model }).session().run('a', odd),
  ],
  OpenStoreOptions: ['openStore', (odd) => library.openStore(join(folder, 'store'), odd)],
  TranscriptStoreOptions: [
    'TranscriptStore.open',
    (odd) => library.TranscriptStore.open({ ...store, ...odd }),
  ],
  JournalLimits: ['limits', (odd) => library.openStore(join(folder, 'store'), { limits: odd })],
  RetentionPolicy: ['planRetention', (odd) => library.planRetention([], odd, 0)],
  MessageQueryOptions: ['MessageQuery', (odd) => new library.MessageQuery([], odd)],
  QueryExportOptions: ['export', (odd) => new library.MessageQuery([]).export('json', odd)],
  QueryTranscriptsOptions: ['query', (odd) => library.query([], 'a', odd)],
  BlameOptions: ['blame', (odd) => library.blame(transcript, [], odd)],
  ExportOptions: ['export', (odd) => library.exportMessages([], 'json', odd)],
  'ExportOptions of chunks': ['export', (odd) => library.exportChunks([], 'json', odd)],
  ExportFileOptions: [
    'exportToFile',
    (odd) => library.exportToFile([], 'atif', join(folder, 'out.json'), odd),
  ],
  CompareTranscriptsOptions: [
    'compareTranscripts',
    (odd) => library.compareTranscripts(new MemoryTranscript('a'), new MemoryTranscript('b'), odd),
  ],
  ReplayOptions: ['replayRun', (odd) => library.replayRun(new MemoryTranscript('a'), odd)],
  ExportTablesOptions: ['exportTables', (odd) => library.exportTables([], join(folder, 'tables'), odd)],
  'rules of redaction': ['Redactor', (odd) => new library.Redactor(odd)],
  FileOptions: ['importFile', (odd) => library.importFile(transcript, odd)],
  'FileOptions of openImport': ['importFile', (odd) => library.openImport(transcript, odd)],
  ImportOptions: ['importTranscript', (odd) => library.importTranscript(part, 'a', odd)],
  SessionSearchOptions: [
    'SessionSearch',
    (odd) => new library.SessionSearch({ log: silentLog, stores: unused, ...odd }),
  ],
  SearchQuestion: [
    'SessionSearch.ask',
    (odd) =>
      search()
        .ask({ ...question, ...odd }, AbortSignal.abort())
        .next(),
  ],
  SearchLimits: [
    'limits',
    (odd) =>
      search()
        .ask({ ...question, limits: { ...question.limits, ...odd } }, AbortSignal.abort())
        .next(),
  ],
  AccumulatorLimits: ['MessageAccumulator', (odd) => new library.MessageAccumulator(odd)],
  RecorderOptions: [
    'Recorder',
    (odd) => new library.Recorder({ conversation: 'c', onListenerFailure: unused, ...odd }),
  ],
  OpenAiModelOptions: ['OpenAiModel', (odd) => new library.OpenAiModel({ endpoint, model: 'm', ...odd })],
  Endpoint: ['endpoint', (odd) => new library.OpenAiModel({ endpoint: { ...endpoint, ...odd }, model: 'm' })],
  HttpLimits: [
    'limits',
    (odd) => new library.OpenAiModel({ endpoint: { ...endpoint, limits: odd }, model: 'm' }),
  ],
  ListModelsOptions: ['listModels', (odd) => library.listModels(endpoint, odd)],
  'options of findLocalServers': ['findLocalServers', (odd) => library.findLocalServers(odd, [])],
  CommandOptions: ['builtInTools', (odd) => library.builtInTools(part, { host: {}, ...odd })],
  RuntimeConfig: ['AgentSession', (odd) => new library.AgentSession('c', agent, { ...config, ...odd })],
  RunOptions: ['AgentSession.run', (odd) => new library.AgentSession('c', agent, config).run('a', odd)],
  CallOptions: ['CallFrame', (odd) => new library.CallFrame(odd as CallOptions)],
  ApprovalDeciderOptions: [
    'ApprovalDecider',
    (odd) => new library.ApprovalDecider({ messageLog: part, clock: part, ...odd }),
  ],
  'options of a Scheduler': ['Scheduler', (odd) => new library.Scheduler(odd)],
  FrontendHubOptions: ['FrontendHub', (odd) => new library.FrontendHub({ log: silentLog, ...odd })],
  DeliveryLimits: ['limits', (odd) => new library.FrontendHub({ log: silentLog, limits: odd })],
  ConnectorContext: [
    'ConnectorFrontend',
    (odd) => new library.ConnectorFrontend(part, { chat: 'c', log: silentLog, ...odd }),
  ],
  OutputChannelOptions: ['OutputChannelFrontend', (odd) => new library.OutputChannelFrontend(part, odd)],
  DiscordConnectorOptions: [
    'DiscordConnector',
    (odd) => new library.DiscordConnector({ token: 't', log: silentLog, ...odd }),
  ],
  TelegramConnectorOptions: [
    'TelegramConnector',
    (odd) => new library.TelegramConnector({ token: 't', log: silentLog, ...odd }),
  ],
  ConnectorExecutorOptions: [
    'ConnectorExecutor',
    (odd) => new library.ConnectorExecutor(odd as ConnectorExecutorOptions),
  ],
};

/** A promise of what a call gives or throws, whether it does so at once or later. */
const asked = async (call: () => unknown): Promise<unknown> => call();

test.each(Object.entries(doors))('an unknown option is refused by name: %s', async (_type, [of, call]) => {
  await expect(asked(() => call({ nonsense: 1 }))).rejects.toMatchObject({
    name: 'TypeError',
    code: 'UNKNOWN_OPTION',
    message: expect.stringContaining(`There is no option 'nonsense' of ${of}.`) as string,
  });
});

/** Criteria are refused in test/unit/export/messageQueryOptions.test.ts; a fork is made by a call for another one. */
const elsewhere = ['FilterCriteria', 'ForkOptions'];

test('no type of options of the library is left out here', () => {
  const source = ['library', 'parts'].map((name) =>
    readFileSync(new URL(`../../src/${name}.ts`, import.meta.url), 'utf8'),
  );
  const types = source.join('').matchAll(/export type \{([^}]*)\}/g);
  const names = [...types].flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  const bags = names.filter((name) => /(?:Options|Criteria|Limits|Policy|Context)$/.test(name));
  const isNoBag = new Set(['AgentContext', 'ToolContext', 'RunApprovalPolicy']);
  expect(bags.length).toBeGreaterThan(20);
  expect(bags.filter((name) => !isNoBag.has(name) && !(name in doors) && !elsewhere.includes(name))).toEqual(
    [],
  );
});

describe('what an unknown name is near to is told', () => {
  test.each<[string, () => unknown, string]>([
    ['a store', () => library.openStore('x', { readonly: true } as object), "Did you mean 'readOnly'?"],
    [
      'a team',
      () => library.createTeam({ agents, models: model, aproval: 'ask' } as never),
      "Did you mean 'approvals'?",
    ],
    [
      'a limit',
      () => library.createTeam({ agents, models: model, limits: { step: 1 } as object }),
      "'steps'",
    ],
    ['an import', () => library.importFile(transcript, { is_growing: true } as object), "'isGrowing'"],
  ])('%s', async (_what, call, hint) => {
    await expect(asked(call)).rejects.toThrow(hint);
  });
});

describe('a value that is none of the known ones is refused', () => {
  test.each<[string, () => unknown, string, string]>([
    [
      'rows',
      () => library.query([new MemoryTranscript('c')], 'a', { rows: 'foo' as never }),
      'UNKNOWN_VALUE',
      "The option 'rows' of query cannot be 'foo'. These are known: messages, records,",
    ],
    [
      'rows with a slip',
      () => library.query([], 'a', { rows: 'toolcalls' as never }),
      'UNKNOWN_VALUE',
      "The option 'rows' of query cannot be 'toolcalls'. Did you mean 'toolCalls'?",
    ],
    [
      'a time zone',
      () => library.query([], 'a', { timeZone: 'Europe/Bakery' }),
      'UNKNOWN_VALUE',
      'There is no time zone',
    ],
    [
      'the order of a search',
      () =>
        search()
          .ask({ ...question, order: 'new' as never }, AbortSignal.abort())
          .next(),
      'UNKNOWN_VALUE',
      "cannot be 'new'",
    ],
    [
      'approvals',
      () => library.createTeam({ agents, models: model, approvals: 'approve' as never }),
      'UNKNOWN_VALUE',
      "The option 'approvals' of createTeam cannot be 'approve'.",
    ],
    [
      'the agent of a session',
      () => library.createTeam({ agents, models: model }).session('Nobody'),
      'UNKNOWN_VALUE',
      'The team has no agent named Nobody, only Cookie.',
    ],
    [
      'an encoding',
      () => library.loadTokenCounter('o200k' as never),
      'UNKNOWN_VALUE',
      "The encoding cannot be 'o200k'.",
    ],
    [
      'the format of a file',
      () => library.exportToFile([], 'xml' as never, join(folder, 'out.xml')),
      'UNKNOWN_VALUE',
      "Invalid export format: 'xml'. Valid formats: json, markdown, csv, dict, html, atif",
    ],
    [
      'a type',
      () => library.query([], 'a', { now: '7d' as never }),
      'WRONG_TYPE',
      "The option 'now' of query must be a number, not a string.",
    ],
    ['a team of none', () => library.createTeam({ agents: [], models: model }), 'INVALID_TEAM', 'one agent'],
  ])('%s', async (_what, call, code, message) => {
    await expect(asked(call)).rejects.toThrow(message);
    await expect(asked(call)).rejects.toMatchObject({ code });
  });
});

describe('what is not there, or is something else, is told', () => {
  test('a file in the place of a store, and a link', async () => {
    const link = join(folder, 'link');
    await symlink(join(folder, 'elsewhere'), link);
    for (const path of [transcript, link]) {
      await expect(library.openStore(path)).rejects.toMatchObject({
        code: 'NOT_A_STORE',
        message: expect.stringContaining(`${path} is no folder`) as string,
      });
    }
  });

  test('a folder that is not there yet is a store without conversations', async () => {
    const store = await library.openStore(join(folder, 'new', 'store'));
    await store.catalog.refresh();
    expect(store.catalog.entries()).toEqual([]);
    await store.close();
  });

  test('prices that cannot be read, and a file of something else', async () => {
    const missing = join(folder, 'missing.yaml');
    await expect(library.loadPrices(missing)).rejects.toMatchObject({
      code: 'UNUSABLE_PRICES',
      message: expect.stringMatching(
        /^These prices cannot be used: missing\.yaml, line 1: .*ENOENT/,
      ) as string,
    });
    await expect(library.loadPrices(transcript)).rejects.toMatchObject({ code: 'UNUSABLE_PRICES' });
    await expect(library.loadPrices('relative.yaml')).rejects.toThrow('must be absolute');
  });

  test('a file to import', async () => {
    await expect(library.importFile(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
