import type { ImportSink } from '../building/importSink.js';
import { headingOf, isSpokenText, isTextChat, spokenLine } from '../reading/textChat.js';
import { type TranscriptFormat, most } from '../building/transcriptFormat.js';
import { isObject } from '../../core/message.js';
import { asText, fields } from '../reading/fields.js';

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

/** Chats that were exported as Markdown or text: each message under a line of its own that says who speaks. */
export const textChat: TranscriptFormat = {
  name: 'text-chat',
  of: 'SpecStory, Cursor and others',
  files: 'chats as Markdown or text, with who speaks on a line of its own or at the beginning of one',
  carries: ['messages'],
  detect: ([value]) => typeof value === 'string' && isTextChat(value),
  read(entries, sink) {
    for (const value of sink.values(entries)) if (typeof value === 'string') readChat(value, sink);
  },
};

function readChat(value: string, sink: ImportSink): void {
  const builder = sink.conversation(undefined, 'assistant');
  builder.title = /^# +(.*\S)/m.exec(value)?.[1];
  const isSpoken = isSpokenText(value);
  let isCode = false;
  let speaker: { readonly role: string; readonly heading: string } | undefined;
  let lines: string[] = [];
  const finish = () => {
    // A rule between two messages is none of their words.
    const [rule = ''] = /\n\s*(?:---+|\*\*\*+|___+)\s*$/.exec(`\n${lines.join('\n')}`) ?? [];
    const words = lines
      .join('\n')
      .slice(0, lines.join('\n').length - rule.trimStart().length)
      .trim();
    const raw = { heading: speaker?.heading, ...(rule !== '' && { rule: rule.trim() }) };
    if (!speaker || words === '') {
      const text = [...(speaker ? [speaker.heading] : []), ...lines].join('\n').trim();
      if (text !== '') builder.keep(builder.entry, 'text', text);
    } else builder.message(builder.entry, { role: speaker.role, content: words }, { raw });
    lines = [];
  };
  for (const line of value.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const begun = isSpoken && !isCode ? spokenLine(line) : undefined;
    const role = begun?.role ?? (isCode ? undefined : headingOf(line));
    if (role === undefined) lines.push(line);
    else {
      finish();
      speaker = { role, heading: line };
      if (begun) lines.push(begun.words);
    }
  }
  finish();
}
