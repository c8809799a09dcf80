import { isObject, textOf } from '../../core/message.js';
import type { CallSite } from '../../core/record.js';
import type { ConversationBuilder, Draft, MessageDetails } from '../building/conversationBuilder.js';
import { asText, fields, list, objects, parsed, text, type Fields } from '../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../messages/chatMessage.js';
import { withoutBilling } from '../messages/billingHeader.js';
import { comparable } from './traceTree.js';
import type { SpanTool } from './traceSpan.js';

/** A message that was recorded, with its calls. */
interface Recorded {
  /** How many were recorded before it. */
  readonly order: number;
  readonly draft: Draft;
  readonly message: Record<string, unknown>;
  readonly calls: RecordedCall[];
}

/** A tool call that was recorded. */
interface RecordedCall {
  id: string;
  readonly name: string;
  readonly input: string;
  /** Whether its id was made up, because the span of the tool tells none. */
  isNumbered: boolean;
  readonly message: Recorded;
  readonly index: number;
  result: Recorded | undefined;
}

/** What is known of a history besides its messages. */
interface HistoryDetails extends MessageDetails {
  readonly after?: string | undefined;
  readonly isFurther?: boolean;
}

/** What a history is compared with while it is added. */
interface Search {
  /** The recorded messages that it has repeated. */
  readonly used: Set<Recorded>;
  /** Where to look on, for each key. */
  readonly next: Map<string, number>;
  /** How many messages were recorded before it begins. */
  readonly begun: number;
}

/**
 * The messages of one call of an agent, or of all entry calls of a conversation. Requests repeat the whole history, and
 * spans of tools repeat calls and results that messages tell too: each is recorded once. The same text twice in one
 * history is two messages.
 */
export class TraceHistory {
  readonly #builder: ConversationBuilder;
  readonly #byKey = new Map<string, Recorded[]>();
  /** In the order in which they were made, because ids may repeat. */
  readonly #callsById = new Map<string, RecordedCall[]>();
  /** The calls without a result, by the name of their tool. */
  readonly #waiting = new Map<string, Set<RecordedCall>>();
  /** How many messages were recorded up to what has a name. */
  readonly #named = new Map<string, number>();
  #count = 0;
  /** What the history that was added last was compared with. */
  #search: Search | undefined;

  constructor(builder: ConversationBuilder) {
    this.#builder = builder;
  }

  /** Whether nothing was recorded yet. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /**
   * Adds the messages of which only those are new that were not recorded before. Where they go on after what has a name,
   * only instructions can repeat what was recorded up to there. Where they are `isFurther` ones, they follow all messages of
   * the history that was added before them, which is not gone through again.
   */
  addHistory(
    messages: readonly Fields[],
    callSite: CallSite,
    { after, isFurther = false, ...details }: HistoryDetails = {},
  ): void {
    const begun = after === undefined ? 0 : this.#upTo(after);
    const before = isFurther ? this.#search : undefined;
    const search: Search = before ?? { used: new Set(), next: new Map(), begun };
    this.#search = search;
    for (const message of messages) {
      const known = this.#find(message, search);
      if (known) {
        search.used.add(known);
        known.draft.touch();
        this.#complete(known, message);
      } else search.used.add(this.#add({ ...message }, callSite, details));
    }
  }

  /** Notes that what was recorded so far has these names. */
  name(names: readonly string[]): void {
    for (const name of names) this.#named.set(name, this.#count);
  }

  /** How many messages were recorded up to what has a name; what nobody named ends where it is first gone on with. */
  #upTo(name: string): number {
    const known = this.#named.get(name) ?? this.#count;
    this.#named.set(name, known);
    return known;
  }

  /** Adds what a request was answered. */
  addAnswer(messages: readonly Fields[], callSite: CallSite, details: MessageDetails): void {
    for (const message of messages) this.#add({ ...message }, callSite, details);
  }

  /**
   * Adds the call of a tool that a span tells of, unless the model's message with this call was recorded; `made` is its
   * id where nobody tells one.
   */
  addCall(tool: SpanTool, made: string, callSite: CallSite, details: MessageDetails): ToolWork {
    const found = this.#waitingCall(tool);
    if (found) return new ToolWork(this, found);
    const id = text(tool.id) ?? made;
    const message = chatMessage('assistant', null, { calls: [toolCall(id, tool.name, tool.input)] });
    const [call] = this.#add(message, callSite, details).calls;
    if (!call) throw new Error('A message with a call has none.');
    call.isNumbered = tool.id === undefined;
    return new ToolWork(this, call);
  }

