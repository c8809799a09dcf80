import { isObject } from '../../../core/message.js';
import { convertBlocks } from '../../messages/anthropicBlocks.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { fields, list, text, time } from '../../reading/fields.js';
import { foundIn, type Entries } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { knownFirst, SubagentCalls } from '../../messages/subagentCalls.js';
import { most, type SidecarEntries, type TranscriptFormat } from '../../building/transcriptFormat.js';
import type { Steps } from '../../reading/steps.js';

/**
 * Cursor's `agent-transcripts`: JSONL of roles and content blocks, with the transcripts of subagents in a folder beside
 * it. They contain neither tool results nor times nor tokens.
 */
export const cursorTranscripts: TranscriptFormat = {
  name: 'cursor',
  of: 'Cursor',
  files: '`agent-transcripts` (`.jsonl`) with those of their subagents',
  carries: ['messages', 'calls', 'subagents', 'times', 'images', 'thinking'],
  detect: (head) => head.length > 0 && most(head, isLine),
  readLines(lines, sink, sidecars) {
    return new CursorTranscript(sink).read(lines, sidecars);
  },
};

function isLine(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.message) || 'type' in value) return false;
  const { role, message } = value;
  return (role === 'user' || role === 'assistant') && 'content' in message && !('role' in message);
}

class CursorTranscript {
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  readonly #starting = new SubagentCalls(/^(?:sub_?agent|task)$/i);
  /** The ids that calls have in the file. */
  readonly #given = new Set<string>();
  /** The ids that were made for calls without one, until a result answers them. */
  readonly #waiting: string[] = [];
  #calls = 0;

  constructor(sink: ImportSink) {
    this.#sink = sink;
    this.#builder = sink.conversation(undefined, 'Cursor');
  }

  *read(own: Entries, sidecars: readonly SidecarEntries[]): Steps<void> {
    for (const value of this.#sink.each(own)) {
      this.#add(value, this.#builder.entry);
      yield;
    }
    const files = sidecars.flatMap(({ name, entries: lines }) => {
      const id = /(?:^|\/)subagents\/([^/]+)\.jsonl$/.exec(name)?.[1];
      return id === undefined ? [] : [{ id, lines }];
    });
    const isKnown = ({ lines }: { readonly lines: Entries }) => this.#starting.has(firstPrompt(lines));
    for (const { id, lines } of knownFirst(files, isKnown)) yield* this.#addSubagent(id, lines);
  }

  *#addSubagent(id: string, lines: Entries): Steps<void> {
    const started = this.#starting.take(firstPrompt(lines));
    const from = this.#builder.length;
    const parent = started?.draft.place ?? this.#builder.entry;
    const callSite = this.#builder.dispatch(parent, started?.agent ?? `agent-${id}`, {
      task: started?.prompt,
      toolCallId: started?.id,
      time: started?.draft.time,
    });
    for (const value of this.#sink.each(lines)) {
      this.#add(value, callSite);
      yield;
    }
    if (started) this.#builder.moveBehind(started.draft, from);
  }

  #add(value: unknown, callSite: ConversationBuilder['entry']): void {
    if (!isLine(value)) {
      this.#builder.keep(callSite, 'unknown', value);
      this.#sink.unknown(`lines of type ${text(fields(value).type) ?? '(none)'}`);
      return;
    }
    const line = fields(value);
    const { content } = fields(line.message);
    const details = { time: time(line.timestamp), raw: line };
    const { message, results } = convertBlocks(
      text(line.role) ?? 'user',
      this.#identified(asked(line.role, content)),
    );
    for (const result of results) this.#builder.message(callSite, result.message, details);
    if (message) this.#starting.note(this.#builder.message(callSite, message, details), message);
  }

  /** Numbers the tool calls, which mostly have no ids; results that name another answer these in their order. */
  #identified(content: unknown): unknown {
    if (!Array.isArray(content)) return content;
    return content.map((block: unknown) => {
      const { type, id: given, tool_use_id: answered } = fields(block);
      const id = text(given);
      if (type === 'tool_result') {
        const isKnown = this.#given.has(text(answered) ?? '') || this.#waiting.includes(text(answered) ?? '');
        return isKnown ? block : { ...fields(block), tool_use_id: this.#waiting.shift() ?? answered };
      }
      if (type !== 'tool_use') return block;
      if (id !== undefined) {
        this.#given.add(id);
        return block;
      }
      this.#waiting.push(`call_${++this.#calls}`);
      return { ...fields(block), id: `call_${this.#calls}` };
    });
  }
}

const OPEN = '<user_query>';
const CLOSE = '</user_query>';

/** What the person typed: Cursor puts it in tags, after what it adds itself. */
function asked(role: unknown, content: unknown): unknown {
  if (role !== 'user') return content;
  if (typeof content === 'string') return query(content) ?? content;
  return list(content).map((block) => {
    const { type, text: words } = fields(block);
    const typed = type === 'text' && typeof words === 'string' ? query(words) : undefined;
    return typed === undefined ? block : { type, text: typed };
  });
}

function query(words: string): string | undefined {
  const whole = words.trim();
  // Text outside of the tags is part of the prompt, though nobody typed it; then the prompt is kept whole.
  if (!whole.startsWith(OPEN)) return undefined;
  if (whole.endsWith(CLOSE)) return whole.slice(OPEN.length, -CLOSE.length).trim();
  return whole.includes(CLOSE) ? undefined : whole.slice(OPEN.length).trim();
}

function firstPrompt(lines: Entries): string | undefined {
  const first = foundIn(lines, (value) => (fields(value).role === 'user' ? value : undefined));
  const { message } = convertBlocks('user', asked('user', fields(fields(first).message).content));
  return text(message?.content)?.trim();
}
