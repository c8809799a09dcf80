import { isObject } from '../../core/message.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import { fields, list, text, timeIn, without, type Fields } from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { openAiUsage } from '../shapes/usage.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';

/** The keys under which such files keep their messages: requests, SWE-agent, tau-bench, logs of agent teams. */
const LISTS = ['messages', 'history', 'traj', 'conversation', 'trajectory'] as const;

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/**
 * Chat-completions messages in any of the shapes they are stored in: a list, an object with a list, a list of such
 * objects, or one of these per line. The messages themselves are kept unchanged.
 */
export const chatMessages: TranscriptFormat = {
  name: 'chat-messages',
  detect: (head) =>
    head.length === 1 ? isConversations(head[0]) || isMessage(head[0]) : most(head, isOneLine),
  read(entries, sink) {
    let loose: ConversationBuilder | undefined;
    for (const { value, line } of sink.readable(entries)) {
      if (messagesIn(value)) readConversation(value, sink);
      else if (Array.isArray(value)) for (const each of value) readConversation(each, sink);
      else if (isObject(value)) {
        loose ??= sink.conversation(undefined, 'assistant');
        readItem(value, loose);
        if (!isMessage(value)) sink.problem('warning', 'This line is no message.', line);
      } else {
        loose ??= sink.conversation(undefined, 'assistant');
        loose.keep(loose.entry, 'unknown', value);
        sink.unknown('values that are no messages');
      }
    }
  },
};

function isOneLine(value: unknown): boolean {
  return isMessage(value) || messagesIn(value) !== undefined;
}

function isConversations(value: unknown): boolean {
  if (messagesIn(value)) return true;
  return Array.isArray(value) && value.length > 0 && most(value, (each) => messagesIn(each) !== undefined);
}

/** The messages of a conversation: the value itself, or the list that it contains. */
function messagesIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.length > 0 && most(value, isMessage) ? value : undefined;
  if (!isObject(value)) return undefined;
  const key = listKey(value);
  return key === undefined ? undefined : list(value[key]);
}

function listKey(value: Fields): string | undefined {
  return LISTS.find((key) => {
    const messages = value[key];
    return Array.isArray(messages) && messages.length > 0 && most(messages, isSpoken);
  });
}

function isMessage(value: unknown): boolean {
  return isObject(value) && typeof value.role === 'string' && ROLES.has(value.role) && isSpoken(value);
}

/** Less strict than `isMessage`: logs of agent teams have the speaker's name in place of the role. */
function isSpoken(value: unknown): boolean {
  if (!isObject(value) || typeof value.role !== 'string') return false;
  return value.content !== undefined || value.tool_calls !== undefined;
}

function readConversation(value: unknown, sink: ImportSink): void {
  const about = fields(value);
  const key = listKey(about);
  const builder = sink.conversation(about.id ?? about.conversation_id ?? about.session_id, 'assistant');
  builder.title = text(about.title) ?? text(about.question);
  const rest = Array.isArray(value) || key === undefined ? {} : without(about, key);
  if (Object.keys(rest).length > 0) builder.keep(builder.entry, 'conversation', rest);
  for (const item of messagesIn(value) ?? []) {
    if (isObject(item)) readItem(item, builder);
    else {
      builder.keep(builder.entry, 'unknown', item);
      sink.unknown('values that are no messages');
    }
  }
}

function readItem(item: Fields, builder: ConversationBuilder): void {
  if (typeof item.role !== 'string') {
    builder.keep(builder.entry, 'unknown', item);
    return;
  }
  builder.message(builder.entry, item, {
    time: timeIn(item),
    model: text(item.model),
    usage: item.role === 'assistant' ? openAiUsage(item.usage) : undefined,
    agent: speakerOf(item),
  });
}

/** The speaker of a message: its name, its agent, or a role that is a speaker, like `Orchestrator (thought)`. */
function speakerOf({ role, name, agent }: Fields): string | undefined {
  if (typeof role === 'string' && !ROLES.has(role) && role !== 'human') return role.replace(/ \(.*\)$/, '');
  if (role === 'tool' || role === 'function') return text(agent);
  return text(name) ?? text(agent);
}
