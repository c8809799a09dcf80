import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import type { UsageTerm } from '../../../core/usage.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import { foundIn } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, objects, text, timeIn, type Fields } from '../../reading/fields.js';
import { eventItems, threadItem, type ThreadItem } from './codexItems.js';
import { addFailure } from '../../messages/failures.js';
import { plainWord } from '../../reading/roleWords.js';
import { anyUsage } from '../../messages/looseWords.js';
import { ResponseItems } from '../../messages/responseItems.js';
import { RunningUsage } from '../../messages/runningUsage.js';
import { tierIn, withTerms } from '../../messages/usage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * What Codex says to programs instead of writing it to a rollout: the lines of `codex exec --json`, the JSON-RPC of
 * `codex app-server` (both directions, in an envelope or not) and the events of `codex proto`.
 */
export const codexEvents: TranscriptFormat = {
  name: 'codex-events',
  of: 'Codex',
  files: '`codex exec --json`; logs of `codex app-server` (JSON-RPC) and `codex proto`',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => head.some((value) => isOwn(eventIn(value))),
  *readLines(lines, sink) {
    const about = foundIn(lines, (value) => threadIn(eventIn(value)));
    const builder = sink.conversation(about, 'Codex');
    const thread = new CodexThread(builder, sink);
    for (const value of sink.each(lines)) {
      thread.add(eventIn(value), value);
      yield;
    }
    thread.finish();
  },
};

/** One event: what it is called, and what it says. */
interface CodexEvent {
  readonly name: string;
  readonly body: Fields;
  readonly time: number | undefined;
}

const ENVELOPES = [
  'payload',
  'message',
  'msg',
  'data',
  'event',
  'json',
  'raw',
  'rpc',
  'notification',
] as const;

/** The event in a line, out of the envelopes that logs put around it. */
function eventIn(value: unknown, depth = 0): CodexEvent {
  const line = fields(value);
  const time = timeIn(line);
  if (typeof line.method === 'string') {
    const params = fields(line.params);
    const isLegacy = line.method.startsWith('codex/event') && isObject(params.msg);
    const inner = isLegacy ? fields(params.msg) : params;
    return {
      name: isLegacy ? `msg/${asText(inner.type)}` : line.method,
      body: isLegacy ? inner : params,
      time,
    };
  }
  if (isObject(line.msg) && typeof line.msg.type === 'string' && 'id' in line)
    return { name: `msg/${line.msg.type}`, body: line.msg, time };
  if (isObject(line.op) && typeof line.op.type === 'string')
    return { name: `op/${line.op.type}`, body: line.op, time };
  if (typeof line.type === 'string' && /^(?:thread|turn|item)\.\w+$/.test(line.type))
    return { name: line.type.replace('.', '/'), body: line, time };
  const inner = depth < 2 ? ENVELOPES.map((key) => line[key]).find((each) => isObject(each)) : undefined;
  if (inner === undefined) return { name: text(line.type) ?? '', body: line, time };
  const event = eventIn(inner, depth + 1);
  return { ...event, time: event.time ?? time };
}

/** Whether an event occurs in no other tool's logs. */
function isOwn({ name, body }: CodexEvent): boolean {
  if (/^(?:thread|turn|item)\/\w+/.test(name))
    return ['thread_id', 'threadId', 'turnId', 'turn', 'thread', 'item'].some((key) => key in body);
  return /^msg\/(?:session_configured|agent_message|agent_reasoning|exec_command_\w+|task_started|task_complete|turn_started)$/.test(
    name,
  );
}

/** The error that an event tells of; undefined for one that tells of none. */
function failureIn({ name, body }: CodexEvent, item: Fields | undefined): unknown {
  if (name === 'turn/failed' || name === 'error') return body.error ?? body;
  return name === 'item/completed' && item?.type === 'error' ? item : undefined;
}

function threadIn({ body }: CodexEvent): string | undefined {
  return text(body.thread_id) ?? text(body.threadId) ?? text(fields(body.thread).id) ?? text(body.session_id);
}

