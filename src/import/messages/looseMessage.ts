import { isObject } from '../../core/message.js';
import { appendAll } from '../../core/lists.js';
import { NO_USAGE, type Usage } from '../../core/usage.js';
import { asText, fields, list, objects, parsed, text, withoutKeys, type Fields } from '../reading/fields.js';
import { contentOf, partTurns, type PartPlace } from './anthropicBlocks.js';
import { chatMessages } from './anyMessage.js';
import { chatMessage } from './chatMessage.js';
import { usualForm } from './looseForms.js';
import {
  blockOf,
  callOf,
  looseContent,
  resultOf,
  wordsIn,
  type LooseContent,
  type LooseResult,
} from './looseBlocks.js';
import { plainWord } from '../reading/roleWords.js';
import {
  callsBeside,
  contentKey,
  looseModel,
  looseTime,
  looseUsage,
  resultsBeside,
  speakerIn,
  type Speaker,
} from './looseWords.js';
import { bracketCalls, taggedResults } from './textCalls.js';

/** A message of a tool that is not known, as far as it can be understood without knowing the tool. */
export interface UntypedMessage {
  readonly role: string;
  /** In their order: a system prompt among the parts, what was said with its calls, results. */
  readonly messages: readonly Fields[];
  readonly results: readonly LooseResult[];
  readonly agent: string | undefined;
  readonly time: number | undefined;
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
  /** Whether it is a piece of a streamed message, which the next piece continues. */
  readonly isPiece: boolean;
  /** The id of the message; pieces of one, and what it has grown to so far, share it. '' where it has none. */
  readonly id: string;
  /** Whether it is nothing but reasoning, which the message after it completes. */
  readonly isThought: boolean;
  /** Whether it is a call or a result on its own, which belongs to the message before it. */
  readonly isEvent: boolean;
}

/** The keys under which an object that is no message may have one. */
const ENVELOPES = [
  'message',
  'msg',
  'data',
  'info',
  'payload',
  'chat_message',
  'chatMessage',
  'entry',
] as const;

/** The types of LangChain's pieces of streamed messages. */
const CHUNK = /^(?:AI|Human|System|Tool|Function)MessageChunk$/;

/** Whether a value is a piece of a streamed message. */
export function isPiece(value: unknown): boolean {
  return isObject(value) && (CHUNK.test(asText(value.type)) || usualForm(value).delta === true);
}

/** Types of objects that have the words of a message without being one. */
const NO_MESSAGES = /chunk|delta|stream|notification|^(?:event|file|folder|schema|object|string)$/i;

/** Whether a value can be read as a message, and whether a word for a role says that it is one. */
export function isLoose(value: unknown): { readonly isCertain: boolean } | undefined {
  const item = unwrapped(value);
  if (!item) return undefined;
  if (isEvent(item)) return { isCertain: false };
  if (isLangChain(item)) return { isCertain: true };
  const speaker = speakerIn(item);
  if (!speaker || NO_MESSAGES.test(asText(item.type))) return undefined;
  const hasWords = contentKey(item) !== undefined || thoughtsIn(item) !== undefined;
  return hasWords || callsBeside(item).length > 0 || resultsBeside(item).length > 0
    ? { isCertain: speaker.isCertain }
    : undefined;
}

/**
 * The messages that a value in whatever shape stands for, in the order of its parts: what is said behind the result of a tool is
 * a message of its own. Empty where a value does not look like one.
 */
export function looseMessages(value: unknown): readonly UntypedMessage[] {
  const item = isLoose(value) && unwrapped(value);
  if (!item) return [];
  const key = contentKey(item);
  const parts = key === undefined ? undefined : partsIn(item[key]);
  if (key === undefined || !Array.isArray(parts) || isEvent(item) || isLangChain(item))
    return [readMessage(value, item)];
  const turns = speakerIn(item)?.role === 'assistant' ? partTurns(parts as unknown[], placeOf) : [];
  if (turns.length < 2) return [readMessage(value, item)];
  // What stands beside the parts is said of the whole; calls and results there follow what was said last.
  return turns.map((turn, at) => {
    const isLast = at === turns.length - 1;
    const beside = isLast ? item : withoutKeys(item, BESIDE_PARTS);
    const read = readMessage(value, { ...beside, [key]: turn });
    return { ...read, usage: isLast ? read.usage : read.usage && NO_USAGE };
  });
}

