import { endOfWord, ended } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { fields, list, objects, text, without, type Fields } from '../../reading/fields.js';
import { chatMessage, toolMessage } from '../../messages/chatMessage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';
import { openAiUsage } from '../../messages/usage.js';

/** Continue's sessions: one object with a history of messages and their context. */
export const continueDev: TranscriptFormat = {
  name: 'continue',
  of: 'Continue, Kiro',
  files: 'sessions (`.json`)',
  carries: ['messages', 'calls', 'usage', 'thinking'],
  detect: ([first]) =>
    isObject(first) &&
    typeof first.sessionId === 'string' &&
    objects(first.history).some(({ message }) => isObject(message)),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const about = fields(value);
      const builder = sink.conversation(about.sessionId, agentOf(about));
      builder.title = text(about.title);
      builder.keep(builder.entry, 'session', without(about, 'history'));
      const answered = new Set(objects(about.history).map(({ message }) => fields(message).toolCallId));
      for (const item of list(about.history)) addItem(item, builder, answered);
    }
  },
};

/** Kiro keeps its sessions as Continue does, and where what it executed stands. */
function agentOf({ history }: Fields): string {
  return objects(history).some(({ executionId }) => typeof executionId === 'string') ? 'Kiro' : 'Continue';
}

function addItem(value: unknown, builder: ConversationBuilder, answered: ReadonlySet<unknown>): void {
  const item = fields(value);
  if (!isObject(item.message)) {
    builder.keep(builder.entry, 'unknown', value);
    return;
  }
  const { role, content, toolCalls, toolCallId } = item.message;
  if (role === 'thinking') {
    builder.keep(builder.entry, 'thinking', value);
    return;
  }
  const reasoning = text(fields(item.reasoning).text);
  const said = chatMessage(role, content ?? null, { reasoning, calls: objects(toolCalls) });
  const message = { ...said, ...(toolCallId !== undefined && { tool_call_id: toolCallId }) };
  const usage = role === 'assistant' ? openAiUsage(item.message.usage) : undefined;
  builder.message(builder.entry, message, { usage, raw: item });
  for (const state of objects(item.toolCallStates)) addResult(state, item, builder, answered);
}

/** Adds a call's result from older versions; in newer ones results are messages of their own. */
function addResult(
  state: Fields,
  item: Fields,
  builder: ConversationBuilder,
  answered: ReadonlySet<unknown>,
): void {
  const id = state.toolCallId;
  if (answered.has(id) || state.output === undefined) return;
  const content = objects(state.output)
    .map((output) => text(output.content) ?? '')
    .join('\n');
  builder.message(builder.entry, toolMessage(id, content), { ...ended(endOfWord(state.status)), raw: item });
}
