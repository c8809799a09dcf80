import { isObject } from '../../core/message.js';
import type { ImportSink } from '../importSink.js';
import { fields, without } from '../reading/fields.js';
import { idIn, titleIn } from '../shapes/looseTalks.js';
import { looseModel } from '../shapes/looseWords.js';
import type { TranscriptFormat } from '../transcriptFormat.js';

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
  of: 'Gradio',
  files: 'chats as lists of pairs, question and answer, under a word for a chat',
  isGeneral: true,
  carries: ['messages', 'models'],
  detect: (head) => head.length > 0 && head.every((value) => chatKey(value) !== undefined),
  read(entries, sink) {
    for (const value of sink.values(entries)) readChat(value, sink);
  },
};

function chatKey(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  return CHATS.find((key) => {
    const pairs = value[key];
    return Array.isArray(pairs) && pairs.length > 0 && pairs.every(isPair) && pairs.some(isWhole);
  });
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
