import { isObject } from '../../core/message.js';
import type { CallSite } from '../../core/record.js';
import type { ConversationBuilder } from '../building/conversationBuilder.js';
import type { ImportSink } from '../building/importSink.js';
import { fields, parsed, text, type Fields } from '../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../messages/chatMessage.js';
import { idIn } from '../messages/looseTalks.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

/** The keys under which a row of a data set has the text of a conversation. */
const TEXTS = ['chat', 'sample', 'text', 'conversation', 'prompt', 'chosen', 'rejected'] as const;

const SPEAKER = /^(SYSTEM|USER|ASSISTANT|FUNCTION RESPONSE|Human|Assistant):[ \t]?/m;

const ROLES: Readonly<Record<string, string>> = { Human: 'user' };

/** Conversations as one text, with the speakers in capitals and the calls of functions behind `<functioncall>`. */
export const functionTexts: TranscriptFormat = {
  name: 'function-texts',
  of: 'glaive-function-calling',
  files:
    'rows with a text of `SYSTEM:`, `USER:`, `ASSISTANT:` and `FUNCTION RESPONSE:`, or of `Human:` and `Assistant:`',
  carries: ['messages', 'calls'],
  detect: (head) => {
    const [first] = head;
    const rows = head.length === 1 && Array.isArray(first) ? (first as unknown[]) : head;
    return rows.length > 0 && most(rows, (value) => chatsOf(value).length > 0);
  },
  readLines(lines, sink) {
    for (const value of sink.each(lines))
      for (const row of Array.isArray(value) ? (value as unknown[]) : [value]) readRow(row, sink);
  },
};

/** The texts of conversations in a row: each begins with the system or the user, and the assistant answers. */
function chatsOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  return TEXTS.flatMap((key) => text(value[key]) ?? []).filter(isChat);
}

function isChat(words: string): boolean {
  const asked = words.search(/^(?:USER|Human):/m);
  const isBegun = /^\s*(?:SYSTEM|USER|Human):/.test(words);
  return isBegun && asked >= 0 && /^(?:ASSISTANT|Assistant):/m.test(words.slice(asked));
}

function readRow(value: unknown, sink: ImportSink): void {
  const builder = sink.conversation(idIn(value), 'assistant');
  // Kept whole: where a line begins with a speaker by chance, what was one message is read as two.
  builder.keep(builder.entry, 'conversation', value);
  const system = text(fields(value).system);
  for (const [index, chat] of chatsOf(value).entries()) {
    const callSite = index === 0 ? builder.entry : builder.run(builder.entry.agent);
    readChat(chat, system, builder, callSite);
  }
}

function readChat(
  chat: string,
  system: string | undefined,
  builder: ConversationBuilder,
  callSite: CallSite,
): void {
  let calls = 0;
  let waiting: string | undefined;
  for (const [speaker, words] of [
    ...(system === undefined ? [] : spoken(system, 'SYSTEM')),
    ...spoken(chat),
  ]) {
    const call = speaker === 'ASSISTANT' ? callIn(words) : undefined;
    if (call) {
      waiting = `call ${++calls}`;
      const made = toolCall(waiting, call.name, call.input);
      const content = call.words === '' ? null : call.words;
      builder.message(callSite, chatMessage('assistant', content, { calls: [made] }));
    } else if (speaker === 'FUNCTION RESPONSE') {
      builder.message(callSite, toolMessage(waiting ?? '', words));
      waiting = undefined;
    } else builder.message(callSite, { role: ROLES[speaker] ?? speaker.toLowerCase(), content: words });
  }
}

/** Who says what in a text; what stands before the first speaker is of `before`. */
function spoken(chat: string, before = 'USER'): (readonly [speaker: string, words: string])[] {
  const [head = '', ...rest] = chat.split(SPEAKER);
  const said: (readonly [string, string])[] = [[before, cleaned(head)]];
  for (let at = 0; at < rest.length; at += 2) said.push([rest[at] ?? before, cleaned(rest[at + 1] ?? '')]);
  return said.filter(([, words]) => words !== '');
}

function cleaned(words: string): string {
  return words.replace(/<\|endoftext\|>/g, '').trim();
}

/** The call of a function in a text; its arguments stand between single quotes, in which they are JSON. */
function callIn(
  words: string,
): { readonly words: string; readonly name: string; readonly input: unknown } | undefined {
  const mark = '<functioncall>';
  const at = words.indexOf(mark);
  const json = words.slice(at + mark.length).trim();
  if (at < 0 || !json.startsWith('{') || !json.endsWith('}')) return undefined;
  const [before = '', ...after] = json.split(/"arguments":\s*/);
  const input = after.join('"arguments": ').slice(0, -1).trim();
  const isQuoted = input.length > 1 && input.startsWith("'") && input.endsWith("'");
  const call: Fields = fields(parsed(isQuoted ? `${before}"arguments":{}}` : json));
  if (typeof call.name !== 'string') return undefined;
  return {
    words: words.slice(0, at).trim(),
    name: call.name,
    input: isQuoted ? input.slice(1, -1) : (call.arguments ?? {}),
  };
}
