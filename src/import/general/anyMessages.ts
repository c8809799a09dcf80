import { isObject } from '../../core/message.js';
import type { CallSite } from '../../core/record.js';
import type { ConversationBuilder } from '../building/conversationBuilder.js';
import { foundStepwise, parsedValues, type Entries } from '../reading/entries.js';
import type { ImportSink } from '../building/importSink.js';
import { isFragment } from '../reading/fragments.js';
import { asText, fields, list, objects, type Fields } from '../reading/fields.js';
import { wordsOf } from '../messages/anyMessage.js';
import { isLoose, isPiece } from '../messages/looseMessage.js';
import { LooseReader } from '../messages/looseReader.js';
import {
  idIn,
  isTalk,
  answerBeside,
  modelBeside,
  questionBeside,
  promptBeside,
  wordsKey,
  sessionOf,
  talksIn,
  titleIn,
  withoutTalks,
  type Talk,
} from '../messages/looseTalks.js';
import { looseModel, looseTime, speakerIn } from '../messages/looseWords.js';
import type { TranscriptFormat } from '../building/transcriptFormat.js';
import type { Steps } from '../reading/steps.js';

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
  detect: (head) => !isFragment(head) && (isLog(head) || head.some((value) => talksIn(value).length > 0)),
  *readLines(lines, sink) {
    const first = firstOf(lines);
    if (isLog(first)) yield* readLog(lines, sink);
    else yield* readRoots(lines, sink, first.length === 1);
  },
};

/** Types of lines that begin or end a log, or a part of one, and say nothing themselves. */
const FRAMES =
  /^(?:init|header|result|session|run|turn|thread|step|conversation|workspace|assistant_message)(?:$|[._-])/i;

/** Whether values are messages on lines of their own, whatever frames them. */
function isLog(values: readonly unknown[]): boolean {
  const isFrame = ({ type, kind, event }: Fields) => FRAMES.test(asText(type ?? kind ?? event));
  return isTalk(values) || isTalk(values.filter((value) => !isFrame(fields(value))));
}

/** How many values of a file tell whether it is a log. */
const HEAD_VALUES = 2_000;

/** The first values of a file, which tell what it is. */
function firstOf(lines: Entries): readonly unknown[] {
  const first: unknown[] = [];
  for (const value of parsedValues(lines)) if (first.push(value) >= HEAD_VALUES) break;
  return first;
}

/**
 * Reads messages that stand on lines of their own: one conversation, or one for each session that they name. `agent` is who
 * answers where no line says so.
 */
export function* readLog(lines: Entries, sink: ImportSink, agent = 'assistant'): Steps<void> {
  const readers = new Map<string, { builder: ConversationBuilder; reader: LooseReader }>();
  const agents = yield* agentsOfSessions(lines);
  const header = headerOf(lines);
  let current: string | undefined;
  for (const { value, line } of sink.readable(lines)) {
    const session = sessionOf(value) ?? current ?? '';
    current = session;
    const known = readers.get(session);
    const id = session === '' ? idIn(header) : session;
    const builder = known?.builder ?? sink.conversation(id, agents.get(session) ?? agent);
    builder.title ??= titleIn(header);
    const reader = known?.reader ?? new LooseReader(builder, builder.entry, looseModel(fields(header)));
    readers.set(session, { builder, reader });
    if (!reader.add(value) && !isObject(value)) sink.problem('warning', 'This line is no message.', line);
    yield;
  }
}

/** What the first line of a log says of the whole, where it says so and is no message. */
function headerOf(lines: Entries): unknown {
  for (const value of parsedValues(lines)) {
    const { role, message } = fields(value);
    return isLoose(value) || role !== undefined || message !== undefined ? undefined : value;
  }
  return undefined;
}

/** The agents that are asked in the sessions that lines name, by session; '' is the one before any is named. */
function* agentsOfSessions(lines: Entries): Steps<ReadonlyMap<string, string>> {
  const agents = new Map<string, string>();
  let session = '';
  for (const value of parsedValues(lines)) {
    session = sessionOf(value) ?? session;
    const agent = agents.has(session) ? undefined : answeringIn([value]);
    if (agent !== undefined) agents.set(session, agent);
    yield;
  }
  return agents;
}

/** The agent that is asked: whoever answers first under a name. */
function answeringIn(items: readonly unknown[]): string | undefined {
  for (const item of items) {
    if (!isLoose(item)) continue;
    const speaker = speakerIn(fields(item));
    if (speaker?.role === 'assistant') return speaker.name;
  }
  return undefined;
}

/** Reads conversations: the values of a file, or the items of the only list in it. */
function* readRoots(lines: Entries, sink: ImportSink, isAlone: boolean): Steps<void> {
  const first = yield* foundStepwise(lines, (value) =>
    rootsIn(value, isAlone).find((root) => talksOf(root).length > 0),
  );
  if (first === undefined) return;
  let reader = new RootReader(sink, first, talksOf(first));
  let isBegun = false;
  for (const value of sink.each(lines)) {
    for (const root of rootsIn(value, isAlone)) {
      yield;
      const talks = talksOf(root);
      if (talks.length === 0) {
        reader.keep(root);
        continue;
      }
      if (isBegun && !reader.isContinuedBy(root, talks)) reader = new RootReader(sink, root, talks);
      isBegun = true;
      reader.add(root, talks);
    }
  }
}

