import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../scripts/transcriptFacts.mjs';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { isObject, textOf } from '../../../src/core/message.js';
import type { UnknownRecord } from '../../../src/core/record.js';
import { ToolNames } from '../../../src/query/numbers/toolNames.js';

const folder = new URL('../../../../shared/transcripts/', import.meta.url);
const hasFiles = existsSync(folder);

/** The facts of one file: numbers and tables of numbers; which of them there are depends on the format. */
type ExpectedFacts = Record<string, number> & Record<TableName, Table>;
type Table = Record<string, number>;
type TableName =
  | 'by_type'
  | 'by_name'
  | 'speakers'
  | 'token_sums'
  | 'tool_use_by_name'
  | 'tool_starts_by_name'
  | 'tool_calls_by_name'
  | 'calls_by_name'
  | 'logs_by_kind'
  | 'events_by_type'
  | 'messages_by_role'
  | 'usage'
  | 'usage_last_line_per_message_id';

const { files } = (
  hasFiles ? JSON.parse(readFileSync(new URL('facts.json', folder), 'utf8')) : { files: {} }
) as { files: Record<string, ExpectedFacts> };

/** Reads a file by itself, as the facts were computed. */
const read = (name: string) => importFile(fileURLToPath(new URL(encodeURI(name), folder)), { alone: true });
const facts = ({ conversations }: ImportResult) => factsOf(conversations, { MessageQuery, ToolNames });
const records = ({ conversations }: ImportResult) => conversations.flatMap((each) => each.records);
const named = (pattern: RegExp) => Object.entries(files).filter(([name]) => pattern.test(name));

/**
 * The result with the roles that the file writes: those that are names of speakers are read as what they do, and stand
 * with the record's source; what a tool put into a person's message is in a person's name there.
 */
function asWritten(result: ImportResult): ImportResult {
  const conversations = result.conversations.map((conversation) => ({
    ...conversation,
    records: conversation.records.map((record) => {
      const told: UnknownRecord = { ...(record as UnknownRecord), injected: undefined };
      const { source, message } = told;
      if (!isObject(source) || typeof source.role !== 'string' || !isObject(message)) return told;
      return { ...told, message: { ...message, role: source.role } };
    }),
  }));
  return { ...result, conversations };
}

/** What the facts tell that is no question about messages: the ratings of a benchmark, and speakers, asked below. */
const NOT_ASKED = new Set(
  'speakers mistake_agent mistake_step distinct_tasks trials reward_counts mean_reward info_errors'.split(
    ' ',
  ),
);

/** How many kept records there are of each kind. */
function kinds(result: ImportResult) {
  const counts: Record<string, number> = {};
  for (const record of records(result)) {
    if (record.type === 'imported' && 'kind' in record && record.kind !== 'left over')
      counts[String(record.kind)] = (counts[String(record.kind)] ?? 0) + 1;
  }
  return counts;
}

/**
 * How many spans there are of each name or type: each stands once, in the record of the request, result or call that it
 * became, or in a record of its own. An object with the key `id` is a span.
 */
function spans(result: ImportResult, id: string, key: string) {
  const counts: Record<string, number> = {};
  for (const record of records(result) as unknown as Record<string, Record<string, unknown> | undefined>[]) {
    const span = record.source ?? record.value;
    if (span?.[id] === undefined) continue;
    counts[String(span[key])] = (counts[String(span[key])] ?? 0) + 1;
  }
  return counts;
}

/** What the provider told of the requests of a file, summed. */
const usage = (result: ImportResult) => new MessageQuery(records(result)).stats().usage;

