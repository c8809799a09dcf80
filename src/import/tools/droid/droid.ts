import { endIn, ended, endedBy } from '../../messages/callEnd.js';
import { existing, type Tool } from '../tool.js';
import { isObject } from '../../../core/message.js';
import { NO_USAGE } from '../../../core/usage.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import { firstValue, foundIn } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, number, text, time, type Fields } from '../../reading/fields.js';
import { Fingerprints } from '../../spool/fingerprints.js';
import { messagesOfBlocks } from '../../messages/anthropicBlocks.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { anthropicUsage, usageOf } from '../../messages/usage.js';
import type { SidecarEntries, TranscriptFormat } from '../../building/transcriptFormat.js';

/** Lines about the session rather than its messages. */
const KNOWN = /^(?:session_start|session_end|todo_state|agent_turn_outcome|compaction_state|system)$/;

/** Factory's Droid: sessions as they are stored, and what `droid exec` prints as a stream of JSON. */
const droidSessions: TranscriptFormat = {
  name: 'droid',
  of: 'Factory Droid',
  files: 'sessions (`.jsonl`) with the settings beside them, `droid exec --output-format stream-json`',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => (head.some(isStart) && head.some(isMessage)) || head.some(isStreamed),
  *readLines(lines, sink, sidecars) {
    const start = fields(foundIn(lines, (value) => (isStart(value) ? value : undefined)));
    const id = start.id ?? foundIn(lines, (value) => sessionOf(fields(value)));
    const builder = sink.conversation(id, 'Droid');
    builder.title = text(start.sessionTitle) ?? text(start.title);
    const session = new DroidSession(sink, builder);
    for (const value of sink.each(lines)) {
      session.add(value);
      yield;
    }
    for (const settings of sidecars) addSettings(settings, builder);
  },
};

/** Factory's Droid, which keeps the settings of a session beside it. */
export const droid: Tool = {
  formats: [droidSessions],
  sidecarFiles: (path) => Promise.resolve(path.endsWith('.jsonl') ? existing([settingsOf(path)]) : []),
  placesBeside: (path) => Promise.resolve([settingsOf(path)]),
};

function settingsOf(path: string): string {
  return path.replace(/\.jsonl$/, '.settings.json');
}

/** The first line of a stored session. */
function isStart(value: unknown): boolean {
  const { type, id, cwd, owner, title } = fields(value);
  return type === 'session_start' && typeof id === 'string' && (cwd ?? owner ?? title) !== undefined;
}

function isMessage(value: unknown): boolean {
  const { type, message } = fields(value);
  return type === 'message' && fields(message).content !== undefined;
}

/** A line of a stream that no other tool prints. */
function isStreamed(value: unknown): boolean {
  const line = fields(value);
  if (sessionOf(line) === undefined) return false;
  if (line.type === 'completion') return typeof line.finalText === 'string';
  if (line.type === 'tool_call') return typeof line.toolName === 'string' && isObject(line.parameters);
  return line.type === 'message' && typeof line.text === 'string' && typeof line.role === 'string';
}

function sessionOf({ sessionId, session_id }: Fields): string | undefined {
  return text(sessionId) ?? text(session_id);
}

/** Reads the lines of a session. */
class DroidSession {
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  readonly #toolNames = new Map<string, string>();
  /** What a stream says in messages. */
  readonly #said = new Fingerprints();
  /** The model that a stream names at its beginning. */
  #model: string | undefined;
  /** The last answer of a stream, and what it says. */
  #answer: { draft: Draft; content: unknown; calls: Fields[]; reasoning: string } | undefined;

  constructor(sink: ImportSink, builder: ConversationBuilder) {
    this.#sink = sink;
    this.#builder = builder;
  }

  add(value: unknown): void {
    const line = fields(value);
    const at = time(line.timestamp);
    if (isMessage(line)) this.#addStored(line, fields(line.message), at);
    else if (line.type === 'message' && typeof line.text === 'string') this.#addSaid(line, at);
    else if (line.type === 'reasoning' && typeof line.text === 'string') this.#addReasoning(line, at);
    else if (line.type === 'tool_call') this.#addCall(line, at);
    else if (line.type === 'tool_result') this.#addResult(line, at);
    else if (line.type === 'completion') this.#addCompletion(line, at);
    else this.#keep(line, value, at);
  }

