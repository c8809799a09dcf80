import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, objects, text, time, without, type Fields } from '../../reading/fields.js';
import { LooseReader } from '../../messages/looseReader.js';
import { most, type StreamedFormat, type FormatReader } from '../../building/transcriptFormat.js';
import type { Entry } from '../../building/importSink.js';

/** Reviews of Open Code Review: requests that repeat what was said, one stream of them for each file and task. */
export const openCodeReview: StreamedFormat = {
  name: 'open-code-review',
  of: 'Open Code Review',
  files: 'sessions (`.jsonl`): requests, answers and calls of tools, a line each',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'thinking'],
  detect: (head) =>
    most(head, (value) => typeof fields(value).uuid === 'string') &&
    head.some((value) => /^llm_(?:request|response)$/.test(asText(fields(value).type))),
  begin: (sink) => new ReviewReader(sink),
};

/** What was said about one file in one task. */
interface Stream {
  readonly reader: LooseReader;
  readonly place: ConversationBuilder['entry'];
  /** How many messages of its requests were read. */
  heard: number;
}

class ReviewReader implements FormatReader {
  readonly #sink: ImportSink;
  readonly #streams = new Map<string, Stream>();
  #begun: ConversationBuilder | undefined;
  #model: string | undefined;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  take({ value }: Entry): void {
    const line = fields(value);
    const builder = (this.#begun ??= this.#sink.conversation(line.sessionId, 'reviewer'));
    this.#model = text(line.model) ?? this.#model;
    const at = time(line.timestamp);
    const timestamp = at === undefined ? {} : { timestamp: at };
    if (line.type === 'llm_request') this.#request(line, builder, timestamp);
    else if (line.type === 'llm_response') {
      const { content, reasoning_content, tool_calls, usage } = line;
      const said = { role: 'assistant', content: content ?? null, reasoning_content, tool_calls, usage };
      this.#streamOf(line, builder).reader.add({ ...timestamp, model: this.#model, ...said }, value);
    } else if (line.type === 'tool_call') {
      const { tool_name: name, result, error, ok } = line;
      const answered = { role: 'tool', name, content: text(result) ?? asText(error), is_error: ok === false };
      this.#streamOf(line, builder).reader.add({ ...timestamp, ...answered }, value);
    } else if (line.type === 'llm_error') {
      const error = { code: 'error', message: text(line.error) ?? 'It failed.' };
      const request = {
        type: 'request',
        model: this.#model ?? '',
        endpoint: '',
        attempt: 1,
        durationMs: 0,
        error,
      };
      builder.add(this.#streamOf(line, builder).place, request, at).raws.push(value);
    } else builder.keep(builder.entry, text(line.type) ?? 'unknown', value, at);
  }

  /** What a request says that none before it has said; the answers in it stand in lines of their own. */
  #request(line: Fields, builder: ConversationBuilder, timestamp: Fields): void {
    const stream = this.#streamOf(line, builder);
    const messages = objects(line.messages);
    const fresh = messages.slice(Math.min(stream.heard, messages.length));
    stream.heard = messages.length;
    for (const message of fresh)
      if (message.role === 'user' || message.role === 'system')
        stream.reader.add({ ...timestamp, ...message }, message);
    builder.keep(stream.place, 'llm_request', without(line, 'messages'), time(line.timestamp));
  }

  #streamOf({ filePath, taskType }: Fields, builder: ConversationBuilder): Stream {
    const key = `${asText(taskType)} ${asText(filePath)}`;
    const known = filePath === undefined ? [...this.#streams.values()].at(-1) : this.#streams.get(key);
    if (known) return known;
    const callSite = this.#streams.size === 0 ? builder.entry : builder.run(builder.entry.agent);
    const stream = { place: callSite, reader: new LooseReader(builder, callSite), heard: 0 };
    this.#streams.set(key, stream);
    return stream;
  }
}
