import { isObject } from '../../../core/message.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, number, objects, text } from '../../reading/fields.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** Zed's text threads: one text, and where in it each message begins. */
export const zedText: TranscriptFormat = {
  name: 'zed-text',
  of: 'Zed',
  files: 'text threads (`.zed.json`)',
  carries: ['messages'],
  detect: (head) => head.length > 0 && head.every(isThread),
  read(entries, sink) {
    for (const value of sink.values(entries)) readThread(value, sink);
  },
};

function isThread(value: unknown): boolean {
  if (!isObject(value) || value.zed !== 'context' || typeof value.text !== 'string') return false;
  const messages = objects(value.messages);
  return messages.length > 0 && messages.every(({ start }) => number(start) !== undefined);
}

function readThread(value: unknown, sink: ImportSink): void {
  const thread = fields(value);
  const builder = sink.conversation(thread.id, 'assistant');
  builder.title = text(thread.summary);
  // Kept whole, because a person may write between messages and beside them.
  builder.keep(builder.entry, 'thread', value);
  // Positions count bytes of UTF-8, as Zed's buffers do.
  const bytes = Buffer.from(asText(thread.text));
  const metadata = fields(thread.message_metadata);
  const messages = objects(thread.messages).toSorted(
    (a, b) => (number(a.start) ?? 0) - (number(b.start) ?? 0),
  );
  for (const [at, { start, ...message }] of messages.entries()) {
    const words = bytes
      .subarray(number(start), number(messages[at + 1]?.start))
      .toString()
      .trim();
    const said = fields(message.metadata);
    const beside = fields(metadata[asText(message.id)]);
    const role = text(said.role) ?? text(beside.role);
    const isError = isObject(said.status) && 'Error' in said.status;
    if (words !== '' && role !== undefined && /^(?:user|assistant|system)$/.test(role))
      builder.message(builder.entry, { role, content: words }, { isError: isError || undefined });
  }
}