/** The keys of calls, results and usage beside the parts of a message. */
const BESIDE_PARTS = [
  'tool_calls',
  'toolCalls',
  'toolInvocations',
  'tool_results',
  'toolResults',
  'function_call',
  'additional_kwargs',
];

/** What a part of a message is, as far as its place among the others goes. */
function placeOf(part: unknown): PartPlace {
  const block = isObject(part) ? blockOf(part) : undefined;
  if (block?.kind === 'result') return 'result';
  if (block?.kind === 'mark') return 'step';
  return block?.kind === 'call' && looseContent(part).results.length > 0 ? 'answered' : 'said';
}

/** A message in whatever shape, as one; undefined where a value does not look like one. */
export function looseMessage(value: unknown): UntypedMessage | undefined {
  const item = isLoose(value) && unwrapped(value);
  return item ? readMessage(value, item) : undefined;
}

function readMessage(value: unknown, item: Fields): UntypedMessage {
  const about = {
    time: looseTime(item) ?? looseTime(fields(value)),
    model: looseModel(item) ?? looseModel(fields(value)),
    usage: looseUsage(item) ?? looseUsage(fields(value)),
    isThought: isThinking(item) || fields(value).isThought === true,
    isPiece:
      item.delta === true ||
      CHUNK.test(asText(item.type)) ||
      (typeof fields(value).done === 'boolean' && value !== item),
    id: asText([item.MessageId, item.messageId, item.message_id, item.id].find((each) => text(each)) ?? ''),
  };
  if (isEvent(item)) return { ...eventOf(item), ...about };
  const speaker: Speaker = speakerIn(item) ?? { role: 'assistant', name: undefined, isCertain: false };
  const agent = speaker.role === 'assistant' || speaker.role === 'tool' ? speaker.name : undefined;
  const whole = { ...about, agent: speaker.role === 'tool' ? undefined : agent, isEvent: false };
  if (isLangChain(item))
    return { ...whole, role: speaker.role, messages: chatMessages(withPieces(item)), results: [] };
  const called = callsInWords(item);
  const content = called.length > 0 ? looseContent(called) : contentOfItem(item);
  if (speaker.role === 'tool' && content.results.length === 0 && content.calls.length === 0)
    return { ...whole, role: 'tool', messages: [], results: resultsIn(item) };
  const role = speaker.role === 'tool' ? 'assistant' : speaker.role;
  if (role === 'assistant') readTags(content);
  return { ...whole, role, messages: spoken(role, content), results: content.results };
}

/** The object that speaks: the value itself, or the one that it is an envelope of. */
function unwrapped(given: unknown): Fields | undefined {
  if (!isObject(given)) return undefined;
  const value = usualForm(given);
  if (Array.isArray(value.versions))
    return unwrapped(list(value.versions)[Number(value.currentlySelected ?? 0)]);
  const keys = Object.keys(value);
  const [only = ''] = keys;
  // Rust's enums are objects whose only key says what they are.
  if (keys.length === 1 && isObject(value[only]) && /^(?:User|Agent|Assistant|System|Tool)$/i.test(only))
    return { role: only.toLowerCase(), ...value[only] };
  for (const key of ENVELOPES) {
    const inner = value[key];
    if (!isObject(inner)) continue;
    const hasWords = contentKey(inner) !== undefined || callsBeside(inner).length > 0;
    const isSpoken = speakerIn(inner)?.isCertain === true && hasWords;
    if (isSpoken) return { ...siblings(value, key), ...inner };
  }
  if (isObject(value.info) && Array.isArray(value.parts)) return { ...value, ...value.info };
  return value;
}

