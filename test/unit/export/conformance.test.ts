import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../../src/core/message.js';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import type { TokenCounter } from '../../../src/core/ports/tokenCounter.js';
import type { MessageStats } from '../../../src/query/numbers/answers.js';
import type { Turn } from '../../../src/query/numbers/answers.js';
import type { ToolCallInfo } from '../../../src/query/numbers/answers.js';

const file = new URL('../../../../shared/conformance/messageQuery.json', import.meta.url);

interface Case {
  readonly id: string;
  readonly fixture: string | object[];
  readonly op: string;
  readonly args: Record<string, unknown>;
  readonly counter: 'words+4' | 'throws' | null;
  readonly expected: { indices?: number[]; value?: unknown; error?: string; message?: string };
  readonly ours?: string;
}

const { fixtures, cases } = (
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { fixtures: {}, cases: [] }
) as { fixtures: Record<string, object[]>; cases: Case[] };

const counters: Record<'words+4' | 'throws', TokenCounter> = {
  'words+4': {
    count: () => expect.unreachable('counts whole messages'),
    countMessage: ({ content }: ChatMessage) =>
      (typeof content === 'string' ? content.split(/\s+/).filter(Boolean).length : 0) + 4,
  },
  throws: {
    count: () => {
      throw new Error('boom');
    },
  },
};

/** Values of ours as the reference implementation shapes them. */
const shapes = {
  stats: (stats: MessageStats) => ({
    total_messages: stats.totalMessages,
    messages_by_role: stats.messagesByRole,
    total_tokens: stats.totalTokens,
    tokens_by_role: stats.tokensByRole,
    avg_tokens_per_message: stats.avgTokensPerMessage,
  }),
  toolSummary: (tools: ToolCallInfo[]) =>
    tools.map(({ toolName, callCount, calls }) => ({
      tool_name: toolName,
      call_count: callCount,
      arguments: calls.flatMap((call) => call.arguments ?? []),
      results: calls.flatMap((call) => call.result ?? []),
      tool_call_ids: calls.map(({ id }) => id),
    })),
  timeline: (turns: Turn[]) =>
    turns.map((turn) => ({
      index: turn.index,
      user_content: turn.userContent,
      assistant_content: turn.assistantContent,
      tool_interactions: turn.toolInteractions.map((interaction) => ({
        tool_name: interaction.toolName,
        tool_call_id: interaction.toolCallId,
        arguments: interaction.arguments,
        result: interaction.result,
      })),
      system_context: turn.systemContext,
    })),
};

/** Asks ours what a case asks, and gives the answer as the reference implementation shapes it. */
function answer({ fixture, op, args, counter }: Case, extra: object): unknown {
  const messages = typeof fixture === 'string' ? fixtures[fixture]! : fixture;
  const query = new MessageQuery(messages, { tokenCounter: counter ? counters[counter] : undefined });
  // Names as the reference implementation spells them are ours too.
  const { format, start, end, n, ...given } = args;
  const indices = (found: object[]) => found.map((message) => messages.indexOf(message));
  switch (op) {
    case 'filter':
      return indices(query.filter(given));
    case 'slice':
      return indices(query.slice(start as number, end as number));
    case 'first':
    case 'last':
      return indices(query[op](n as number));
    case 'all':
      return indices(query.all());
    case 'stats':
      return shapes.stats(query.stats());
    case 'tool_summary':
      return shapes.toolSummary(query.tool_summary());
    case 'timeline':
      return shapes.timeline(query.timeline());
    case 'stats_str':
      return String(query.stats());
    case 'tool_summary_str':
      return String(query.toolSummary());
    case 'timeline_str':
      return String(query.timeline());
    case 'export':
      return query.export(format as 'json', { ...given, ...extra });
    default:
      return expect.unreachable(op);
  }
}

/** Where we differ on purpose, in the words of the case: what comes out instead. */
const ours: Record<string, (ask: () => unknown) => void> = {
  'tool_calls null means no calls: no match, no error': (ask) => expect(ask()).toEqual([]),
  'list content: the text parts are searched': (ask) => expect(ask()).toEqual([0]),
  'orphans counted apart: callCount counts calls only; the orphan is listed with its result': (ask) =>
    expect(ask()).toMatchObject([{ tool_name: 't', call_count: 0, results: [] }]),
  'raw arguments kept beside {}': (ask) =>
    expect(ask()).toMatchObject([{ call_count: 3, arguments: [{}, {}, {}], tool_call_ids: ['1', '2', '3'] }]),
  'a later system message is context of the turn that follows it; with none following, of the last turn': (
    ask,
  ) => expect(ask()).toMatchObject([{ system_context: null }, { system_context: 'MID', user_content: 'q2' }]),
  'an orphan result is shown as an unmatched interaction of the turn it stands in': (ask) =>
    expect(ask()).toMatchObject([
      { user_content: 'q', assistant_content: 'a', tool_interactions: [{ tool_name: 'a', result: 'r' }] },
    ]),
  'empty markdown: a header line and nothing else': (ask) => expect(ask()).toMatch(/^# \S.*$/),
  'a throwing counter never breaks an export: the count is null/empty and the rest is written': (ask) =>
    expect(ask()).toBe('index,role,content,tool_name,tool_call_id,token_count\r\n0,user,a,,,\r\n'),
};

/** The text of a value in the reference implementation's language, as JSON. */
const withJson = (value: unknown) =>
  typeof value === 'string'
    ? value.replace(
        /args: (\{.*\})$/gm,
        (_, repr: string) => `args: ${JSON.stringify(JSON.parse(repr.replaceAll("'", '"')))}`,
      )
    : value;

describe.skipIf(cases.length === 0)('the recorded cases of the reference implementation', () => {
  test('there are all of them', () => {
    expect(cases).toHaveLength(88);
  });

  describe.each([{ redact: true }, { redact: false }])('with %o', (extra) => {
    test.each(cases)('$id $op $args', (each) => {
      const ask = () => answer(each, extra);
      const { expected } = each;
      if (each.ours !== undefined) ours[each.ours]!(ask);
      else if (expected.error !== undefined)
        expect(ask).toThrow(expected.message!.slice(0, expected.message!.indexOf("'")));
      else expect(ask()).toEqual(expected.indices ?? withJson(expected.value));
    });
  });
});
