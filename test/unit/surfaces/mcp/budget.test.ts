import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { rawArgumentsOf } from '../../../../src/query/numbers/toolCalls.js';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { checkArguments } from '../../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../../src/surfaces/mcp/library.js';
import { messageShape } from '../../../../src/surfaces/mcp/messageShape.js';
import { readTools } from '../../../../src/surfaces/mcp/readTools.js';
import { folderWith } from '../../../support/commandLine.js';
import { runs } from '../../../support/fixedInputs.js';

/** Texts that are short, long, or take six times as much in JSON. */
const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc
    .tuple(fc.constantFrom('x', '\u0001', '"', '😀', '\n'), fc.nat(9_000))
    .map(([part, times]) => part.repeat(times)),
);
const anyCall = fc
  .tuple(anyText, fc.constantFrom('bash', 'a tool', 'n'.repeat(3_000)), anyText)
  .map(([id, name, input]) => ({ id, type: 'function', function: { name, arguments: input } }));
const anyMessage = fc.oneof(
  fc.record({ role: fc.oneof(fc.constant('user'), anyText), content: anyText }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.oneof(anyText, fc.constant(null)),
    tool_calls: fc.oneof(
      fc.array(anyCall, { maxLength: 4 }),
      anyCall.chain((call) => fc.nat(300).map((times) => Array.from({ length: times }, () => call))),
    ),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: anyText, content: anyText }),
);

interface Reported {
  readonly text: string;
  readonly cut?: string;
  readonly tool_calls?: readonly { id: string; tool: string; arguments: string; cut?: string }[];
  readonly tool_calls_cut?: string;
}

const leftOf = (cut: string | undefined): number =>
  Number(/^cut (\d+) of \d+$/.exec(cut ?? 'cut 0 of 0')?.[1]);

test('of a message 2,000 characters are told, its calls included, and of each part how much is left out', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const record = { seq: 1, type: 'message', message } as unknown as ReadRecord;
      const { text, cut, tool_calls: calls = [], tool_calls_cut } = messageShape(0, record, 1) as Reported;
      const ofCalls = calls.reduce(
        (sum, call) => sum + call.id.length + call.tool.length + call.arguments.length,
        0,
      );
      expect(text.length + ofCalls).toBeLessThanOrEqual(2_000);
      expect(text.length + leftOf(cut)).toBe((message.content ?? '').length);
      const asked = 'tool_calls' in message ? message.tool_calls : [];
      expect(calls.length + leftOf(tool_calls_cut)).toBe(asked.length);
      for (const [at, call] of calls.entries()) {
        const whole = rawArgumentsOf(asked[at]?.function.arguments);
        expect(call.arguments.length + leftOf(call.cut)).toBe(whole.length);
      }
    }),
    { numRuns: runs(300) },
  );
});

/** The files are those of one test: a session, and what is none. */
async function libraryOf(files: Readonly<Record<string, string>>): Promise<McpLibrary> {
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  const { signal } = new AbortController();
  const cwd = await folderWith(files);
  const library = new McpLibrary({ cwd, signal, stdin, log: silentLog }, Object.keys(files), () =>
    Date.parse('2027-01-01'),
  );
  onTestFinished(() => library.close());
  return library;
}

test('no answer of any tool takes more tokens than it may, whatever is recorded; and pages lead through all of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyMessage, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(500, 700, 3_000),
      async (said, max_tokens) => {
        const lines = [{ role: 'user', content: 'x' }, ...said]
          .map((message) => `${JSON.stringify(message)}\n`)
          .join('');
        const library = await libraryOf({ 'a.jsonl': lines, 'b.jsonl': 'this is no session\n' });
        const ask = async (name: string, given: object) => {
          const tool = readTools.find((each) => each.name === name)!;
          const answer = library.clean(
            await tool.run(library, checkArguments(tool, { ...given, max_tokens })),
          );
          expect(JSON.stringify(answer).length, name).toBeLessThanOrEqual(max_tokens * 4);
          return answer as Record<string, unknown>;
        };
        const { sessions } = (await ask('list_sessions', {})) as {
          sessions: { session: string; messages: number }[];
        };
        await ask('search_sessions', { question: 'x' });
        await ask('get_cost', {});
        for (const { session, messages } of sessions) {
          await ask('get_session_overview', { session });
          await ask('get_cost', { session });
          const told: { tool_calls?: { id: string }[] }[] = [];
          for (let cursor: unknown; ;) {
            const page = await ask('get_messages', { session, ...(cursor !== undefined && { cursor }) });
            told.push(...(page.messages as typeof told));
            cursor = page.next_cursor;
            if (cursor === undefined) break;
          }
          expect(told).toHaveLength(messages);
          const ids = told
            .flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id))
            .filter((id) => id !== '');
          for (const id of ids.slice(0, 2)) await ask('get_tool_call', { session, id });
        }
      },
    ),
    { numRuns: runs(40) },
  );
}, 120_000);

test('what cannot be read is told in each answer, and hides nothing else', async () => {
  const line = `${JSON.stringify({ role: 'user', content: 'Hello' })}\n`;
  const library = await libraryOf({ 'a.jsonl': `${line}{"role": "user", "con\n${line}`, 'b.jsonl': '' });
  const ask = (name: string, given: object = {}) => {
    const tool = readTools.find((each) => each.name === name)!;
    return tool.run(library, checkArguments(tool, given));
  };
  const not_read = [
    { source: 'a.jsonl', why: expect.stringMatching(/^line 2: /) as string },
    { source: '', why: 'b.jsonl is empty.' },
  ];
  const unread = { not_read, not_read_count: 2 };
  const sessions = [{ session: 'a', damaged: 1 }];
  expect(await ask('list_sessions')).toMatchObject({ sessions, ...unread });
  expect(await ask('search_sessions', { question: 'hello' })).toMatchObject({ sessions });
  expect(await ask('search_sessions', { question: 'nothing' })).toMatchObject({
    sessions: [],
    not_read_count: 3,
  });
  expect(await ask('get_session_overview', { session: 'a' })).toMatchObject({ damaged: 1 });
  expect(await ask('get_messages', { session: 'a' })).toMatchObject({ damaged: 1 });
  expect(await ask('get_cost')).toMatchObject({ sessions: 1, damaged: 1, ...unread });
  await expect(ask('get_messages', { session: 'b' })).rejects.toThrow(
    /^There is no session b\. Call list_sessions .* Not everything could be read \(2\): a\.jsonl: line 2: /,
  );
});

test('where no source can be read, the error says why', async () => {
  const library = await libraryOf({ 'a.jsonl': '', 'b.jsonl': '' });
  const tool = readTools.find(({ name }) => name === 'list_sessions')!;
  await expect(tool.run(library, checkArguments(tool, {}))).rejects.toThrow(
    'None of the 2 sources could be read. Not everything could be read (2): a.jsonl is empty.',
  );
});
