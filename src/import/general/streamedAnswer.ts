import { isObject } from '../../core/message.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  parsed,
  text,
  without,
  type Fields,
} from '../reading/fields.js';
import { isOllamaPiece } from '../reading/streamedObjects.js';
import { ollamaAnswer } from './ollama.js';

/** Whether a value is an event of a streamed answer of one of the known APIs. */
export function isStreamEvent(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.object === 'chat.completion.chunk') return true;
  const type = text(value.type) ?? '';
  if (
    /^response\.(?:created|in_progress|completed|incomplete|failed|output_|content_part|function_call|reasoning|refusal|queued|\w+_call)/.test(
      type,
    )
  )
    return true;
  return /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop))$/.test(type);
}

/** The response that the events of a streamed answer add up to, as if it had not been streamed; undefined for none. */
export function assembledAnswer(events: readonly Fields[]): Fields | undefined {
  const answer = withoutFailure(events);
  return answer && fields(answer.error) !== answer.error ? { ...answer, ...failureIn(events) } : answer;
}

/** What the events of a stream say went wrong, as an answer that is an error; undefined where nothing did. */
export function failureIn(events: readonly Fields[]): Fields | undefined {
  const event = events.findLast(
    ({ type, error }) => type === 'error' || (error !== undefined && error !== null),
  );
  if (!event) return undefined;
  const { error, message, code } = event;
  return { error: error ?? { message, code } };
}

function withoutFailure(events: readonly Fields[]): Fields | undefined {
  if (events.some(({ type }) => type === 'message_start')) return assembledMessage(events);
  if (events.some(({ type }) => text(type)?.startsWith('response.') === true))
    return assembledResponse(events);
  if (events.some(({ choices }) => Array.isArray(choices))) return assembledChat(events);
  if (events.some(isOllamaPiece)) return ollamaAnswer(events);
  return events.some(({ candidates }) => Array.isArray(candidates)) ? assembledContent(events) : undefined;
}

/** Chat completions: deltas of one or several choices. */
function assembledChat(events: readonly Fields[]): Fields {
  const choices = new Map<number, { message: Record<string, unknown>; rest: Record<string, unknown> }>();
  let about: Fields = {};
  for (const event of events) {
    about = { ...about, ...known(without(event, 'choices', 'object')) };
    for (const choice of objects(event.choices)) {
      const index = number(choice.index) ?? 0;
      const known_ = choices.get(index) ?? { message: { role: 'assistant', content: null }, rest: {} };
      choices.set(index, known_);
      Object.assign(known_.rest, known(without(choice, 'delta', 'index', 'logprobs')));
      addDelta(known_.message, fields(choice.delta));
    }
  }
  const all = [...choices].map(([index, { message, rest }]) => ({ index, ...rest, message }));
  return { ...about, object: 'chat.completion', choices: all };
}

function addDelta(message: Record<string, unknown>, delta: Fields): void {
  for (const [key, value] of Object.entries(delta)) {
    if (key === 'role' || value === null) continue;
    if (key === 'tool_calls') addCalls(message, objects(value));
    else if (key === 'function_call') message[key] = joined(fields(message[key]), fields(value));
    else if (typeof value === 'string') message[key] = `${asText(message[key])}${value}`;
    else if (Array.isArray(value)) message[key] = [...list(message[key]), ...list(value)];
    else message[key] = value;
  }
}

/** A call of a function with what a delta adds to it. */
function joined(before: Fields, { name, arguments: input }: Fields): Fields {
  return {
    name: `${asText(before.name)}${asText(name)}`,
    arguments: `${asText(before.arguments)}${asText(input)}`,
  };
}

function addCalls(message: Record<string, unknown>, deltas: readonly Fields[]): void {
  const calls: Record<string, unknown>[] = objects(message.tool_calls).map((call) => ({ ...call }));
  for (const delta of deltas) {
    const index = number(delta.index) ?? calls.length;
    const call = calls[index] ?? {};
    calls[index] = call;
    const before = fields(call.function);
    Object.assign(call, known(without(delta, 'index', 'function')));
    call.function = joined(before, fields(delta.function));
  }
  // Indices may leave gaps, which are no calls.
  message.tool_calls = Object.values(calls);
}

