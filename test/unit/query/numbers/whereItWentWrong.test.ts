import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { knownAmount } from '../../../../src/core/cost.js';
import { dollars } from '../../../../src/core/money.js';
import type { Prices } from '../../../../src/core/ports/prices.js';
import { addRequest } from '../../../../src/query/numbers/callCosts.js';
import { Detours } from '../../../../src/query/numbers/detours.js';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { isFailedRecord } from '../../../../src/query/numbers/failures.js';
import { TranscriptReader } from '../../../../src/query/numbers/transcriptReader.js';
import { WhereItWentWrong } from '../../../../src/query/numbers/whereItWentWrong.js';

const T = Date.UTC(2026, 2, 1);
type Item = Readonly<Record<string, unknown>>;

const main = { run: 'r1', call: 'k1', agent: 'baker', depth: 0 };
const child = { run: 'r1', call: 'k2', parentCall: 'k1', agent: 'miller', depth: 1 };
const start: Item = { ...main, type: 'callStart', task: 'Bake.', model: 'm', tools: [] };
const prompt: Item = { ...main, type: 'message', message: { role: 'user', content: 'Bake.' } };
const calls = (place: Item, id: string, name: string): Item => ({
  ...place,
  type: 'message',
  message: {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
  },
});
const answers = (place: Item, id: string, isError: boolean): Item => ({
  ...place,
  type: 'message',
  toolName: '',
  isError,
  message: { role: 'tool', tool_call_id: id, content: 'x' },
});
const says = (place: Item): Item => ({
  ...place,
  type: 'message',
  message: { role: 'assistant', content: 'Done.' },
});
const request = (place: Item, failed: boolean, durationMs = 1_000): Item => ({
  ...place,
  type: 'request',
  model: 'oven-5',
  endpoint: 'e',
  attempt: 1,
  durationMs,
  ...(failed && { error: { code: 'busy', message: 'Busy.' } }),
});
const end = (outcome: string, place: Item = main): Item => ({
  ...place,
  type: 'callEnd',
  outcome,
  durationMs: 1,
});
const dispatch: Item = {
  ...main,
  type: 'dispatch',
  target: 'miller',
  task: 't',
  toolCallId: 'd',
  childCall: 'k2',
};
const denied = (place: Item, id: string, decidedBy = 'user'): Item => ({
  ...place,
  type: 'approval',
  toolName: 'run_command',
  toolCallId: id,
  subject: 's',
  waitedMs: 5_000,
  decision: 'denied',
  decidedBy,
});

function firstOf(items: readonly Item[]) {
  const reader = new TranscriptReader();
  const found = new WhereItWentWrong();
  items.forEach((item, at) => found.add(reader.next(factsOf({ seq: at + 1, time: T + at, ...item }))));
  return found.first;
}

