import { describe, expect, it } from 'vitest';
import { disagreements, partsOf, windowsOf } from './windows.js';

const place = { run: 'r', call: 'k', agent: 'cook', depth: 0 };
/** A message; `input`: what its request reports. */
type Reported = Readonly<Record<string, unknown>> & { readonly input?: number };

/** The message of an agent, as a record; `input`: what its request reports. */
function told(items: readonly Reported[]): unknown[] {
  return items.map(({ input, ...message }, at) => ({
    seq: at + 1,
    id: `m${at}`,
    time: 1_000 * (at + 1),
    conversation: 'c',
    ...place,
    type: 'message',
    message,
    ...(input !== undefined && { usage: { inputTokens: input, outputTokens: 5, estimated: false } }),
  }));
}
const text = (tokens: number) => 'word'.repeat(tokens);
const user = (tokens: number) => ({ role: 'user', content: text(tokens) });
const answer = (tokens: number, input?: number) => ({
  role: 'assistant',
  content: text(tokens),
  ...(input !== undefined && { input }),
});
const requests = (...items: Reported[]) => {
  const [{ window } = { window: undefined }] = windowsOf(told(items));
  return window!.requests;
};
const parts = (...items: Reported[]) => requests(...items).map(partsOf);

describe('the window of a request', () => {
  it('leaves what no record holds of the first request as not recorded', () => {
    expect(parts(user(100), answer(10, 1_000))).toEqual([{ unrecorded: 900, prompts: 100 }]);
  });

  it('is scaled where the whole is smaller than its parts', () => {
    const all = [{ role: 'system', content: text(300) }, user(100), answer(10, 200)];
    expect(parts(...all)).toEqual([{ system: 150, prompts: 50 }]);
  });

  it('gives what was said between two requests what these differ by', () => {
    const [, second] = parts(user(100), answer(40, 1_000), user(60), answer(10, 1_120));
    expect(second).toEqual({ unrecorded: 900, prompts: 172, answers: 48 });
  });

  it('makes nothing more than half over its estimate: what is beyond is not recorded', () => {
    const [, second] = parts(user(100), answer(40, 1_000), user(60), answer(10, 2_000));
    expect(second).toEqual({ unrecorded: 900 + 850, prompts: 100 + 90, answers: 60 });
  });

  it('counts reasoning only as far as there is room for it', () => {
    const thinks = (input: number) => ({ ...answer(40, input), reasoning_content: text(100) });
    const grown = (by: number) => parts(user(100), thinks(1_000), user(60), answer(10, 1_000 + by))[1];
    expect(grown(100)).toEqual({ unrecorded: 900, prompts: 160, answers: 40 });
    expect(grown(150)).toEqual({ unrecorded: 900, prompts: 160, answers: 40, thinking: 50 });
    expect(grown(200)).toEqual({ unrecorded: 900, prompts: 160, answers: 40, thinking: 100 });
  });

  it('is the sum of estimates where the source does not tell the whole', () => {
    const [first, second] = requests(user(100), answer(40), user(60), answer(10));
    expect([first?.provenance, first?.total]).toEqual(['estimated', 100]);
    expect(partsOf(second!)).toEqual({ prompts: 160, answers: 40 });
  });

  it('is not thrown off by a request beside it, like one for a title', () => {
    const all = [user(100), answer(40, 1_000), user(1), answer(1, 20), user(60), answer(10, 1_102)];
    expect(requests(...all).map(({ total }) => total)).toEqual([1_000, 20, 1_102]);
    expect(parts(...all)[2]).toEqual({ unrecorded: 900, prompts: 161, answers: 41 });
  });

  it('takes a file that is read for a file, and what else a tool answers for a result', () => {
    const calls = (id: string, name: string, args: object) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    });
    const results = (id: string, tokens: number) => ({
      role: 'tool',
      tool_call_id: id,
      content: text(tokens),
    });
    const items = [
      user(10),
      calls('t1', 'read', { path: 'a.ts' }),
      results('t1', 50),
      calls('t2', 'mcp__github__issues', {}),
      results('t2', 30),
      answer(1),
    ];
    const [{ window } = { window: undefined }] = windowsOf(told(items));
    const last = window!.requests.length - 1;
    const of = (kind: string) => window!.sentWith(last).find(({ piece }) => piece?.kind === kind);
    expect(of('files')).toMatchObject({
      tokens: 50,
      position: 2,
      piece: { tool: 'read', path: 'a.ts', server: '' },
    });
    expect(of('results')).toMatchObject({
      tokens: 30,
      piece: { tool: 'mcp__github__issues', server: 'github' },
    });
  });

  it('counts a picture by its size, and a text that is kept in a file of its own as long as that is', () => {
    const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } };
    expect(parts({ role: 'user', content: [{ type: 'text', text: text(10) }, picture] }, answer(1))).toEqual([
      { prompts: 10, images: 85 },
    ]);
    const [kept, ...rest] = told([{ role: 'user', content: text(10) }, answer(1)]);
    const spill = [{ field: 'content', path: 'x', bytes: 400_000, sha256: '' }];
    const [{ window } = { window: undefined }] = windowsOf([{ ...(kept as object), spill }, ...rest]);
    expect(partsOf(window!.requests[0]!)).toEqual({ prompts: 100_000 });
  });
});

