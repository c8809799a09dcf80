import { endIn, endOfCode, endOfWord, ended, worst, worstOf, type CallEnd } from './callEnd.js';
import type { CallSite } from '../../core/record.js';
import type { ConversationBuilder, Draft, MessageDetails } from '../building/conversationBuilder.js';
import { asText, fields, list, objects, text, without, type Fields } from '../reading/fields.js';
import { writtenRole } from '../reading/roleWords.js';
import { contentParts, encodedPicture, linkedPicture, toolCall, toolMessage } from './chatMessage.js';

/** Fields of items that are not arguments of a tool. */
const NO_ARGUMENTS = [
  'type',
  'id',
  'call_id',
  'status',
  'name',
  'function',
  'output',
  'outputs',
  'result',
  'results',
  'arguments',
  'input',
] as const;

/** The details of items, whose usage is reported elsewhere; `raw` is the line around an item where there is one. */
type Details = Omit<MessageDetails, 'usage'>;

/**
 * Converts the items of OpenAI's Responses API, which Codex uses too, into messages of one call, item by item; tool
 * calls are added to the message that they follow.
 */
export class ResponseItems {
  readonly #builder: ConversationBuilder;
  readonly #callSite: CallSite;
  /** The message that further calls are added to, until a result or another speaker follows. */
  #open: Draft | undefined;
  #last: Draft | undefined;
  #lastTime: number | undefined;
  #reasoning = '';
  /** The reasoning items that wait for the message they belong to. */
  #thoughts: { readonly raw: unknown; readonly time: number | undefined }[] = [];
  /** The calls of servers that a person is asked about, by the id of the question. */
  readonly #asked = new Map<string, string>();
  /** The calls without an id, which a result without one answers. */
  readonly #waiting: { readonly id: string; readonly name: string }[] = [];
  #unnamed = 0;

  constructor(builder: ConversationBuilder, callSite: CallSite) {
    this.#builder = builder;
    this.#callSite = callSite;
  }

  /** The latest message. */
  get last(): Draft | undefined {
    return this.#last;
  }

  /** When that was said, in milliseconds since 1970. */
  get lastTime(): number | undefined {
    return this.#lastTime;
  }

  /** Adds the next item; false where its kind is unknown. */
  add(item: Fields, details: Details): boolean {
    const type = text(item.type) ?? (item.role === undefined ? '' : 'message');
    const whole = { ...details, raw: details.raw ?? item };
    if (type === 'message') this.#addMessage(item, whole);
    else if (type === 'reasoning') this.#addReasoning(item, whole);
    else if (type === 'mcp_approval_request') this.#ask(item, whole);
    else if (type === 'mcp_approval_response') this.#decide(item, whole);
    else if (/_(?:output|result)$/.test(type)) this.#addResult(item, whole);
    else if (type.endsWith('_call')) this.#addCall(item, type, whole);
    else return false;
    return true;
  }

  /** Turns reasoning that no message follows into a message of its own; gives whether there was any. */
  finish(): boolean {
    const [first] = this.#thoughts;
    if (this.#reasoning !== '') this.#assistant({ content: null }, { time: first?.time });
    for (const { raw, time } of this.#thoughts.splice(0))
      this.#builder.keep(this.#callSite, 'reasoning', raw, time);
    return first !== undefined;
  }

  #addMessage(item: Fields, details: Details): void {
    const role = writtenRole(item.role) ?? 'user';
    const content = contentOf(item.content);
    if (role === 'assistant') this.#assistant({ content }, details);
    else this.#say({ role, content }, details);
  }

  #addReasoning(item: Fields, { raw, time }: Details): void {
    const said = [...objects(item.summary), ...objects(item.content)].flatMap(
      (part) => text(part.text) ?? [],
    );
    if (said.length > 0)
      this.#reasoning = [this.#reasoning, ...said].filter((line) => line !== '').join('\n');
    this.#thoughts.push({ raw, time });
  }

  #addCall(item: Fields, type: string, details: Details): void {
    const word = type.replace(/_call$/, '').replace(/^(?:function|custom_tool)$/, 'tool');
    const name = text(item.name) ?? text(fields(item.function).name) ?? word;
    const answer = item.outputs ?? item.results ?? item.result ?? item.output;
    const isAnswered = answer !== undefined && answer !== null;
    const asked = this.#asked.get(asText(item.approval_request_id));
    if (asked !== undefined && isAnswered) {
      this.#say(toolMessage(asked, resultOf(answer)), details);
      return;
    }
    const id = item.call_id ?? item.id ?? this.#newId(name, isAnswered);
    const input = item.arguments ?? item.input ?? without(item, ...NO_ARGUMENTS);
    const calling = this.#open ?? this.#assistant({ content: null }, details);
    if (calling === this.#open) this.#attach(calling, details.raw);
    const message = fields(calling.body.message) as Record<string, unknown>;
    message.tool_calls = [...list(message.tool_calls), toolCall(id, name, input)];
    this.#open = calling;
    const drawn = type === 'image_generation_call' ? drawnPicture(answer) : undefined;
    if (isAnswered)
      this.#say(toolMessage(id, drawn ?? resultOf(answer)), { ...ended(endOfItem(item)), ...details });
  }

