import { endIn, ended } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import { asText, between, fields, list, number, text, time, type Fields } from '../../reading/fields.js';
import { convertBlocks } from '../../messages/anthropicBlocks.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { addFailure } from '../../messages/failures.js';
import { anyUsage } from '../../messages/looseWords.js';
import type { StreamedFormat, FormatReader } from '../../building/transcriptFormat.js';

/** Behind the name of a tool in the key that its call stands under, as in `readToolCall`. */
const CALL_KEY = /^(\w+)ToolCall$/;

/** What `cursor-agent --output-format stream-json` prints, whose envelopes are those of Claude Code's stream. */
export const cursorCli: StreamedFormat = {
  name: 'cursor-cli',
  of: 'Cursor',
  files: '`cursor-agent --output-format stream-json`',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => head.some(isOwn),
  begin: (sink) => new StreamReader(sink),
};

/** Whether a value is a line that Claude Code does not write. */
function isOwn(value: unknown): boolean {
  if (!isObject(value) || typeof value.session_id !== 'string') return false;
  const { type, subtype, tool_call, apiKeySource, permissionMode, tools } = value;
  if (type === 'tool_call') return isObject(tool_call) && (subtype === 'started' || subtype === 'completed');
  if (type === 'thinking') return subtype === 'delta' || subtype === 'completed';
  const isBegin = type === 'system' && subtype === 'init';
  return isBegin && typeof apiKeySource === 'string' && 'cwd' in value && !tools && Boolean(permissionMode);
}

/** An answer of the model while its events come in. */
interface Answer {
  readonly draft: Draft;
  readonly thoughts: string[];
  readonly calls: Fields[];
  said: string;
  /** Whether its words were given as a whole, after their pieces if any. */
  isWhole: boolean;
}

/** A call that has no result yet. */
interface Open {
  readonly name: string;
  readonly at: number | undefined;
}