  #keep(line: Fields, value: unknown, at: number | undefined): void {
    const type = text(line.type) ?? 'unknown';
    if (line.subtype === 'init') this.#model = text(line.model);
    if (!KNOWN.test(type)) this.#sink.unknown(`lines of type ${type}`);
    this.#builder.keep(this.#builder.entry, type, value, at);
  }

  #addStored(line: Fields, said: Fields, at: number | undefined): void {
    const builder = this.#builder;
    const role = text(said.role) ?? 'user';
    const isAnswer = role === 'assistant';
    const model = isAnswer ? text(said.model) : undefined;
    const used = isAnswer ? anthropicUsage(said.usage) : undefined;
    const all = messagesOfBlocks(role, said.content);
    const last = all.findLast(({ isResult }) => !isResult);
    for (const each of all) {
      const about = { time: at, raw: line };
      // The tokens of all that one request was answered stand at the end of it.
      const details = each.isResult
        ? { ...about, ...endedBy(each.ends) }
        : { ...about, model, usage: each === last ? used : used && NO_USAGE };
      builder.message(builder.entry, each.message, details);
    }
  }

  #addSaid(line: Fields, at: number | undefined): void {
    this.#said.add(asText(line.text));
    if (line.role === 'assistant') {
      const answer = this.#answering(line, at, true);
      answer.content = line.text;
      this.#write();
      return;
    }
    this.#answer = undefined;
    const message = { role: text(line.role) ?? 'user', content: line.text };
    this.#builder.message(this.#builder.entry, message, { time: at, raw: line });
  }

  #addReasoning(line: Fields, at: number | undefined): void {
    this.#answering(line, at, true).reasoning = asText(line.text);
    this.#write();
  }

  #addCall(line: Fields, at: number | undefined): void {
    const id = asText(line.id ?? line.toolCallId);
    const name = asText(line.toolName ?? line.toolId);
    this.#toolNames.set(id, name);
    this.#answering(line, at).calls.push(toolCall(id, name, line.parameters));
    this.#write();
  }

  #addResult(line: Fields, at: number | undefined): void {
    this.#answer = undefined;
    const id = asText(line.id ?? line.toolCallId);
    const details = {
      time: at,
      ...ended(endIn(line)),
      toolName: this.#toolNames.get(id),
    };
    const failure = isObject(line.error) ? fields(line.error).message : line.error;
    const content = asText(line.value ?? failure);
    this.#builder.message(this.#builder.entry, toolMessage(id, content), { ...details, raw: line });
  }

  /** The end of a stream repeats the last answer and tells the tokens of all. */
  #addCompletion(line: Fields, at: number | undefined): void {
    const builder = this.#builder;
    const isSaid = this.#said.has(asText(line.finalText));
    const usage = anthropicUsage(line.usage);
    if (!isSaid && text(line.finalText) !== undefined) {
      const message = { role: 'assistant', content: line.finalText };
      builder.message(builder.entry, message, { time: at, model: this.#model, raw: line });
    } else builder.keep(builder.entry, 'completion', line, at);
    if (usage) builder.request(builder.entry, usage, this.#model, at);
  }

  /** The answer that goes on, or a further one; what `isNew` begins one unless it has nothing but thoughts. */
  #answering(line: Fields, at: number | undefined, isNew = false) {
    const before = this.#answer;
    const isOpen = before !== undefined && !(isNew && (before.content !== null || before.calls.length > 0));
    if (isOpen) {
      before.draft.raws.push(line);
      return before;
    }
    const empty = { role: 'assistant', content: null };
    const draft = this.#builder.message(this.#builder.entry, empty, {
      time: at,
      model: this.#model,
      raw: line,
    });
    return (this.#answer = { draft, content: null, calls: [], reasoning: '' });
  }

  #write(): void {
    if (!this.#answer) return;
    const { draft, content, calls, reasoning } = this.#answer;
    draft.body.message = chatMessage('assistant', content, { reasoning, calls });
  }
}

/** The settings of a stored session have its model and the tokens of all requests; its lines have neither. */
function addSettings({ entries }: SidecarEntries, builder: ConversationBuilder): void {
  const settings = fields(firstValue(entries));
  if (Object.keys(settings).length === 0) return;
  builder.keep(builder.entry, 'settings', settings);
  const usage = fields(settings.tokenUsage);
  if (number(usage.inputTokens) === undefined && number(usage.outputTokens) === undefined) return;
  const cached = number(usage.cacheReadTokens) ?? 0;
  const written = number(usage.cacheCreationTokens) ?? 0;
  const tokens = usageOf({
    // Droid's input tokens exclude those read from and written to the cache, whatever the provider counts.
    input: (number(usage.inputTokens) ?? 0) + cached + written,
    output: number(usage.outputTokens),
    cached,
    written,
    reasoning: number(usage.thinkingTokens),
    told: usage,
  });
  builder.request(builder.entry, tokens, text(settings.model));
}
