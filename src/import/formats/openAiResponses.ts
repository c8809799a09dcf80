import { isObject } from '../../core/message.js';
import { fields, list, objects, text, time, without } from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { ResponseItems } from '../shapes/responseItems.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';
import { openAiUsage } from '../shapes/usage.js';

/** OpenAI's Responses API: one response, a request with its input, or a list of items. */
export const openAiResponses: TranscriptFormat = {
  name: 'openai-responses',
  detect: (head) => head.length > 0 && head.every((value) => isResponse(value) || isItems(value)),
  read(entries, sink) {
    for (const { value } of sink.readable(entries)) readResponse(value, sink);
  },
};

function isResponse(value: unknown): boolean {
  if (!isObject(value)) return false;
  return value.object === 'response' || isItems(value.output) || isItems(value.input);
}

/** Whether a list contains an item that occurs only in this API. */
function isItems(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || !most(value, isObject)) return false;
  return objects(value).some(
    ({ type }) => typeof type === 'string' && /^(?:reasoning|\w+_call(?:_output)?)$/.test(type),
  );
}

function readResponse(value: unknown, sink: ImportSink): void {
  const about = fields(value);
  const builder = sink.conversation(about.id, 'assistant');
  const details = { time: time(about.created_at), model: text(about.model) };
  if (!Array.isArray(value)) {
    builder.keep(builder.entry, 'response', without(about, 'input', 'output', 'instructions'), details.time);
  }
  if (text(about.instructions) !== undefined) {
    builder.message(builder.entry, { role: 'system', content: about.instructions });
  }
  const items = new ResponseItems(builder, builder.entry);
  if (typeof about.input === 'string') items.add({ role: 'user', content: about.input }, {});
  for (const item of [...list(about.input), ...list(about.output), ...list(value)]) {
    if (isObject(item) && items.add(item, details)) continue;
    builder.keep(builder.entry, 'unknown', item, details.time);
    sink.unknown(`items of type ${String(fields(item).type)}`);
  }
  items.finish();
  const usage = openAiUsage(about.usage);
  if (usage) builder.request(builder.entry, usage, details.model, details.time);
}
