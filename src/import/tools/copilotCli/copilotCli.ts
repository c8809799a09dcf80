import type { Tool } from '../tool.js';
import { copilotEvents } from './copilotEvents.js';
import { copilotStoreFormat } from './copilotStore.js';
import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../../reading/fields.js';
import type { ImportSink } from '../../building/importSink.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** Older sessions of Copilot CLI: one object with a timeline. */
const copilotTimeline: TranscriptFormat = {
  name: 'copilot-timeline',
  of: 'Copilot CLI',
  files: 'timelines',
  carries: ['messages', 'calls', 'times'],
  detect: ([value]) => isObject(value) && Array.isArray(value.chatMessages) && Array.isArray(value.timeline),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const about = fields(value);
      const builder = sink.conversation(about.sessionId, 'Copilot');
      builder.keep(
        builder.entry,
        'session',
        without(about, 'timeline', 'chatMessages'),
        time(about.startTime),
      );
      const isTold = list(about.timeline).length > 0;
      if (isTold) for (const item of objects(about.timeline)) addItem(item, builder, sink);
      for (const message of objects(about.chatMessages)) {
        // The messages as sent repeat what is in the timeline.
        if (isTold) builder.keep(builder.entry, 'chatMessage', message);
        else builder.message(builder.entry, message);
      }
    }
  },
};

function addItem(item: Fields, builder: ConversationBuilder, sink: ImportSink): void {
  const at = time(item.timestamp);
  const { entry } = builder;
  switch (item.type) {
    case 'user':
      builder.message(entry, { role: 'user', content: asText(item.text) }, { time: at, raw: item });
      return;
    case 'copilot':
      builder.message(entry, { role: 'assistant', content: asText(item.text) }, { time: at, raw: item });
      return;
    case 'tool_call_requested':
    case 'tool_call_completed':
      addCall(item, builder, at);
      return;
    case 'info':
    case 'error':
    case 'warning':
      break;
    default:
      sink.unknown(`items of type ${String(item.type)}`);
  }
  builder.keep(entry, text(item.type) ?? 'unknown', item, at);
}

function addCall(item: Fields, builder: ConversationBuilder, at: number | undefined): void {
  const id = asText(item.callId);
  const calls = [toolCall(id, item.name, item.arguments)];
  builder.message(builder.entry, chatMessage('assistant', null, { calls }), { time: at, raw: item });
  if (item.result === undefined) return;
  const result = fields(item.result);
  const content = asText(result.log ?? result.message ?? result.error ?? item.result);
  const isError = typeof result.type === 'string' && result.type !== 'success';
  builder.message(builder.entry, toolMessage(id, content), {
    time: at,
    isError: isError || undefined,
    raw: item,
  });
}

/** Copilot CLI. */
export const copilotCli: Tool = { formats: [copilotEvents, copilotTimeline, copilotStoreFormat] };