/** How often each text is sent by each role, in the request that has it most often: every request sends all anew. */
function sentIn(name: string): Record<string, number> {
  interface Sent {
    readonly role: number;
    readonly content: readonly { readonly type: number; readonly text?: string }[];
  }
  interface Log {
    readonly requestMessages?: { readonly messages: readonly Sent[] };
  }
  const { prompts } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as {
    prompts: { logs: Log[] }[];
  };
  const most: Record<string, number> = {};
  for (const { requestMessages } of prompts.flatMap(({ logs }) => logs)) {
    const counts: Record<string, number> = {};
    for (const { role, content } of requestMessages?.messages ?? []) {
      const text = content.flatMap((part) => (part.type === 1 ? (part.text ?? '') : [])).join('');
      const key = `${['system', 'user', 'assistant', 'tool'][role]}: ${text}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    for (const [key, count] of Object.entries(counts)) most[key] = Math.max(most[key] ?? 0, count);
  }
  return most;
}

/** How often each text was said by each role. */
function saidIn(result: ImportResult): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const record of new MessageQuery(records(result)).filter({})) {
    if (record.type !== 'message' || !('message' in record)) continue;
    const message = record.message as { role: string; content?: unknown };
    const key = `${message.role}: ${textOf(message.content)}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe.skipIf(!hasFiles)('facts of real transcripts, asked of the query engine', () => {
  const chats = named(/^(?:openai-chat|multi-agent)\//);

  test.each(chats)('%s', async (name, known) => {
    const result = await read(name);
    const asked = Object.entries(known).filter(([key]) => !NOT_ASKED.has(key));
    expect(facts(asWritten(result))).toMatchObject(Object.fromEntries(asked));
    // What stands beside the messages of a data set is told as not understood.
    expect(result.problems.filter(({ message }) => !message.includes('was not understood'))).toEqual([]);
  });

  test.each(named(/^multi-agent\//))('%s: agents are the speakers', async (name, known) => {
    const { byAgent } = new MessageQuery(records(await read(name))).stats();
    const speakers: Record<string, number> = {};
    for (const [speaker, messages] of Object.entries(known.speakers)) {
      // The human's question stands with the one who is asked, the Orchestrator.
      const agent = speaker === 'human' ? 'Orchestrator' : speaker.replace(/ \(.*\)$/, '');
      speakers[agent] = (speakers[agent] ?? 0) + messages;
    }
    expect(
      Object.fromEntries(Object.entries(byAgent).map(([agent, { totalMessages }]) => [agent, totalMessages])),
    ).toEqual(speakers);
  });

  test.each(named(/^claude-code\/.*\.jsonl$/))('%s', async (name, known) => {
    const result = await read(name);
    const query = new MessageQuery(records(result));
    const told = known.usage_last_line_per_message_id;
    expect(facts(result)).toMatchObject({
      tool_calls: known.tool_uses,
      tool_calls_by_name: known.tool_use_by_name,
      failed_tool_results: known.tool_results_is_error,
    });
    expect(query.filter({ role: 'tool' })).toHaveLength(known.tool_results!);
    const cached = told.cache_read_input_tokens ?? 0;
    expect({ cachedInputTokens: 0, ...usage(result) }).toMatchObject({
      inputTokens: (told.input_tokens ?? 0) + cached + (told.cache_creation_input_tokens ?? 0),
      cachedInputTokens: cached,
      outputTokens: told.output_tokens ?? 0,
    });
    const asked = query.filter({ role: 'user' }) as unknown as {
      message: { content: unknown };
      source: { isMeta?: boolean; isSidechain?: boolean };
    }[];
    const spoken = asked.filter(
      ({ message, source }) => message.content !== null && !source.isMeta && !source.isSidechain,
    );
    // One line of this file holds a bare text among its blocks, which the facts take for nothing said.
    const bare = name.endsWith('edge_cases.jsonl') ? 1 : 0;
    expect(spoken).toHaveLength(known.user_lines_that_are_not_only_tool_results! + bare);
    const answers = query.filter({ role: 'assistant' });
    expect(answers.filter((record) => 'usage' in record)).toHaveLength(known.distinct_assistant_message_ids!);
  });

  test('claude-code/web-export-loglines.json', async () => {
    const result = await read('claude-code/web-export-loglines.json');
    const known = files['claude-code/web-export-loglines.json']!.by_type;
    const query = new MessageQuery(records(result));
    expect(query.filter({ role: 'assistant' })).toHaveLength(known.assistant!);
    expect(query.filter({ role: 'user' }).length + query.filter({ role: 'tool' }).length).toBe(known.user);
  });

  test.each(named(/^codex\//))('%s', async (name, known) => {
    const result = await read(name);
    const byType = known.by_type;
    const total = known.last_total_token_usage as unknown as Table | null;
    expect(facts(result).tool_calls_by_name).toEqual(known.calls_by_name);
    const outputs =
      (byType['response_item/function_call_output'] ?? 0) +
      (byType['response_item/custom_tool_call_output'] ?? 0);
    expect(new MessageQuery(records(result)).filter({ role: 'tool' })).toHaveLength(outputs);
    if (!total) return;
    expect(usage(result)).toMatchObject({
      inputTokens: total.input_tokens,
      cachedInputTokens: total.cached_input_tokens,
      outputTokens: total.output_tokens,
      reasoningTokens: total.reasoning_output_tokens,
    });
  });

  test.each(named(/^gemini-cli\//))('%s', async (name, known) => {
    const result = await read(name);
    const sums = known.token_sums;
    const byType = known.by_type;
    // One line of this file that the facts count among the user's is what a tool answered.
    const answered = name.endsWith('vibe-session-39k.json') ? 1 : 0;
    expect(facts(result)).toMatchObject({
      tool_calls_by_name: known.tool_calls_by_name,
      messages_by_role: { user: byType.user! - answered, assistant: byType.gemini },
    });
    expect({ reasoningTokens: 0, cachedInputTokens: 0, ...usage(result) }).toMatchObject({
      inputTokens: (sums.input ?? 0) + (sums.tool ?? 0),
      outputTokens: (sums.output ?? 0) + (sums.thoughts ?? 0),
      cachedInputTokens: sums.cached ?? 0,
      reasoningTokens: sums.thoughts ?? 0,
    });
  });

  test('copilot/chatreplay-480k.json', async () => {
    const result = await read('copilot/chatreplay-480k.json');
    expect(kinds(result)).toMatchObject(files['copilot/chatreplay-480k.json']!.logs_by_kind);
    expect(saidIn(result)).toMatchObject(sentIn('copilot/chatreplay-480k.json'));
  });

  test('copilot/cli-events-163k.jsonl', async () => {
    const name = 'copilot/cli-events-163k.jsonl';
    const result = await read(name);
    const known = files[name]!.by_type;
    expect(facts(result).tool_calls_by_name).toEqual(files[name]!.tool_starts_by_name);
    const query = new MessageQuery(records(result));
    expect(query.filter({ role: 'tool' })).toHaveLength(known['tool.execution_complete']!);
    expect(query.filter({ role: 'user' })).toHaveLength(known['user.message']!);
  });

  test.each(named(/^otlp\//))('%s', async (name, known) => {
    const result = await read(name);
    expect(spans(result, 'spanId', 'name')).toEqual(known.by_name);
    expect(result.conversations).toHaveLength(known.traces!);
    expect(usage(result)).toMatchObject({
      inputTokens: known.prompt_tokens,
      outputTokens: known.completion_tokens,
    });
  });

  test('langfuse/langfuse-1-82k.json', async () => {
    const known = files['langfuse/langfuse-1-82k.json']!;
    expect(spans(await read('langfuse/langfuse-1-82k.json'), 'traceId', 'type')).toEqual(known.by_type);
  });

  test.each(named(/^inspect\//))('%s', async (name, known) => {
    const result = await read(name);
    expect(result.conversations).toHaveLength(known.samples!);
    expect(facts(result)).toMatchObject({
      messages: known.messages,
      messages_by_role: known.messages_by_role,
    });
    // Events of models are the requests.
    const requests = records(result).filter(({ type }) => type === 'request').length;
    expect({ ...kinds(result), model: requests }).toMatchObject(known.events_by_type);
  });

  test.each(named(/^openai-responses\//))('%s', async (name, known) => {
    const told = known.usage;
    expect(usage(await read(name))).toMatchObject({
      inputTokens: told.input_tokens,
      outputTokens: told.output_tokens,
    });
  });
});
