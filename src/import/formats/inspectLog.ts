import { isObject } from '../../core/message.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { linkedPicture, spokenMessage, toolCall } from '../shapes/chatMessage.js';
import type { TranscriptFormat } from '../transcriptFormat.js';
import { openAiUsage } from '../shapes/usage.js';

/** Inspect's evaluation logs: one conversation per sample. A `.eval` archive is read as one such object. */
export const inspectLog: TranscriptFormat = {
  name: 'inspect',
  detect: ([value]) => isObject(value) && isObject(value.eval) && typeof value.status === 'string',
  read(entries, sink) {
    for (const { value } of sink.readable(entries)) {
      const log = fields(value);
      if (objects(log.samples).length === 0) {
        const builder = sink.conversation(fields(log.eval).eval_id, 'assistant');
        builder.keep(builder.entry, 'log', log, time(fields(log.eval).created));
        sink.problem('warning', 'This log has no samples.');
      }
      for (const [index, sample] of objects(log.samples).entries())
        readSample(sample, log, sink, index === 0);
    }
  },
};

function readSample(sample: Fields, log: Fields, sink: ImportSink, isFirst: boolean): void {
  const about = fields(log.eval);
  const id = [about.eval_id ?? about.run_id, sample.id, sample.epoch].map((part) => asText(part)).join('_');
  const builder = sink.conversation(id, text(about.task) ?? 'assistant');
  builder.title = `${text(about.task) ?? 'sample'} ${asText(sample.id)}`;
  const attachments = fields(sample.attachments);
  const created = time(about.created);
  if (isFirst) builder.keep(builder.entry, 'log', without(log, 'samples'), created);
  builder.keep(builder.entry, 'sample', without(sample, 'messages', 'events'), created);
  for (const event of list(sample.events)) {
    builder.keep(builder.entry, text(fields(event).event) ?? 'event', event, time(fields(event).timestamp));
  }
  for (const message of list(sample.messages)) addMessage(message, attachments, builder, sink);
  for (const [model, spent] of Object.entries(fields(sample.model_usage))) {
    const usage = openAiUsage({
      ...fields(spent),
      cached_input_tokens: fields(spent).input_tokens_cache_read,
    });
    if (usage) builder.request(builder.entry, usage, model);
  }
}

function addMessage(
  value: unknown,
  attachments: Fields,
  builder: ConversationBuilder,
  sink: ImportSink,
): void {
  const message = fields(value);
  if (typeof message.role !== 'string') {
    builder.keep(builder.entry, 'unknown', value);
    sink.unknown('messages without a role');
    return;
  }
  const { role, tool_calls, error, tool_call_id } = message;
  const parts = objects(message.content);
  const reasoning = parts.filter(({ type }) => type === 'reasoning').map((part) => asText(part.reasoning));
  const said = spokenMessage(role, contentOf(message.content, attachments), {
    reasoning: reasoning.join('\n'),
    calls: objects(tool_calls).map((call) => toolCall(call.id, call.function, call.arguments)),
  });
  const chat = { ...said, ...(tool_call_id !== undefined && { tool_call_id }) };
  builder.message(builder.entry, chat, {
    model: text(message.model),
    toolName: role === 'tool' ? text(message.function) : undefined,
    isError: isObject(error) || undefined,
    raw: message,
  });
}

function contentOf(content: unknown, attachments: Fields): unknown {
  if (typeof content === 'string') return attached(content, attachments);
  if (!Array.isArray(content)) return content ?? null;
  return objects(content)
    .filter(({ type }) => type !== 'reasoning')
    .map((part) => contentPart(part, attachments));
}

function contentPart(part: Fields, attachments: Fields): Fields {
  if (part.type === 'text') return { type: 'text', text: attached(asText(part.text), attachments) };
  if (part.type === 'image') return linkedPicture(attached(asText(part.image), attachments));
  return part;
}

/** Resolves a reference to an attachment, where Inspect stores long texts. */
function attached(value: string, attachments: Fields): string {
  const id = /^attachment:\/\/([0-9a-f]+)$/.exec(value)?.[1];
  return (id !== undefined && Object.hasOwn(attachments, id) ? text(attachments[id]) : undefined) ?? value;
}