describe('where it went wrong', () => {
  test('is the first tool that failed, whatever failed after it', () => {
    const items = [start, prompt, calls(main, 'a', 'knead'), answers(main, 'a', true), request(main, true)];
    expect(firstOf([...items, end('failed')])).toEqual({
      kind: 'tool',
      position: 3,
      agent: 'baker',
      what: 'knead',
      more: 1,
    });
  });

  test('is a failed request, with its model', () => {
    expect(firstOf([start, prompt, request(main, true), end('failed')])).toMatchObject({
      kind: 'provider',
      position: 2,
      what: 'oven-5',
      more: 0,
    });
  });

  test('is no tool call that was denied, by a person or by the policy', () => {
    for (const by of ['user', 'policy']) {
      const items = [start, prompt, calls(main, 'a', 'run_command'), denied(main, 'a', by), end('failed')];
      expect(firstOf(items)).toMatchObject({ kind: 'other', position: 4, more: 0 });
    }
  });

  test('names the subagent that it comes from, and who asked it', () => {
    const items = [
      start,
      prompt,
      calls(main, 'd', 'subagent_dispatch'),
      dispatch,
      calls(child, 'b', 'grind'),
    ];
    const rest = [answers(child, 'b', true), end('failed', child), answers(main, 'd', true), end('failed')];
    expect(firstOf([...items, ...rest])).toMatchObject({
      kind: 'tool',
      position: 5,
      agent: 'miller',
      askedBy: 'baker',
      what: 'grind',
    });
  });

  test('is the limit itself where nothing went wrong before it', () => {
    expect(firstOf([start, prompt, says(main), end('limited')])).toMatchObject({
      kind: 'limit',
      position: 3,
    });
  });

  test('is nothing in a run that was done or stopped, whatever failed in it', () => {
    const items = [start, prompt, calls(main, 'a', 'knead'), answers(main, 'a', true)];
    for (const outcome of ['done', 'cancelled']) expect(firstOf([...items, end(outcome)])).toBeUndefined();
  });

  test('is of the last run alone', () => {
    const items = [start, prompt, calls(main, 'a', 'knead'), answers(main, 'a', true), end('failed')];
    const second = { run: 'r2', call: 'k9', agent: 'baker', depth: 0 };
    const again = [
      { ...start, ...second },
      { ...prompt, ...second },
    ];
    expect(firstOf([...items, ...again, end('done', second)])).toBeUndefined();
    const failed = [...items, ...again, request(second, true), end('failed', second)];
    expect(firstOf(failed)).toMatchObject({ kind: 'provider', position: 7 });
  });

  test('of a session without recorded ends: only where its model failed and never answered again', () => {
    const broken = { ...says(main), partial: 'error' };
    const items = [prompt, calls(main, 'a', 'knead'), answers(main, 'a', true)];
    expect(firstOf([...items, says(main)])).toBeUndefined();
    expect(firstOf([...items, broken])).toMatchObject({ kind: 'tool', position: 2, more: 1 });
    expect(firstOf([...items, broken, prompt, says(main)])).toBeUndefined();
  });

  test('is always a record of the last run that tells of a failure, or nothing', () => {
    const anyItem = fc.constantFrom(
      prompt,
      says(main),
      says(child),
      request(main, true),
      request(main, false),
      dispatch,
      calls(main, 'a', 'knead'),
      answers(main, 'a', true),
      answers(main, 'a', false),

      calls(child, 'b', 'grind'),
      answers(child, 'b', true),
      denied(main, 'a'),
      denied(child, 'b', 'cancel'),
      end('failed'),
      end('limited'),
      end('done'),
      end('failed', child),
    );
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 40 }), (items) => {
        const first = firstOf([start, ...items]);
        if (!first) return;
        const found = [start, ...items][first.position];
        expect(found && isFailedRecord(found)).toBe(true);
        const asked = [start, ...items].findLastIndex((item) => item === prompt);
        expect(first.position).toBeGreaterThan(asked);
      }),
    );
  });
});

