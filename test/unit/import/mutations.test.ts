import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { lostTexts } from '../../../scripts/lostTexts.mjs';
import { hiddenTexts } from '../../../src/import/building/halfRead.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { speakerIn } from '../../../src/query/numbers/transcriptItem.js';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import { MUTATIONS } from '../../support/transcriptMutations.js';
import { lines, records, said } from './reading.js';

const at = '2025-05-01T10:00:00.000Z';
const call = { id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":"many cats"}' } };
const use = { type: 'tool_use', id: 'c1', name: 'search', input: { q: 'many cats' } };

/** A small file of each kind of shape that formats have: lists, lines, trees, events, spans, steps. */
const FILES: readonly [what: string, text: string][] = [
  [
    'chat completions',
    JSON.stringify({
      id: 'one',
      messages: [
        { role: 'user', content: 'where are the cats?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'two of them on the roof' },
      ],
      reward_info: { reward: 0.5 },
    }),
  ],
  [
    'Claude Code',
    lines(
      {
        type: 'user',
        sessionId: 's',
        uuid: 'u1',
        timestamp: at,
        message: { role: 'user', content: 'where are the cats?' },
      },
      {
        type: 'assistant',
        sessionId: 's',
        uuid: 'u2',
        timestamp: at,
        message: {
          id: 'm',
          role: 'assistant',
          model: 'claude',
          content: [use],
          usage: { input_tokens: 10, output_tokens: 12_345 },
        },
      },
      {
        type: 'user',
        sessionId: 's',
        uuid: 'u3',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'two of them on the roof' }],
        },
        toolUseResult: { stdout: 'more than was shown' },
      },
    ),
  ],
  [
    'Codex',
    lines(
      { timestamp: at, type: 'session_meta', payload: { id: 'thread', cwd: '/some/folder' } },
      {
        timestamp: at,
        type: 'response_item',
        payload: {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: 'where are the cats?' }],
        },
      },
      {
        timestamp: at,
        type: 'response_item',
        payload: { type: 'function_call', name: 'search', call_id: 'c1', arguments: '{"q":"many cats"}' },
      },
      {
        timestamp: at,
        type: 'response_item',
        payload: { type: 'function_call_output', call_id: 'c1', output: 'two of them on the roof' },
      },
    ),
  ],
  [
    'the events of codex exec',
    lines(
      { type: 'thread.started', thread_id: 'thread-one' },
      {
        type: 'item.completed',
        item: {
          id: 'i1',
          type: 'command_execution',
          command: 'find the cats',
          aggregated_output: 'two of them on the roof',
          exit_code: 0,
          status: 'completed',
        },
      },
      { type: 'item.completed', item: { id: 'i2', type: 'agent_message', text: 'They are on the roof.' } },
    ),
  ],
  [
    'ChatGPT',
    JSON.stringify([
      {
        title: 'About some cats',
        current_node: 'b',
        mapping: {
          a: {
            id: 'a',
            parent: null,
            children: ['b'],
            message: {
              author: { role: 'user' },
              content: { content_type: 'text', parts: ['where are the cats?'] },
            },
          },
          b: {
            id: 'b',
            parent: 'a',
            children: [],
            message: {
              author: { role: 'assistant' },
              content: { content_type: 'text', parts: ['They are on the roof.'] },
            },
          },
        },
      },
    ]),
  ],
  [
    'AutoGen',
    JSON.stringify([
      { source: 'user', type: 'TextMessage', content: 'where are the cats?' },
      {
        source: 'finder',
        type: 'ToolCallRequestEvent',
        content: [{ id: 'c1', name: 'search', arguments: '{"q":"many cats"}' }],
      },
      {
        source: 'finder',
        type: 'ToolCallExecutionEvent',
        content: [{ call_id: 'c1', name: 'search', content: 'two of them on the roof', is_error: false }],
      },
    ]),
  ],
  [
    'steps of an agent',
    JSON.stringify({
      task: 'find all the cats',
      steps: [{ thought: 'They may be above.', action: 'look_up', observation: 'two of them on the roof' }],
    }),
  ],
  [
    'Gemini',
    JSON.stringify({
      sessionId: 's',
      messages: [
        { id: 'm1', type: 'user', timestamp: at, content: 'where are the cats?' },
        {
          id: 'm2',
          type: 'gemini',
          timestamp: at,
          content: 'They are on the roof.',
          tokens: { input: 12_345, output: 6 },
        },
      ],
    }),
  ],
  [
    'OpenCode',
    JSON.stringify({
      info: { id: 'ses', title: 'About some cats' },
      messages: [
        { info: { id: 'm1', role: 'user' }, parts: [{ type: 'text', text: 'where are the cats?' }] },
        {
          info: { id: 'm2', role: 'assistant' },
          parts: [
            {
              type: 'tool',
              callID: 'c1',
              tool: 'search',
              state: { status: 'completed', input: { q: 'many cats' }, output: 'two of them on the roof' },
            },
          ],
        },
      ],
    }),
  ],
  [
    'spans',
    JSON.stringify([
      {
        name: 'ask a model',
        context: { trace_id: 't', span_id: 's' },
        start_time: at,
        end_time: at,
        attributes: {
          'openinference.span.kind': 'LLM',
          'llm.input_messages.0.message.role': 'user',
          'llm.input_messages.0.message.content': 'where are the cats?',
        },
      },
    ]),
  ],
  [
    'recorded traffic',
    lines({
      request: { model: 'm', messages: [{ role: 'user', content: 'where are the cats?' }] },
      response: {
        object: 'chat.completion',
        choices: [{ message: { role: 'assistant', content: 'They are on the roof.' } }],
      },
    }),
  ],
];

