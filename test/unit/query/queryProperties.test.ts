import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsOf } from '../../../src/query/numbers/facts.js';
import type { TokenCounter } from '../../../src/core/ports/tokenCounter.js';
import { ToolNames } from '../../../src/query/numbers/toolNames.js';
import { TranscriptReader } from '../../../src/query/numbers/transcriptReader.js';
import { MessageQuestions } from '../../../src/query/messageQuestions.js';
import type { Turn } from '../../../src/query/numbers/answers.js';
import { anyHistory, anyItems, anyRecords } from './arbitraries.js';
import { runs } from '../../support/fixedInputs.js';

const counter: TokenCounter = { count: (text) => text.length };
const ask = (items: readonly unknown[]) => new MessageQuestions(items, { tokenCounter: counter });
const sum = (numbers: Iterable<number>) => Array.from(numbers).reduce((a, b) => a + b, 0);
const check = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void) =>
  fc.assert(fc.property(arbitrary, property), { numRuns: runs(400) });

/** Turns and, inside their interactions, the turns of agents that were dispatched. */
const allTurns = (turns: readonly Turn[]): Turn[] =>
  turns.flatMap((turn) => [
    turn,
    ...turn.toolInteractions.flatMap((interaction) => allTurns(interaction.turns)),
  ]);

test('no JSON value in any field makes a question throw, and no question changes its messages', () => {
  check(anyItems, (items) => {
    const before = JSON.stringify(items);
    const query = ask(items);
    for (const result of [query.stats(), query.toolSummary(), query.timeline()])
      expect(typeof String(result)).toBe('string');
    query.filter({ toolName: 'grep', content: 'a', role: 'tool', agent: 'Pickle' });
    query.filter({ content: 'a|b', regex: true });
    expect(JSON.stringify(items)).toBe(before);
  });
});

test('what roles and agents add up to is the total', () => {
  check(fc.oneof(anyItems, anyRecords), (items) => {
    const stats = ask(items).stats();
    expect(sum(Object.values(stats.messagesByRole))).toBe(stats.totalMessages);
    expect(sum(Object.values(stats.tokensByRole))).toBe(stats.totalTokens);
    expect(stats.exactTokens + stats.estimatedTokens).toBe(stats.totalTokens);
    expect(stats.totalMessages).toBe(ask(items).length);
  });
});

test('calls counted are calls made, and no result is lost', () => {
  check(anyHistory, (history) => {
    const summary = ask(history).toolSummary();
    const made = sum(history.map((message) => ('tool_calls' in message ? message.tool_calls.length : 0)));
    const answered = history.filter(({ role }) => role === 'tool').length;
    expect(sum(summary.map(({ callCount }) => callCount))).toBe(made);
    expect(summary.map(({ calls }) => calls.length)).toEqual(summary.map(({ callCount }) => callCount));
    const results = summary.flatMap(({ calls, orphans }) => [
      ...calls.filter(({ result }) => result !== null),
      ...orphans,
    ]);
    expect(results).toHaveLength(answered);
  });
});

test('timeline and summary tell of the same calls and results', () => {
  check(fc.oneof(anyHistory, anyRecords), (items) => {
    const interactions = allTurns(ask(items).timeline()).flatMap((turn) => turn.toolInteractions);
    const summary = ask(items).toolSummary();
    const calls = interactions.filter(({ status }) =>
      ['answered', 'unanswered', 'answeredLater'].includes(status),
    );
    expect(calls).toHaveLength(sum(summary.map(({ callCount }) => callCount)));
    const late = interactions.filter(({ status }) => status === 'late').length;
    const later = interactions.filter(({ status }) => status === 'answeredLater').length;
    expect(late).toBe(later);
    const orphans = interactions.filter(({ status }) => status === 'orphan');
    expect(orphans.length).toBe(sum(summary.map((tool) => tool.orphans.length)));
  });
});

test('whoever asks which tool a result is of gets the same answer', () => {
  check(fc.oneof(anyHistory, anyRecords), (items) => {
    const reader = new TranscriptReader();
    const names = new ToolNames();
    for (const item of items) {
      const { made } = reader.next(factsOf(item)).result ?? {};
      const name = names.next(item);
      if (made) expect(name).toBe(made.tool);
    }
  });
});

test('turns are numbered in their list, and every message stands in the range of one at the top', () => {
  check(fc.oneof(anyHistory, anyRecords), (items) => {
    const query = ask(items);
    const turns = query.timeline();
    for (const list of [turns, ...allTurns(turns).flatMap((t) => t.toolInteractions.map((i) => i.turns))]) {
      expect(list.map(({ index }) => index)).toEqual(list.map((_, index) => index));
    }
    query.all().forEach((item, index) => {
      const message = 'message' in (item as object) ? (item as { message: object }).message : item;
      if ((message as { role: string }).role === 'moderator') return;
      expect(turns.some(({ range }) => range.start <= index && index < range.end)).toBe(true);
    });
  });
});

test('what a filter finds is a subsequence, and criteria together find what each finds', () => {
  const criteria = fc.record(
    {
      role: fc.constantFrom('tool', 'assistant', 'user'),
      toolName: fc.constantFrom('grep', 'ls'),
      content: fc.constantFrom('a', 'W'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyHistory, criteria, (history, wanted) => {
      const query = ask(history);
      const each = Object.entries(wanted).map(([key, value]) => new Set(query.filter({ [key]: value })));
      expect(query.filter(wanted)).toEqual(
        query.all().filter((message) => each.every((found) => found.has(message))),
      );
    }),
  );
});

test('asking by tool is the naive definition: its callers, and the results that answer their latest calls', () => {
  check(anyHistory, (history) => {
    const naive = history.filter((message, index) => {
      if ('tool_calls' in message) return message.tool_calls.some((call) => call.function.name === 'grep');
      if (!('tool_call_id' in message)) return false;
      if ('name' in message && message.name === 'grep') return true;
      const round = history
        .slice(0, index)
        .findLastIndex(
          (m) => 'tool_calls' in m && m.tool_calls.some(({ id }) => id === message.tool_call_id),
        );
      const caller = history[round];
      if (!caller || !('tool_calls' in caller)) return false;
      const calls = caller.tool_calls.filter(({ id }) => id === message.tool_call_id);
      const before = history
        .slice(round, index)
        .filter((m) => 'tool_call_id' in m && m.tool_call_id === message.tool_call_id).length;
      return calls[Math.min(before, calls.length - 1)]?.function.name === 'grep';
    });
    expect(ask(history).filter({ toolName: 'grep' })).toEqual(naive);
  });
});