  /** Adds a tool's result, or completes the one that a history told before. */
  addResult(call: RecordedCall, output: unknown, callSite: CallSite, details: MessageDetails): void {
    const { result } = call;
    const { source, ...known } = details;
    if (!result) {
      const content = output === undefined ? null : asText(output);
      this.#answered(call, this.#add(toolMessage(call.id, content), callSite, details));
      return;
    }
    const isSame = output === undefined || comparable(output) === comparable(result.message.content);
    const told = isSame ? source : { ...source, result: output };
    result.draft.time = known.time ?? result.draft.time;
    const rest = Object.fromEntries(
      Object.entries(known).filter(
        ([key, value]) => value !== undefined && key !== 'time' && key !== 'agent',
      ),
    );
    Object.assign(result.draft.body, rest, told && { source: told });
  }

  /** The recorded message that this one repeats. */
  #find(message: Fields, search: Search): Recorded | undefined {
    const { used, next } = search;
    const begun = isInstruction(message) ? 0 : search.begun;
    const isFree = (each: Recorded) => each.order >= begun && !used.has(each);
    if (message.role === 'tool') {
      const result = this.#resultOf(message, isFree);
      if (result) return result;
    }
    for (const key of keysOf(message)) {
      const known = this.#byKey.get(key) ?? [];
      for (let at = next.get(key) ?? firstFrom(known, begun); at < known.length; at++) {
        const each = known[at];
        next.set(key, at + 1);
        if (each && isFree(each) && isRepeatedBy(each.message, message)) return each;
      }
    }
    return this.#callingAgain(message, isFree);
  }

  /** The recorded message that makes the same calls, by their ids, of which a client has added or left out arguments. */
  #callingAgain(message: Fields, isFree: (each: Recorded) => boolean): Recorded | undefined {
    const calls = objects(message.tool_calls);
    const id = text(calls[0]?.id) ?? '';
    if (id === '') return undefined;
    return this.#callsById
      .get(id)
      ?.map((call) => call.message)
      .find(
        (each) =>
          isFree(each) &&
          areSameWords(each.message, message) &&
          each.calls.length === calls.length &&
          objects(each.message.tool_calls).every((call, at) => isSameCall(call, calls[at])),
      );
  }

  #resultOf(message: Fields, isFree: (each: Recorded) => boolean): Recorded | undefined {
    const id = text(message.tool_call_id);
    const calls = id === undefined ? [] : (this.#callsById.get(id) ?? []);
    return calls.map(({ result }) => result).find((result) => result && isFree(result));
  }

  /** A call without a result that the tool of a span answers: by id, else by what it was called with, else by name. */
  #waitingCall({ id, name, input }: SpanTool): RecordedCall | undefined {
    if (id !== undefined && id !== '') {
      const known = this.#callsById.get(id);
      if (known) return known.find(({ result }) => !result) ?? known.at(-1);
    }
    const open = [...(this.#waiting.get(name) ?? [])].filter(({ isNumbered }) => !isNumbered);
    const key = comparable(input ?? {});
    const same = open.find((call) => call.input === key);
    if (same) return same;
    return input === undefined && open.length === 1 ? open[0] : undefined;
  }

  #add(message: Record<string, unknown>, callSite: CallSite, details: MessageDetails): Recorded {
    const draft = this.#builder.message(callSite, message, detailsOf(message, details));
    const recorded: Recorded = { order: this.#count++, draft, message, calls: [] };
    this.#index(recorded);
    if (message.role === 'tool') this.#noteResult(recorded);
    this.#noteCalls(recorded);
    return recorded;
  }

  #index(recorded: Recorded): void {
    for (const key of keysOf(recorded.message)) {
      const known = this.#byKey.get(key);
      if (known) known.push(recorded);
      else this.#byKey.set(key, [recorded]);
    }
  }

  #noteCalls(message: Recorded): void {
    objects(message.message.tool_calls).forEach((call, index) => {
      const about = fields(call.function);
      const noted: RecordedCall = {
        id: asText(call.id),
        name: asText(about.name),
        input: comparable(about.arguments ?? {}),
        isNumbered: false,
        message,
        index,
        result: undefined,
      };
      message.calls.push(noted);
      this.#noteId(noted);
      const waiting = this.#waiting.get(noted.name);
      if (waiting) waiting.add(noted);
      else this.#waiting.set(noted.name, new Set([noted]));
    });
  }

  #noteId(call: RecordedCall): void {
    const same = this.#callsById.get(call.id);
    if (same) same.push(call);
    else this.#callsById.set(call.id, [call]);
  }

  #noteResult(result: Recorded): void {
    const id = asText(result.message.tool_call_id);
    const call = this.#callsById.get(id)?.find((each) => !each.result);
    if (call) this.#answered(call, result);
  }

  #answered(call: RecordedCall, result: Recorded): void {
    call.result = result;
    this.#waiting.get(call.name)?.delete(call);
  }

  /** Takes over what a repetition tells more completely: fields, calls that an answer omitted, ids of calls, a result. */
  #complete(known: Recorded, more: Fields): void {
    const { message } = known;
    const before = objects(message.tool_calls);
    const calls = objects(more.tool_calls);
    for (const [key, value] of Object.entries(more)) {
      message[key] ??= value;
    }
    if (before.length === 0) {
      if (calls.length > 0) this.#noteCalls(known);
      return;
    }
    for (const call of known.calls) {
      const id = text(calls[call.index]?.id);
      if (id !== undefined && (call.isNumbered || call.id === '')) this.#rename(call, id);
    }
  }

  #rename(call: RecordedCall, id: string): void {
    call.id = id;
    call.isNumbered = false;
    const calls = list(call.message.message.tool_calls).map((each, index) =>
      index === call.index ? { ...fields(each), id } : each,
    );
    call.message.message.tool_calls = calls;
    if (call.result) call.result.message.tool_call_id = id;
    this.#noteId(call);
  }
}

