import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, text, type Fields } from '../../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { looseTime } from '../../messages/looseWords.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/** The events that Claude Code calls hooks for; other tools have hooks with names of their own. */
const EVENTS =
  /^(?:PreToolUse|PostToolUse|PostToolUseFailure|PermissionRequest|UserPromptSubmit|SessionStart|SessionEnd|Stop|SubagentStart|SubagentStop|PreCompact|Notification)$/;

/** What Claude Code hands to hooks, as hooks that write a log keep it: one line for each event. */
export const claudeHooks: TranscriptFormat = {
  name: 'claude-hooks',
  of: 'Claude Code',
  files: 'logs of what its hooks were given',
  carries: ['messages', 'calls', 'times'],
  detect: (head) => most(head, isHookEvent),
  *readLines(lines, sink) {
    const sessions = new Map<string, Session>();
    let last: Session | undefined;
    for (const value of sink.each(lines)) {
      const id = text(fields(value).session_id);
      const known = id === undefined ? last : sessions.get(id);
      last = known ?? new Session(sink, id);
      if (id !== undefined) sessions.set(id, last);
      last.add(value);
      yield;
    }
  },
};

function isHookEvent(value: unknown): boolean {
  return (
    isObject(value) && typeof value.session_id === 'string' && EVENTS.test(asText(value.hook_event_name))
  );
}

/** A call that no result has answered yet. */
interface PendingCall {
  readonly id: string;
  /** What tells it from others where it has no id. */
  readonly key: string;
}

class Session {
  readonly #builder: ConversationBuilder;
  readonly #waiting: PendingCall[] = [];
  #calls = 0;

  constructor(sink: ImportSink, id: string | undefined) {
    this.#builder = sink.conversation(id, 'Claude');
  }

  add(value: unknown): void {
    const event = fields(value);
    const name = asText(event.hook_event_name);
    const time = looseTime(event);
    const { entry } = this.#builder;
    const said = text(event.last_assistant_message);
    if (name === 'UserPromptSubmit' && typeof event.prompt === 'string')
      this.#builder.message(entry, { role: 'user', content: event.prompt }, { time, raw: value });
    else if (name === 'PreToolUse' && typeof event.tool_name === 'string') this.#call(event, time);
    else if (name.startsWith('PostToolUse') && typeof event.tool_name === 'string') this.#answer(event, time);
    else if (name === 'Stop' && said !== undefined)
      this.#builder.message(entry, { role: 'assistant', content: said }, { time, raw: value });
    else {
      if (name === 'PermissionDenied') this.#deny(event, time);
      this.#builder.keep(entry, name === '' ? 'unknown' : name, value, time);
    }
  }

  /** A call that the mode in which nobody is asked has denied. */
  #deny({ tool_use_id: id, reason }: Fields, time: number | undefined): void {
    if (typeof id !== 'string') return;
    const about = { toolCallId: id, isApproved: false, reason: text(reason) ?? '', rule: 'auto mode' };
    this.#builder.decide(this.#builder.entry, { ...about, decidedBy: 'policy' }, time);
  }

  #call(event: Fields, time: number | undefined): string {
    const id = text(event.tool_use_id) ?? `call ${++this.#calls}`;
    this.#waiting.push({ id, key: keyOf(event) });
    const calls = [toolCall(id, event.tool_name, event.tool_input)];
    const details = { time, agent: text(event.agent_type), raw: event };
    this.#builder.message(this.#builder.entry, chatMessage('assistant', null, { calls }), details);
    return id;
  }

  /** A result; a hook that is called only after tools tells of the call with it. */
  #answer(event: Fields, time: number | undefined): void {
    const given = text(event.tool_use_id);
    const key = keyOf(event);
    const index = this.#waiting.findIndex((call) =>
      given === undefined ? call.key === key : call.id === given,
    );
    const waiting = index < 0 ? undefined : this.#waiting[index];
    const id = waiting?.id ?? this.#call(event, time);
    this.#waiting.splice(index, 1);
    const { error, tool_response } = event;
    const isError = event.hook_event_name === 'PostToolUseFailure' || fields(tool_response).is_error === true;
    const content = asText(tool_response ?? error);
    const details = { time, toolName: text(event.tool_name), isError: isError || undefined, raw: event };
    this.#builder.message(this.#builder.entry, toolMessage(id, content), details);
  }
}

function keyOf({ tool_name, tool_input }: Fields): string {
  return JSON.stringify([tool_name, tool_input]);
}
