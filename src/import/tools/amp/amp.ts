import { endedBy } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  text,
  time,
  without,
  type Fields,
} from '../../reading/fields.js';
import { convertBlocks } from '../../messages/anthropicBlocks.js';
import { usageOf } from '../../messages/usage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** Amp's threads, as they are stored and exported: blocks like Anthropic's, whose results are runs of tools. */
export const amp: TranscriptFormat = {
  name: 'amp',
  of: 'Amp',
  files: 'threads (`T-….json`), as stored and exported',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => head.some(isThread),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const thread = fields(value);
      const builder = sink.conversation(thread.id, 'Amp');
      builder.title = text(thread.title);
      builder.keep(builder.entry, 'thread', without(thread, 'messages'), time(thread.created));
      const names = new Map<string, string>();
      for (const message of list(thread.messages)) addMessage(message, builder, names);
    }
  },
};

function isThread(value: unknown): boolean {
  if (!isObject(value) || typeof value.id !== 'string' || !Array.isArray(value.messages)) return false;
  const isNumbered = typeof value.v === 'number' || typeof value.created === 'number';
  return value.id.startsWith('T-') && (isNumbered || isObject(value.env));
}

function addMessage(value: unknown, builder: ConversationBuilder, names: Map<string, string>): void {
  const said = fields(value);
  const role = text(said.role);
  if (role === undefined) {
    builder.keep(builder.entry, 'unknown', value);
    return;
  }
  const isAnswer = role === 'assistant';
  const used = fields(said.usage);
  const at = time(used.timestamp) ?? time(fields(said.meta).sentAt);
  const content = Array.isArray(said.content) ? said.content.map(blockOf) : said.content;
  const { message, results } = convertBlocks(role, content);
  for (const call of objects(message?.tool_calls))
    names.set(asText(call.id), asText(fields(call.function).name));
  for (const result of results) {
    const id = asText(result.message.tool_call_id);
    const details = { time: at, ...endedBy(result.ends), toolName: names.get(id), raw: said };
    builder.message(builder.entry, result.message, details);
  }
  if (!message) return;
  builder.message(builder.entry, message, {
    time: at,
    model: isAnswer ? text(used.model) : undefined,
    usage: isAnswer ? usage(used) : undefined,
    raw: said,
  });
}

/** A block as Anthropic writes it: the run of a tool as its result, a picture with the names of its fields. */
function blockOf(value: unknown): unknown {
  const block = fields(value);
  if (block.type === 'image') {
    const source = fields(block.source);
    return { ...block, source: { ...source, media_type: source.media_type ?? source.mediaType } };
  }
  const id = text(block.tool_use_id) ?? block.toolUseID;
  if (block.type !== 'tool_result' || !isObject(block.run))
    return { ...block, ...(id !== undefined && { tool_use_id: id }) };
  const { status, result, error, reason } = block.run;
  const failure = isObject(error) ? (text(error.message) ?? error) : error;
  const isRejected = status === 'rejected-by-user';
  // A run that was cancelled or is still going gave nothing; its state is all that can be said.
  const state = isRejected && text(reason) !== undefined ? `${asText(status)}: ${asText(reason)}` : status;
  const said = contentOf(result) ?? failure ?? (status === 'done' ? '' : state);
  const { exitCode, success } = fields(result);
  return { type: 'tool_result', tool_use_id: id, content: said, status, exitCode, success };
}

/** What a tool gave: its output, content or difference where it says nothing else of weight, else all as JSON. */
function contentOf(result: unknown): unknown {
  if (!isObject(result))
    return Array.isArray(result) && objects(result).some(isPicture) ? pictures(result) : result;
  return [result.output, result.content, result.diff].find((each) => text(each) !== undefined) ?? result;
}

function isPicture({ type, data }: Fields): boolean {
  return type === 'image' && typeof data === 'string';
}

function pictures(parts: readonly unknown[]): readonly unknown[] {
  return parts.map((part) => {
    const { type, data, mimeType, ...rest } = fields(part);
    if (type !== 'image') return part;
    return { ...rest, type, source: { type: 'base64', media_type: mimeType, data } };
  });
}

/** Amp's input tokens exclude those read from and written to the cache. */
function usage(used: Fields) {
  const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens } = used;
  if (number(inputTokens) === undefined && number(outputTokens) === undefined) return undefined;
  const cached = number(cacheReadInputTokens) ?? 0;
  const created = number(cacheCreationInputTokens) ?? 0;
  // For models of OpenAI, which charge nothing for writing, Amp counts all that was not read as written.
  const written = asText(used.model).startsWith('gpt-') ? 0 : created;
  return usageOf({
    input: (number(inputTokens) ?? 0) + cached + created,
    output: number(outputTokens),
    cached,
    written,
    told: used,
  });
}
