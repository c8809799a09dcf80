import type { Usage } from '../../../core/usage.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, time, type Fields } from '../../reading/fields.js';
import { RepeatedHistory } from '../../messages/repeatedHistory.js';
import { usageOf } from '../../messages/usage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** How Aider's two files begin: its chats in Markdown, and what it sent to the model. */
const CHAT = /^\s*# aider chat started at /;
const SENT = /^\s*(?:TO LLM|LLM RESPONSE) \d{4}-/;

/** Aider's history of chats (Markdown) and its history of requests, both texts. */
export const aider: TranscriptFormat = {
  name: 'aider',
  of: 'Aider',
  files: '`.aider.chat.history.md`, the file of `--llm-history-file`',
  carries: ['messages', 'times', 'models', 'usage', 'cost'],
  detect: ([value]) => typeof value === 'string' && (CHAT.test(value) || SENT.test(value)),
  read(entries, sink) {
    for (const value of sink.values(entries)) {
      if (typeof value !== 'string') continue;
      if (SENT.test(value)) readSent(value, sink);
      else for (const chat of value.split(/^(?=# aider chat started at )/m)) readChat(chat, sink);
    }
  },
};

/** What of a chat follows on each other: a prompt, an answer, or what the program says. */
interface Piece {
  readonly kind: 'user' | 'assistant' | 'program';
  readonly lines: string[];
}

function readChat(chat: string, sink: ImportSink): void {
  const [head = '', ...lines] = chat.split('\n');
  if (chat.trim() === '') return;
  const started = /^# aider chat started at (.*\S)/.exec(head)?.[1];
  const builder = sink.conversation(started === undefined ? undefined : `aider ${started}`, 'Aider');
  const when = time(started?.replace(' ', 'T'));
  builder.keep(builder.entry, 'session', head, when);
  let model: string | undefined;
  const last = { isAnswered: false };
  for (const { kind, lines: said } of pieces(lines)) {
    const words = said.join('\n').trim();
    if (words === '') continue;
    if (kind !== 'program') {
      const raw = kind === 'user' ? { markdown: said.map((line) => `#### ${line}`).join('\n') } : undefined;
      const details = { model: kind === 'user' ? undefined : model, raw };
      builder.message(builder.entry, { role: kind, content: words }, details);
      last.isAnswered = kind === 'assistant';
      continue;
    }
    model = /^(?:Main model|Model): (\S+)/m.exec(words)?.[1] ?? model;
    builder.keep(builder.entry, 'aider', said.map((line) => `> ${line}`).join('\n'));
    const usage = usageIn(words);
    if (usage) builder.request(builder.entry, usage, model);
  }
}

function pieces(lines: readonly string[]): Piece[] {
  const all: Piece[] = [];
  let isCode = false;
  for (const line of lines) {
    if (/^(?:```|~~~)/.test(line)) isCode = !isCode;
    const kind = isCode
      ? 'assistant'
      : line.startsWith('#### ')
        ? 'user'
        : line.startsWith('> ')
          ? 'program'
          : 'assistant';
    const words = kind === 'user' ? line.slice(5) : kind === 'program' ? line.slice(2) : line;
    const last = all.at(-1);
    // A blank line after a prompt or a notice is no answer yet.
    if (last && (last.kind === kind || words.trim() === '')) last.lines.push(words.trimEnd());
    else all.push({ kind, lines: [words.trimEnd()] });
  }
  return all;
}

/** The tokens of the last request, which are rounded, and what it cost. */
function usageIn(words: string): Usage | undefined {
  const told = /^Tokens: ([\d.,]+k?) sent(?:,.*?)?, ([\d.,]+k?) received/m.exec(words);
  if (!told) return undefined;
  const [, cost] = /^Tokens: .*\bCost: \$([\d.]+) message/m.exec(words) ?? [];
  return { ...usageOf({ input: amount(told[1]), output: amount(told[2]), cost }), estimated: true };
}

function amount(told = ''): number {
  const number = Number.parseFloat(told.replaceAll(',', ''));
  return Math.round(told.endsWith('k') ? number * 1000 : number);
}

function readSent(value: string, sink: ImportSink): void {
  const builder = sink.conversation(undefined, 'Aider');
  const history = new RepeatedHistory(builder, builder.entry);
  for (const part of value.split(/^(?=(?:TO LLM|LLM RESPONSE) \d{4}-)/m)) {
    const [head = '', ...lines] = part.split('\n');
    const when = time(head.replace(/^(?:TO LLM|LLM RESPONSE) /, '').trim());
    const dashes = lines.find((line) => /^-+$/.test(line.trim())) ?? '';
    if (head.trim() !== '') builder.keep(builder.entry, 'aider', `${head}\n${dashes}`.trim(), when);
    const messages = messagesIn(lines, builder);
    const rawOf = ({ role, content }: Fields) => ({
      lines: asText(content)
        .split('\n')
        .map((line) => `${asText(role).toUpperCase()} ${line}`.trimEnd())
        .join('\n'),
    });
    if (head.startsWith('TO LLM')) history.addHistory(messages, { time: when }, rawOf);
    else for (const message of messages) history.expect(message, { time: when, raw: rawOf(message) });
  }
  history.finish();
}

/** The messages of one request or answer: each of its lines begins with the role, a line of dashes is between two. */
function messagesIn(
  lines: readonly string[],
  builder: ConversationBuilder,
): { role: string; content: string }[] {
  const messages: { role: string; content: string }[] = [];
  let isNew = true;
  for (const line of lines) {
    const [, word, said = ''] = /^(SYSTEM|USER|ASSISTANT|TOOL) ?(.*)$/.exec(line) ?? [];
    const role = word?.toLowerCase();
    const last = messages.at(-1);
    if (role === undefined) {
      isNew = true;
      if (line.trim() !== '' && !/^-+$/.test(line.trim())) builder.keep(builder.entry, 'aider', line);
    } else if (last && !isNew && last.role === role) last.content += `\n${said}`;
    else messages.push({ role, content: said });
    if (role !== undefined) isNew = false;
  }
  return messages;
}
