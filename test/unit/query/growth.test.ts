import { expect, test } from 'vitest';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { EXPORT_FORMATS } from '../../../src/export/exportFormat.js';

/** What was read of messages, or asked of a counter. */
interface Work {
  steps: number;
}

/** A value that counts each property that is read of it or of what it holds. */
function counting<T extends object>(value: T, work: Work): T {
  return new Proxy(value, {
    get(target, key, receiver) {
      work.steps++;
      const found: unknown = Reflect.get(target, key, receiver);
      return typeof found === 'object' && found !== null ? counting(found, work) : found;
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      work.steps += keys.length;
      return keys;
    },
  });
}

/** One prompt and one answer of each round call tools and dispatch agents; all rounds are one turn. */
function history(rounds: number, work: Work): object[] {
  const place = (call: string, parentCall?: string) => ({
    seq: 1,
    type: 'message',
    call,
    agent: call,
    depth: 0,
    ...(parentCall && { parentCall }),
  });
  const items: object[] = [{ ...place('k'), message: { role: 'user', content: 'go' } }];
  for (let i = 0; i < rounds; i++) {
    const tool_calls = ['a', 'b'].map((name) => ({ id: `${name}${i}`, function: { name, arguments: '{}' } }));
    items.push({ ...place('k'), message: { role: 'assistant', content: '*text*', tool_calls } });
    items.push({ ...place(`k${i}`, 'k'), message: { role: 'assistant', content: 'child' } });
    items.push({ ...place('k'), message: { role: 'tool', tool_call_id: `b${i}`, content: 'b' } });
    items.push({ ...place('k'), message: { role: 'tool', tool_call_id: `a${i}`, content: 'a' } });
    items.push({ ...place('k'), message: { role: 'tool', tool_call_id: `none${i}`, content: 'orphan' } });
  }
  return items.map((item) => counting(item, work));
}

const operations: Record<string, (query: MessageQuery) => unknown> = {
  filter: (query) => query.filter({ toolName: 'a', content: 'a', agent: 'k' }),
  slice: (query) => query.slice(-10),
  stats: (query) => String(query.stats()),
  toolSummary: (query) => String(query.toolSummary()),
  timeline: (query) => String(query.timeline()),
  ...Object.fromEntries(
    EXPORT_FORMATS.map((format) => [format, (query: MessageQuery) => query.export(format)]),
  ),
};

test.each(Object.entries(operations))(
  '%s does about ten times the work for ten times the messages',
  (_, operation) => {
    const workFor = (rounds: number) => {
      const work: Work = { steps: 0 };
      const tokenCounter = { count: (text: string) => ((work.steps += 1 + text.length), text.length) };
      operation(new MessageQuery(history(rounds, work), { tokenCounter }));
      return work.steps;
    };
    const [small, large] = [workFor(20), workFor(200)];
    expect(small).toBeGreaterThan(0);
    expect(large / small).toBeLessThan(11);
  },
);
