import { isObject } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  parsed,
  text,
  time,
  without,
  type Fields,
} from '../reading/fields.js';
import { cutValue, isEventText } from '../reading/serverEvents.js';
import { isCutStream, isOllamaPiece, streamedObjects } from '../reading/streamedObjects.js';
import { answersIn } from '../trace/spanMessages.js';
import type { TraceSpan } from '../trace/traceSpan.js';
import { chatMessages, messagesIn } from '../messages/anyMessage.js';
import { withoutBilling } from '../messages/billingHeader.js';
import { looseMessages } from '../messages/looseMessage.js';
import { anyUsage } from '../messages/looseWords.js';
import { itemMessages } from '../messages/itemMessages.js';
import { asksOllama, ollamaAnswer, ollamaMessages } from './ollama.js';
import { assembledAnswer, failureIn, isStreamEvent } from './streamedAnswer.js';
import { anthropicUsage, openAiUsage, tierIn, usageOf } from '../messages/usage.js';

/** A request to a model and its answer, as something recorded them. */
export interface Exchange {
  /** The request's body; undefined where only the answer was recorded. */
  readonly request: unknown;
  /** The answer's body: an object, the events of a stream, or either as text. */
  readonly response: unknown;
  /** Milliseconds since 1970. */
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly url?: string | undefined;
  /** The model, where it stands beside the request. */
  readonly model?: string | undefined;
  /** The HTTP status. */
  readonly status?: number | undefined;
  /** Everything else that the recording says of it. */
  readonly rest: Fields;
}

/**
 * The span of an exchange; undefined where neither its request nor its answer is one of a model. `sent` are the messages of
 * its request, for whoever knows them already, or which of them are meant.
 */
export function exchangeSpan(
  exchange: Exchange,
  id: string,
  sent?: readonly Fields[],
): TraceSpan | undefined {
  const request = fields(parsed(exchange.request));
  const { answer, events, isCut } = answerOf(exchange.response);
  const isOllama = asksOllama(exchange.url);
  const input = sent ?? (isOllama ? ollamaMessages(sentIn(request)) : sentIn(request));
  const words = Object.keys(answer).length === 0 ? (text(exchange.response) ?? '') : '';
  const isSaid = words !== '' && !isBad(exchange.status) && !isEventText(words);
  const said = isSaid && input.length > 0 ? [{ role: 'assistant', content: words }] : receivedIn(answer);
  const output = isOllama ? ollamaMessages(said, input) : said;
  const failure = errorIn(answer, exchange, words, isCut);
  if (
    output.length === 0 &&
    (input.length === 0 || (Object.keys(answer).length > 0 && !failure && !isEmptyAnswer(answer)))
  )
    return undefined;
  const { start, end, url, rest } = exchange;
  const [choice] = objects(answer.choices ?? answer.candidates);
  return {
    id,
    parent: '',
    name: url ?? 'request',
    kind: 'request',
    start: start ?? time(answer.created ?? answer.created_at ?? answer.createTime),
    end: end ?? start ?? time(answer.created ?? answer.created_at ?? answer.createTime),
    input,
    output,
    after: namedBefore(request),
    names: namesIn(request, answer, output),
    model:
      text(answer.model) ??
      text(answer.modelVersion) ??
      text(request.model) ??
      text(request.modelId) ??
      exchange.model ??
      /models\/([^:/?]+)/.exec(url ?? '')?.[1],
    endpoint: url === undefined ? undefined : hostOf(url),
    usage: usageIn(answer),
    finishReason: text(choice?.finish_reason ?? choice?.finishReason ?? answer.stop_reason ?? answer.status),
    error: failure,
    ...((isCut || text(rest.failure) !== undefined) && { isCut: true }),
    source: {
      ...rest,
      ...(url !== undefined && { url }),
      ...(exchange.status !== undefined && { status: exchange.status }),
      ...(Object.keys(request).length > 0 && { request: without(request, ...SENT) }),
      ...besideMessages(request),
      // What a stream was made of stays with it; an answer in one piece is told by its messages.
      ...(Object.keys(answer).length > 0 && { response: restOfAnswer(answer) }),
      ...(events.length > 0 && { events }),
      ...(words !== '' && !isSaid && { response: words }),
    },
  };
}

/** The names by which other requests may go on with what was said in an exchange. */
export function namesOf({ request, response }: Pick<Exchange, 'request' | 'response'>): readonly string[] {
  const { answer } = answerOf(response);
  return namesIn(fields(parsed(request)), answer, receivedIn(answer));
}

/** The messages of an answer. */
export function receivedOf(response: unknown): readonly Fields[] {
  return receivedIn(answerOf(response).answer);
}

/** What of a request is needed to tell the names of its answer; undefined where such answers are not named. */
export function namingIn(request: unknown): Fields | undefined {
  const { input, conversation } = fields(parsed(request));
  return input === undefined ? undefined : { conversation };
}

