import type { Problem } from '../core/agent.js';
import { appendAll } from '../core/lists.js';
import { isObject, textOf } from '../core/message.js';
import { preview, singleLine } from '../core/text.js';
import type { ConversationBuilder } from './conversationBuilder.js';
import { detect } from './detect.js';
import type { Entry } from './entries.js';
import { GrowingFile } from './growingFile.js';
import type { ImportedRecord } from './importResult.js';
import { baseName, ImportSink } from './importSink.js';
import { asText, fields, objects } from './reading/fields.js';
import { keptOf, lossOf, placeOf } from './rest/leftOver.js';
import { lostTexts, type LostText } from './rest/lostTexts.js';
import { StandingTexts } from './rest/standingTexts.js';
import { Drafts, type Draft } from './spool/drafts.js';
import { Spool } from './spool/spool.js';
import type { FedFormat, FedReader } from './transcriptFormat.js';

/** How much of the file is read before records are made of it, in bytes; more would wait on the disk meanwhile. */
const GIVEN_AT_ONCE = 32 * 1024;

/** How many values tell the format, unless the file has fewer yet. */
const HEAD = 20;

/** How much of what was read is written to the disk at once, in bytes; many files may be followed. */
const SPOOL_BLOCK = 32 * 1024;

/** How many values may wait for those that they belong to. */
const MAX_UNKNOWN = 100;

/** How much is told of a tool call in an answer that may go on, in code points. */
const MAX_CALL = 200;

/** What a file has gained since it was read last. */
export interface Gained {
  /** They follow those that were given before. */
  readonly records: readonly ImportedRecord[];
  /** Whether there is more of it to be read at once. */
  readonly isMore: boolean;
}

/** What an agent has said of an answer that may go on. */
export interface SaidSoFar {
  readonly call: string;
  readonly agent: string;
  readonly depth: number;
  /** Its words, and a line for each tool that it calls. */
  readonly text: string;
  readonly reasoning: string;
}

/**
 * One session in a file of lines that is read while it is written: each line is read once, and what is made of it is final, so
 * that it costs the same however long the file is. An answer waits until something else is said, because it may go on in
 * further lines. Where a line changes what was made of earlier ones the file is void, and must be opened again.
 */
export class FollowedFile {
  readonly format: FedFormat;
  readonly #file: GrowingFile;
  readonly #sink: ImportSink;
  readonly #reader: FedReader;
  readonly #spool = new Spool(SPOOL_BLOCK);
  /** The first values, as long as they may still tell that the format is another one. */
  readonly #head: Entry[] = [];
  readonly #lost: LostText[] = [];
  /** Of the records that were given, the last one that was read. */
  #last: ImportedRecord | undefined;
  /** The values of which something stands in no draft yet. */
  #unknown: Entry[] = [];
  /** How much of the file was looked at before it was read, in bytes. */
  #lookedAt = 0;
  #premises: string | undefined;
  #facts: string | undefined;
  #isVoid = false;

  private constructor(format: FedFormat, path: string) {
    this.format = format;
    this.#sink = new ImportSink(baseName(path), new Drafts(this.#spool));
    this.#file = new GrowingFile(path, this.#sink);
    this.#reader = format.begin(this.#sink, []);
  }

