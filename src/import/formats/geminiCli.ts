import { isObject, textOf } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  text,
  time,
  without,
  type Fields,
} from '../reading/fields.js';
import { foundIn, parsedValues } from '../entries.js';
import type { ImportSink } from '../importSink.js';
import { DraftsByText } from '../spool/byText.js';
import { KnownTexts } from '../spool/knownTexts.js';
import { Numbers } from '../spool/numbers.js';
import { geminiPart } from '../shapes/anyMessage.js';
import { contentParts, chatMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import { addFailure } from '../shapes/failures.js';
import type { TranscriptFormat } from '../transcriptFormat.js';
import { usageOf } from '../shapes/usage.js';

/** Gemini CLI's sessions: one object, or a header and one line per message. */
export const geminiCli: TranscriptFormat = {
  name: 'gemini-cli',
  of: 'Gemini CLI',
  files: 'sessions (`.json`, `.jsonl`)',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: ([first]) =>
    isObject(first) &&
    typeof first.sessionId === 'string' &&
    ('projectHash' in first || list(first.messages).some((message) => fields(message).type === 'gemini')),
  readLines(lines, sink) {
    const about = fields(foundIn(lines, (value) => value));
    const builder = sink.conversation(about.sessionId, 'Gemini');
    builder.title = text(about.summary);
    const session = new GeminiSession(builder, sink);
    for (const item of list(about.messages)) session.look(item);
    let isFirst = true;
    for (const value of parsedValues(lines)) {
      if (!isFirst) session.look(value);
      isFirst = false;
      // What changes of the session comes on lines of its own.
      builder.title = text(fields(fields(value).$set).summary) ?? builder.title;
    }
    isFirst = true;
    for (const value of sink.each(lines)) {
      if (isFirst) {
        builder.keep(builder.entry, 'session', without(about, 'messages'), time(about.startTime));
        for (const item of list(about.messages)) session.add(item);
      } else session.add(value);
      isFirst = false;
    }
  },
};

/** Reads messages of which a later one with the same id replaces the earlier one, in the earlier one's place. */
class GeminiSession {
  readonly #builder: ConversationBuilder;
  readonly #sink: ImportSink;
  readonly #ids = new KnownTexts();
  /** How many messages with each id are still to come. */
  readonly #left = new Numbers();
  /** The places of messages that come later. */
  readonly #places: DraftsByText;
  /** The calls of tools whose results were told with them. */
  readonly #answered = new KnownTexts();

  constructor(builder: ConversationBuilder, sink: ImportSink) {
    this.#builder = builder;
    this.#sink = sink;
    this.#places = new DraftsByText(sink.drafts);
  }

  /** Sees each message before the first is added. */
  look(value: unknown): void {
    const id = text(fields(value).id);
    if (id === undefined) return;
    const number = this.#ids.add(id);
    this.#left.set(number, Math.max(0, this.#left.at(number)) + 1);
  }

  add(value: unknown): void {
    const id = text(fields(value).id);
    const number = id === undefined ? -1 : this.#ids.numberOf(id);
    const left = this.#left.at(number) - 1;
    if (number >= 0) this.#left.set(number, left);
    const place = id === undefined ? undefined : this.#places.get(id);
    place?.touch();
    if (id !== undefined && left > 0) {
      if (!place) this.#places.set(id, this.#builder.hole());
      return;
    }
    const from = this.#builder.length;
    addItem(value, this.#builder, this.#sink, this.#answered);
    if (place) this.#builder.moveBehind(place, from);
  }
}

function addItem(value: unknown, builder: ConversationBuilder, sink: ImportSink, answered: KnownTexts): void {
  const item = fields(value);
  const at = time(item.timestamp);
  const responses = responsesIn(item);
  if (responses.length > 0) addResponses(responses, item, { builder, answered, at });
  else if (item.type === 'user') {
    builder.message(
      builder.entry,
      { role: 'user', content: contentOf(item.content) },
      { time: at, raw: item },
    );
  } else if (item.type === 'gemini') {
    addAnswer(item, builder, at);
    for (const { id, result } of objects(item.toolCalls)) if (result !== undefined) answered.add(asText(id));
  } else if (item.type === 'error')
    addFailure(builder, builder.entry, { kind: 'error', error: wordsOf(item.content), time: at, raw: value });
  else {
    const isKnown = ['info', 'warning'].includes(String(item.type)) || '$set' in item || '$rewindTo' in item;
    if (!isKnown) sink.unknown(`messages of type ${String(item.type)}`);
    builder.keep(builder.entry, text(item.type) ?? 'update', value, at);
  }
}

/** The results of tools that are sent to the model in the name of the person; none where anything is said beside them. */
function responsesIn({ type, content }: Fields): readonly Fields[] {
  const parts = objects(content);
  const responses = parts.map(({ functionResponse }) => fields(functionResponse));
  const isOnlyThese = type === 'user' && responses.every(({ response }) => response !== undefined);
  return isOnlyThese && parts.length === list(content).length ? responses : [];
}

/** Adds results of tools that no call told; where one did, what was sent of it is kept. */
function addResponses(
  responses: readonly Fields[],
  item: Fields,
  { builder, answered, at }: { builder: ConversationBuilder; answered: KnownTexts; at: number | undefined },
): void {
  for (const functionResponse of responses) {
    const { id, name } = functionResponse;
    if (answered.numberOf(asText(id)) >= 0) continue;
    addResult({ id, name, result: [{ functionResponse }] }, item, builder, at);
  }
  builder.keepRest(builder.entry, 'sent results', item, { time: at, beside: [] });
}

/** What is said in a content, in words alone. */
function wordsOf(content: unknown): string {
  return typeof content === 'string' ? content : textOf(contentOf(content)) || asText(content);
}

function addAnswer(item: Fields, builder: ConversationBuilder, at: number | undefined): void {
  const calls = objects(item.toolCalls);
  const thoughts = objects(item.thoughts).map(({ subject, description }) =>
    [subject, description]
      .map((part) => asText(part ?? ''))
      .filter((part) => part !== '')
      .join(': '),
  );
  const message = chatMessage('assistant', contentOf(item.content), {
    reasoning: thoughts.join('\n'),
    calls: calls.map(({ id, name, args }) => toolCall(id, name, args)),
  });
  builder.message(builder.entry, message, {
    time: at,
    model: text(item.model),
    usage: usage(item.tokens),
    raw: item,
  });
  for (const call of calls) addResult(call, item, builder, at);
}

function addResult(call: Fields, item: Fields, builder: ConversationBuilder, at: number | undefined): void {
  if (call.result === undefined && call.resultDisplay === undefined) return;
  const given = objects(call.result);
  // Newer versions put what a tool shows inside of its answer, older ones beside it.
  const pictures = given
    .flatMap((part) => [part, ...objects(fields(part.functionResponse).parts)])
    .map(geminiPart)
    .filter(({ type }) => type === 'image_url');
  const said = given
    .filter((part) => geminiPart(part).type !== 'image_url')
    .map((part) => {
      const { response } = fields(part.functionResponse);
      return asText(fields(response).output ?? fields(response).error ?? response ?? part.text ?? part);
    });
  const words = Array.isArray(call.result) ? said.join('\n') : asText(call.result ?? call.resultDisplay);
  const content = pictures.length === 0 ? words : [{ type: 'text', text: words }, ...pictures];
  builder.message(builder.entry, toolMessage(call.id, content), {
    time: time(call.timestamp) ?? at,
    isError: (typeof call.status === 'string' && call.status !== 'success') || undefined,
    toolName: text(call.name),
    raw: item,
  });
}

/** Turns parts without a type but with a text into text parts. */
function contentOf(content: unknown): unknown {
  if (typeof content !== 'object' || content === null) return content ?? null;
  return contentParts(content).map((part) => {
    if (typeof part.text === 'string') return { type: 'text', ...part };
    const picture = geminiPart(part);
    return picture.type === 'image_url' ? picture : { type: 'part', ...part };
  });
}

/** Reasoning and tool tokens are counted separately from output and input. */
function usage(tokens: unknown): Usage | undefined {
  const { input, output, cached, thoughts, tool } = fields(tokens);
  if (number(input) === undefined) return undefined;
  return usageOf({
    input: (number(input) ?? 0) + (number(tool) ?? 0),
    output: (number(output) ?? 0) + (number(thoughts) ?? 0),
    cached: number(cached),
    reasoning: number(thoughts),
  });
}
