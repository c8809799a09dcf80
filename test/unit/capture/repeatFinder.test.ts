import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RepeatFinder } from '../../../src/capture/proxy/exchangeRecorder.js';
import { repeatedPartsOf, withRepeatedParts, type RepeatedParts } from '../../../src/core/repeatedParts.js';

type Body = Readonly<Record<string, unknown>>;

const long = 'Use the scale before the oven. '.repeat(4);
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string() });
const name = fc.constantFrom('model', 'system', 'tools', 'messages', 'input', '__proto__', 'constructor');
const value = fc.oneof(fc.jsonValue(), fc.constant(long), fc.array(message), fc.array(fc.jsonValue()));
/** A body as it comes out of JSON, in which any name is a field of its own. */
const anyBody = fc
  .array(fc.tuple(name, value))
  .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Body);

test('whatever is sent after whatever, what is written says all of it', () => {
  fc.assert(
    fc.property(fc.array(anyBody, { minLength: 2, maxLength: 6 }), (bodies) => {
      expect(readAgain(written(bodies))).toEqual(bodies);
    }),
  );
});

test('what grows and what stays is written once', () => {
  const bodies = Array.from({ length: 200 }, (_, turn) => ({
    model: 'm',
    system: long,
    tools: [{ name: 'weigh', description: long }],
    messages: Array.from({ length: 2 * turn + 1 }, (_each, at) => ({
      role: 'user',
      content: `${at} ${long}`,
    })),
  }));
  const lines = written(bodies);
  expect(readAgain(lines)).toEqual(bodies);
  const bytes = (turns: number) => JSON.stringify(lines.slice(0, turns)).length;
  expect(bytes(200)).toBeLessThan(2.2 * bytes(100));
});

test('a request is written whole where nothing before it stands in the recording, and where it is no object', () => {
  const finder = new RepeatFinder();
  const body = { system: long };
  expect(finder.take(1, '1', body).repeats).toBeUndefined();
  expect(finder.take(1, '2', body).repeats).toEqual({ exchange: '1', fields: ['system'], entries: {} });
  expect(finder.take(2, '3', body).repeats).toBeUndefined();
  finder.forget(1);
  expect(finder.take(1, '4', body).repeats).toBeUndefined();
  expect(finder.take(1, '5', 'no JSON')).toEqual({ request: 'no JSON', repeats: undefined });
});

test.each([
  undefined,
  { exchange: 1, fields: [], entries: {} },
  { exchange: '1', fields: {}, entries: {} },
  { exchange: '1', fields: [], entries: { messages: 0.5 } },
])('%j says nothing of repeated parts', (value_) => expect(repeatedPartsOf(value_)).toBeUndefined());

const impossible: readonly Omit<RepeatedParts, 'exchange'>[] = [
  { fields: ['tools'], entries: {} },
  { fields: ['toString'], entries: {} },
  { fields: [], entries: { messages: 3 } },
  { fields: [], entries: { messages: -1 } },
  { fields: [], entries: { system: 1 } },
  { fields: [], entries: { toString: 1 } },
];

test.each(impossible)('%j cannot be repeated of a request that does not have it', (parts) => {
  const before = { system: long, messages: ['a', 'b'] };
  expect(
    withRepeatedParts({ messages: [], system: [] }, { exchange: '1', ...parts }, before),
  ).toBeUndefined();
});

/** What a recording of a conversation writes of its requests. */
function written(bodies: readonly Body[]): readonly Body[] {
  const finder = new RepeatFinder();
  return bodies.map((body, at) => {
    const { request, repeats } = finder.take(1, String(at), body);
    return JSON.parse(JSON.stringify({ request, ...(repeats && { repeats }) })) as Body;
  });
}

/** The requests that a recording tells. */
function readAgain(lines: readonly Body[]): readonly unknown[] {
  const requests: Body[] = [];
  for (const { request, repeats } of lines) {
    const parts = repeatedPartsOf(repeats);
    const before = requests[Number(parts?.exchange)];
    const whole = parts && before ? withRepeatedParts(request as Body, parts, before) : (request as Body);
    requests.push(whole ?? {});
  }
  return requests;
}