describe('of our own runs', () => {
  const start = (call: string, tools: string[], toolTokens: number[]) => ({
    seq: 0,
    id: 'x',
    time: 1,
    conversation: 'c',
    run: call,
    call,
    agent: 'cook',
    depth: 0,
    type: 'callStart',
    task: '',
    model: 'm',
    tools,
    toolTokens,
  });
  const of = (call: string, messages: unknown[]) =>
    messages.map((each) => ({ ...(each as object), run: call, call }));
  const first = [
    start('k1', ['read', 'write'], [70, 30]),
    ...of('k1', told([{ role: 'system', content: text(50) }, user(100), answer(40, 300)])),
  ];

  it('the window of the entry agent goes on with the next run', () => {
    const windows = windowsOf([
      ...first,
      start('k2', ['read', 'write'], [70, 30]),
      ...of('k2', told([user(60), answer(10, 400)])),
    ]);
    expect(windows.map(({ window }) => window.requests.map(partsOf))).toEqual([
      [
        { unrecorded: 50, system: 50, tools: 100, prompts: 100 },
        { unrecorded: 50, system: 50, tools: 100, prompts: 160, answers: 40 },
      ],
    ]);
  });

  it('instructions and tools that have changed take the place of the old ones', () => {
    const next = of('k2', told([{ role: 'system', content: text(80) }, user(60), answer(10, 400)]));
    const [{ window } = { window: undefined }] = windowsOf([...first, start('k2', ['read'], [70]), ...next]);
    const last = partsOf(window!.requests[1]!);
    expect([last.system, last.tools]).toEqual([80, 70]);
  });

  it('what a model could not read any more is dropped as the run did it', () => {
    const more = told([user(10), answer(20, 1_000), user(30), answer(40, 1_100), user(50)]);
    const compacted = {
      seq: 9,
      id: 'e',
      time: 9_000,
      conversation: 'c',
      ...place,
      type: 'error',
      where: 'model',
      error: {
        code: 'compacted',
        message: "cook's model cannot read so much: it is no longer sent 2 earlier messages.",
      },
    };
    const [{ window } = { window: undefined }] = windowsOf([...more, compacted, ...told([answer(5, 800)])]);
    expect(window!.droppedBy(0).map(({ position }) => position)).toEqual([1, 2]);
    expect(partsOf(window!.requests[2]!)).toEqual({ unrecorded: 700, prompts: 60, answers: 40 });
    expect(disagreements(windowsOf(more))).toEqual([]);
  });

  it('an agent that is dispatched has a window of its own', () => {
    const child = of('k9', told([user(60), answer(10, 400)])).map((each) => ({
      ...each,
      depth: 1,
      parentCall: 'k1',
    }));
    const windows = windowsOf([...first, ...child]);
    expect(windows.map(({ depth, window }) => [depth, window.requests.length])).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });
});