  /** A call of a server that waits for a person; where it is made, it has an item of its own. */
  #ask(item: Fields, details: Details): void {
    this.#asked.set(asText(item.id), asText(item.id));
    this.#addCall(item, 'mcp_call', details);
  }

  #decide(item: Fields, { raw, time }: Details): void {
    const { approval_request_id: asked, approve, reason } = item;
    this.#builder.keep(this.#callSite, 'mcp_approval_response', raw, time);
    const toolCallId = this.#asked.get(asText(asked));
    if (toolCallId === undefined || typeof approve !== 'boolean') return;
    const about = {
      toolCallId,
      isApproved: approve,
      decidedBy: 'user',
      reason: asText(reason ?? ''),
    } as const;
    this.#builder.decide(this.#callSite, about, time);
  }

  #addResult(item: Fields, details: Details): void {
    // What a tool search found stands under a key of its own, as may the output of tools to come.
    const output = item.output ?? item.result ?? without(item, 'type', 'id', 'call_id', 'status');
    const id = item.call_id ?? item.id ?? this.#answered(text(item.name));
    this.#say(toolMessage(id, resultOf(output)), { ...ended(endOfItem(item)), ...details });
  }

  /** An id for a call that has none, so that its result can name it. */
  #newId(name: string, isAnswered: boolean): string {
    const id = `call ${++this.#unnamed}`;
    if (!isAnswered) this.#waiting.push({ id, name });
    return id;
  }

  /** The id of the call that a result without one answers: of its tool, else the one that has waited longest. */
  #answered(name: string | undefined): string | undefined {
    const named = this.#waiting.findIndex((call) => call.name === name);
    return this.#waiting.splice(Math.max(0, named), 1)[0]?.id;
  }

  #assistant(message: Fields, details: Details): Draft {
    const reasoning = this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning };
    const said = { role: 'assistant', ...message, ...reasoning };
    this.#reasoning = '';
    const draft = this.#say(said, details);
    for (const { raw } of this.#thoughts.splice(0)) this.#attach(draft, raw);
    this.#open = draft;
    return draft;
  }

  #attach(draft: Draft, raw: unknown): void {
    if (!draft.raws.includes(raw)) draft.raws.push(raw);
  }

  #say(message: Record<string, unknown>, details: Details): Draft {
    this.#open = undefined;
    this.#lastTime = details.time;
    this.#last = this.#builder.message(this.#callSite, message, details);
    return this.#last;
  }
}

/** What an item says of the end of its call; a shell says it of each of its commands. */
function endOfItem(item: Fields): CallEnd | undefined {
  const outcomes = objects(item.output).map(({ outcome }) => fields(outcome));
  return worstOf([
    endIn(item),
    ...outcomes.map(({ type, exit_code: code }) => worst(endOfWord(type), endOfCode(code))),
  ]);
}

/** The picture that a tool of OpenAI's has drawn, which it gives as PNG unless it was asked for another kind. */
function drawnPicture(answer: unknown): readonly Fields[] | undefined {
  if (typeof answer !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(answer)) return undefined;
  return [encodedPicture(answer)];
}

function resultOf(output: unknown): unknown {
  const { type, image_url: shot } = fields(output);
  if (type === 'computer_screenshot' && typeof shot === 'string') return [linkedPicture(shot)];
  const hasParts = list(output).some((part) => String(fields(part).type).startsWith('input_'));
  return hasParts ? contentOf(output) : asText(output);
}

/** Renames text parts to their chat-completions type; a single text part becomes its text. */
function contentOf(content: unknown): unknown {
  if (typeof content !== 'object' || content === null) return content ?? null;
  const parts = contentParts(content).map((part) => contentPart(part));
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' && Object.keys(only).length === 2 ? only.text : parts;
}

function contentPart(part: Fields): Fields {
  if (part.type === 'refusal') return { type: 'text', text: part.refusal };
  if (part.type === 'input_image') return linkedPicture(asText(part.image_url));
  if (!['input_text', 'output_text', 'text'].includes(String(part.type))) return part;
  const { annotations, ...rest } = without(part, 'logprobs');
  const isBare = list(annotations).length === 0;
  return { ...rest, ...(!isBare && { annotations }), type: 'text' };
}