/** The objects in a value of a file that may hold lists of messages; `isAlone` says whether it is the only one. */
function rootsIn(value: unknown, isAlone: boolean): readonly unknown[] {
  const items = isAlone && Array.isArray(value) && !isTalk(value) ? list(value) : [value];
  return items
    .flatMap((item) => (Array.isArray(item) && !isTalk(item) ? list(item) : [item]))
    .flatMap(chatsInStore);
}

function talksOf(root: unknown): readonly Talk[] {
  return isTalk([root]) ? [{ items: [root], path: [], holder: {} }] : talksIn(root);
}

/** The chats of LlamaIndex's store, which has those of all its users under their keys; any other value is itself. */
function chatsInStore(root: unknown): readonly unknown[] {
  const { store, ...about } = fields(root);
  const chats = Object.entries(fields(store));
  const isStore = about.class_name === 'SimpleChatStore' || Object.keys(about).length === 0;
  if (!isStore || chats.length === 0 || !chats.every(([, items]) => Array.isArray(items))) return [root];
  return chats.map(([id, messages]) => ({ ...about, id, messages }));
}

function isBeginning({ items }: Talk): boolean {
  return objects(items).some(
    (item) => isLoose(item) && /^(?:user|system)$/.test(speakerIn(item)?.role ?? ''),
  );
}

/** Messages in the order in which they were said: lists of servers have the newest first. */
function oldestFirst(items: readonly unknown[]): readonly unknown[] {
  const times = items.flatMap((item) => looseTime(fields(item)) ?? []);
  const isDescending =
    times.length === items.length && times.every((time, index) => time <= (times[index - 1] ?? time));
  return isDescending && times[0] !== times.at(-1) ? [...items].reverse() : items;
}

/** How long what is kept once may be, as JSON. */
const MAX_KEPT_KEY = 2_000;

/** Reads the objects that hold the lists of messages of one conversation. */
class RootReader {
  readonly #builder: ConversationBuilder;
  #callSite: CallSite;
  #reader: LooseReader;
  /** What the last list says, to know the next that repeats it. */
  #heard: readonly string[] = [];
  /** What was kept that is short, as JSON. */
  readonly #kept = new Set<string>();

  constructor(sink: ImportSink, root: unknown, talks: readonly Talk[]) {
    const agent = talks.map(({ items }) => answeringIn(items)).find((each) => each !== undefined);
    this.#builder = sink.conversation(idIn(root), agent ?? 'assistant');
    this.#builder.title = titleIn(root);
    this.#callSite = this.#builder.entry;
    this.#reader = new LooseReader(this.#builder, this.#callSite);
  }

  /** Keeps what is no message; what a stream says of each piece alike is kept once. */
  keep(value: unknown, kind = 'unknown'): void {
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    if (this.#kept.has(key)) return;
    if (key.length <= MAX_KEPT_KEY) this.#kept.add(key);
    this.#builder.keep(this.#callSite, kind, value);
  }

  /**
   * Whether an object belongs to this conversation: it says nothing of a person, like the steps of a graph, or it repeats
   * the conversation so far, like the states after them.
   */
  isContinuedBy(root: unknown, talks: readonly Talk[]): boolean {
    if (idIn(root) !== undefined) return false;
    return !talks.some((talk) => isBeginning(talk)) || talks.some((talk) => this.#repeated(talk) > 0);
  }

  add(root: unknown, talks: readonly Talk[]): void {
    const isMessage = talks.some(({ items, of = items }) => of[0] === root);
    const lists = talks.map(({ items, of = items }) => of);
    const rest = isMessage
      ? undefined
      : withoutTalks(root, new Set(lists.flatMap((each) => [each, ...each])));
    const isStreamed = talks.some(({ items }) => isPiece(items[0]));
    if (rest !== undefined && (isStreamed || !Array.isArray(root))) this.keep(rest, 'conversation');
    for (const [index, talk] of talks.entries()) this.#addTalk(talk, index, root);
  }

  #addTalk(given: Talk, index: number, root: unknown): void {
    if (given.items.length === 1 && isPiece(given.items[0])) {
      this.#reader.add(given.items[0]);
      return;
    }
    const talk = { ...given, items: oldestFirst(given.items) };
    const repeated = this.#repeated(talk);
    // What begins with a person's words after another list is asked anew; anything else goes on.
    if (index > 0 && repeated === 0 && isBeginning(talk)) {
      this.#callSite = this.#builder.run(this.#builder.entry.agent);
      this.#reader = new LooseReader(this.#builder, this.#callSite, modelBeside(talk, root));
    } else if (repeated === 0) this.#reader.useModel(modelBeside(talk, root));
    if (repeated > 0) this.#builder.keep(this.#callSite, 'repeated', talk.items.slice(0, repeated));
    const prompt = repeated > 0 ? '' : wordsOf(promptBeside(talk, root) ?? '');
    if (prompt !== '') this.#builder.message(this.#callSite, { role: 'system', content: prompt });
    for (const item of talk.items.slice(repeated)) this.#reader.add(item);
    const question = questionBeside(talk);
    if (question) this.#reader.add(question);
    const answer = answerBeside(talk);
    if (answer) this.#reader.add(answer);
    const keys = talk.items.map((item) => wordsKey(item));
    this.#heard = keys.length >= this.#heard.length || repeated === 0 ? keys : this.#heard;
  }

  /** How many messages at the beginning of a list were heard before: all of the last one, or all of this one. */
  #repeated({ items }: Talk): number {
    const length = Math.min(items.length, this.#heard.length);
    const isSame = items.slice(0, length).every((item, index) => wordsKey(item) === this.#heard[index]);
    return isSame ? length : 0;
  }
}