/** What a request of the Responses API goes on with, of which it sends nothing. */
function namedBefore(request: Fields): string | undefined {
  return named('response', request.previous_response_id) ?? conversationOf(request);
}

/** A conversation grows by what was answered only: where nothing was, the same is asked again. */
function namesIn(request: Fields, answer: Fields, output: readonly Fields[]): readonly string[] {
  const id = 'output' in answer ? named('response', answer.id) : undefined;
  const conversation = output.length > 0 ? (conversationOf(request) ?? conversationOf(answer)) : undefined;
  return [id, conversation].filter((name) => name !== undefined);
}

function conversationOf({ conversation }: Fields): string | undefined {
  return named('conversation', fields(conversation).id ?? conversation);
}

function named(what: string, id: unknown): string | undefined {
  return typeof id === 'string' && id !== '' ? `${what} ${id}` : undefined;
}

/** The fields of a request that its messages tell. */
const SENT = ['messages', 'contents', 'input', 'system', 'instructions', 'prompt'] as const;

/** What stands among the messages of a request and is said to nobody: the provider's account, and ids of what is new. */
function besideMessages({ system, input }: Fields): Fields {
  const billing = objects(system).flatMap(({ text: words }) =>
    typeof words === 'string' && withoutBilling(words) === '' && words !== '' ? [words] : [],
  );
  const items = objects(input);
  const answered = items.findLastIndex(
    ({ type, role }) => role === 'assistant' || type === 'reasoning' || asText(type).endsWith('_call'),
  );
  const itemIds = items.slice(answered + 1).flatMap(({ id }) => text(id) ?? []);
  return { ...(billing.length > 0 && { billing }), ...(itemIds.length > 0 && { itemIds }) };
}

function restOfAnswer(answer: Fields): Fields {
  const choices = objects(answer.choices).map((choice) => without(choice, 'message', 'text'));
  const candidates = objects(answer.candidates).map((candidate) => without(candidate, 'content'));
  const isMessage = answer.type === 'message';
  return {
    ...without(answer, 'choices', 'candidates', 'output', ...(isMessage ? ['content'] : [])),
    ...(choices.length > 0 && { choices }),
    ...(candidates.length > 0 && { candidates }),
  };
}

/** Whether a value is a request to one of the known APIs. */
export function isRequestBody(value: unknown): boolean {
  const request = fields(parsed(value));
  const isNamed = typeof request.model === 'string';
  if (Array.isArray(request.contents)) return messagesIn(request.contents).length > 0;
  if (!isNamed && !Array.isArray(request.messages)) return false;
  return sentIn(request).length > 0;
}

/** Whether a value is an answer of one of the known APIs. */
export function isAnswerBody(value: unknown): boolean {
  const { answer } = answerOf(value);
  return receivedIn(answer).length > 0;
}

function sentIn(request: Fields): Fields[] {
  if (
    Array.isArray(request.input) ||
    (typeof request.input === 'string' && typeof request.model === 'string')
  ) {
    const { instructions, input } = request;
    const system = text(instructions) === undefined ? [] : [{ role: 'system', content: instructions }];
    const isEmbedding =
      list(input).some((each) => typeof each !== 'object') || (text(request.model) ?? '').includes('embed');
    if (isEmbedding) return [];
    return [
      ...system,
      ...(typeof input === 'string' ? [{ role: 'user', content: input }] : itemMessages(list(input))),
    ];
  }
  if (Array.isArray(request.messages) && !areTyped(request.messages)) {
    const system = messagesIn({ ...request, messages: [{ role: 'user', content: '' }] }).filter(
      ({ role }) => role === 'system',
    );
    return [...system, ...objects(request.messages).flatMap(spokenIn)];
  }
  return messagesIn(request);
}

/** Whether all parts of messages have a type; those of Bedrock's Converse API have none. */
export function areTyped(messages: readonly unknown[]): boolean {
  return objects(messages).every(({ content }) =>
    objects(content).every(({ type }) => typeof type === 'string'),
  );
}

function receivedIn(answer: Fields): Fields[] {
  if (
    Array.isArray(answer.output) &&
    (answer.object === 'response' || objects(answer.output).some(({ type }) => typeof type === 'string'))
  )
    return itemMessages(list(answer.output));
  if (answer.type === 'message' && Array.isArray(answer.content))
    return chatMessages({ role: 'assistant', content: answer.content });
  const texts = objects(answer.choices).flatMap((choice) =>
    text(choice.text) === undefined ? [] : [{ role: 'assistant', content: choice.text }],
  );
  if (texts.length > 0) return texts;
  if (Array.isArray(answer.choices) || Array.isArray(answer.candidates)) return answersIn(answer);
  const { message } = fields(answer.output);
  if (isObject(message)) return spokenIn(message);
  if (isObject(answer.message) && typeof answer.message.role === 'string') return messagesIn(answer.message);
  return answer.role === 'assistant' ? messagesIn(answer) : [];
}

