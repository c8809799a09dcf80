import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import type { Turn } from '../../../src/query/numbers/answers.js';

/** JSONL of these values. */
export const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join('\n');

/** All records of all conversations. */
export const records = ({ conversations }: ImportResult) => conversations.flatMap((each) => each.records);

/** Questions about all of them. */
export const query = (result: ImportResult) => new MessageQuery(records(result));

interface ReadText {
  role: string;
  content: unknown;
  tool_calls?: { function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** A conversation as short lines: who said what, with which calls; for results, which call they answer. */
export const said = (result: ImportResult) =>
  (query(result).export('dict', { redact: false }) as unknown as ReadText[]).map(
    ({ role, content, tool_calls, tool_call_id }) => {
      const calls = (tool_calls ?? [])
        .map((call) => ` ${call.function.name}(${call.function.arguments})`)
        .join('');
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      return `${role}${tool_call_id === undefined ? '' : ` ${tool_call_id}`}: ${text}${calls}`;
    },
  );

/** What was read from a file, to be compared: of problems the order does not matter. */
const told = ({ format, conversations, problems }: ImportResult) => ({
  format,
  conversations: conversations.map(({ records: all, ...about }) => JSON.stringify({ ...about, all })),
  problems: problems.map(({ message, line }) => `${line ?? ''} ${message}`).sort(),
});

/** The same from a file of which nothing is held. */
async function fromDisk(text: string, name = 'talk.jsonl') {
  const folder = await mkdtemp(join(tmpdir(), 'reading-'));
  try {
    const path = join(folder, name);
    await writeFile(path, text);
    return told(await importFile(path, { alone: true, heldBytes: 0 }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Reads values, one a line, held and from the disk, and checks the format, what was said and what was reported. */
export async function expectSaid(
  values: unknown[],
  format: string,
  expected: string[],
  problems: string[] = [],
) {
  const result = await importTranscript(lines(...values), 'talk.jsonl');
  expect(result.format).toBe(format);
  expect(said(result)).toEqual(expected);
  expect(result.problems.map(({ message }) => message)).toEqual(problems);
  expect(await fromDisk(lines(...values))).toEqual(told(result));
  if (values.length > 1) await expectSameInList(values);
  return result;
}

/** Checks that the same values as one list are read alike held and from the disk, but for where something stands. */
async function expectSameInList(values: unknown[]) {
  const list = JSON.stringify(values);
  const { problems: held, ...whole } = told(await importTranscript(list, 'talk.json'));
  const { problems: read, ...piecewise } = await fromDisk(list, 'talk.json');
  expect(piecewise).toEqual(whole);
  expect(read.length).toBe(held.length);
}

/** The agents of turns, those of dispatched agents inside. */
export const nested = (turns: readonly Turn[]): unknown[] =>
  turns.map(({ agent, toolInteractions }) => [
    agent,
    ...toolInteractions.flatMap((each) => nested(each.turns)),
  ]);

/** Usage as Anthropic and OpenAI's Responses write it. */
export const usage = (input_tokens: number, output_tokens: number, cache_read_input_tokens = 0) => ({
  input_tokens,
  output_tokens,
  cache_read_input_tokens,
});

/** What requests and messages say of their model and tokens, where they say either. */
export const spent = (result: ImportResult) =>
  records(result).flatMap((record) => {
    const { model, usage } = record as { model?: string; usage?: Record<string, unknown> };
    if (model === undefined && usage === undefined) return [];
    const { estimated, ...tokens } = usage ?? {};
    return [[model ?? '', estimated === undefined ? {} : tokens]];
  });
