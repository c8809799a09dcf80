import type { Tool } from '../tool.js';
import { vscodeSessions } from './vscodeSessions.js';
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
import type { ImportSink } from '../../building/importSink.js';
import { RepeatedHistory } from '../../messages/repeatedHistory.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';
import { openAiUsage } from '../../messages/usage.js';

/** The numbers that stand for roles (vscode-copilot-chat's raw messages). */
const ROLES: Readonly<Record<number, string>> = { 0: 'system', 1: 'user', 2: 'assistant', 3: 'tool' };

/** The kinds of parts: a text, and a marker without content. */
const TEXT_PART = 1;
const CACHE_MARK = 3;

/** Copilot's `.chatreplay.json`: prompts with the requests and tool calls they led to. */
const chatReplay: TranscriptFormat = {
  name: 'chatreplay',
  of: 'Copilot Chat',
  files: '`.chatreplay.json`',
  carries: ['messages', 'calls', 'times', 'models', 'usage'],
  detect: ([value]) => objects(fields(value).prompts).some(({ logs }) => Array.isArray(logs)),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const about = fields(value);
      const builder = sink.conversation(undefined, 'Copilot');
      builder.keep(builder.entry, 'export', without(about, 'prompts'), time(about.exportedAt));
      const history = new RepeatedHistory(builder, builder.entry);
      for (const prompt of objects(about.prompts)) {
        builder.title ??= text(prompt.prompt);
        for (const log of list(prompt.logs)) addLog(fields(log), log, history, builder, sink);
      }
      history.finish();
    }
  },
};

function addLog(
  log: Fields,
  value: unknown,
  history: RepeatedHistory,
  builder: ConversationBuilder,
  sink: ImportSink,
): void {
  if (log.kind === 'request') {
    addRequest(log, history, builder);
    return;
  }
  // A tool's call and result are also in the next request, there in their place.
  if (log.kind !== 'element' && log.kind !== 'toolCall' && log.kind !== 'error')
    sink.unknown(`logs of kind ${String(log.kind)}`);
  builder.keep(builder.entry, text(log.kind) ?? 'unknown', value, time(log.time));
}

function addRequest(log: Fields, history: RepeatedHistory, builder: ConversationBuilder): void {
  const metadata = fields(log.metadata);
  const messages = log.requestMessages ?? metadata.messages;
  const started = time(metadata.startTime);
  const model = text(metadata.model);
  const sent = new Map(
    objects(fields(messages).messages ?? messages).map((raw) => [chatMessage(raw), raw] as const),
  );
  history.addHistory([...sent.keys()], { time: started }, (message) => sent.get(message));
  const usage = openAiUsage(metadata.usage);
  if (usage) builder.request(builder.entry, usage, model, time(metadata.endTime) ?? started);
  builder.keep(builder.entry, 'request', { ...log, requestMessages: undefined }, time(metadata.endTime));
  const answer = list(fields(log.response).message)
    .map((part) => asText(part))
    .join('');
  if (answer !== '' && log.type === 'ChatMLSuccess') {
    history.expect({ role: 'assistant', content: answer }, { time: time(metadata.endTime), model });
  }
}

function chatMessage({ role, content, toolCalls, toolCallId }: Fields): Fields {
  const calls = objects(toolCalls);
  return {
    role: number(role) === undefined ? role : (ROLES[Number(role)] ?? String(role)),
    content: contentOf(content),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  };
}

function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? null;
  const parts = content.filter((part) => fields(part).type !== CACHE_MARK);
  const only: unknown = parts[0];
  const isText = (part: unknown) =>
    isObject(part) && part.type === TEXT_PART && typeof part.text === 'string';
  if (parts.length === 1 && isText(only)) return fields(only).text;
  return parts.map((part) =>
    isText(part) ? { type: 'text', text: fields(part).text } : { ...fields(part), type: 'part' },
  );
}

/** The chat of VS Code, with Copilot. */
export const vscodeChat: Tool = { formats: [chatReplay, vscodeSessions] };