/** The messages of an answer in Bedrock's Converse API. */
function spokenIn(message: Fields): Fields[] {
  return looseMessages(message).flatMap(({ messages, results }) => [
    ...messages,
    ...results.map((result) => result.message),
  ]);
}

/** An answer of a model that says nothing, like one that was stopped or filtered. */
function isEmptyAnswer(answer: Fields): boolean {
  return (
    Array.isArray(answer.choices) ||
    Array.isArray(answer.candidates) ||
    answer.object === 'response' ||
    answer.type === 'message' ||
    isObject(answer.promptFeedback)
  );
}

/** An answer's body, put together where it was streamed; its events then, and whether they break off within one. */
function answerOf(response: unknown): { answer: Fields; events: readonly Fields[]; isCut: boolean } {
  const given = parsed(response);
  const events =
    typeof given === 'string'
      ? streamedObjects(given)
      : Array.isArray(given) &&
          given.length > 0 &&
          (objects(given).some(isStreamEvent) ||
            objects(given).some(({ candidates }) => Array.isArray(candidates)))
        ? objects(given)
        : [];
  if (typeof given === 'string' && events.length === 0) {
    // A single JSON value that breaks off.
    const beginning = answerOf(/^\s*[[{]/.test(given) ? cutValue(given)?.value : undefined);
    // Else it is what a model said that was asked for JSON.
    if (receivedIn(beginning.answer).length > 0) return { ...beginning, isCut: true };
  }
  if (isOllamaPiece(given)) return { answer: ollamaAnswer([given]), events, isCut: false };
  if (events.length === 0) return { answer: fields(given), events, isCut: false };
  const isCut = typeof given === 'string' && isCutStream(given);
  return { answer: assembledAnswer(events) ?? failureIn(events) ?? {}, events, isCut };
}

function isBad(status: number | undefined): boolean {
  return status !== undefined && status >= 400;
}

/** Why an answer is not whole whose stream breaks off within an event. */
const CUT_STREAM = 'The stream breaks off in the middle of what was being said.';

/** What went wrong: by the answer, else by what recorded it, else by its status and words, which are no answer then. */
function errorIn(
  answer: Fields,
  { status, rest }: Pick<Exchange, 'status' | 'rest'>,
  words: string,
  isCut: boolean,
): TraceSpan['error'] {
  const { error } = answer;
  const failure = text(rest.failure);
  const isSilent = words !== '' && isEventText(words);
  const isTold = (error !== undefined && error !== null) || failure !== undefined;
  if (!isTold && !isBad(status) && !isSilent && !isCut) return undefined;
  const about = fields(error);
  const message =
    text(error) ??
    text(about.message) ??
    failure ??
    (isSilent ? `The stream ended before the model answered: ${words.trim()}` : undefined) ??
    (isCut ? CUT_STREAM : undefined) ??
    text(words.trim()) ??
    `The server answered ${status ?? 'with an error'}.`;
  return {
    code: text(about.code) ?? text(about.type) ?? text(about.status) ?? 'error',
    message,
    ...(status !== undefined && { status }),
  };
}

function usageIn(answer: Fields): Usage | undefined {
  const gemini = fields(answer.usageMetadata ?? answer.usage_metadata);
  if (Object.keys(gemini).length > 0) return geminiUsage(gemini);
  return answer.type === 'message'
    ? anthropicUsage(answer.usage)
    : (openAiUsage(answer.usage) ?? anyUsage(answer.usage));
}

/** Usage in Gemini's API, which counts thoughts and the use of tools apart. */
export function geminiUsage(usage: Fields): Usage | undefined {
  const of = (camel: string, snake: string) => number(usage[camel]) ?? number(usage[snake]);
  const input = of('promptTokenCount', 'prompt_token_count');
  const output = of('candidatesTokenCount', 'candidates_token_count');
  if (input === undefined && output === undefined) return undefined;
  const thoughts = of('thoughtsTokenCount', 'thoughts_token_count') ?? 0;
  const asked = (input ?? 0) + (of('toolUsePromptTokenCount', 'tool_use_prompt_token_count') ?? 0);
  const answered = output ?? 0;
  // Where OpenAI's numbers were renamed to Gemini's, as Qwen Code does, the output contains the thoughts.
  const isWhole = of('totalTokenCount', 'total_token_count') === asked + answered;
  return usageOf({
    input: asked,
    output: isWhole ? answered : answered + thoughts,
    cached: of('cachedContentTokenCount', 'cached_content_token_count'),
    reasoning: thoughts,
    terms: tierIn(usage.trafficType ?? usage.traffic_type ?? usage.serviceTier ?? usage.service_tier),
    told: usage,
  });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