/** Reads the events of a thread, and of those that its agent started, into one conversation. */
class CodexThread {
  readonly #builder: ConversationBuilder;
  readonly #sink: ImportSink;
  readonly #readers = new Map<string, { place: CallSite; items: ResponseItems }>();
  /** The pieces of items, and what was said of them before they were done. */
  readonly #pieces = new Map<string, unknown[]>();
  readonly #begun = new Map<string, { item: Fields; event: CodexEvent }>();
  readonly #asked = new Set<string>();
  readonly #usage = new RunningUsage();
  #main: string | undefined;
  #model: string | undefined;
  /** How many requests the turn has come to, at least: one, and one behind each round of tools. */
  #requests = 1;
  /** Whether tools have answered that the model is to be asked about. */
  #isAnswered = false;
  /** At which terms requests are made from here on. */
  #tier: readonly UsageTerm[] = [];

  constructor(builder: ConversationBuilder, sink: ImportSink) {
    this.#builder = builder;
    this.#sink = sink;
  }

  add(event: CodexEvent, raw: unknown): void {
    const { name, body } = event;
    this.#model = text(body.model) ?? text(fields(body.thread).model) ?? this.#model;
    for (const settings of [body, fields(body.thread), fields(body.thread_settings ?? body.threadSettings)])
      for (const key of ['service_tier', 'serviceTier'])
        if (key in settings) this.#tier = tierIn(settings[key]);
    const item = isObject(body.item) ? body.item : undefined;
    const id = asText(item?.id ?? body.itemId ?? body.item_id ?? body.call_id);
    if (item) this.#countRequests(name, item, id);
    const failure = failureIn(event, item);
    if (failure !== undefined) this.#fail(failure, event, raw);
    else if (name === 'item/completed' && item) this.#complete(item, event, raw);
    else if (item || /delta$/i.test(name)) this.#note(id, item, event, raw);
    else if (name.startsWith('msg/')) this.#addMessage(event, raw);
    else if (name === 'turn/start' || /^op\/user_(?:turn|input)$/.test(name)) this.#ask(event, raw);
    else this.#keep(event, raw);
    this.#count(event);
  }

  /** Reads what was begun and never done, as far as its pieces say it. */
  finish(): void {
    for (const { item, event } of Array.from(this.#begun.values()))
      this.#complete(this.#withPieces(item), event, item);
    for (const { items } of this.#readers.values()) items.finish();
    for (const [id, pieces] of this.#pieces) this.#keepPieces(id, pieces, []);
  }

  #fail(error: unknown, event: CodexEvent, raw: unknown): void {
    const about = { kind: 'error', error, model: this.#model, time: event.time, raw } as const;
    addFailure(this.#builder, this.#readerOf(event).place, about);
  }

  #note(id: string, item: Fields | undefined, event: CodexEvent, raw: unknown): void {
    if (item) this.#begun.set(id, { item, event });
    const known = this.#pieces.get(id);
    if (known) known.push(raw);
    else this.#pieces.set(id, [raw]);
  }

  #complete(item: Fields, event: CodexEvent, raw: unknown): void {
    const id = asText(item.id);
    this.#begun.delete(id);
    const found = threadItem(item);
    const before = this.#builder.length;
    if (found) this.#say(found, event, raw);
    else this.#keep({ ...event, name: `item/${asText(item.type)}` }, raw);
    this.#startAgents(item, event);
    const pieces = this.#pieces.get(id);
    this.#pieces.delete(id);
    if (pieces) this.#keepPieces(id, pieces, this.#builder.since(before));
  }

  #withPieces(item: Fields): Fields {
    const pieces = this.#pieces.get(asText(item.id)) ?? [];
    const deltas = pieces
      .map((each) => eventIn(each))
      .flatMap(({ name, body }) => (/delta$/i.test(name) ? asText(body.delta) : []));
    const said = deltas.join('');
    if (said === '') return item;
    const isCommand = plainWord(item.type) === 'commandexecution';
    return isCommand ? { ...item, aggregatedOutput: said, status: 'interrupted' } : { ...item, text: said };
  }

  #keepPieces(id: string, pieces: readonly unknown[], beside: readonly Draft[]): void {
    this.#builder.keepRest(this.#builder.entry, `pieces of ${id}`, pieces, { beside });
  }

  #addMessage(event: CodexEvent, raw: unknown): void {
    const found = eventItems(event.body);
    if (!found) {
      this.#keep(event, raw);
      return;
    }
    const [item] = found.items;
    const isAsked = item?.role === 'user' && this.#asked.delete(asText(item.content));
    if (isAsked) this.#keep(event, raw);
    else this.#say(found, event, raw);
  }

