import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { forEachAtOnce } from '../../src/core/forEachAtOnce.js';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { startChild } from '../harness/startChild.js';
import { median, quantile } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import { lineAt, makeTranscript } from '../import/makeTranscript.js';
import type { DiscoverFigures } from './childDiscover.js';
import type { OpenFigures } from './childOpen.js';
import type { FollowFigures } from './childFollow.js';
import type { ProxyFigures } from './childProxy.js';
import type { ReceiveFigures } from './childReceive.js';
import { spansOf } from './spansOf.js';
import { ask, streamingModel, type RequestTiming } from './streamingModel.js';

const MEGABYTE = 1e6;
const LIMIT_MS = 1_200_000;
/** How large a request is beside which others are asked, in bytes, and for how long they are. */
const LARGE_BYTES = 20 * MEGABYTE;
const BESIDE_MS = 1_000;
/** How large the session is that is opened, in megabytes; less for a short run. */
const OPENED = Number(process.env.AGENT_LOGBOOK_CAPTURE_MB ?? 1_000);
/** How many sessions are followed, of how many lines come, how large they are, how often a line is written to each, and for how long. */
const LIVE = 50;
const GROWING = 5;
const LIVE_BYTES = 500_000;
const LINE_EVERY_MS = 1_000;
const FOLLOWED_MS = 40_000;
/** How many sessions are discovered, in how many folders. */
const SESSIONS = 10_000;
const PROJECTS = 50;
/** How many spans are sent, in requests of how many, and how many requests at once. */
const SPANS = 50_000;
const SPANS_OF_A_REQUEST = 500;
const REQUESTS_AT_ONCE = 8;
/** How many requests are sent one after another, and how many streams at once. */
const ASKED = 300;
const STREAMS = 200;

const folder = temporaryFolder();
const within = (value: string, limit: string) => [value, limit] as const;

async function opened(): Promise<readonly (readonly string[])[]> {
  const path = join(folder, 'session.jsonl');
  makeTranscript(path, 'session of Claude Code', OPENED * MEGABYTE);
  const child = await runChild<OpenFigures>('capture/childOpen', [path, folder], LIMIT_MS);
  if ('failure' in child) throw new Error(child.words);
  const { bytes, firstRows, allRead } = child.answer;
  const what = `a session of Claude Code of ${figures(OPENED)} MB`;
  return [
    [`${what}: its first rows`, ...within(duration(firstRows), '1 s')],
    [`${what}: read`, ...within(`${figures(bytes / MEGABYTE / (allRead / 1_000))} MB/s`, '100 MB/s')],
  ];
}

/** Sessions of which all, and a few, are written to in turn, each a line in its time. */
async function followed(): Promise<readonly (readonly string[])[]> {
  const size = `${LIVE} live sessions of ${figures(LIVE_BYTES / MEGABYTE)} MB`;
  const all = await following(LIVE);
  const few = await following(GROWING);
  return [
    [
      `${size}, a line a second in ${GROWING} of them: of a processor`,
      ...within(`${figures(few.share * 100)} %`, '2 %'),
    ],
    [`${size}, a line a second in each: of a processor`, ...within(`${figures(all.share * 100)} %`, '-')],
    [
      'the same, for each line (of the processor)',
      ...within(duration((all.share * LINE_EVERY_MS) / LIVE), '0.4 ms'),
    ],
  ];
}

async function following(growing: number): Promise<FollowFigures> {
  const lines = join(folder, `live-${growing}`);
  mkdirSync(lines);
  const paths = Array.from({ length: LIVE }, (_, at) => join(lines, `${at}.jsonl`));
  const ends = paths.map((path) => makeTranscript(path, 'session of Claude Code', LIVE_BYTES));
  const words = [lines, `${growing}`, ...paths];
  const child = await startChild<object, FollowFigures>('capture/childFollow', words);
  const begun = performance.now();
  for (let at = 0; performance.now() - begun < FOLLOWED_MS; at++) {
    const of = at % growing;
    appendFileSync(paths[of]!, `${JSON.stringify(lineAt(ends[of]! + Math.floor(at / growing)))}\n`);
    await delay(Math.max(0, begun + ((at + 1) * LINE_EVERY_MS) / growing - performance.now()));
  }
  return await child.end();
}

/** A person's sessions of Claude Code: in folders of projects, all of them written to an hour ago. */
async function discovered(): Promise<readonly (readonly string[])[]> {
  const home = join(folder, 'home');
  const line = `${JSON.stringify(lineAt(0))}\n`;
  const anHourAgo = Date.now() / 1_000 - 3_600;
  for (let at = 0; at < SESSIONS; at++) {
    const project = join(home, '.claude/projects', `-project-${at % PROJECTS}`);
    if (at < PROJECTS) mkdirSync(project, { recursive: true });
    const path = join(project, `${at}.jsonl`);
    writeFileSync(path, line);
    utimesSync(path, anHourAgo, anHourAgo);
  }
  const child = await runChild<DiscoverFigures>('capture/childDiscover', [home], LIMIT_MS);
  if ('failure' in child) throw new Error(child.words);
  const { listed, firstPage, again, hiddenShare } = child.answer;
  if (child.answer.sessions !== SESSIONS) throw new Error(`${child.answer.sessions} sessions were found.`);
  const what = `${figures(SESSIONS)} sessions`;
  return [
    [`${what}: listed from the start of the thread`, ...within(duration(listed), '1 s')],
    [`${what}: the rows of the first 50 read`, ...within(duration(firstPage), '300 ms')],
    [`${what}: each of them looked at again`, ...within(duration(again), '-')],
    [
      `${what}: of a processor while the view is hidden`,
      ...within(`${figures(hiddenShare * 100)} %`, '0.5 %'),
    ],
  ];
}

