import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { encodeHeader } from '../../src/store/format/journalHeader.js';
import { encodeLine } from '../../src/store/format/lineFormat.js';
import { randomNumbers } from '../../test/support/randomNumbers.js';
import { jsonText, ordinaryTexts } from '../harness/ordinaryTexts.js';

/** Stands in three sessions. */
export const RARE = 'quetzalcoatl';
/** Stands in nearly all. */
export const COMMON = 'error';
/** What a pattern is asked for; one session in two hundred has it. */
export const PATTERN = String.raw`retried after \d+ms`;

const AGENTS = ['Baker', 'Fixer', 'Reviewer', 'Tester', 'Writer', 'Scout'];
const TOOLS = ['Read', 'Bash', 'Edit', 'Grep', 'Write', 'WebFetch', 'NotebookEdit'];
const MODELS = ['gpt-5', 'gpt-5-mini', 'claude-sonnet-4-5', 'claude-opus-4-5'];
/** The mean size of a session, in bytes: sizes are spread as those of people who use such tools every day. */
const MEAN_BYTES = 500_000;
const DAY = 86_400_000;
/** The first session begins on the first of January 2026. */
const START = Date.UTC(2026, 0, 1);

/** What a store of the bench holds. */
export interface MadeStore {
  readonly sessions: number;
  readonly records: number;
  readonly bytes: number;
}

/** Writes a store of some sessions, always the same: their sizes are spread log-normally, most small and a few very large. */
export function makeStore(root: string, sessions: number, meanBytes = MEAN_BYTES): MadeStore {
  const random = randomNumbers(17);
  const texts = ordinaryTexts(1_500);
  const json = jsonText(200_000);
  mkdirSync(join(root, 'conversations'), { recursive: true });
  writeFileSync(join(root, '.logbook'), '{"logbook":1}\n');
  let [records, bytes] = [0, 0];
  for (let session = 0; session < sessions; session++) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const size = Math.min(60_000_000, (meanBytes / Math.exp(0.72)) * Math.exp(1.2 * normal));
    const time = START + Math.floor((session / sessions) * 300 * DAY);
    const made = writeSession(root, { session, size, time, random, texts, json });
    records += made.records;
    bytes += made.bytes;
  }
  return { sessions, records, bytes };
}

interface Wanted {
  readonly session: number;
  readonly size: number;
  readonly time: number;
  readonly random: () => number;
  readonly texts: readonly string[];
  readonly json: string;
}

function writeSession(root: string, wanted: Wanted): { records: number; bytes: number } {
  const { session, size, random, texts, json } = wanted;
  const day = new Date(wanted.time).toISOString();
  const id = `${day.slice(0, 10).replaceAll('-', '')}-${day.slice(11, 19).replaceAll(':', '')}-${session.toString(16).padStart(8, '0')}`;
  const folder = join(root, 'conversations', id);
  mkdirSync(folder);
  const lines: Buffer[] = [encodeHeader(id, wanted.time, 0)];
  let [written, seq, time] = [0, 0, wanted.time];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const add = (agent: string, body: object) => {
    const line = encodeLine({
      seq: ++seq,
      id: `m_${hex(32)}`,
      time: (time += Math.floor(random() * 8_000)),
      conversation: id,

      run: `r_${session}`,
      call: `k_${session}_${agent}`,
      agent,
      depth: agent === 'Baker' ? 0 : 1,
      ...body,
    });
    written += line.length + 1;
    lines.push(line, NEWLINE);
  };
  const say = (role: string, content: string) => ({ type: 'message', message: { role, content } });
  // Every session speaks of its own files and names.
  const files = Array.from({ length: 12 }, () => `src/${pick(WORDS)}/${pick(WORDS)}${hex(3)}.ts`);
  add('Baker', say('user', `${pick(texts).slice(0, 300)} in ${pick(files)}`));
  if (PLANTED.has(session)) add('Baker', say('assistant', `The ${RARE} of ${pick(files)} is wrong.`));
  if (session % 200 === 3) add('Baker', say('assistant', `It was retried after ${session}ms.`));
  while (written < size) {
    const agent = random() < 0.7 ? 'Baker' : pick(AGENTS);
    const tool = TOOLS[Math.floor(TOOLS.length * random() ** 2)]!;
    const call = `t_${hex(24)}`;
    const file = pick(files);
    const input =
      tool === 'Bash' ? { command: `npx vitest run ${file} && git diff ${hex(7)}` } : { file_path: file };
    add(agent, {
      type: 'message',
      message: {
        role: 'assistant',
        content: random() < 0.6 ? pick(texts).slice(0, 400) : '',
        tool_calls: [
          { id: call, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } },
        ],
      },
      model: pick(MODELS),
      usage: {
        inputTokens: Math.floor(random() * 40_000),
        outputTokens: Math.floor(random() * 900),
        estimated: false,
      },
    });
    const from = Math.floor(random() * (json.length - 9_000));
    const output =
      random() < 0.3 ? json.slice(from, from + 200 + random() * 8_000) : resultOf(pick(texts), random);
    const isError = random() < 0.04;
    add(agent, {
      type: 'message',
      message: {
        role: 'tool',
        tool_call_id: call,
        content: isError ? `error: ${output.slice(0, 500)}` : output,
      },
      toolName: tool,
      durationMs: Math.floor(random() * 5_000),
      ...(isError && { isError: true }),
    });
  }
  const file = openSync(join(folder, 'messages.jsonl'), 'w');
  writeSync(file, Buffer.concat(lines));
  closeSync(file);
  return { records: seq, bytes: written };
}

const NEWLINE = Buffer.from('\n');
const PLANTED = new Set([11, 222, 333]);
const WORDS = 'oven dough crumb butter sugar tray timer flour whisk glaze batch recipe scale yeast'.split(
  ' ',
);

/** A part of a text, as a tool gives it back with the numbers of its lines. */
function resultOf(text: string, random: () => number): string {
  const lines = text.slice(Math.floor(random() * 500)).split('\n');
  return lines.map((line, at) => `${at + 1}\t${line}`).join('\n');
}
