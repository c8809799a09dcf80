import { endOfHead, ended } from '../../messages/callEnd.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import { asText, fields, number, objects, parsed, text, type Fields } from '../../reading/fields.js';
import { KnownTexts } from '../../spool/knownTexts.js';
import { Numbers } from '../../spool/numbers.js';
import { contentOf } from '../../messages/anthropicBlocks.js';
import { contentParts, chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { usageOf } from '../../messages/usage.js';

/** A tool call of a session, by which subagents find the message that started them. */
export interface KimiCall {
  readonly id: string;
  readonly place: CallSite;
  /** The message with the call. */
  readonly draft: Draft;
  readonly prompt: string | undefined;
  readonly agent: string | undefined;
  readonly name: string;
  /** The subagents that its result names; undefined until one does. */
  started?: Set<string>;
}

/** The answer of a model while its events come in. */
interface Answer {
  readonly draft: Draft;
  readonly parts: Fields[];
  readonly thoughts: string[];
  readonly calls: { id: unknown; name: unknown; input: unknown }[];
  /** Whether a result of its calls has come in. */
  isAnswered: boolean;
}

/** What a tool gave. */
export interface KimiResult {
  readonly output: unknown;
  /** What is said of it, where it gave nothing. */
  readonly message?: unknown;
  readonly isError: boolean;
}

/** The content of a message as chat completions have it: a text, or parts without thoughts. */
export function kimiContent(content: unknown): unknown {
  if (typeof content === 'string') return content;
  return contentOf(contentParts(content).filter(({ type }) => type !== 'think'));
}

/** Turns the events of one agent, the session's or a subagent, into messages. */
export class KimiAgent {
  readonly place: CallSite;
  /** The model that answers, as far as lines said it. */
  model: string | undefined;
  readonly #builder: ConversationBuilder;
  readonly #calls: Map<string, KimiCall>;
  /** How many messages will come for each prompt, and the prompts that wait for theirs. */
  readonly #contents = new KnownTexts();
  readonly #expected = new Numbers();
  readonly #prompts = new Map<number, Draft[]>();
  #answer: Answer | undefined;
  /** The last answer; its usage may follow it. */
  #last: Draft | undefined;
  /** The usage that was last told of a step, which is told again as a part of the turn's. */
  #used: string | undefined;
  #system: string | undefined;
  /** Whether lines say when steps begin. */
  #hasSteps = false;

  /** `calls` has those of all agents of the session, by id. */
  constructor(builder: ConversationBuilder, callSite: CallSite, calls: Map<string, KimiCall>) {
    this.#builder = builder;
    this.place = callSite;
    this.#calls = calls;
  }

  /** Looks through lines that will be added for messages that repeat prompts. */
  expect(values: Iterable<unknown>): void {
    for (const value of values) {
      const { type, message } = fields(value);
      if (type !== 'context.append_message') continue;
      const content = this.#contents.add(asText(fields(message).content));
      this.#expected.set(content, Math.max(0, this.#expected.at(content)) + 1);
    }
  }

  /** A prompt, which is a message only where no message follows that says the same. */
  prompt(kind: string, input: unknown, raw: Fields, at: number | undefined): void {
    const content = this.#contents.numberOf(asText(input));
    const left = this.#expected.at(content);
    if (left <= 0) {
      this.end();
      this.say({ role: 'user', content: kimiContent(input) }, undefined, raw, at);
      return;
    }
    this.#expected.set(content, left - 1);
    const draft = this.#builder.keepRest(this.place, kind, raw, { time: at, beside: [] });
    this.#prompts.set(content, [...(this.#prompts.get(content) ?? []), draft]);
  }

  /** A message that is whole; `prompted` is the content of the prompt that it may repeat. */
  say(message: Fields, prompted: unknown, raw: Fields, at: number | undefined): void {
    const isAnswer = message.role === 'assistant';
    const model = isAnswer ? this.model : undefined;
    const draft = this.#builder.message(this.place, message, { time: at, model, raw });
    if (prompted !== undefined) this.#promptOf(this.#contents.numberOf(asText(prompted)))?.beside.push(draft);
    if (isAnswer) this.#last = draft;
    for (const call of objects(message.tool_calls)) {
      const { name, arguments: input } = fields(call.function);
      this.#note(call.id, name, input, draft);
    }
  }

  /** Takes the prompt that has waited longest for a message with this content. */
  #promptOf(content: number): Draft | undefined {
    const [prompt, ...more] = this.#prompts.get(content) ?? [];
    if (more.length > 0) this.#prompts.set(content, more);
    else this.#prompts.delete(content);
    return prompt;
  }

  /** The system prompt, once for each time that it changed. */
  system(content: string, raw: Fields, at: number | undefined): void {
    if (content === this.#system) this.keep(text(raw.type) ?? 'system prompt', raw, at);
    else this.#builder.message(this.place, { role: 'system', content }, { time: at, raw });
    this.#system = content;
  }

  /** A part of an answer; a piece of one that is streamed continues the part before it. */
  part(part: Fields, raw: Fields, at: number | undefined, isPiece = false): void {
    // Where no line says that a step began, what is said after a result is a further answer.
    if (!this.#hasSteps && this.#answer?.isAnswered === true) this.end();
    const { parts, thoughts } = this.#answering(raw, at);
    const before = parts.at(-1);
    if (part.type === 'think') {
      thoughts.push(asText(part.think ?? part.text));
    } else if (isPiece && part.type === 'text' && before?.type === 'text') {
      parts[parts.length - 1] = { ...before, text: asText(before.text) + asText(part.text) };
    } else parts.push(part);
  }

  call(id: unknown, name: unknown, input: unknown, raw: Fields, at: number | undefined): void {
    const { calls, draft } = this.#answering(raw, at);
    calls.push({ id, name, input });
    this.#note(id, name, input, draft);
  }

  /** A further piece of the last call's arguments. */
  callPart(piece: string, raw: Fields): void {
    const call = this.#answer?.calls.at(-1);
    if (!call || !this.#answer) {
      this.keep('ToolCallPart', raw, undefined);
      return;
    }
    call.input = asText(call.input) + piece;
    this.#answer.draft.raws.push(raw);
  }

  result(id: unknown, { output, message, isError }: KimiResult, raw: Fields, at: number | undefined): void {
    const content = outputOf(output, message);
    const call = this.#calls.get(asText(id));
    for (const [, agent = ''] of asText(content).matchAll(/\bagent_id: ([\w.-]+)/g))
      if (call) (call.started ??= new Set()).add(agent);
    // Who started nobody is asked for no more, and a session may have very many calls.
    if (call && !call.started) this.#calls.delete(call.id);
    this.#builder.message(this.place, toolMessage(id, content), {
      time: at,
      ...ended(isError ? 'failed' : undefined, endOfHead(content)),
      toolName: call?.name,
      raw,
    });
    if (this.#answer) this.#answer.isAnswered = true;
  }

  /** The tokens of a step. */
  used(value: unknown, raw: Fields, at: number | undefined): void {
    const usage = usageIn(value);
    const draft = this.#answer?.draft ?? this.#last;
    this.#used = asText(value);
    if (usage && draft && draft.body.usage === undefined) {
      draft.body.usage = usage;
      draft.raws.push(raw);
      return;
    }
    if (usage) this.#builder.request(this.place, usage, this.model, at);
    this.keep(text(raw.type) ?? 'usage', raw, at);
  }

  /** Tokens that are told apart from steps: those of the last step again, or of a request without an answer. */
  total(value: unknown, at: number | undefined): void {
    const usage = usageIn(value);
    if (!usage || asText(value) === this.#used) return;
    if (this.#last && this.#last.body.usage === undefined) this.#last.body.usage = usage;
    else this.#builder.request(this.place, usage, this.model, at);
  }

  keep(kind: string, value: unknown, at: number | undefined): void {
    this.#builder.keep(this.place, kind, value, at);
  }

  /** Begins a step: what follows is a further answer. */
  begin(): void {
    this.end();
    this.#hasSteps = true;
    this.#last = undefined;
  }

  /** Ends the answer that is coming in, if one is. */
  end(): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (!answer) return;
    answer.draft.body.message = chatMessage('assistant', contentOf(answer.parts), {
      reasoning: answer.thoughts.join('\n'),
      calls: answer.calls.map(({ id, name, input }) => toolCall(id, name, input)),
    });
    if (answer.draft.body.model === undefined && this.model !== undefined)
      answer.draft.body.model = this.model;
  }

  #answering(raw: Fields, at: number | undefined): Answer {
    if (!this.#answer) {
      const message = { role: 'assistant', content: null };
      const draft = this.#builder.message(this.place, message, { time: at });
      this.#answer = { draft, parts: [], thoughts: [], calls: [], isAnswered: false };
      this.#last = draft;
    }
    this.#answer.draft.raws.push(raw);
    return this.#answer;
  }

  #note(id: unknown, name: unknown, input: unknown, draft: Draft): void {
    const { prompt, subagent_type, subagent_name } = fields(parsed(input));
    this.#calls.set(asText(id), {
      id: asText(id),
      place: this.place,
      draft,
      prompt: text(prompt),
      agent: text(subagent_type) ?? text(subagent_name),
      name: asText(name),
    });
  }
}

/** What a tool gave: a text or parts; what is said of it where it gave nothing. */
function outputOf(output: unknown, message: unknown): unknown {
  if (Array.isArray(output) && output.length > 0) return kimiContent(output);
  const isEmpty = Array.isArray(output) || asText(output) === '';
  return asText(isEmpty ? message : output);
}

/** Kimi's input tokens are those that are neither read from nor written to a cache. */
function usageIn(value: unknown) {
  const usage = fields(value);
  const of = (camel: string, snake: string) => number(usage[camel]) ?? number(usage[snake]);
  const input = of('inputOther', 'input_other');
  const output = number(usage.output);
  if (input === undefined && output === undefined) return undefined;
  const cached = of('inputCacheRead', 'input_cache_read') ?? 0;
  const written = of('inputCacheCreation', 'input_cache_creation') ?? 0;
  return usageOf({ input: (input ?? 0) + cached + written, output, cached, written, told: usage });
}