class StreamReader implements FormatReader {
  readonly #sink: ImportSink;
  readonly #open = new Map<string, Open>();
  #conversation: ConversationBuilder | undefined;
  #answer: Answer | undefined;
  #id: unknown;
  #model: string | undefined;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  look({ value }: Entry): void {
    this.#id ??= fields(value).session_id;
  }

  take({ value }: Entry): void {
    const line = fields(value);
    const at = time(line.timestamp_ms);
    if (line.type === 'user' && isObject(line.message)) this.#say(line, at);
    else if (line.type === 'assistant' && isObject(line.message)) this.#speak(line, at);
    else if (line.type === 'thinking') this.#think(line, at);
    else if (line.type === 'tool_call' && isObject(line.tool_call)) this.#call(line, at);
    else this.#note(line, value, at);
  }

  end(): void {
    this.#end();
  }

  get #builder(): ConversationBuilder {
    return (this.#conversation ??= this.#sink.conversation(this.#id, 'Cursor'));
  }

  #say(line: Fields, at: number | undefined): void {
    this.#end();
    const { message, results } = convertBlocks('user', fields(line.message).content);
    for (const result of results)
      this.#builder.message(this.#builder.entry, result.message, { time: at, raw: line });
    if (message) this.#builder.message(this.#builder.entry, message, { time: at, raw: line });
  }

  /** Words of an answer: pieces have a time and name no call of the model; what they add up to may follow. */
  #speak(line: Fields, at: number | undefined): void {
    const words = list(fields(line.message).content).map((part) => asText(fields(part).text));
    const said = words.join('');
    const isPiece = at !== undefined && line.model_call_id === undefined;
    const before = this.#answer;
    const isRepeated = !isPiece && before?.said === said;
    if (before && !isRepeated && (before.calls.length > 0 || before.isWhole)) this.#end();
    const answer = this.#answering(line, at);
    answer.said = isPiece ? answer.said + said : said;
    answer.isWhole = !isPiece;
  }

  #think(line: Fields, at: number | undefined): void {
    if (this.#answer && (this.#answer.said !== '' || this.#answer.calls.length > 0)) this.#end();
    this.#answering(line, at).thoughts.push(asText(line.text ?? ''));
  }

  #call(line: Fields, at: number | undefined): void {
    const id = asText(line.call_id);
    const { name, input, result } = callIn(fields(line.tool_call));
    const open = this.#open.get(id);
    if (!open) {
      // The calls of one answer begin together; one that begins after a result belongs to the next.
      if (this.#answer && this.#answer.calls.length > this.#open.size) this.#end();
      this.#answering(line, at).calls.push(toolCall(id, name, input));
      this.#open.set(id, { name, at });
    }
    if (line.subtype !== 'completed') return;
    this.#open.delete(id);
    this.#addResult(id, fields(result), { name, at: open?.at }, line, at);
  }

  #addResult(id: string, result: Fields, call: Open, line: Fields, at: number | undefined): void {
    const builder = this.#builder;
    const { rejected, success } = result;
    if (rejected !== undefined) {
      const reason = asText(fields(rejected).reason ?? '');
      builder.decide(builder.entry, { toolCallId: id, isApproved: false, decidedBy: 'user', reason }, at);
    }
    builder.message(builder.entry, toolMessage(id, wordsOf(result)), {
      time: at,
      toolName: call.name,
      ...ended(
        rejected === undefined ? undefined : 'denied',
        success === undefined ? 'failed' : endIn(fields(success)),
      ),
      durationMs: number(fields(success).executionTime) ?? between(call.at, at),
      raw: line,
    });
  }

  #note(line: Fields, value: unknown, at: number | undefined): void {
    const { type, model, usage, is_error: isError, result } = line;
    if (type === 'system') this.#model = text(model) ?? this.#model;
    if (type === 'result') this.#end();
    const spent = type === 'result' ? anyUsage(usage) : undefined;
    if (spent) this.#builder.request(this.#builder.entry, spent, this.#model, at);
    if (type === 'result' && isError === true) {
      addFailure(this.#builder, this.#builder.entry, { kind: 'error', error: result, time: at, raw: value });
      return;
    }
    if (type !== 'system' && type !== 'result') this.#sink.unknown(`lines of type ${text(type) ?? '(none)'}`);
    this.#builder.keep(this.#builder.entry, text(type) ?? 'unknown', value, at);
  }

  #answering(raw: Fields, at: number | undefined): Answer {
    if (!this.#answer) {
      const message = { role: 'assistant', content: null };
      const draft = this.#builder.message(this.#builder.entry, message, { time: at, model: this.#model });
      this.#answer = { draft, thoughts: [], calls: [], said: '', isWhole: false };
    }
    this.#answer.draft.raws.push(raw);
    return this.#answer;
  }

  #end(): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (!answer) return;
    const { said, thoughts, calls } = answer;
    answer.draft.body.message = chatMessage('assistant', said === '' ? null : said, {
      reasoning: thoughts.join(''),
      calls,
    });
  }
}

/** What a call says: its tool, its arguments and, once it is done, what came of it. */
function callIn(call: Fields): { readonly name: string; readonly input: unknown; readonly result: unknown } {
  const [key = '', about] = Object.entries(call).find(([, each]) => isObject(each)) ?? [];
  const { args, result, name, arguments: given } = fields(about);
  const { toolName, name: called, args: inner } = fields(args);
  // What an MCP server does is named in the arguments.
  if (key === 'mcpToolCall') return { name: asText(toolName ?? called), input: inner ?? args, result };
  return { name: text(name) ?? CALL_KEY.exec(key)?.[1] ?? key, input: args ?? given, result };
}

/** What came of a call, in words where it is text, else as JSON. */
function wordsOf(result: Fields): string {
  const [kind, given] = Object.entries(result).find(([, each]) => isObject(each)) ?? [];
  const { content, stdout, stderr, errorMessage, message, error, reason } = fields(given);
  if (typeof content === 'string') return content;
  const parts = list(content).map((part) => text(fields(fields(part).text).text) ?? text(fields(part).text));
  if (parts.length > 0 && parts.every((part) => part !== undefined)) return parts.join('\n');
  if (typeof stdout === 'string' || typeof stderr === 'string')
    return [stdout, stderr]
      .map((each) => asText(each ?? ''))
      .filter((each) => each !== '')
      .join('\n');
  const failed = kind === 'success' ? undefined : (errorMessage ?? message ?? error ?? reason);
  return text(failed) ?? asText(given ?? result);
}