describe('detours', () => {
  function detoursOf(items: readonly (Item & { at: number })[]) {
    const reader = new TranscriptReader();
    const detours = new Detours();
    items.forEach(({ at, ...item }, seq) =>
      detours.add(reader.next(factsOf({ seq: seq + 1, time: T + at * 1_000, ...item }))),
    );
    return { totals: detours.totals(), marks: detours.marks.map(({ kind, position }) => [kind, position]) };
  }

  test('a request that follows a failed one of the same call is another try; of another call it is none', () => {
    const { totals } = detoursOf([
      { ...start, at: 0 },
      { ...prompt, at: 0 },
      { ...request(main, true), at: 1 },
      { ...request(child, false), at: 2 },
      { ...request(main, true), at: 2 },
      { ...request(main, false), at: 3 },
      { ...says(main), at: 3 },
      { ...request(main, false), at: 4 },
    ]);
    expect(totals).toEqual([{ kind: 'retry', count: 2, ms: 2_000, first: 4 }]);
  });

  test('is idle where nothing ran and nobody was waited for; a wait for a person counts apart', () => {
    const { totals, marks } = detoursOf([
      { ...start, at: 0 },
      { ...prompt, at: 0 },
      { ...request(main, true), at: 1 },
      { ...request(main, false), at: 61 },
      { ...calls(main, 'a', 'run_command'), at: 61 },
      { ...denied(main, 'a'), waitedMs: 600_000, at: 661 },
      { ...answers(main, 'a', true), at: 661 },
      { ...end('failed'), at: 661 },
      { ...start, run: 'r2', call: 'k7', at: 9_000 },
    ]);
    expect(totals).toEqual([
      { kind: 'retry', count: 1, ms: 1_000, first: 3 },
      { kind: 'person', count: 1, ms: 600_000, first: 5 },
      { kind: 'idle', count: 1, ms: 59_000, first: 3 },
    ]);
    expect(marks).toEqual([
      ['retry', 3],
      ['idle', 3],
    ]);
  });

  test('what turns out later to have run all the time was not idle', () => {
    const long = { ...answers(main, 'b', false), durationMs: 100_000 };
    const items = [
      { ...start, at: 0 },
      { ...request(main, false), at: 1 },
      { ...calls(main, 'a', 'knead'), at: 1 },
      { ...calls(main, 'b', 'bake'), at: 1 },
      { ...answers(main, 'a', false), durationMs: 1_000, at: 50 },
    ];
    expect(detoursOf(items).totals).toEqual([{ kind: 'idle', count: 1, ms: 48_000, first: 4 }]);
    expect(detoursOf([...items, { ...long, at: 101 }]).totals).toEqual([]);
  });

  test('nothing is called idle where it is not recorded how long models take', () => {
    const items = [
      { ...start, at: 0 },
      { ...prompt, at: 0 },
      { ...says(main), at: 600 },
      { ...end('done'), at: 1_200 },
    ];
    expect(detoursOf(items).totals).toEqual([]);
    const unknown = [
      { ...start, at: 0 },
      { ...request(main, false, 0), at: 600 },
      { ...end('done'), at: 1_200 },
    ];
    expect(detoursOf(unknown).totals).toEqual([]);
  });

  const asks = (id: string, name: string, args: object, place: Item = main): Item => ({
    ...place,
    type: 'message',
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    },
  });
  const gives = (id: string, content: string, place: Item = main): Item => ({
    ...place,
    type: 'message',
    toolName: '',
    message: { role: 'tool', tool_call_id: id, content },
  });
  /** Tool calls one after the other, a second for each record; the number of each is its id. */
  function steps(
    ...each: (Item | readonly [name: string, args: object, answer?: string, place?: Item])[]
  ): (Item & { at: number })[] {
    const items = each.flatMap((step, number): Item[] => {
      if (!Array.isArray(step)) return [step as Item];
      const [name, args, answer = 'x', place = main] = step as [string, object, string?, Item?];
      return [asks(`t${number}`, name, args, place), gives(`t${number}`, answer, place)];
    });
    return items.map((item, at) => ({ ...item, at }));
  }

  test('the same tool call three times in a row is a loop, as long as it goes on', () => {
    const knead = ['knead', { dough: 1 }] as const;
    expect(detoursOf(steps(knead, knead)).totals).toEqual([]);
    const { totals, marks } = detoursOf(steps(['mix', {}], knead, knead, knead, knead, ['bake', {}]));
    expect(totals).toEqual([{ kind: 'loop', count: 1, ms: 6_000, first: 2 }]);
    expect(marks).toEqual([['loop', 2]]);
  });

  test('so are the same few in turn; other arguments, and what a person says between, make none', () => {
    const [a, b] = [['knead', { dough: 1 }] as const, ['taste', {}] as const];
    expect(detoursOf(steps(a, b, a, b, a, b)).totals).toEqual([
      { kind: 'loop', count: 1, ms: 10_000, first: 0 },
    ]);
    expect(detoursOf(steps(a, a, ['knead', { dough: 2 }], a)).totals).toEqual([]);
    expect(detoursOf(steps(a, a, prompt, a)).totals).toEqual([]);
    expect(detoursOf(steps(a, a, ['knead', { dough: 1 }, 'x', child])).totals).toEqual([]);
  });

  test('arguments that are too long to be compared are never the same', () => {
    const long = ['knead', { dough: 'x'.repeat(30_000) }] as const;
    expect(detoursOf(steps(long, long, long, long)).totals).toEqual([]);
  });

  describe('a file that is read again with the same answer, and that nobody wrote to, was read for nothing', () => {
    const read = ['read_file', { path: 'src/a.ts' }, 'one'] as const;
    const again = [{ kind: 'reread', count: 1, ms: 1_000, first: 5 }];
    const never: readonly object[] = [];
    test.each([
      ['after something else', [read, ['mix', {}], read], again],
      ['after another file was written', [read, ['write_file', { path: 'src/b.ts' }], read], again],
      ['after it was written', [read, ['write_file', { path: 'src/a.ts' }], read], never],
      ['after a subagent wrote it', [read, ['edit_file', { path: 'src/a.ts' }, 'x', child], read], never],
      ['after it was written, spelled otherwise', [read, ['edit', { path: '/home/a.ts' }], read], never],
      ['after a tool named it that nobody knows', [read, ['tweak', { path: 'src/a.ts' }], read], never],
      ['with another answer', [read, ['mix', {}], ['read_file', { path: 'src/a.ts' }, 'three']], never],
      ['of another part', [read, ['mix', {}], ['read_file', { path: 'src/a.ts', from: 9 }, 'one']], never],
      ['by another agent', [read, ['mix', {}], ['read_file', { path: 'src/a.ts' }, 'one', child]], never],
      [
        'of a folder in which something was written',
        [
          ['list', { path: 'src' }],
          ['write_file', { path: 'src/new.ts' }],
          ['list', { path: 'src' }],
        ],
        never,
      ],
    ] as const)('%s', (_, each, totals) => {
      expect(detoursOf(steps(...each)).totals).toEqual(totals);
    });

    test('a write is remembered, also where another follows the second read before that is answered', () => {
      const items = [
        asks('a', 'read_file', { path: 'a' }),
        gives('a', 'x'),
        asks('w', 'write_file', { path: 'a' }),
        asks('b', 'read_file', { path: 'a' }),
        asks('v', 'write_file', { path: 'a' }),
        gives('b', 'x'),
      ];
      expect(detoursOf(items.map((item, at) => ({ ...item, at }))).totals).toEqual([]);
    });

    test('a read that failed is none', () => {
      const items = [asks('a', 'read_file', { path: 'a' }), { ...gives('a', 'x'), isError: true }];
      const twice = [...items, asks('b', 'read_file', { path: 'a' }), { ...gives('b', 'x'), isError: true }];
      expect(detoursOf(twice.map((item, at) => ({ ...item, at }))).totals).toEqual([]);
    });
  });

  test('a compaction is marked once, however many records tell of it', () => {
    const boundary = { ...main, type: 'imported', kind: 'system', value: { subtype: 'compact_boundary' } };
    const summary = { ...prompt, source: { isCompactSummary: true } };
    const own = { ...main, type: 'error', error: { code: 'compacted', message: 'So.' }, dropped: 3 };
    const items = [prompt, says(main), boundary, summary, says(main), summary, says(main), own];
    const { totals, marks } = detoursOf(items.map((item, at) => ({ ...item, at })));
    expect(totals).toEqual([{ kind: 'compaction', count: 3, ms: 0, first: 2 }]);
    expect(marks).toEqual([2, 5, 7].map((position) => ['compaction', position]));
  });

  test('idle time and work never overlap, and never exceed the run', () => {
    const step = fc.record({ gap: fc.nat(60), took: fc.nat(90) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let at = 0;
        const items: (Item & { at: number })[] = [{ ...start, at: 0 }];
        const busy: [number, number][] = [];
        for (const { gap, took } of steps) {
          at += gap;
          items.push({ ...request(main, false, took * 1_000 + 1), at });
          busy.push([Math.max(0, at - took), at]);
        }
        const isBusy = (second: number) => busy.some(([from, to]) => second >= from && second < to);
        const idle = Array.from({ length: at }, (_, second) => second).filter((second) => !isBusy(second));
        const [total] = detoursOf(items).totals;
        expect((total?.ms ?? 0) / 1_000).toBeLessThanOrEqual(idle.length);
      }),
    );
  });
});

