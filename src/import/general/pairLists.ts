import { isObject } from '../../core/message.js';
import type { ImportSink } from '../building/importSink.js';
import { fields, list, without, type Fields } from '../reading/fields.js';
import { idIn, titleIn } from '../messages/looseTalks.js';
import { looseModel } from '../messages/looseWords.js';
import type { TranscriptFormat } from '../building/transcriptFormat.js';

/** The keys under which data sets have a dialog as texts of which every other is an answer. */
const DIALOGS = [
  'data',
  'dialog',
  'dialogue',
  'dialogs',
  'conversation',
  'conversations',
  'turns',
  'utterances',
];

/** The keys that say that a list of pairs is a chat; pairs of texts under no such word may be anything. */
const CHATS = [
  'history',
  'chat_history',
  'chatHistory',
  'chatbot',
  'conversation',
  'messages',
  'chat',
] as const;

/** Chats as pairs of what was asked and what was answered, without names, as Gradio has them. */
export const pairLists: TranscriptFormat = {
  name: 'pair-lists',
  of: 'Gradio, UltraChat',
  files: 'chats as lists of pairs, question and answer, under a word for a chat; dialogs as lists of texts',
  isGeneral: true,
  carries: ['messages', 'models'],
  detect: (head) =>
    head.length > 0 && head.every((value) => (chatKey(value) ?? dialogKey(value)) !== undefined),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      if (chatKey(value) === undefined && dialogKey(value) !== undefined) readDialog(fields(value), sink);
      else readChat(value, sink);
    }
  },
};

function chatKey(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  return CHATS.find((key) => {
    const pairs = value[key];
    return Array.isArray(pairs) && pairs.length > 0 && pairs.every(isPair) && pairs.some(isWhole);
  });
}

/** The key of a dialog: texts that say something, of which at least the first two are sentences. */
function dialogKey(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  return DIALOGS.find((key) => {
    const texts = list(value[key]);
    const isSpoken = texts
      .slice(0, 2)
      .every((each) => typeof each === 'string' && /\S\s+\S+\s+\S/.test(each));
    return texts.length > 1 && isSpoken && texts.every((each) => typeof each === 'string');
  });
}

function readDialog(about: Fields, sink: ImportSink): void {
  const key = dialogKey(about) ?? '';
  const builder = sink.conversation(idIn(about), 'assistant');
  builder.title = titleIn(about);
  const rest = without(about, key);
  if (Object.keys(rest).length > 0) builder.keep(builder.entry, 'conversation', rest);
  for (const [index, content] of list(about[key]).entries()) {
    const isAnswer = index % 2 === 1;
    const message = { role: isAnswer ? 'assistant' : 'user', content };
    builder.message(builder.entry, message, { model: isAnswer ? looseModel(about) : undefined });
  }
}

/** Two texts, either of which may be missing: a chat may begin with an answer and end with a question. */
function isPair(value: unknown): value is readonly [string | null, string | null] {
  const isSaid = (each: unknown) => each === null || typeof each === 'string';
  return Array.isArray(value) && value.length === 2 && value.every(isSaid);
}

function isWhole(pair: readonly (string | null)[]): boolean {
  return pair.every((each) => typeof each === 'string' && each.trim() !== '');
}

function readChat(value: unknown, sink: ImportSink): void {
  const about = fields(value);
  const key = chatKey(value);
  const builder = sink.conversation(idIn(about), 'assistant');
  builder.title = titleIn(about);
  const rest = key === undefined ? about : without(about, key);
  if (Object.keys(rest).length > 0) builder.keep(builder.entry, 'conversation', rest);
  const pairs = key === undefined ? [] : (about[key] as readonly (readonly [string | null, string | null])[]);
  for (const [asked, answered] of pairs) {
    if (asked !== null) builder.message(builder.entry, { role: 'user', content: asked });
    const details = { model: looseModel(about) };
    if (answered !== null) builder.message(builder.entry, { role: 'assistant', content: answered }, details);
  }
}
