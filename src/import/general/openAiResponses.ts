import { isObject } from '../../core/message.js';
import { fields, list, objects, text, time, without } from '../reading/fields.js';
import type { ImportSink } from '../building/importSink.js';
import { ResponseItems } from '../messages/responseItems.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';
import { openAiUsage } from '../messages/usage.js';

/** OpenAI's Responses API: one response, a request with its input, or a list of items. */
export const openAiResponses: TranscriptFormat = {
  name: 'openai-responses',
  of: 'OpenAI',
  files: 'Responses API: a response, a request, a list of items',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => head.length > 0 && head.every((value) => isResponse(value) || isItems(value)),
  *readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      readResponse(value, sink);
      yield;
    }
  },
};

function isResponse(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.object === 'response' || isItems(value.output) || isItems(value.input)) return true;
  const isInput = typeof value.input === 'string' || Array.isArray(value.input);
  return isInput && typeof value.model === 'string' && typeof value.instructions === 'string';
}

/** Whether a list contains an item that occurs only in this API. */
function isItems(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || !most(value, isObject)) return false;
  // Cline and Roo keep Anthropic's messages, between which reasoning of OpenAI's models may stand.
  const isAnthropic = objects(value).some(({ content }) =>
    objects(content).some(({ type }) => type === 'tool_use' || type === 'tool_result'),
  );
  if (isAnthropic) return false;
  return objects(value).some(
    ({ type, content }) =>
      (typeof type === 'string' && /^(?:reasoning|\w+_call(?:_output)?)$/.test(type)) ||
      objects(content).some((part) => part.type === 'input_text' || part.type === 'output_text'),
  );
}

function readResponse(value: unknown, sink: ImportSink): void {
  const about = fields(value);
  const builder = sink.conversation(about.id, 'assistant');
  const details = { time: time(about.created_at), model: text(about.model) };
  if (!Array.isArray(value)) {
    builder.keep(builder.entry, 'response', without(about, 'input', 'output', 'instructions'), details.time);
  }
  // In a response the instructions may be a list of items.
  const instructions = text(about.instructions);
  if (instructions !== undefined) {
    builder.message(builder.entry, { role: 'system', content: instructions });
  }
  const items = new ResponseItems(builder, builder.entry);
  if (typeof about.input === 'string') items.add({ role: 'user', content: about.input }, {});
  const inputs = [...list(about.instructions), ...list(about.input)];
  for (const item of [...inputs, ...list(about.output), ...list(value)]) {
    if (isObject(item) && items.add(item, details)) continue;
    builder.keep(builder.entry, 'unknown', item, details.time);
    sink.unknown(`items of type ${String(fields(item).type)}`);
  }
  items.finish();
  const usage = openAiUsage(about.usage);
  if (usage) builder.request(builder.entry, usage, details.model, details.time);
}