/** The Responses API: its last event has the whole response; a stream that was cut has the items that were done. */
function assembledResponse(events: readonly Fields[]): Fields {
  const whole = events.findLast(({ response }) => list(fields(response).output).length > 0);
  if (whole) return fields(whole.response);
  const about = events.reduce<Fields>((all, { response }) => ({ ...all, ...fields(response) }), {});
  const items = new Map<unknown, Fields>();
  for (const event of events) {
    const key = event.output_index ?? event.item_id;
    if (isObject(event.item)) items.set(key, event.item);
    const [, what = '', how] = /^response\.(.+)\.(delta|done)$/.exec(asText(event.type)) ?? [];
    const place = GROWING[what];
    if (!place) continue;
    const item = items.get(key) ?? place.item;
    const said = event.text ?? event.refusal ?? event.arguments ?? event.input ?? event.delta;
    items.set(
      key,
      withText(item, { ...place, index: number(event[`${place.list}_index`]) ?? 0 }, (before) =>
        how === 'delta' ? `${before}${asText(said)}` : asText(said),
      ),
    );
  }
  return { ...about, object: 'response', output: [...items.values()] };
}

/** A text of an item that grows: in a field of it, or in the parts of a list, which are of a type. */
interface Growing {
  readonly item: Fields;
  readonly field: string;
  readonly list?: string;
  readonly type?: string;
}

const MESSAGE: Fields = { type: 'message', role: 'assistant' };
const REASONING: Fields = { type: 'reasoning' };

/** What grows by events, by their names. */
const GROWING: Readonly<Record<string, Growing | undefined>> = {
  output_text: { item: MESSAGE, list: 'content', type: 'output_text', field: 'text' },
  refusal: { item: MESSAGE, list: 'content', type: 'refusal', field: 'refusal' },
  reasoning_text: { item: REASONING, list: 'content', type: 'reasoning_text', field: 'text' },
  reasoning_summary_text: { item: REASONING, list: 'summary', type: 'summary_text', field: 'text' },
  function_call_arguments: { item: { type: 'function_call' }, field: 'arguments' },
  mcp_call_arguments: { item: { type: 'mcp_call' }, field: 'arguments' },
  custom_tool_call_input: { item: { type: 'custom_tool_call' }, field: 'input' },
};

/** An item of which a text is what `grown` makes of it. */
function withText(
  item: Fields,
  { list: name, type, field, index }: Growing & { readonly index: number },
  grown: (before: string) => string,
): Fields {
  if (name === undefined) return { ...item, [field]: grown(asText(item[field])) };
  const parts = [...list(item[name])];
  // Parts of which nothing came are none.
  const at = Math.min(index, parts.length);
  const part = fields(parts[at]);
  parts[at] = { type, ...part, [field]: grown(asText(part[field])) };
  return { ...item, [name]: parts };
}

/** Anthropic's Messages API: blocks that grow. */
function assembledMessage(events: readonly Fields[]): Fields {
  let message: Fields = {};
  const blocks = new Map<unknown, Record<string, unknown>>();
  const inputs = new Map<unknown, string>();
  for (const event of events) {
    const { index } = event;
    if (event.type === 'message_start') message = fields(event.message);
    else if (event.type === 'message_delta') {
      const usage = { ...fields(message.usage), ...known(fields(event.usage)) };
      message = { ...message, ...known(fields(event.delta)), usage };
    } else if (event.type === 'content_block_start') blocks.set(index, { ...fields(event.content_block) });
    else if (event.type === 'content_block_delta') {
      const block = blocks.get(index) ?? {};
      blocks.set(index, block);
      const delta = fields(event.delta);
      if (delta.type === 'input_json_delta')
        inputs.set(index, `${inputs.get(index) ?? ''}${asText(delta.partial_json)}`);
      else if (delta.type === 'citations_delta') block.citations = [...list(block.citations), delta.citation];
      else addDelta(block, without(delta, 'type'));
    }
  }
  for (const [index, input] of inputs) {
    const block = blocks.get(index);
    if (block && input !== '') block.input = parsed(input);
  }
  // Of one that broke off before it said what it is, nothing is there.
  const content = [...blocks.values()].filter((block) => Object.keys(block).some((key) => key !== 'type'));
  return { type: 'message', role: 'assistant', ...message, content };
}

/** Gemini's API: candidates whose parts follow one another; texts of one kind are one text. */
function assembledContent(events: readonly Fields[]): Fields {
  let about: Fields = {};
  const parts: Fields[] = [];
  let candidate: Fields = {};
  for (const event of events) {
    about = { ...about, ...known(without(event, 'candidates')) };
    const [first] = objects(event.candidates);
    if (!first) continue;
    candidate = { ...candidate, ...known(without(first, 'content')) };
    for (const part of objects(fields(first.content).parts)) {
      const last = parts.at(-1);
      const isSame =
        last &&
        typeof last.text === 'string' &&
        typeof part.text === 'string' &&
        last.thought === part.thought;
      if (isSame)
        parts[parts.length - 1] = { ...last, ...part, text: `${asText(last.text)}${asText(part.text)}` };
      else parts.push(part);
    }
  }
  return { ...about, candidates: [{ ...candidate, content: { role: 'model', parts } }] };
}

/** The fields of an object that have a value. */
function known(object: Fields): Fields {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );
}
