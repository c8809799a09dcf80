import { ended } from './callEnd.js';
import { textOf } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import type { CallSite } from '../../core/record.js';
import type { ConversationBuilder, Draft } from '../building/conversationBuilder.js';
import { asText, fields, list, objects, parsed, text, type Fields } from '../reading/fields.js';
import { addFailure } from './failures.js';
import { looseMessages, type UntypedMessage } from './looseMessage.js';
import type { LooseResult } from './looseBlocks.js';
import { anyUsage, looseModel, looseTime } from './looseWords.js';

/** Reads messages of tools that are not known into one call of a conversation. */
export class LooseReader {
  readonly #builder: ConversationBuilder;
  readonly #callSite: CallSite;
  /** The model of answers that name none. */
  #model: string | undefined;
  /** The assistant's message that calls and pieces which stand on their own continue. */
  #open:
    | { readonly draft: Draft; readonly isPiece: boolean; readonly isThought: boolean; readonly id: string }
    | undefined;
  /** What was streamed, by the ids of the messages, of which states that follow tell the whole again. */
  readonly #streamed = new Map<string, Draft>();
  /** The calls that no result has answered yet, for results without an id. */
  #waiting: { readonly id: string; readonly name: string; readonly isNumbered: boolean }[] = [];
  #calls = 0;

  constructor(builder: ConversationBuilder, callSite: CallSite, model?: string) {
    this.#builder = builder;
    this.#callSite = callSite;
    this.#model = model;
  }

  /** Says which model gave the answers from here on that name none themselves. */
  useModel(model: string | undefined): void {
    this.#model = model;
  }

  /**
   * Adds the next value; one that is no message is kept as it is, and false is returned. `raw` is what the file says, where
   * the value is only how that is to be read.
   */
  add(value: unknown, raw = value): boolean {
    const messages = looseMessages(value);
    if (messages.length === 0) {
      const { type, kind, event } = fields(value);
      const word = text(type) ?? text(kind) ?? text(event) ?? 'unknown';
      const when = looseTime(fields(value));
      this.#builder.keep(this.#callSite, word.slice(0, 60), raw, when);
      if (/^(?:init|session)/i.test(word)) this.#model = looseModel(fields(value)) ?? this.#model;
      const usage = usageAlone(value);
      if (usage) this.#builder.request(this.#callSite, usage, looseModel(fields(value)) ?? this.#model, when);
      return false;
    }
    for (const message of messages) {
      if (this.#isTold(message, raw)) continue;
      if (!this.#continues(message, raw) && !this.#completes(message, raw)) this.#say(message, raw);
      for (const result of message.results) this.#answer(result, message, raw);
    }
    return true;
  }

  /** Whether a message is the whole of one that was streamed before, which then has its usage; it is not told again. */
  #isTold({ id, isPiece, usage, model, messages, results }: UntypedMessage, raw: unknown): boolean {
    const known = id === '' || isPiece ? undefined : this.#streamed.get(id);
    if (!known) return false;
    const said = fields(known.body.message);
    const words = textOf(messages[0]?.content ?? results[0]?.message.content);
    if (!words.startsWith(textOf(said.content).trim())) return false;
    known.raws.push(raw);
    const [whole] = messages;
    if (whole) known.body.message = { ...said, ...whole, ...callsWith(said, whole) };
    if (usage) known.body.usage = usage;
    if (model !== undefined) known.body.model ??= model;
    return true;
  }

  /** Adds a piece or a call to the message before it; false where there is none. */
  #continues({ id, isEvent, isPiece, messages, role, usage }: UntypedMessage, raw: unknown): boolean {
    const open = this.#open;
    const [piece] = messages;
    if (!open || !piece || role !== 'assistant' || messages.length > 1) return false;
    const said = open.draft.body.message as Record<string, unknown>;
    if (isEvent) {
      const calls = objects(piece.tool_calls).map((call) => this.#named(call));
      said.tool_calls = [...list(said.tool_calls), ...calls];
    } else if (isPiece && open.isPiece && (id === '' || open.id === '' || id === open.id))
      addPiece(said, piece);
    else return false;
    if (usage) open.draft.body.usage = usage;
    open.draft.raws.push(raw);
    return true;
  }

  /** Adds what was said to the reasoning before it, which some tools write as a message of its own. */
  #completes({ messages, role, model, usage, isThought, isEvent }: UntypedMessage, raw: unknown): boolean {
    const open = this.#open;
    const [message] = messages;
    if (!open?.isThought || !message || messages.length > 1 || role !== 'assistant' || isThought || isEvent)
      return false;
    const said = open.draft.body.message as Record<string, unknown>;
    const calls = objects(message.tool_calls).map((call) => this.#named(call));
    const reasons = [said.reasoning_content, message.reasoning_content].map((each) => asText(each));
    Object.assign(said, message, { reasoning_content: reasons.filter((each) => each !== '').join('\n') });
    if (calls.length > 0) said.tool_calls = calls;
    if (model !== undefined) open.draft.body.model = model;
    if (usage) open.draft.body.usage = usage;
    open.draft.raws.push(raw);
    this.#open = { draft: open.draft, isPiece: false, isThought: false, id: open.id };
    return true;
  }

  #say(whole: UntypedMessage, raw: unknown): void {
    const { messages, agent, id, isPiece, isEvent, isThought, time, usage, results } = whole;
    const model = whole.model ?? this.#model;
    for (const [index, message] of messages.entries()) {
      if (isSilent(message)) {
        if (this.#fail(raw, time)) continue;
        this.#builder.keep(this.#callSite, asText(message.role), raw, time);
        if (usage) this.#builder.request(this.#callSite, usage, model, time);
        continue;
      }
      const isLast = index === messages.length - 1;
      const calls = objects(message.tool_calls).map((call) => this.#named(call));
      const said: Fields = calls.length > 0 ? { ...message, tool_calls: calls } : { ...message };
      const isAnswer = said.role === 'assistant' && isLast;
      const details = { time, agent: said.role === 'tool' ? undefined : agent, raw };
      const draft = this.#builder.message(this.#callSite, said, {
        ...details,
        ...(isAnswer && { model, usage }),
      });
      this.#open =
        isAnswer && results.length === 0 ? { draft, isPiece: isPiece || isEvent, isThought, id } : undefined;
      if (id !== '' && (isPiece || this.#streamed.size > 0)) this.#streamed.set(id, draft);
      if (said.role === 'tool') this.#take(asText(said.tool_call_id));
    }
  }

  /** Adds the failure that ended an answer of Crush's; false where none did. */
  #fail(raw: unknown, time: number | undefined): boolean {
    const parts = objects(parsed(fields(raw).parts));
    const ends = parts.filter(({ type }) => type === 'finish').map(({ data }) => fields(data));
    const failed = ends.find(({ reason }) => reason === 'error');
    if (!failed) return false;
    const said = [failed.message, failed.details]
      .map((each) => asText(each ?? ''))
      .filter((each) => each !== '');
    const error = { message: said.join(': ') };
    addFailure(this.#builder, this.#callSite, { kind: 'error', error, time, raw });
    return true;
  }

  #answer({ message, name, end }: LooseResult, { id: own, time, agent }: UntypedMessage, raw: unknown): void {
    this.#open = undefined;
    const id = asText(message.tool_call_id);
    const answered = this.#take(id, name);
    const known = { ...message, tool_call_id: answered?.id ?? id };
    const draft = this.#builder.message(this.#callSite, known, {
      time,
      agent,
      raw,
      ...ended(end),
    });
    if (own !== '' && this.#streamed.size > 0) this.#streamed.set(own, draft);
  }

