import { endOfWord, ended } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, text, time } from '../../reading/fields.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/** CrewAI's log of tasks (`output_log_file`): when each began and what came of it. Each task is a turn of its agent. */
export const crewAi: TranscriptFormat = {
  name: 'crewai',
  of: 'CrewAI',
  files: 'logs of tasks (`output_log_file`, `.json` and `.txt`)',
  carries: ['messages', 'times'],
  detect: (head) => {
    const [first] = head;
    const items = head.length === 1 && Array.isArray(first) ? (first as unknown[]) : head;
    return items.length > 0 && most(items, isTaskEvent);
  },
  read(entries, sink) {
    const events = sink
      .values(entries)
      .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]));
    readTasks(events, sink);
  },
};

function isTaskEvent(value: unknown): boolean {
  if (!isObject(value) || typeof value.agent !== 'string' || typeof value.task !== 'string') return false;
  const isDone = typeof value.output === 'string' || value.status === 'started' || value.status === 'failed';
  return isDone && /^(?:started|completed|failed)$/.test(asText(value.status));
}

function readTasks(events: readonly unknown[], sink: ImportSink): void {
  const first = fields(events.find(isTaskEvent));
  const builder = sink.conversation(undefined, asText(first.agent));
  const open = new Map<string, CallSite>();
  let callSite: CallSite | undefined;
  for (const event of events) {
    if (!isTaskEvent(event)) {
      builder.keep(callSite ?? builder.entry, typeof event === 'string' ? 'text' : 'unknown', event);
      continue;
    }
    const { agent, task, status, output, timestamp } = fields(event);
    const key = JSON.stringify([agent, task]);
    const at = time(timestamp);
    const known = open.get(key);
    const isNew = known === undefined || status === 'started';
    callSite = known !== undefined && !isNew ? known : callSite ? builder.run(asText(agent)) : builder.entry;
    if (isNew) addTask(builder, callSite, event);
    if (status === 'started') open.set(key, callSite);
    else {
      open.delete(key);
      const details = { time: at, raw: event, ...ended(endOfWord(status)) };
      if (text(output) === undefined) builder.keep(callSite, asText(status), event, at);
      else builder.message(callSite, { role: 'assistant', content: output }, details);
    }
  }
}

function addTask(builder: ConversationBuilder, callSite: CallSite, event: unknown): void {
  const { task, status, timestamp } = fields(event);
  // When a task began is known only from its beginning.
  const at = status === 'started' ? time(timestamp) : undefined;
  builder.message(callSite, { role: 'user', content: task }, { time: at, raw: event });
}
