import { isObject } from '../../core/message.js';
import { asText, fields } from '../reading/fields.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

const SPEAKER = /^(system|user|assistant|tool): ?/;

/** Conversations as plain text, where each message starts with its role on a new line (tau-bench's examples). */
export const displayText: TranscriptFormat = {
  name: 'display-text',
  of: 'tau-bench',
  files: 'examples as plain text',
  carries: ['messages'],
  detect: (head) =>
    head.length > 0 && most(head, (value) => isObject(value) && typeof value.messages_display === 'string'),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const builder = sink.conversation(undefined, 'assistant');
      // Kept whole: where a line begins with a role by chance, what was one message is read as two.
      builder.keep(builder.entry, 'conversation', value);
      for (const message of messagesIn(asText(fields(value).messages_display)))
        builder.message(builder.entry, message);
    }
  },
};

function messagesIn(text: string): { role: string; content: string }[] {
  const messages: { role: string; content: string }[] = [];
  for (const line of text.split('\n')) {
    const role = SPEAKER.exec(line)?.[1];
    const last = messages.at(-1);
    if (role !== undefined) messages.push({ role, content: line.replace(SPEAKER, '') });
    else if (last) last.content += `\n${line}`;
    else messages.push({ role: 'user', content: line });
  }
  return messages;
}
