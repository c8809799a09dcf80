import { expect, test } from 'vitest';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { StructureColumns } from '../../../src/query/columns/structureColumns.js';
import { recordOf } from '../../support/storeFixture.js';

/** The facts of a message that calls a tool, and of the answer to such a call. */
const asks = (seq: number, id: string, name: string, call = 'k_1') =>
  factsOf({
    ...recordOf(seq, {
      type: 'message',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
      },
    }),
    call,
  });
const answers = (seq: number, id: string) =>
  factsOf(recordOf(seq, { type: 'message', message: { role: 'tool', tool_call_id: id, content: 'done' } }));

const isOf = (tool: string) => ({ tools: (names: readonly string[]) => names.includes(tool) });

test('a result is found by the tool whose call it answers, also long after it was made', () => {
  const columns = new StructureColumns();
  columns.add(asks(1, 'first', 'bake'));
  for (let seq = 2; seq <= 9_000; seq++) columns.add(asks(seq, `c${seq}`, 'knead'));
  columns.add(answers(9_001, 'first'));
  expect([...columns.select(isOf('bake'))(0, columns.length)]).toEqual([0, 9_000]);
});

test('however many tool calls nobody answers, what is remembered of them does not grow', () => {
  const columns = new StructureColumns();
  const add = (from: number, to: number) => {
    for (let seq = from; seq < to; seq++) columns.add(asks(seq, `c${seq}`, 'knead'));
    return columns.bytes;
  };
  const before = add(1, 40_000);
  // Seven columns of two bytes, with as much room to grow; an id that is remembered takes six times that.
  expect(add(40_000, 80_000) - before).toBeLessThan(40_000 * 30);
});

test('the tool calls of agents that have ended are forgotten', () => {
  const columns = new StructureColumns();
  const end = { type: 'callEnd', outcome: 'done', durationMs: 1 };
  for (let number = 0; number < 2_000; number++) {
    const call = `k_${number}`;
    for (let seq = 1; seq <= 10; seq++) columns.add(asks(seq, `c${seq}`, 'knead', call));
    columns.add(factsOf({ ...recordOf(11, end as never), call }));
  }
  // A code of a call takes some hundred bytes itself.
  expect(columns.bytes / columns.length).toBeLessThan(60);
});