const folder = fileURLToPath(new URL('../../../../shared/transcripts/', import.meta.url));
const MAX_REAL = 4_000;
const real: readonly [what: string, text: string][] = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => statSync(path).size <= MAX_REAL)
      .sort()
      .map((path) => [relative(folder, path), readFileSync(path, 'utf8')])
  : [];

/** The texts and numbers of JSON with their keys, found without parsing it, so that a file may be cut or broken. */
function literals(text: string): unknown[] {
  const found: unknown[] = [];
  const token = /"(?:[^"\\\n]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*[,}\]])|[^"]/g;
  let key: string | undefined;
  for (const [whole, colon] of text.matchAll(token)) {
    if (whole.length === 1 && !/\d/.test(whole)) {
      if (/[[{,]/.test(whole)) key = undefined;
      continue;
    }
    try {
      const value = JSON.parse(colon === undefined ? whole : whole.replace(/\s*:$/, '')) as unknown;
      if (colon !== undefined) key = String(value);
      else found.push(key === undefined ? value : { [key]: value });
    } catch {
      // What is no JSON in a broken file is a piece of its text.
    }
  }
  return found;
}

/** Imports a text and its own export again; nothing may stop, vanish or change on the way. */
async function expectWhole(text: string, isAligned: boolean) {
  const result = await importTranscript(text, 'file.json');
  expect(result.problems.filter(({ message }) => message.includes('unexpected'))).toEqual([]);
  const titles = result.conversations.map(({ title }) => title);
  // The numbers of a line that is cut stand in its text.
  const cut = records(result).map((record) =>
    'kind' in record && record.kind === 'unreadable' ? String(record.value) : '',
  );
  const lost = lostTexts(literals(text), [titles, records(result)]);
  if (isAligned)
    expect(lost.filter(({ value }) => !cut.some((line) => line.includes(String(value))))).toEqual([]);
  const exported = new MessageQuery(records(result)).export('json', { redact: false });
  const again = await importTranscript(exported, 'again.json');
  expect(said(again)).toEqual(said(result));
}

/** What tools write beside what was said, which is no one's words: prompts with what the tool put there, and what calls intend. */
const NO_WORDS = /transformedContent|intentionSummary|toolUseResult|contenst|\.role$|\.action$|\.message$/;

test.each([...FILES, ...real.filter(([name]) => !name.endsWith('.md'))])(
  'what somebody wrote in it is shown, or found among records: %s',
  async (_, text) => {
    const { conversations } = await importTranscript(text, 'file.jsonl');
    const steps = hiddenTexts(valuesOf(text), conversations);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value.map(({ path }) => path).filter((path) => !NO_WORDS.test(path))).toEqual([]);
  },
);

test.each([...FILES, ...real])('roles of it are read in any letter case: %s', async (_, text) => {
  const speakers = async (of: string) =>
    (await importTranscript(of, 'file.jsonl')).conversations.map((each) => each.records.map(speakerIn));
  const role = /("role"\s*:\s*")(user|assistant|system|tool|developer)"/g;
  const loud = text.replace(role, (_all, key: string, word: string) => `${key}${word.toUpperCase()}"`);
  expect(await speakers(loud)).toEqual(await speakers(text));
});

function valuesOf(text: string): unknown[] {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    // Lines, of which some may be broken.
    return text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line) as unknown];
      } catch {
        return [];
      }
    });
  }
}

describe.each([...FILES, ...real])('however %s was written', (what, text) => {
  test.each(MUTATIONS.map((mutation, index) => [mutation.name, mutation, index] as const))(
    'with %s, nothing of it is lost, and its export reads back the same',
    async (_name, mutation, index) => {
      // A file without its beginning may begin within a text.
      const isAligned = mutation.name !== 'cut in its first third';
      await expectWhole(mutation.of(text, randomNumbers(index * 1000 + what.length)), isAligned);
    },
  );
});
