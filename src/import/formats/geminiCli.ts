import { isObject } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
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
} from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { contentParts, chatMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import type { TranscriptFormat } from '../transcriptFormat.js';
import { usageOf } from '../shapes/usage.js';

/** Gemini CLI's sessions: one object, or a header and one line per message. */
export const geminiCli: TranscriptFormat = {
  name: 'gemini-cli',
  of: 'Gemini CLI',
  files: 'sessions (`.json`, `.jsonl`)',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'thinking'],
  detect: ([first]) =>
    isObject(first) &&
    typeof first.sessionId === 'string' &&
    ('projectHash' in first || list(first.messages).some((message) => fields(message).type === 'gemini')),
  read(entries, sink) {
    const values = sink.values(entries);
    const about = fields(values[0]);
    const builder = sink.conversation(about.sessionId, 'Gemini');
    builder.title = text(about.summary);
    builder.keep(builder.entry, 'session', without(about, 'messages'), time(about.startTime));
    for (const value of latest([...list(about.messages), ...values.slice(1)])) addItem(value, builder, sink);
  },
};

/** A line that repeats an id replaces the earlier message, in the earlier one's place. */
function latest(values: readonly unknown[]): readonly unknown[] {
  const byId = new Map<unknown, unknown>();
  for (const value of values) {
    const id = text(fields(value).id);
    byId.set(id ?? Symbol('without an id'), value);
  }
  return [...byId.values()];
}

function addItem(value: unknown, builder: ConversationBuilder, sink: ImportSink): void {
  const item = fields(value);
  const at = time(item.timestamp);
  if (item.type === 'user') {
    builder.message(
      builder.entry,
      { role: 'user', content: contentOf(item.content) },
      { time: at, raw: item },
    );
  } else if (item.type === 'gemini') addAnswer(item, builder, at);
  else {
    const isKnown = ['info', 'error', 'warning'].includes(String(item.type)) || '$set' in item;
    if (!isKnown) sink.unknown(`messages of type ${String(item.type)}`);
    builder.keep(builder.entry, text(item.type) ?? 'update', value, at);
  }
}

function addAnswer(item: Fields, builder: ConversationBuilder, at: number | undefined): void {
  const calls = objects(item.toolCalls);
  const thoughts = objects(item.thoughts).map(({ subject, description }) =>
    [subject, description].map((part) => asText(part)).join(': '),
  );
  const message = chatMessage('assistant', contentOf(item.content), {
    reasoning: thoughts.join('\n'),
    calls: calls.map(({ id, name, args }) => toolCall(id, name, args)),
  });
  builder.message(builder.entry, message, {
    time: at,
    model: text(item.model),
    usage: usage(item.tokens),
    raw: item,
  });
  for (const call of calls) addResult(call, item, builder, at);
}

function addResult(call: Fields, item: Fields, builder: ConversationBuilder, at: number | undefined): void {
  if (call.result === undefined && call.resultDisplay === undefined) return;
  const said = objects(call.result).map((part) => {
    const { response } = fields(part.functionResponse);
    return asText(fields(response).output ?? fields(response).error ?? response ?? part.text ?? part);
  });
  const content = Array.isArray(call.result) ? said.join('\n') : asText(call.result ?? call.resultDisplay);
  builder.message(builder.entry, toolMessage(call.id, content), {
    time: time(call.timestamp) ?? at,
    isError: (typeof call.status === 'string' && call.status !== 'success') || undefined,
    toolName: text(call.name),
    raw: item,
  });
}

/** Turns parts without a type but with a text into text parts. */
function contentOf(content: unknown): unknown {
  if (typeof content !== 'object' || content === null) return content ?? null;
  return contentParts(content).map((part) =>
    typeof part.text === 'string' ? { type: 'text', ...part } : { type: 'part', ...part },
  );
}

/** Reasoning and tool tokens are counted separately from output and input. */
function usage(tokens: unknown): Usage | undefined {
  const { input, output, cached, thoughts, tool } = fields(tokens);
  if (number(input) === undefined) return undefined;
  return usageOf({
    input: (number(input) ?? 0) + (number(tool) ?? 0),
    output: (number(output) ?? 0) + (number(thoughts) ?? 0),
    cached: number(cached),
    reasoning: number(thoughts),
  });
}
