import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ExchangeRecorder } from '../../../src/capture/proxy/exchangeRecorder.js';
import { FollowedFile } from '../../../src/import/following/followedFile.js';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportedRecord } from '../../../src/import/reading/importResult.js';
import { inRuns, isDeep } from '../../support/fixedInputs.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import { temporaryFolder } from '../../support/storeFixture.js';

/** How often the words of a message were looked at. */
const looked = vi.hoisted(() => ({ words: 0 }));
vi.mock(import('../../../src/core/message.js'), async (original) => {
  const message = await original();
  const textOf = (...given: Parameters<typeof message.textOf>) => {
    looked.words++;
    return message.textOf(...given);
  };
  return { ...message, textOf };
});
beforeEach(() => {
  looked.words = 0;
});

/** A conversation with a model in one of the wire formats: what is sent, and what comes back. */
interface Wire {
  /** Where it is asked. */
  readonly url?: string;
  /** The body of a request in which an agent, under instructions, has said and heard this. */
  readonly request: (instructions: string, history: readonly ReadText[]) => object;
  readonly answer: (said: ReadText, id: string) => object;
}
interface ReadText {
  readonly role: 'user' | 'assistant' | 'result';
  readonly words: string;
  /** The id of a call that it makes or answers; '' for none. */
  readonly call: string;
}

const called = ({ call, words }: ReadText) => ({
  id: call,
  type: 'function',
  function: { name: 'weigh', arguments: JSON.stringify({ what: words }) },
});
const inChat = (said: ReadText) => {
  const { role, words, call } = said;
  if (role === 'result') return { role: 'tool', tool_call_id: call, content: words };
  return { role, content: words, ...(call !== '' && { tool_calls: [called(said)] }) };
};
const inBlocks = ({ role, words, call }: ReadText) => {
  if (role === 'result')
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: words }] };
  const use = { type: 'tool_use', id: call, name: 'weigh', input: { what: words } };
  return { role, content: [{ type: 'text', text: words }, ...(call === '' ? [] : [use])] };
};
const inItems = ({ role, words, call }: ReadText): object[] => {
  if (role === 'result') return [{ type: 'function_call_output', call_id: call, output: words }];
  if (role === 'user') return [{ role, content: words }];
  const message = { type: 'message', role, content: [{ type: 'output_text', text: words }] };
  const calls = { type: 'function_call', call_id: call, name: 'weigh', arguments: '{}' };
  return call === '' ? [message] : [message, calls];
};
const inContent = ({ role, words, call }: ReadText) => {
  const response = { name: 'weigh', response: { output: words } };
  if (role === 'result') return { role: 'user', parts: [{ functionResponse: response }] };
  const calls = { functionCall: { name: 'weigh', args: { what: words } } };
  return {
    role: role === 'user' ? 'user' : 'model',
    parts: [{ text: words }, ...(call === '' ? [] : [calls])],
  };
};
const tools = [{ type: 'function', function: { name: 'weigh', description: 'Weighs things. '.repeat(10) } }];

const WIRES: Readonly<Record<string, Wire>> = {
  'chat completions': {
    request: (content, history) => ({
      model: 'm',
      tools,
      messages: [{ role: 'system', content }, ...history.map(inChat)],
    }),
    answer: (said) => ({
      object: 'chat.completion',
      model: 'm-1',
      usage: { prompt_tokens: 5, completion_tokens: 2 },
      choices: [{ index: 0, finish_reason: 'stop', message: { ...inChat(said), refusal: null } }],
    }),
  },
  messages: {
    request: (text, history) => ({
      model: 'claude',
      tools,
      max_tokens: 100,
      system: [{ type: 'text', text }],
      messages: history.map(inBlocks),
    }),
    answer: (said, id) => ({
      id,
      type: 'message',
      model: 'claude',
      ...inBlocks(said),
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 2 },
    }),
  },
  responses: {
    request: (instructions, history) => ({
      model: 'm',
      tools,
      instructions,
      input: history.flatMap(inItems),
    }),
    answer: (said, id) => ({
      id,
      object: 'response',
      model: 'm',
      status: 'completed',
      output: inItems(said),
    }),
  },
  'generated contents': {
    request: (text, history) => ({
      systemInstruction: { parts: [{ text }] },
      contents: history.map(inContent),
    }),
    answer: (said) => ({
      modelVersion: 'g',
      candidates: [{ content: inContent(said), finishReason: 'STOP' }],
    }),
  },
};

