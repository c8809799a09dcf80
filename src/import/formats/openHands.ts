import { isObject } from '../../core/message.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import { asText, fields, list, text, time, type Fields } from '../reading/fields.js';
import { spokenMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';

/** Actions that are messages rather than tool calls. */
const WORDS = new Set(['message', 'finish', 'think']);

/** Actions and observations about the state of the session. */
const STATE = new Set(['change_agent_state', 'agent_state_changed', 'null', 'recall', 'system']);

/** OpenHands' events: actions, and observations that refer to the action they answer. */
export const openHands: TranscriptFormat = {
  name: 'openhands',
  detect: (head) => {
    const events = head.length === 1 && Array.isArray(head[0]) ? (head[0] as unknown[]) : head;
    return events.length > 0 && most(events, isEvent);
  },
  read(entries, sink) {
    const builder = sink.conversation(undefined, 'OpenHands');
    const ids = new Map<unknown, string>();
    for (const { value } of sink.readable(entries)) {
      for (const event of Array.isArray(value) ? list(value) : [value]) addEvent(event, builder, ids);
    }
  },
};

function isEvent(value: unknown): boolean {
  return (
    isObject(value) && 'id' in value && 'source' in value && ('action' in value || 'observation' in value)
  );
}

/** Adds one event; `ids` maps the id of each action to its tool call. */
function addEvent(value: unknown, builder: ConversationBuilder, ids: Map<unknown, string>): void {
  const event = fields(value);
  const at = time(event.timestamp);
  const kind = text(event.action) ?? text(event.observation) ?? 'unknown';
  if (STATE.has(kind) || kind === 'unknown') builder.keep(builder.entry, kind, value, at);
  else if (event.action === undefined) {
    const id = ids.get(event.cause) ?? asText(fields(event.tool_call_metadata).tool_call_id);
    const content = text(event.content) ?? asText(event.message);
    const isError = kind === 'error' || Number(fields(fields(event.extras).metadata).exit_code ?? 0) !== 0;
    builder.message(builder.entry, toolMessage(id === '' ? undefined : id, content), {
      time: at,
      toolName: kind,
      isError: isError || undefined,
      raw: event,
    });
  } else if (WORDS.has(kind)) {
    const { content, thought, final_thought } = fields(event.args);
    const said = text(content) ?? text(final_thought) ?? text(thought) ?? asText(event.message);
    const role = event.source === 'user' ? 'user' : 'assistant';
    builder.message(builder.entry, { role, content: said }, { time: at, raw: event });
  } else addAction(event, kind, builder, ids, at);
}

function addAction(
  event: Fields,
  kind: string,
  builder: ConversationBuilder,
  ids: Map<unknown, string>,
  at: number | undefined,
): void {
  const { tool_call_id, function_name } = fields(event.tool_call_metadata);
  const id = text(tool_call_id) ?? `action-${asText(event.id)}`;
  ids.set(event.id, id);
  const { thought, ...input } = fields(event.args);
  const calls = [toolCall(id, text(function_name) ?? kind, input)];
  const message = spokenMessage('assistant', text(thought) ?? null, { calls });
  builder.message(builder.entry, message, { time: at, raw: event });
}