  /** A call with an id: one that has none gets its number, so that its result can name it. */
  #named(call: Fields): Fields {
    const { name } = fields(call.function);
    const isNumbered = asText(call.id) === '';
    const id = isNumbered ? `call ${++this.#calls}` : asText(call.id);
    this.#waiting.push({ id, name: asText(name), isNumbered });
    return { ...call, id };
  }

  /**
   * The call that a result answers: by its id, else by its tool's name, else the one that has waited longest. A result whose
   * id no call has answers one that has none in the file.
   */
  #take(id: string, name?: string): { readonly id: string } | undefined {
    const index = id === '' ? -1 : this.#waiting.findIndex((call) => call.id === id);
    if (index >= 0) return this.#waiting.splice(index, 1)[0];
    const free = this.#waiting.filter((call) => id === '' || call.isNumbered);
    const taken = free.find((call) => call.name === name) ?? free[0];
    if (taken) this.#waiting.splice(this.#waiting.indexOf(taken), 1);
    return taken;
  }
}

/** Adds a piece of a streamed message to what came of it: words and reasoning go on, and so do the arguments of calls. */
function addPiece(said: Record<string, unknown>, piece: Fields): void {
  const words = `${textOf(said.content)}${textOf(piece.content)}`;
  if (words !== '') said.content = words;
  const thought = `${asText(said.reasoning_content)}${asText(piece.reasoning_content)}`;
  if (thought !== '') said.reasoning_content = thought;
  const calls = objects(said.tool_calls).map((call) => ({ ...call }));
  for (const call of objects(piece.tool_calls)) {
    const { name, arguments: input } = fields(call.function);
    const last = calls.at(-1);
    if (!last || asText(name) !== '') {
      calls.push({ ...call });
      continue;
    }
    const before = fields(last.function);
    // A call that has begun has no arguments yet, which is written as an empty object.
    const begun = before.arguments === '{}' ? '' : asText(before.arguments);
    last.function = { ...before, arguments: `${begun}${asText(input)}` };
  }
  if (calls.length > 0) said.tool_calls = calls;
}

/** The calls of a message that was streamed: those that the whole one tells, else what came of them. */
function callsWith(said: Fields, whole: Fields): Fields {
  const calls = objects(whole.tool_calls).length > 0 ? whole.tool_calls : said.tool_calls;
  return objects(calls).length > 0 ? { tool_calls: calls } : {};
}

/** The tokens of a line that tells nothing but these, or the result of all before it. */
function usageAlone(value: unknown): Usage | undefined {
  const { type, message_type, stats } = fields(value);
  if (/usage/i.test(asText(message_type ?? type))) return anyUsage(value);
  return type === 'result' ? anyUsage(stats) : undefined;
}

/** Whether a message says nothing, as those do that tools hide or have not begun. */
function isSilent({ content, tool_calls, reasoning_content, role }: Fields): boolean {
  const isEmpty = content === null || content === undefined || content === '';
  return isEmpty && role !== 'tool' && list(tool_calls).length === 0 && asText(reasoning_content) === '';
}