  /**
   * Opens a session; undefined where it cannot be read line by line: it is in no such format, or not all of it can be read.
   * Throws errors of the file system.
   */
  static open(path: string): FollowedFile | undefined {
    const format = formatOf(new GrowingFile(path, DEAF).readOn());
    if (!format) return undefined;
    const followed = new FollowedFile(format, path);
    if (followed.#reader.premises !== undefined) return followed;
    followed.close();
    return undefined;
  }

  /** Whether what was given of it is no longer what it says. */
  get isVoid(): boolean {
    return this.#isVoid;
  }

  /** How much of it was read, in bytes. */
  get bytes(): number {
    return this.#file.bytes;
  }

  get id(): string {
    return this.#conversation?.id ?? '';
  }

  get title(): string {
    return this.#conversation?.titleSoFar ?? '';
  }

  get facts(): Readonly<Record<string, string>> | undefined {
    const { facts } = this.#conversation ?? {};
    return facts && facts.size > 0 ? Object.fromEntries(facts) : undefined;
  }

  get problems(): readonly Problem[] {
    return [...this.#sink.problems, ...lossOf(this.#lost, true)];
  }

  /** Looks at all of the file before it is read, for what its later lines say of the earlier ones. */
  lookAhead(): void {
    const file = new GrowingFile(this.#file.path, DEAF);
    do for (const entry of file.readOn()) this.#reader.look?.(entry);
    while (!file.isAll);
    this.#lookedAt = file.bytes;
  }

  /** Reads the next lines, a few megabytes at most. Throws errors of the file system, and where the file was replaced. */
  readOn(): Gained {
    const entries = this.#file.readOn();
    this.#isVoid ||= this.#isAnotherFormat(entries) || entries.some(({ raw }) => raw !== undefined);
    if (this.#isVoid) return NOTHING;
    for (const entry of entries) if ((entry.offset ?? 0) >= this.#lookedAt) this.#reader.look?.(entry);
    const { premises } = this.#reader;
    this.#isVoid ||= this.#premises !== undefined && this.#premises !== premises;
    if (entries.length > 0) this.#premises = premises;
    const records = this.#isVoid || entries.length === 0 ? [] : this.#read();
    this.#file.rest();
    return this.#gained(records);
  }

  /** Gives what has waited: nothing was written for a while. */
  settle(): Gained {
    this.#reader.settle?.();
    const conversation = this.#conversation;
    return this.#gained(conversation ? this.#give(conversation, conversation.length, []) : []);
  }

  /** Whether something waits because further lines may change it. */
  get isWaiting(): boolean {
    const { given = 0, length = 0 } = this.#conversation ?? {};
    return given < length;
  }

  /** The answer that waits, because it may go on; none where nothing does. */
  get saidSoFar(): readonly SaidSoFar[] {
    const conversation = this.#conversation;
    return conversation ? conversation.since(conversation.given).flatMap(saidIn) : [];
  }

  close(): void {
    this.#file.rest();
    this.#spool.close();
  }

  get #conversation(): ConversationBuilder | undefined {
    return this.#sink.conversations[0];
  }

  #gained(records: readonly ImportedRecord[]): Gained {
    if (this.#isVoid) return NOTHING;
    return { records, isMore: !this.#file.isAll };
  }

  #isAnotherFormat(entries: readonly Entry[]): boolean {
    if (this.#head.length >= HEAD || entries.length === 0) return false;
    for (const entry of entries.slice(0, HEAD - this.#head.length)) this.#head.push(entry);
    return formatOf(this.#head) !== this.format;
  }

  /** Feeds the piece that was read to the reader, and makes records of what can change no more. */
  #read(): ImportedRecord[] {
    const records: ImportedRecord[] = [];
    let entries: Entry[] = [];
    let bytes = 0;
    const give = () => {
      const conversation = this.#conversation;
      if (!conversation || this.#isVoid) return;
      appendAll(records, this.#give(conversation, settledEnd(conversation), entries));
      [entries, bytes] = [[], 0];
    };
    for (const entry of this.#sink.readable(this.#file)) {
      this.#reader.take(entry);
      entries.push(entry);
      bytes += entry.length ?? 0;
      if (bytes >= GIVEN_AT_ONCE) give();
    }
    give();
    return records;
  }

  /** The records of what was drafted up to a position, and of what stands in the values but in no draft. */
  #give(conversation: ConversationBuilder, end: number, entries: readonly Entry[]): ImportedRecord[] {
    const { drafts } = this.#sink;
    const facts = JSON.stringify([...conversation.facts]);
    this.#facts ??= facts;
    this.#isVoid ||= drafts.hasWatchedChanged || this.#sink.conversations.length > 1 || facts !== this.#facts;
    if (this.#isVoid) return [];
    const lost = this.#lostIn(conversation, entries);
    const records = conversation.further(end);
    const last = records.at(-1) ?? this.#last;
    this.#last = last;
    for (const kept of keptOf(lost, conversation.id, { length: 0, last }))
      records.push(conversation.numbered(kept));
    appendAll(this.#lost, lost);
    const waiting = new Set(conversation.since(end).map(({ index }) => index));
    const { made } = drafts;
    drafts.watch((index) => index < made && !waiting.has(index));
    return records;
  }

  /**
   * What of these values, and of those before that still wait, stands in none of the drafts that were made or changed for
   * them; a value may wait for the one that it belongs to.
   */
  #lostIn(conversation: ConversationBuilder, entries: readonly Entry[]): readonly LostText[] {
    const { drafts } = this.#sink;
    const first = drafts.taken - entries.length;
    const made = entries.flatMap((_, at) => drafts.ofTaken(first + at)).map((index) => drafts.at(index));
    // What a draft was made of stands in its record, as a whole: what is no part of the message is added to it.
    const known = new Set(made.flatMap(({ raws, body }) => [...raws, body.value]));
    const isNew = ({ raw }: Entry, at: number) => raw === undefined && !this.#sink.isRepeated(first + at);
    const unknown = [...this.#unknown, ...entries.filter(isNew)].filter(({ value }) => !known.has(value));
    if (unknown.length === 0) this.#unknown = unknown;
    if (unknown.length === 0) return [];
    const standing = new StandingTexts();
    standing.add([conversation.title, [...this.#sink.counts]]);
    for (const { body, time, raws } of made) standing.add([body, time, raws]);
    const lostOf = (entry: Entry) => [...lostTexts(entry.value, placeOf('', entry), standing)];
    this.#unknown = unknown.filter((entry) => lostOf(entry).length > 0);
    const isPatient = entries.length > 0 && this.#unknown.length <= MAX_UNKNOWN;
    return isPatient ? [] : this.#unknown.splice(0).flatMap(lostOf);
  }
}

const NOTHING: Gained = { records: [], isMore: false };

/** For whoever looks at a file that is read by another, which reports. */
const DEAF = { problem: () => undefined, unreadable: () => undefined };

/** The format of a file that begins like this, where it is one whose values are fed to its reader. */
function formatOf(entries: readonly Entry[]): FedFormat | undefined {
  const head = entries.slice(0, HEAD);
  const { format, entries: found } = detect(head);
  return found === head && format && 'begin' in format ? format : undefined;
}

function saidIn({ place, body }: Draft): readonly SaidSoFar[] {
  const { role, content, reasoning_content, tool_calls } = fields(body.message);
  if (role !== 'assistant') return [];
  const calls = objects(tool_calls).map(({ function: called }) => {
    const { name, arguments: input } = fields(called);
    return preview(singleLine(`${asText(name)} ${asText(input)}`), MAX_CALL);
  });
  const text = [textOf(content), ...calls].filter((part) => part !== '').join('\n');
  const { call, agent, depth } = place;
  return [{ call, agent, depth, text, reasoning: asText(reasoning_content ?? '') }];
}

/**
 * Up to where the drafts of a conversation are final: the answer that was given last may go on in further lines. What was made
 * of the same value as it waits with it.
 */
function settledEnd(conversation: ConversationBuilder): number {
  const open = conversation.since(conversation.given);
  let at = open.findLastIndex(({ body }) => body.type === 'message');
  const { message } = open[at]?.body ?? {};
  if (!isObject(message) || message.role !== 'assistant') return conversation.length;
  while (at > 0 && open[at]?.raws.some((raw) => open[at - 1]?.raws.includes(raw)) === true) at--;
  return conversation.given + at;
}