describe('what was wasted', () => {
  /** A millionth of a dollar for each token, a tenth of it for one that was read from a cache. */
  const PRICES: Prices = {
    version: 'test',
    costOf: ({ usage: { inputTokens, outputTokens, cachedInputTokens = 0 } }) => ({
      provenance: 'priced',
      amount: dollars((inputTokens + outputTokens - 0.9 * cachedInputTokens) / 1e6)!,
    }),
  };
  const usage = (inputTokens: number, cachedInputTokens = 0, cacheWriteTokens = 0) => ({
    usage: { inputTokens, outputTokens: 0, cachedInputTokens, cacheWriteTokens },
  });
  const reads = (ids: readonly string[], path = 'a.ts', tokens = 1_000): Item => ({
    ...main,
    type: 'message',
    ...usage(tokens),
    message: {
      role: 'assistant',
      content: null,
      tool_calls: ids.map((id) => ({
        id,
        type: 'function',
        function: { name: 'read_file', arguments: JSON.stringify({ path }) },
      })),
    },
  });
  const answersAll = (...ids: readonly string[]) => ids.map((id) => answers(main, id, false));

  function wastedIn(items: readonly Item[]) {
    const reader = new TranscriptReader();
    const detours = new Detours(PRICES);
    items.forEach((item, seq) => {
      const reading = reader.next(factsOf({ seq: seq + 1, time: T + seq * 1_000, ...item }));
      detours.add(reading, addRequest(reading.facts, reading.call, PRICES));
    });
    return detours
      .wasted()
      .map(({ kind, count, first, cost }) => [kind, count, first, knownAmount(cost) / 1_000]);
  }

  test('a request is, all of whose calls read again what had not changed; not one that does something besides', () => {
    expect(
      wastedIn([
        start,
        prompt,
        reads(['1']),
        ...answersAll('1'),
        reads(['2'], 'a.ts', 700),
        ...answersAll('2'),
        { ...reads(['3', '4']), message: { ...both('3', '4') } },
        ...answersAll('3', '4'),
      ]),
    ).toEqual([['reread', 1, 4, 700]]);
  });

  test('a loop is from its second round on, each request once, though it reads a file again, too', () => {
    const rounds = ['1', '2', '3', '4'].flatMap((id) => [reads([id]), ...answersAll(id)]);
    expect(wastedIn([start, prompt, ...rounds])).toEqual([
      ['loop', 2, 6, 2_000],
      ['reread', 1, 4, 1_000],
    ]);
  });

  test('all of a run is that failed, and nothing of one that ended', () => {
    const run = (outcome: string) => [start, prompt, { ...says(main), ...usage(500) }, end(outcome)];
    expect(wastedIn([...run('done'), ...run('failed')])).toEqual([['run', 1, 4, 500]]);
  });

  test('tokens are that a cache held and that were paid for again', () => {
    const said = (tokens: Item): Item => ({ ...says(main), ...tokens });
    expect(
      wastedIn([
        start,
        prompt,
        said(usage(10_000, 0, 10_000)),
        said(usage(11_000, 10_000, 1_000)),
        said(usage(12_000, 0, 12_000)),
      ]),
    ).toEqual([['cache', 1, 4, 9_900]]);
  });

  function both(one: string, other: string) {
    const call = (id: string, name: string, args: object) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    });
    const tool_calls = [
      call(one, 'read_file', { path: 'a.ts' }),
      call(other, 'write_file', { path: 'b.ts' }),
    ];
    return { role: 'assistant', content: null, tool_calls };
  }
});