/** What stands beside a message in its envelope and may be about it. */
function siblings(value: Fields, key: string): Fields {
  return Object.fromEntries(
    Object.entries(value).filter(([name, each]) => name !== key && name !== 'type' && !isObject(each)),
  );
}

/** The speaker of data sets for training whose words are the calls themselves. */
const CALLERS = /^(?:function|tool)[ _-]?calls?$/;

/** What a tool answered: what its message says, or each of the tags that its words consist of. */
function resultsIn(item: Fields): readonly LooseResult[] {
  const words = item.value ?? item.content;
  const tagged = typeof words === 'string' ? taggedResults(words) : [];
  return tagged.length > 0 ? tagged.map((each) => resultOf(each)) : [resultOf(item)];
}

/** The calls in tags of a text, and the text without them; each tag ends at the next end of one, so that it is read once. */
function taggedCalls(whole: string): { readonly words: string; readonly calls: readonly Fields[] } {
  const [begin, end] = ['<tool_call>', '</tool_call>'];
  const calls: Fields[] = [];
  const words: string[] = [];
  let at = 0;
  for (;;) {
    const closing = whole.indexOf(end, at);
    if (closing < 0) break;
    const before = whole.slice(at, closing);
    const opening = before.lastIndexOf(begin);
    const call = opening < 0 ? undefined : parsed(before.slice(opening + begin.length));
    const isCall = isObject(call) && typeof call.name === 'string';
    if (isCall) calls.push(callOf(call));
    words.push(isCall ? before.slice(0, opening) : `${before}${end}`);
    at = closing + end.length;
  }
  words.push(whole.slice(at));
  return { words: words.join(''), calls };
}

/** Whether a model wrote calls as tags into these words. */
export function hasTaggedCalls(words: string): boolean {
  return taggedCalls(words).calls.length > 0;
}

/** Calls and reasoning that models write as tags into their words, which data sets for training keep so. */
function readTags(content: LooseContent): void {
  const [only] = content.parts;
  if (content.parts.length !== 1 || only?.type !== 'text' || content.calls.length > 0) return;
  const whole = asText(only.text);
  const { words, calls } = taggedCalls(whole);
  if (calls.length === 0) {
    const listed = bracketCalls(whole);
    if (listed.length > 0) content.parts.splice(0, 1);
    appendAll(
      content.calls,
      listed.map((call) => callOf(call)),
    );
    return;
  }
  const thought = /^\s*<think>([^]*?)<\/think>/.exec(words);
  if (thought && content.reasoning.length === 0) content.reasoning.push((thought[1] ?? '').trim());
  const rest = (thought && content.reasoning.length > 0 ? words.slice(thought[0].length) : words).trim();
  content.parts.splice(0, 1, ...(rest === '' ? [] : [{ type: 'text', text: rest }]));
  appendAll(content.calls, calls);
}

/** The calls that the words of a message are, as a JSON object or a list. */
function callsInWords(item: Fields): readonly Fields[] {
  if (!CALLERS.test(asText(item.from ?? item.role))) return [];
  const inside = parsed(item.value ?? item.content);
  const calls = (Array.isArray(inside) ? objects(inside) : [fields(inside)]).filter(
    ({ name }) => typeof name === 'string',
  );
  return calls.map((call) => ({ ...call, type: 'tool_call' }));
}

function isLangChain(item: Fields): boolean {
  if (item.lc !== undefined && isObject(item.kwargs)) return true;
  if (CHUNK.test(asText(item.type)) && typeof item.role !== 'string') return true;
  const isTyped = typeof item.type === 'string' && /^(?:human|ai|system|tool|function)$/.test(item.type);
  return (
    isTyped &&
    typeof item.role !== 'string' &&
    (isObject(item.data) || 'additional_kwargs' in item || Array.isArray(item.tool_calls))
  );
}

