import { isObject } from '../../core/message.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import type { Entry, ImportSink } from '../importSink.js';
import { list, objects } from '../reading/fields.js';
import { wordsOf } from '../shapes/anyMessage.js';
import { isLoose } from '../shapes/looseMessage.js';
import { LooseReader } from '../shapes/looseReader.js';
import {
  idIn,
  isTalk,
  promptBeside,
  sessionOf,
  talksIn,
  titleIn,
  withoutTalks,
  type Talk,
} from '../shapes/looseTalks.js';
import { speakerIn } from '../shapes/looseWords.js';
import type { TranscriptFormat } from '../transcriptFormat.js';

/**
 * Conversations of tools that are not known one by one: messages in any of the spellings that are common, under any key.
 * The last format that is asked, because all others say more about theirs.
 */
export const anyMessages: TranscriptFormat = {
  name: 'any-messages',
  of: 'Any tool',
  files:
    'messages with who speaks and what is said, under whatever names: frameworks, chat programs, data sets, dumps of states',
  isGeneral: true,
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) => isTalk(head) || head.some((value) => talksIn(value).length > 0),
  read(entries, sink) {
    const values = entries.flatMap(({ value, raw }) => (raw === undefined ? [value] : []));
    if (isTalk(values)) readLines(entries, sink);
    else readRoots(sink.values(entries), sink);
  },
};

/** Reads messages that stand on lines of their own: one conversation, or one for each session that they name. */
function readLines(entries: readonly Entry[], sink: ImportSink): void {
  const readers = new Map<string, { builder: ConversationBuilder; reader: LooseReader }>();
  let current: string | undefined;
  for (const { value, line } of sink.readable(entries)) {
    const session = sessionOf(value) ?? current ?? '';
    current = session;
    const known = readers.get(session);
    const builder = known?.builder ?? sink.conversation(session === '' ? undefined : session, 'assistant');
    const reader = known?.reader ?? new LooseReader(builder, builder.entry);
    readers.set(session, { builder, reader });
    if (!reader.add(value) && !isObject(value)) sink.problem('warning', 'This line is no message.', line);
  }
}

/** Reads conversations: the values of a file, or the items of the only list in it. */
function readRoots(values: readonly unknown[], sink: ImportSink): void {
  const [only] = values;
  const items = values.length === 1 && Array.isArray(only) && !isTalk(only) ? list(only) : values;
  const roots = items.flatMap((item) => (Array.isArray(item) && !isTalk(item) ? list(item) : [item]));
  let builder: ConversationBuilder | undefined;
  const before: unknown[] = [];
  for (const root of roots) {
    const talks = isTalk([root]) ? [{ items: [root], path: [], holder: {} }] : talksIn(root);
    if (talks.length === 0) {
      if (builder) builder.keep(builder.entry, 'unknown', root);
      else before.push(root);
      continue;
    }
    // What says nothing of a person goes on with what was said before, as in the steps of a graph.
    const isNew = !builder || idIn(root) !== undefined || talks.some((talk) => isBeginning(talk));
    const isFirst = !builder;
    if (isNew || !builder) builder = sink.conversation(idIn(root), 'assistant');
    if (isNew) builder.title = titleIn(root);
    if (isFirst) for (const each of before) builder.keep(builder.entry, 'unknown', each);
    readTalks(root, talks, builder);
  }
}

function isBeginning({ items }: Talk): boolean {
  return objects(items).some(
    (item) => isLoose(item) && /^(?:user|system)$/.test(speakerIn(item)?.role ?? ''),
  );
}

function readTalks(root: unknown, talks: readonly Talk[], builder: ConversationBuilder): void {
  const isMessage = talks.some(({ items }) => items[0] === root);
  const rest = isMessage ? undefined : withoutTalks(root, new Set(talks.map(({ items }) => items)));
  if (rest !== undefined && !Array.isArray(root)) builder.keep(builder.entry, 'conversation', rest);
  let place = builder.entry;
  for (const [index, talk] of talks.entries()) {
    // What does not begin with a person's words goes on with the list before it.
    if (index === 0 || isBeginning(talk))
      place = index === 0 ? builder.entry : builder.run(builder.entry.agent);
    const prompt = wordsOf(promptBeside(talk) ?? '');
    if (prompt !== '') builder.message(place, { role: 'system', content: prompt });
    const reader = new LooseReader(builder, place);
    for (const item of talk.items) reader.add(item);
  }
}
