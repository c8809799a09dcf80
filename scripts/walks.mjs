/**
 * Counts the files that run on the ways that a message goes: `npm run walks [-- --list]`. The sources are bundled whole, a
 * message is sent along each way twice, and of the second time each file counts of which a function ran.
 *
 *   A   a prompt, the stream of its answer, the records, the journal on the disk
 *   B   a line of a session of Claude Code, its records
 *   C   a question about a conversation, asked on one thread
 *   E   a record that is written, the event for the page of a panel that shows the conversation
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { importSources } from './importSources.mjs';
import { nodeBundle } from './nodeBundle.mjs';

/** At most so many files each way. */
const GOALS = { A: 60, B: 40, C: 70, E: 75 };

const bundle = join(nodeBundle.absWorkingDir, 'out/walks/engine.mjs');
const engine = await importSources('walks', [
  'library',
  'agents/models/endpoint',
  'core/ports/log',
  'core/record/recorder',
  'page/panel/recordReader',
  'query/tokens/tokenService',
  'search/markedPrices',
  'search/reader/openedTranscript',
]);
const root = await mkdtemp(join(tmpdir(), 'agent-logbook-walks-'));
const log = engine.silentLog;

/**
 * The ways: each is prepared, and gives what is done twice and what ends it.
 * @type {Readonly<Record<keyof typeof GOALS, () => Promise<{ walk: () => Promise<unknown>, end?: () => unknown }>>>}
 */
const ways = {
  A: async () => {
    const { address, close } = await streamingModel();
    const endpoint = { name: 'here', url: engine.parseEndpointUrl(address) };
    const store = await engine.openStore(join(root, 'A'));
    const team = engine.createTeam({
      agents: [{ name: 'Pickle', instructions: 'You plan.' }],
      models: new engine.OpenAiModel({ endpoint, model: 'm', log }),
      store,
    });
    const session = team.session();
    const end = async () => {
      await session.close();
      team.dispose();
      await store.close();
      close();
    };
    return { walk: () => session.run('How hot?'), end };
  },
  B: async () => {
    const file = join(root, 'session.jsonl');
    await writeFile(file, `${JSON.stringify(claudeLine)}\n`);
    return { walk: () => engine.importFile(file) };
  },
  C: async () => {
    const { journal, store, write } = await recording('C');
    for (let message = 0; message < 20; message++) write();
    await journal.close();
    const transcript = await store.openTranscript('C');
    const question = { rows: 'messages', now: 0, timeZone: 'UTC' };
    const end = async () => {
      await transcript.close?.();
      await store.close();
    };
    return { walk: () => engine.query([transcript], 'role:user hot', question), end };
  },
  E: async () => {
    const { journal, store, write } = await recording('E');
    for (let message = 0; message < 5; message++) write();
    const live = { state: { state: 'running', canStop: true, canContinue: false }, title: '', texts: [] };
    let shown = () => {};
    const send = async (/** @type {{ name: string }} */ event) => {
      if (event.name === 'list') shown();
    };
    /** @type {any} */
    let opened;
    const options = {
      log,
      send,
      gate: new engine.PriorityGate(),
      tokens: () => new engine.TokenService(),
      prices: engine.markedPrices(''),
    };
    const target = await store.target('E');
    const feed = store.follow('E', {
      begin: async (/** @type {unknown} */ growth) => {
        if (opened) opened.begin(growth);
        else opened = await engine.OpenedTranscript.open(target, growth, options);
      },
      grow: async (/** @type {unknown} */ growth) => opened?.grow(growth),
      end: async (/** @type {unknown[]} */ ...args) => opened?.end(...args),
    });
    while (!opened) await delay(5);
    await opened.session.begin({}, live);
    await opened.session.follow(live);
    const walk = async () => {
      const isShown = new Promise((resolve) => {
        shown = () => resolve(undefined);
      });
      write();
      await isShown;
      await journal.flush();
    };
    const end = async () => {
      opened.dispose();
      feed.dispose();
      await journal.close();
      await store.close();
    };
    return { walk, end };
  },
};

const claudeLine = {
  type: 'user',
  uuid: '6f1d2f8e-0000-4000-8000-000000000001',
  parentUuid: null,
  sessionId: '6f1d2f8e-0000-4000-8000-000000000000',
  timestamp: '2026-01-01T00:00:00.000Z',
  version: '2.0.0',
  cwd: '/kitchen',
  message: { role: 'user', content: 'How hot?' },
};

/** A conversation that is being written. @param {string} conversation */
async function recording(conversation) {
  const store = await engine.openStore(join(root, conversation));
  const journal = await store.createConversation(conversation);
  const recorder = new engine.Recorder({ conversation, onListenerFailure: console.error });
  recorder.onDidRecord((/** @type {unknown} */ record) => journal.append(record));
  const callSite = { run: 'r', call: 'k', agent: 'Pickle', depth: 0 };
  const message = { role: 'user', content: 'How hot?' };
  return { store, journal, write: () => recorder.record({ ...callSite, type: 'message', message }) };
}

/** A model on loopback that answers every request with a stream. */
async function streamingModel() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const about = { id: 'c', object: 'chat.completion.chunk', model: 'm' };
      const deltas = [{ role: 'assistant', content: '180 ' }, { content: 'degrees.' }, {}];
      for (const delta of deltas) {
        const choice = { index: 0, delta, finish_reason: Object.keys(delta).length === 0 ? 'stop' : null };
        response.write(`data: ${JSON.stringify({ ...about, choices: [choice] })}\n\n`);
      }
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${address.port}`, close };
}

const text = readFileSync(bundle, 'utf8');
/** Where each file of `src/` begins in the bundle, which names it in a comment. */
const begins = [...text.matchAll(/^\/\/ (\S+)$/gm)].map(
  ({ index, 1: file = '' }) => /** @type {const} */ ([index, file]),
);

/** @param {number} offset in the bundle */
function fileAt(offset) {
  return begins.findLast(([index]) => index <= offset)?.[1] ?? '';
}

/**
 * The files of which a function ran, and how many did.
 * @param {() => Promise<unknown>} walk
 */
async function filesOn(walk) {
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  // What ran before is forgotten.
  await inspector.post('Profiler.takePreciseCoverage');
  await walk();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  inspector.disconnect();
  const ours = result.find(({ url }) => url.endsWith('out/walks/engine.mjs'));
  const ran = (ours?.functions ?? []).filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
  const places = ran.map(({ ranges }) => fileAt(ranges[0]?.startOffset ?? 0));
  const inSources = places.filter((file) => file.startsWith('src/'));
  return { files: [...new Set(inSources)].sort(), functions: inSources.length };
}

const isList = process.argv.includes('--list');
try {
  for (const [name, goal] of Object.entries(GOALS)) {
    const { walk, end } = await ways[/** @type {keyof typeof GOALS} */ (name)]();
    await walk();
    await delay(100);
    const { files, functions } = await filesOn(walk);
    await end?.();
    const rooms = new Set(files.map((file) => file.split('/')[1]));
    console.log(
      `${name}: ${files.length} files, goal ${goal}; ${functions} functions in ${rooms.size} rooms`,
    );
    if (isList) for (const file of files) console.log(`   ${file}`);
  }
} finally {
  await rm(root, { recursive: true, force: true });
}
process.exit();