async function received(): Promise<readonly (readonly string[])[]> {
  const recordings = join(folder, 'received');
  const child = await startChild<{ address: string }, ReceiveFigures>('capture/childReceive', [recordings]);
  const { address } = child.ready;
  const headers = { 'content-type': 'application/json' };
  const requests = Array.from({ length: SPANS / SPANS_OF_A_REQUEST }, (_, at) =>
    JSON.stringify(spansOf(at, SPANS_OF_A_REQUEST)),
  );
  const begun = performance.now();
  await forEachAtOnce(requests, REQUESTS_AT_ONCE, async (body) => {
    const answer = await fetch(`${address}/v1/traces`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  });
  const seconds = (performance.now() - begun) / 1_000;
  const { spans, share } = await child.end();
  if (spans !== SPANS) throw new Error(`${spans} of ${SPANS} spans were taken.`);
  const how = `spans received, ${SPANS_OF_A_REQUEST} a request, on the disk before the answer (${figures(share * 100)} % of a processor)`;
  return [[how, ...within(`${figures(spans / seconds)}/s`, '10,000/s')]];
}

async function passedOn(): Promise<readonly (readonly string[])[]> {
  const model = await streamingModel(20, 0);
  const proxied = join(folder, 'proxied');
  const child = await startChild<{ address: string }, ProxyFigures>('capture/childProxy', [
    proxied,
    model.address,
  ]);
  const bare = await startChild<{ address: string }, object>('capture/childPipe', [model.address]);
  const proxy = `${child.ready.address}/openai`;
  const direct: RequestTiming[] = [];
  const through: RequestTiming[] = [];
  const piped: RequestTiming[] = [];
  for (let at = 0; at < ASKED; at++) {
    direct.push(await ask(model.address, `Question ${at}`));
    through.push(await ask(proxy, `Question ${at}`));
    piped.push(await ask(bare.ready.address, `Question ${at}`));
  }
  // It is read and recorded when it was passed on, beside what is asked then.
  await ask(proxy, 'Very long. '.repeat(LARGE_BYTES / 11));
  const beside: RequestTiming[] = [];
  for (const until = performance.now() + BESIDE_MS; performance.now() < until;)
    beside.push(await ask(proxy, `Question ${beside.length} beside it`));
  model.close();
  await bare.end();
  // What warms up does not count.
  const longer = (asked: readonly RequestTiming[], part: 'whole' | 'first') =>
    asked.slice(ASKED / 10).map((each, at) => each[part] - direct[ASKED / 10 + at]![part]);
  const { problems } = await child.end();
  if (problems.length > 0) throw new Error(problems[0]);
  return [
    [
      'a request through the proxy: longer by (p50)',
      ...within(duration(median(longer(through, 'whole'))), '1 ms'),
    ],
    [
      'the same through a proxy of Node that only pipes',
      ...within(duration(median(longer(piped, 'whole'))), '-'),
    ],
    ['its first byte: later by (p99)', ...within(duration(quantile(longer(through, 'first'), 0.99)), '5 ms')],
    [
      'the same through a proxy of Node that only pipes',
      ...within(duration(quantile(longer(piped, 'first'), 0.99)), '-'),
    ],
    [
      `the longest wait for a first byte in the ${duration(BESIDE_MS)} after a request of ${figures(LARGE_BYTES / MEGABYTE)} MB`,
      ...within(duration(Math.max(...beside.map(({ first }) => first))), '-'),
    ],
  ];
}

async function streamed(): Promise<readonly (readonly string[])[]> {
  const model = await streamingModel(50, 40);
  const child = await startChild<{ address: string }, ProxyFigures>('capture/childProxy', [
    join(folder, 'streamed'),
    model.address,
  ]);
  const all = await Promise.all(
    Array.from({ length: STREAMS }, (_, at) => ask(`${child.ready.address}/openai`, `Stream ${at}`)),
  );
  const sizes = new Set(all.map(({ bytes }) => bytes));
  const whole = sizes.size === 1 ? all.length : 0;
  const { problems } = await child.end();
  model.close();
  const longest = duration(Math.max(...all.map((each) => each.whole)));
  const words = `streams of 2 s at once, all of them whole (the slowest ${longest}; problems: ${problems.length})`;
  return [[words, ...within(figures(whole), figures(STREAMS))]];
}

const rows: (readonly string[])[] = [];
for (const measure of [followed, discovered, received, passedOn, streamed, opened])
  rows.push(...(await measure()));
console.log(`## Capture\n\n${markdownTable(['what', 'measured', 'goal'], rows)}\n`);
