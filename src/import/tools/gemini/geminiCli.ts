import { endOfWord, ended } from '../../messages/callEnd.js';
import { smallestOf } from '../../../core/lists.js';
import { isObject, textOf } from '../../../core/message.js';
import type { Usage } from '../../../core/usage.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
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
} from '../../reading/fields.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import { DraftsByText } from '../../spool/byText.js';
import { KnownTexts } from '../../spool/knownTexts.js';
import { Numbers } from '../../spool/numbers.js';
import { geminiPart } from '../../messages/anyMessage.js';
import { contentParts, chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { addFailure } from '../../messages/failures.js';
import type { StreamedFormat, FormatReader } from '../../building/transcriptFormat.js';
import { isTold, usageOf } from '../../messages/usage.js';

/** Gemini CLI's sessions: one object, or a header and one line per message. */
export const geminiCli: StreamedFormat = {
  name: 'gemini-cli',
  of: 'Gemini CLI',
  files: 'sessions (`.json`, `.jsonl`)',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: ([first]) =>
    isObject(first) &&
    typeof first.sessionId === 'string' &&
    ('projectHash' in first || list(first.messages).some((message) => fields(message).type === 'gemini')),
  begin: (sink) => new GeminiReader(sink),
};

/** The message with an id that was read last, while a further line may be it again, with more. */
interface LatestMessage {
  readonly id: string;
  readonly drafts: readonly Draft[];
}

/** Reads messages of which a later one with the same id replaces the earlier one, in the earlier one's place. */
class GeminiReader implements FormatReader {
  readonly #sink: ImportSink;
  readonly #ids = new KnownTexts();
  /** How many messages with each id are known that are still to come. */
  readonly #left = new Numbers();
  /** The places of messages that come later, and of those the ones that are known to come. */
  readonly #places: DraftsByText;
  readonly #coming = new Map<string, Draft>();
  /** The calls of tools whose results were told with them. */
  readonly #answered = new KnownTexts();
  #about: Fields | undefined;
  #title: string | undefined;
  #builder: ConversationBuilder | undefined;
  #latest: LatestMessage | undefined;
  /** The messages that come again though they were read. */
  readonly #again = new Set<string>();
  /** Whether one of them came after others had followed it. */
  #isLate = false;

  constructor(sink: ImportSink) {
    this.#sink = sink;
    this.#places = new DraftsByText(sink.drafts);
  }

  look({ value, raw }: Entry): void {
    if (raw !== undefined) return;
    if (this.#about) this.#lookAt(value);
    else {
      this.#about = fields(value);
      this.#title = text(this.#about.summary);
      for (const item of list(this.#about.messages)) this.#lookAt(item);
    }
    // What changes of the session comes on lines of its own.
    this.#title = text(fields(fields(value).$set).summary) ?? this.#title;
  }

  /** Without the title, which later lines may change at any time. */
  get readAssumptions(): string {
    return asText(this.#about?.sessionId);
  }

  get mustBeReadWhole(): boolean {
    return this.#isLate;
  }

  /** The answer that may come again, what is known to come again, and what follows these. */
  get open(): ReadonlySet<number> {
    const [first] = this.#latest?.drafts ?? [];
    const waiting = [first, ...this.#coming.values()].flatMap((draft) => draft?.index ?? []);
    const from = smallestOf(waiting, Infinity);
    const open = waiting.length === 0 ? [] : [...(this.#builder?.waitingInOrder() ?? [])];
    return new Set(open.flatMap(({ index }) => (index >= from ? [index] : [])));
  }

  take({ value }: Entry): void {
    if (this.#builder) this.#add(value, this.#builder);
    else {
      const about = this.#about ?? {};
      const builder = this.#sink.conversation(about.sessionId, 'Gemini');
      this.#builder = builder;
      builder.keep(builder.entry, 'session', without(about, 'messages'), time(about.startTime));
      for (const item of list(about.messages)) this.#add(item, builder);
    }
    this.#builder.title = this.#title;
  }

  settle(): void {
    this.#latest = undefined;
  }

  #lookAt(value: unknown): void {
    const id = text(fields(value).id);
    if (id === undefined) return;
    const number = this.#ids.add(id);
    const left = this.#left.at(number);
    if (left === 0) this.#again.add(id);
    this.#left.set(number, Math.max(0, left) + 1);
  }

  #add(value: unknown, builder: ConversationBuilder): void {
    const id = text(fields(value).id);
    if (id === undefined) {
      addItem(value, builder, this.#sink, this.#answered);
      return;
    }
    const number = this.#ids.numberOf(id);
    const left = this.#left.at(number) - 1;
    this.#left.set(number, left);
    const place = this.#places.get(id);
    place?.touch();
    const before = this.#latest?.id === id ? this.#latest.drafts : [];
    if (left > 0) {
      if (!place && before.length === 0) this.#comesLater(id, builder.hole());
      return;
    }
    this.#coming.delete(id);
    this.#isLate ||= this.#again.delete(id) && before.length === 0;
    const from = builder.length;
    addItem(value, builder, this.#sink, this.#answered);
    const drafts = builder.since(from);
    for (const draft of before) builder.drop(draft);
    const behind = before[0] ?? place;
    if (behind) builder.moveBehind(behind, from);
    const isOpen = fields(value).type === 'gemini';
    this.#latest = isOpen ? { id, drafts: behind ? [behind, ...drafts] : drafts } : undefined;
  }

  #comesLater(id: string, place: Draft): void {
    this.#places.set(id, place);
    this.#coming.set(id, place);
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
    ...ended(endOfWord(call.status)),
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
  const { input, output, cached, thoughts, tool, total } = fields(tokens);
  if (!isTold(fields(tokens), ['input'])) return undefined;
  const [sent, said] = [
    (number(input) ?? 0) + (number(tool) ?? 0),
    (number(output) ?? 0) + (number(thoughts) ?? 0),
  ];
  const beside = (number(total) ?? sent + said) - sent - said;
  return usageOf({
    input: sent,
    output: said,
    cached: number(cached),
    reasoning: number(thoughts),
    // Some versions count what was cached once more.
    terms: beside === 0 || beside === number(cached) ? [] : ['implausible'],
    told: fields(tokens),
  });
}