const inOllama = ({ role, words, call }: ReadText) => {
  if (role === 'result') return { role: 'tool', tool_name: 'weigh', content: words };
  const calls = [{ function: { name: 'weigh', arguments: { what: words } } }];
  return { role, content: words, ...(call !== '' && { tool_calls: calls }) };
};
const OLLAMA: Wire = {
  url: 'http://127.0.0.1:11434/api/chat',
  request: (content, history) => ({
    model: 'm',
    tools,
    messages: [{ role: 'system', content }, ...history.map(inOllama)],
  }),
  answer: (said) => ({
    model: 'm',
    message: inOllama(said),
    done: true,
    prompt_eval_count: 5,
    eval_count: 2,
  }),
};

/** Records what agents say to models; gives the lines of each recording. */
async function recorded(
  exchanges: Iterable<{ readonly request: object; readonly answer: object | undefined }>,
  url = 'https://api.example.com/v1/chat',
) {
  const folder = await temporaryFolder();
  const recorder = new ExchangeRecorder({ folder, onGrown: () => undefined, onProblem: () => undefined });
  const body = (value: object | undefined) => {
    const bytes = Buffer.from(value ? JSON.stringify(value) : '');
    return { bytes, length: bytes.length, encoding: undefined };
  };
  let at = Date.UTC(2026, 0, 1);
  for (const { request, answer } of exchanges) {
    const id = String(at);
    await recorder.asked({ id, body: body(request), url, start: (at += 10), isRetry: false, keys: [] });
    const ended = answer ? { status: 200, failure: '' } : { status: 503, failure: 'It was busy.' };
    await recorder.answered({ id, body: body(answer), end: (at += 10), ...ended });
  }
  await recorder.settled();
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return text.split(/(?<=\n)/);
    }),
  );
}

/** A conversation of so many requests in which everything may happen that happens. */
function* talk({ request, answer }: Wire, requests: number, seed: number) {
  const random = randomNumbers(seed);
  const one = (of: number) => Math.floor(random() * of);
  const words = () => ['ok', 'go', 'Weigh the flour.', 'It is 100 g.', 'Löffel — 3 €'][one(5)] ?? '';
  let instructions = `Be brief. ${'Weigh what you are told to. '.repeat(5)}`;
  const history: ReadText[] = [{ role: 'user', words: `Weigh ${seed}.`, call: '' }];
  for (let at = 0; at < requests; at++) {
    if (history.length > 1 && one(4) === 0) instructions = `Today is day ${at}. ${instructions}`;
    const isFailed = one(8) === 0;
    const said: ReadText = { role: 'assistant', words: words(), call: one(2) === 0 ? `call_${at}` : '' };
    yield { request: request(instructions, history), answer: isFailed ? undefined : answer(said, `r${at}`) };
    if (isFailed) continue;
    history.push(said);
    if (said.call !== '') history.push({ ...said, role: 'result', words: words() });
    else history.push({ role: 'user', words: words(), call: '' });
  }
}

/** A recording that is followed from its first line on. */
async function following(first: string) {
  const path = join(await temporaryFolder(), 'talk.exchanges.jsonl');
  await writeFile(path, first);
  const opened = FollowedFile.open(path);
  if (!opened) throw new Error('It is not followed.');
  onTestFinished(() => opened.close());
  const records: ImportedRecord[] = [];
  const readOn = () => {
    records.push(...opened.readOn().records);
    records.push(...opened.settle().records);
  };
  readOn();
  return { path, opened, records, readOn };
}

