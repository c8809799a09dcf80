import type { CallPlace } from '../../core/record.js';
import type { ConversationBuilder, Draft, MessageDetails } from '../conversationBuilder.js';
import { asText, fields, list, objects, text, without, type Fields } from '../reading/fields.js';
import { linkedPicture, toolCall, toolMessage } from './chatMessage.js';

/** Fields of items that are not arguments of a tool. */
const NO_ARGUMENTS = [
  'type',
  'id',
  'call_id',
  'status',
  'name',
  'output',
  'outputs',
  'result',
  'results',
  'arguments',
  'input',
] as const;

/** The details of items, whose usage is reported elsewhere. */
type Details = Omit<MessageDetails, 'usage'>;

/**
 * Converts the items of OpenAI's Responses API, which Codex uses too, into messages of one call, item by item; tool
 * calls are added to the message that they follow.
 */
export class ResponseItems {
  readonly #builder: ConversationBuilder;
  readonly #place: CallPlace;
  /** The assistant message that further calls are added to, until a result or another speaker follows. */
  #open: Record<string, unknown> | undefined;
  #last: Draft | undefined;
  #reasoning = '';

  constructor(builder: ConversationBuilder, place: CallPlace) {
    this.#builder = builder;
    this.#place = place;
  }

  /** The latest message. */
  get last(): Draft | undefined {
    return this.#last;
  }

  /** Adds the next item; false where its kind is unknown. */
  add(item: Fields, details: Details): boolean {
    const type = text(item.type) ?? (item.role === undefined ? '' : 'message');
    if (type === 'message') this.#addMessage(item, details);
    else if (type === 'reasoning') this.#addReasoning(item, details);
    else if (type.endsWith('_output')) this.#addResult(item, item.output, details);
    else if (type.endsWith('_call')) this.#addCall(item, type, details);
    else return false;
    return true;
  }

  /** Turns reasoning that no message follows into a message of its own. */
  finish(): void {
    if (this.#reasoning !== '') this.#assistant({ content: null }, {});
  }

  #addMessage(item: Fields, details: Details): void {
    const role = text(item.role) ?? 'user';
    const content = contentOf(item.content);
    if (role === 'assistant')
      this.#assistant({ content }, { ...details, source: without(item, 'content', 'role') });
    else this.#say({ role, content }, details);
  }

  #addReasoning(item: Fields, details: Details): void {
    const said = [...objects(item.summary), ...objects(item.content)].flatMap(
      (part) => text(part.text) ?? [],
    );
    if (said.length > 0)
      this.#reasoning = [this.#reasoning, ...said].filter((line) => line !== '').join('\n');
    this.#builder.keep(this.#place, 'reasoning', item, details.time);
  }

  #addCall(item: Fields, type: string, details: Details): void {
    const id = item.call_id ?? item.id;
    const name = text(item.name) ?? type.replace(/_call$/, '').replace(/^(?:function|custom_tool)$/, 'tool');
    const input = item.arguments ?? item.input ?? without(item, ...NO_ARGUMENTS);
    const message = this.#open ?? this.#assistant({ content: null }, details);
    message.tool_calls = [...list(message.tool_calls), toolCall(id, name, input)];
    const answer = item.outputs ?? item.results ?? item.result ?? item.output;
    if (answer !== undefined && answer !== null) this.#addResult({ call_id: id, name }, answer, details);
  }

  #addResult(item: Fields, output: unknown, details: Details): void {
    const id = item.call_id ?? item.id;
    const content =
      Array.isArray(output) && output.some((part) => String(fields(part).type).startsWith('input_'))
        ? contentOf(output)
        : asText(output);
    this.#say(toolMessage(id, content), details);
  }

  #assistant(message: Fields, details: Details): Record<string, unknown> {
    const reasoning = this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning };
    const said = { role: 'assistant', ...message, ...reasoning };
    this.#reasoning = '';
    this.#say(said, details);
    this.#open = said;
    return said;
  }

  #say(message: Record<string, unknown>, details: Details): Draft {
    this.#open = undefined;
    this.#last = this.#builder.message(this.#place, message, details);
    return this.#last;
  }
}

/** Renames text parts to their chat-completions type; a single text part becomes its text. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? null;
  const parts = objects(content).map((part) => contentPart(part));
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