/** A piece of a message with the pieces of calls in it, whose arguments are texts that go on. */
function withPieces(item: Fields): Fields {
  const pieces = objects(item.tool_call_chunks);
  return pieces.length === 0 ? item : { ...item, tool_calls: pieces };
}

/** Whether an object is a call of a tool or a result on its own, as logs of events have them. */
function isEvent(item: Fields): boolean {
  const said = item.type ?? item.message_type ?? item.messageType ?? item.kind;
  if (typeof said !== 'string' || typeof item.role === 'string') return false;
  const block = blockOf(item);
  if (block?.kind === 'call') return fields(callOf(block.body).function).name !== '';
  if (block?.kind !== 'result') return false;
  return [
    'content',
    'output',
    'result',
    'tool_output',
    'tool_return',
    'toolResult',
    'response',
    'error',
    'message',
  ].some((key) => key in block.body);
}

function eventOf(item: Fields) {
  const { calls, results } = looseContent(item);
  const isCall = calls.length > 0;
  const message = chatMessage('assistant', null, { calls });
  return {
    role: isCall ? 'assistant' : 'tool',
    messages: isCall ? [message] : [],
    results,
    agent: undefined,
    isEvent: true,
  };
}

function contentOfItem(item: Fields): LooseContent {
  const key = contentKey(item);
  const isThought = isThinking(item);
  const summary = thoughtsIn(item);
  const said = looseContent(
    isThought && (key !== undefined || summary !== undefined)
      ? { type: 'thinking', text: key === undefined ? summary : asText(item[key]) }
      : key === undefined
        ? undefined
        : partsIn(item[key]),
  );
  for (const call of callsBeside(item)) {
    const { calls, results } = looseContent({
      type: 'tool_call',
      ...call,
      ...(call.type === 'function' && { type: 'tool_call' }),
    });
    if (said.calls.some((each) => each.id !== '' && each.id === calls[0]?.id)) continue;
    appendAll(said.calls, calls);
    appendAll(said.results, results);
  }
  for (const result of resultsBeside(item)) said.results.push(resultOf(result));
  const thought = [item.reasoning_content, item.reasoning, item.thinking, item.thought]
    .map((each) => (isObject(each) ? wordsIn(each) : text(each)))
    .find((each) => each !== undefined && each !== '');
  if (thought !== undefined && said.reasoning.length === 0) said.reasoning.push(thought);
  return said;
}

function isThinking(item: Fields): boolean {
  return /^(?:thought|thinking|reasoning)/.test(plainWord(item.type ?? item.message_type));
}

/** The summary of a piece of reasoning whose own words are hidden. */
function thoughtsIn(item: Fields): string | undefined {
  if (!isThinking(item)) return undefined;
  const words = list(item.summary ?? item.summaries).flatMap((each) => wordsIn(each) ?? []);
  return words.length === 0 ? undefined : words.join('\n');
}

/** The parts of a content; steps of a message have theirs inside. */
function partsIn(content: unknown): unknown {
  const { content: inner, type } = fields(content);
  if (Array.isArray(inner) && type === undefined) return inner;
  const isSteps = objects(content).some((each) => each.type === 'contentBlock');
  return isSteps
    ? objects(content).flatMap((each) => (Array.isArray(each.content) ? list(each.content) : [each]))
    : content;
}

function spoken(role: string, { parts, reasoning, calls, results, system }: LooseContent): Fields[] {
  const prompt = system.map((content): Fields => ({ role: 'system', content }));
  const isSilent = parts.length + reasoning.length + calls.length === 0;
  if (isSilent && prompt.length + results.length > 0) return prompt;
  const content =
    parts.every(({ type }) => type === 'text') && parts.length > 0 ? joined(parts) : contentOf(parts);
  return [
    ...prompt,
    chatMessage(calls.length > 0 ? 'assistant' : role, content, { reasoning: reasoning.join('\n'), calls }),
  ];
}

function joined(parts: readonly Fields[]): string {
  return parts.map((part) => asText(part.text)).join('\n');
}