test.each([...Object.entries(WIRES), ['Ollama', OLLAMA] as const])(
  'a recording of %s that grows gives at each line what reading it as a whole gives',
  async (_name, wire) => {
    let compared = 0;
    for (let seed = 1; seed <= (isDeep ? 6 : 2); seed++) {
      for (const lines of await recorded(talk(wire, 14, seed), wire.url)) {
        const grown = await following(lines[0] ?? '');
        for (const [at, line] of lines.entries()) {
          if (at > 0) await appendFile(grown.path, line);
          if (at > 0) grown.readOn();
          expect(grown.opened.isVoid).toBe(false);
          const whole = await importFile(grown.path);
          const all = whole.conversations[0]?.records ?? [];
          // A request without its answer yet waits for that; what it says was told before.
          const waits = line.includes('"endTime"') ? [] : all.slice(-1);
          expect(waits.map(({ type }) => type)).toEqual(waits.map(() => 'request'));
          expect(grown.records).toEqual(all.slice(0, all.length - waits.length));
          expect(whole.conversations).toHaveLength(1);
          expect(grown.opened.problems).toEqual(whole.problems);
          expect(grown.opened.title).toBe(whole.conversations[0]?.title);
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(inRuns(100));
  },
);

test.each(Object.entries(WIRES))(
  'each exchange of %s costs what is new in it',
  async (_name, { request, answer }) => {
    const costOf = async (requests: number) => {
      const exchanges = Array.from({ length: requests }, (_, at) => {
        const history = Array.from({ length: 2 * at + 1 }, (__, of): ReadText => ({
          role: of % 2 === 0 ? 'user' : 'assistant',
          words: `Message ${of}`,
          call: '',
        }));
        const said: ReadText = { role: 'assistant', words: `Message ${2 * at + 1}`, call: '' };
        return { request: request('Be brief.', history), answer: answer(said, `r${at}`) };
      });
      const [lines = []] = await recorded(exchanges);
      const grown = await following(lines[0] ?? '');
      looked.words = 0;
      for (const line of lines.slice(1)) {
        await appendFile(grown.path, line);
        grown.readOn();
      }
      const texts = grown.records.filter(({ type }) => type === 'message');
      expect(texts.length).toBeGreaterThanOrEqual(2 * requests);
      expect(grown.opened.isVoid).toBe(false);
      return looked.words;
    };
    const requests = isDeep ? 20 : 8;
    const [few, many] = [await costOf(requests), await costOf(8 * requests)];
    expect(few).toBeGreaterThan(requests);
    expect(many).toBeLessThan(few * 10);
  },
);

test('what is read with what comes later, or in another order, is read as a whole', async () => {
  const request = { model: 'm', messages: [{ role: 'user', content: 'Weigh the flour.' }] };
  const asked = (exchange: string, second: number, body: object = request) => ({
    exchange,
    startTime: `2026-01-01T00:00:0${second}Z`,
    request: body,
    response: null,
  });
  const text = 'It is 100 g.';
  const answered = (exchange: string, second: number) => ({
    exchange,
    endTime: `2026-01-01T00:00:0${second}Z`,
    status: 200,
    response: { object: 'chat.completion', choices: [{ message: { role: 'assistant', content: text } }] },
  });
  const other = { ...request, messages: [{ role: 'user', content: 'Weigh the sugar.' }] };
  const repeating = { ...asked('2', 3), repeats: { exchange: '0', fields: ['messages'], entries: {} } };
  const recordings: readonly (readonly object[])[] = [
    [asked('1', 1), asked('2', 2), answered('2', 3), answered('1', 4)],
    [asked('1', 1), answered('1', 2), asked('2', 3, other)],
    [asked('1', 1), answered('1', 2), { request, response: null }],
    [asked('1', 1), answered('1', 2), asked('1', 3)],
    [asked('1', 1), answered('1', 2), repeating],
    [asked('1', 5), answered('1', 6), asked('2', 4)],
    [asked('1', 1), answered('1', 2), asked('2', 3), answered('3', 4)],
  ];
  for (const values of recordings) {
    const [first = '', ...others] = values.map((value) => `${JSON.stringify(value)}\n`);
    const grown = await following(first);
    expect(grown.opened.isVoid).toBe(false);
    await appendFile(grown.path, others.join(''));
    grown.readOn();
    expect(grown.opened.isVoid).toBe(true);
    // What it gave before is not taken back by it; nothing further is given.
    expect(grown.records.map(({ type }) => type)).toEqual(['message']);
  }
});