/** The work of a tool, from its call to its result. */
export class ToolWork {
  readonly #history: TraceHistory;
  readonly #call: RecordedCall;

  constructor(history: TraceHistory, call: RecordedCall) {
    this.#history = history;
    this.#call = call;
  }

  get id(): string {
    return this.#call.id;
  }

  finish(output: unknown, callSite: CallSite, details: MessageDetails): void {
    this.#history.addResult(this.#call, output, callSite, details);
  }
}

/** The details of a message, with what it says itself of its tool, its model and its failure. */
function detailsOf({ role, name, model, error }: Fields, details: MessageDetails): MessageDetails {
  if (role === 'assistant') return { ...details, model: details.model ?? text(model) };
  if (role !== 'tool') return details;
  const isError = details.isError ?? (isObject(error) || undefined);
  return { ...details, toolName: details.toolName ?? text(name), isError };
}

function isInstruction({ role }: Fields): boolean {
  return role === 'system' || role === 'developer';
}

/** The place of the first of these messages, which stand in their order, before which so many were recorded. */
function firstFrom(recorded: readonly Recorded[], begun: number): number {
  let [from, to] = [0, begun === 0 ? 0 : recorded.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((recorded[middle]?.order ?? 0) < begun) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Under which a message is looked up, the most exact first: its words and calls, one of both where the other is omitted. */
function keysOf(message: Fields): string[] {
  const role = isInstruction(message) ? 'system' : asText(message.role);
  const words = textOf(message.content).trim();
  const said = role === 'system' ? withoutBilling(words) : words;
  const calls = callsKey(message);
  const other = Array.isArray(message.content) && said === '' ? comparable(message.content) : '';
  if (role === 'tool') return [`tool ${comparable(message.content)}`];
  const keys = [`${role} ${said}${other}\0${calls}`];
  if (role === 'assistant' && said !== '') keys.push(`said ${said}`);
  if (role === 'assistant' && calls !== '') keys.push(`called ${calls}`);
  return keys;
}

function callsKey(message: Fields): string {
  return objects(message.tool_calls)
    .map(
      (call) =>
        `${asText(fields(call.function).name)} ${comparable(parsed(fields(call.function).arguments))}`,
    )
    .join('\0');
}

/** Whether one recorded message can be the other: their words and calls are equal, or one of both omits them. */
function isRepeatedBy(known: Fields, message: Fields): boolean {
  const [a, b] = [known, message].map((each) => ({ calls: callsKey(each), id: text(each.tool_call_id) }));
  if (!a || !b) return false;
  if (known.role === 'tool') return a.id === undefined || b.id === undefined || a.id === b.id;
  return areSameWords(known, message) && (a.calls === b.calls || a.calls === '' || b.calls === '');
}

/** Whether two messages say the same, or one of them omits it. */
function areSameWords(known: Fields, message: Fields): boolean {
  const [a, b] = [known, message].map((each) => withoutBilling(textOf(each.content).trim()));
  return a === b || a === '' || b === '';
}

/** Whether two calls have one id and one tool, and one of them only has arguments that the other leaves out. */
function isSameCall(call: Fields, other: Fields | undefined): boolean {
  const [a, b] = [fields(call.function), fields(other?.function)];
  if (call.id !== other?.id || a.name !== b.name) return false;
  const [more, less] = [argumentsOf(a), argumentsOf(b)].sort((x, y) => y.size - x.size);
  return [...(less ?? [])].every(([name, value]) => more?.get(name) === value);
}

function argumentsOf(called: Fields): ReadonlyMap<string, string> {
  const given = Object.entries(fields(parsed(called.arguments)));
  return new Map(given.map(([name, value]) => [name, comparable(value)]));
}
