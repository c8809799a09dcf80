/** What the loopback server sends back; pieces are written one by one, each in a write of its own. */
export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly (string | Uint8Array)[];
  /** After the pieces: `cut` destroys the socket, `hang` leaves it open without a word, else the answer ends. */
  readonly then?: 'cut' | 'hang';
  /** Before the first byte of the answer. */
  readonly after?: Promise<unknown>;
}

type Json = Readonly<Record<string, unknown>>;

/** One event of a stream. */
export function sse(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const DONE = 'data: [DONE]\n\n';

/** A chunk of a chat completion with one choice. */
export function chunk(delta: Json, finish: string | null = null): Json {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'test-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

/** The chunk without choices that tells what a request cost. */
export function usageChunk(input: number, output: number): Json {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'test-model',
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}

/** A whole stream of these chunks. */
export function stream(...chunks: readonly Json[]): WireAnswer {
  return { pieces: [...chunks.map(sse), DONE] };
}

/** A stream that says a text. */
export function saying(text: string): WireAnswer {
  return stream(
    chunk({ role: 'assistant', content: '' }),
    ...Array.from(text, (content) => chunk({ content })),
    chunk({}, 'stop'),
    usageChunk(10, text.length),
  );
}

/** A tool call as a test writes it; a text of arguments is sent as it is. */
export interface WireCall {
  readonly id?: string;
  readonly name: string;
  readonly args?: Json | string;
}

/** A stream that calls tools, ids in front, arguments in fragments of five characters. */
export function calling(...calls: readonly WireCall[]): WireAnswer {
  const chunks = calls.flatMap(({ id, name, args = {} }, index) => {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    const fragments = text.match(/[\s\S]{1,5}/g) ?? [];
    const first = { index, id: id ?? `call_${index}`, type: 'function', function: { name, arguments: '' } };
    return [
      chunk({ tool_calls: [first] }),
      ...fragments.map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ];
  });
  return stream(
    chunk({ role: 'assistant', content: null }),
    ...chunks,
    chunk({}, 'tool_calls'),
    usageChunk(10, 5),
  );
}

/** A refusal by status, with the usual JSON. */
export function refusing(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    pieces: [JSON.stringify({ error: { message, type: 'test_error', param: null, code: null } })],
  };
}