  /** A person's input, which the server repeats as an item only in newer versions. */
  #ask(event: CodexEvent, raw: unknown): void {
    const parts = objects(event.body.input ?? event.body.items);
    const words = parts.map((part) => asText(part.text)).join('\n');
    this.#keep(event, raw);
    if (event.name !== 'turn/start' && words !== '') {
      this.#asked.add(words);
      this.#say(
        { items: [{ type: 'message', role: 'user', content: words }], isError: false, durationMs: undefined },
        event,
        raw,
      );
    }
  }

  #say({ items, isError, state, durationMs }: ThreadItem, event: CodexEvent, raw: unknown): void {
    const reader = this.#readerOf(event);
    for (const item of items) {
      const isResult = asText(item.type).endsWith('_output');
      const spoken = item.role === 'user' ? {} : { model: this.#model };
      const result = isResult ? { isError: isError || undefined, state, durationMs } : {};
      reader.items.add(item, { time: event.time, raw, ...(isResult ? result : spoken) });
    }
  }

  /** The call of the thread that an event belongs to. */
  #readerOf(event: CodexEvent) {
    const thread = threadIn(event) ?? this.#main ?? '';
    this.#main ??= thread;
    const known = this.#readers.get(thread) ?? (thread === this.#main ? this.#readers.get('') : undefined);
    if (known) return known;
    const isMain = this.#readers.size === 0;
    const callSite = isMain
      ? this.#builder.entry
      : this.#builder.dispatch(this.#builder.entry, 'agent', { time: event.time });
    return this.#reader(thread, callSite);
  }

  #reader(thread: string, callSite: CallSite) {
    const reader = { place: callSite, items: new ResponseItems(this.#builder, callSite) };
    this.#readers.set(thread, reader);
    return reader;
  }

  /** Notes the threads that a call started, so that what they say is theirs. */
  #startAgents(item: Fields, event: CodexEvent): void {
    const threads = list(item.receiverThreadIds ?? item.receiver_thread_ids).filter(
      (each) => typeof each === 'string',
    );
    if (threads.length === 0) return;
    const parent = this.#readerOf(event).place;
    for (const thread of threads) {
      if (this.#readers.has(thread)) continue;
      const about = { task: text(item.prompt), toolCallId: text(item.id), time: event.time };
      this.#reader(thread, this.#builder.dispatch(parent, 'agent', about));
    }
  }

  /** The usage of a turn is the sum of its requests: the price of none of them is that of a prompt as long as all together. */
  #countRequests(name: string, item: Fields, id: string): void {
    const begins = name === 'item/started' || (name === 'item/completed' && !this.#begun.has(id));
    if (begins && this.#isAnswered) [this.#requests, this.#isAnswered] = [this.#requests + 1, false];
    const isTool = !/^(?:agentmessage|assistantmessage|usermessage|reasoning|plan|todolist|error)$/.test(
      plainWord(item.type),
    );
    if (name === 'item/completed' && isTool) this.#isAnswered = true;
  }

  #count({ name, body, time }: CodexEvent): void {
    const total = anyUsage(fields(body.info).total_token_usage ?? fields(body.tokenUsage).total);
    // The first versions tell the tokens of each request beside the type.
    const isOfRequest = name === 'msg/token_count' && typeof body.input_tokens === 'number';
    const turn = name === 'turn/completed' ? anyUsage(body.usage) : isOfRequest ? anyUsage(body) : undefined;
    const several = name === 'turn/completed' && this.#requests > 1 ? { requests: this.#requests } : {};
    if (/^turn\/(?:started|completed|failed)$/.test(name)) [this.#requests, this.#isAnswered] = [1, false];
    const usage = turn ? { ...turn, ...several } : total && this.#usage.growth(total);
    if (usage) this.#builder.request(this.#builder.entry, withTerms(usage, this.#tier), this.#model, time);
  }

  #keep({ name, time }: CodexEvent, raw: unknown): void {
    if (name === '' && !isObject(raw)) this.#sink.unknown('values that are no objects');
    this.#builder.keep(this.#builder.entry, name === '' ? 'answer' : name, raw, time);
  }
}
