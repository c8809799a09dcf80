import { expect, test } from 'vitest';
import { settle } from '../../../support/manualTime.js';
import { aTool, said, three, use } from '../../../support/scriptedTeam.js';

test('tools that may overlap do, and their answers come in the order of the calls', async () => {
  const order: string[] = [];
  const slow = aTool('slow', async ({ n }) => {
    order.push(`start ${String(n)}`);
    for (let turns = 4 - Number(n); turns > 0; turns--) await settle();
    order.push(`end ${String(n)}`);
    return String(n);
  });
  const { lines } = await said([three('slow'), { text: 'ok' }], [slow]);
  expect(order).toEqual(['start 1', 'start 2', 'start 3', 'end 3', 'end 2', 'end 1']);
  expect(lines.slice(1, 4).map((line) => line.slice(-1))).toEqual(['1', '2', '3']);
});

test('tools that may not overlap run one after another, between those that may', async () => {
  const order: string[] = [];
  const tracked = (name: string, parallel: boolean) =>
    aTool(
      name,
      async () => {
        order.push(`${name}(`);
        await settle();
        order.push(')');
        return name;
      },
      { parallel },
    );
  const calls = ['read', 'read', 'write', 'write', 'read'].map((name) => ({ name }));
  await said([{ toolCalls: calls }, { text: 'ok' }], [tracked('read', true), tracked('write', false)]);
  expect(order.join('')).toBe('read(read())write()write()read()');
});

test('no more tools than allowed run at the same time', async () => {
  let running = 0;
  let most = 0;
  const busy = aTool('busy', async () => {
    most = Math.max(most, ++running);
    await settle();
    running--;
    return 'ok';
  });
  const calls = Array.from({ length: 10 }, () => ({ name: 'busy' }));
  await said(
    [{ toolCalls: calls.map((call, n) => ({ ...call, arguments: { n } })) }, { text: 'ok' }],
    [busy],
    { toolsAtOnce: 3 },
  );
  expect(most).toBe(3);
});

test('a call of a message with too many calls is answered and not run', async () => {
  let ran = 0;
  const { lines } = await said([three('count'), { text: 'ok' }], [aTool('count', () => String(++ran))], {
    toolCallsPerMessage: 2,
  });
  expect(ran).toBe(2);
  expect(lines[3]).toContain('tool [error]: Not run: one message may hold 2 tool calls.');
});

test.each([
  ['an unknown tool', use('sing'), "There is no tool 'sing'."],
  ['arguments that are no JSON', use('time', '{"a'), 'The arguments are not a JSON object.'],
  ['a tool that throws', use('throws'), 'throws failed: oops'],
  ['a tool that rejects', use('rejects'), 'rejects failed: just words'],
])('%s is an error for the model, which goes on', async (_, step, words) => {
  const tools = [
    aTool('time', () => 'noon'),
    aTool('throws', () => {
      throw new Error('oops');
    }),
    aTool('rejects', async () => Promise.reject(new TypeError('just words'))),
  ];
  const { lines, result } = await said(
    [step, { expect: { role: 'tool', contains: words }, text: 'I see.' }],
    tools,
  );
  expect(lines[1]).toBe(`0 Pickle message tool [error]: ${words}`);
  expect(result).toMatchObject({ outcome: 'done', text: 'I see.' });
});

test('an answer too long to be recorded is cut, and says so', async () => {
  const long = 81 * 1024 * 1024;
  const { lines } = await said([use('long'), { text: 'ok' }], [aTool('long', () => 'x'.repeat(long))]);
  const answer = lines[1] ?? '';
  expect(answer.length).toBeLessThan(80 * 1024 * 1024 + 200);
  expect(answer.slice(-100)).toContain(
    '[Cut: the answer had 84,934,656 characters, of which the first 83,886,080 are kept.]',
  );
});

test.each([
  ['nothing', undefined],
  ['a text', 'just words'],
  ['no text', { content: 5 }],
])('a tool that answers %s against its contract is an error for the model', async (_, junk) => {
  const odd = { ...aTool('odd', () => 'x'), execute: async () => Promise.resolve(junk as never) };
  const { lines } = await said([use('odd'), { text: 'ok' }], [odd]);
  expect(lines[1]).toBe('0 Pickle message tool [error]: odd answered nothing that can be read.');
});
