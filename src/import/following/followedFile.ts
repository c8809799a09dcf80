import { readFileSync } from 'node:fs';
import type { Problem } from '../../core/agent.js';
import { appendAll } from '../../core/lists.js';
import { textOf } from '../../core/message.js';
import { preview, singleLine } from '../../core/text.js';
import type { ConversationBuilder } from '../building/conversationBuilder.js';
import { detect } from '../detect.js';
import type { Entry } from '../reading/entries.js';
import { GrowingFile } from '../reading/growingFile.js';
import type { NamedFile } from '../importFile.js';
import type { ImportedRecord } from '../reading/importResult.js';
import { baseName, ImportSink } from '../building/importSink.js';
import { asText, fields, objects, parsed } from '../reading/fields.js';
import { keptOf, leftOf, lossOf, positionOf } from '../building/leftOver.js';
import { lostTexts, type LostText } from '../rest/lostTexts.js';
import { StandingTexts } from '../rest/standingTexts.js';
import { Drafts, ForgottenDraft, type Draft } from '../spool/drafts.js';
import { Spool } from '../spool/spool.js';
import type { FormatReader, SidecarEntries, TranscriptFormat } from '../building/transcriptFormat.js';

/** How much of the file is read before records are made of it, in bytes; more would wait on the disk meanwhile. */
const GIVEN_AT_ONCE = 32 * 1024;

/** How many values tell the format, unless the file has fewer yet. */
const HEAD = 20;

/** How much of what was read is written to the disk at once, in bytes; many files may be followed. */
const SPOOL_BLOCK = 32 * 1024;

/** How often a file beside is left for later until something says where it belongs. */
const MAX_AWAITED = 8;

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
export interface TextSoFar {
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
  readonly format: TranscriptFormat;
  /** The files beside it that are read with it. */
  beside: readonly NamedFile[] = [];
  /** How many more files may belong to it, which are not looked at. */
  left = 0;
  readonly #file: GrowingFile;
  /** The files beside it that were read, by their paths. */
  readonly #beside = new Map<string, GrowingFile>();
  /** How often files beside were left for later, by their names. */
  readonly #awaited = new Map<string, number>();
  readonly #sink: ImportSink;
  readonly #reader: FormatReader;
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
  #readAssumptions: string | undefined;
  #facts: string | undefined;
  #isVoid = false;
  #isWaiting = false;
  /** What of that which was read stands in no draft, while nothing is given of it; undefined where all is given when it was read. */
  #gathered: LostText[] | undefined;

  private constructor({ format, begin }: Followed, path: string) {
    this.format = format;
    this.#sink = new ImportSink(baseName(path), new Drafts(this.#spool));
    this.#file = new GrowingFile(path, this.#sink);
    this.#reader = begin(this.#sink);
  }

  /**
   * Opens a session; undefined where it cannot be read line by line: it is in no such format, or not all of it can be read.
   * Throws errors of the file system.
   */
  static open(path: string): FollowedFile | undefined {
    const found = formatOf(new GrowingFile(path, DEAF).head(HEAD));
    if (!found) return undefined;
    const followed = new FollowedFile(found, path);
    if (followed.#reader.readAssumptions !== undefined) return followed;
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
    return [...leftOf(this.left), ...this.#sink.problems, ...lossOf(this.#lost, true)];
  }

  /** Looks at all of the file before it is read, for what its later lines say of the earlier ones. */
  lookAhead(): void {
    const file = new GrowingFile(this.#file.path, DEAF);
    do for (const entry of file.readOn()) this.#reader.look?.(entry);
    while (!file.isAll);
    this.#lookedAt = file.bytes;
  }

  /** Whether a file beside it can be read on with it. */
  grows({ name }: NamedFile): boolean {
    return this.#reader.growingSidecars?.test(name) === true;
  }

  /**
   * Reads the next lines, a few megabytes of it and of each file beside it at most. Throws errors of the file system, and where
   * the file was replaced; where one beside was, or cannot be read, it is void.
   */
  readOn(): Gained {
    return this.#given(() => {
      const { beside } = this;
      const records = this.#readOwn();
      this.#isVoid ||= beside.some((file) => !this.grows(file));
      const isMore = [!this.#file.isAll];
      if (!this.#isVoid && !isMore[0]) {
        const metas = beside.filter(({ name }) => name.endsWith('.json')).map(asWhole);
        for (const file of beside)
          if (!file.name.endsWith('.json')) isMore.push(this.#readSidecars(file, metas, records));
      }
      return { records, isMore: isMore.includes(true) };
    });
  }

  /** Reads what a file beside it has gained; gives whether there is more of it. */
  #readSidecars(
    { name, path }: NamedFile,
    metas: readonly SidecarEntries[],
    records: ImportedRecord[],
  ): boolean {
    if (this.#isLeftForLater(name)) return false;
    const file = this.#beside.get(path) ?? new GrowingFile(path, this.#sink);
    this.#beside.set(path, file);
    const entries = entriesOf(file);
    this.#isVoid ||= !entries || entries.some(({ raw }) => raw !== undefined);
    if (this.#isVoid || !entries || entries.length === 0) return false;
    this.#reader.takeSidecars?.([{ name, entries: file }, ...metas], this.#gathered === undefined);
    appendAll(records, this.#give(entries));
    file.rest();
    return !file.isAll;
  }

  /** Whether a file beside is not read yet, because what says where it belongs may come in a moment. */
  #isLeftForLater(name: string): boolean {
    if (this.#gathered || this.#reader.awaitsSidecar?.(name) !== true) return false;
    const often = (this.#awaited.get(name) ?? 0) + 1;
    this.#awaited.set(name, often);
    const isLeft = often <= MAX_AWAITED;
    this.#isWaiting ||= isLeft;
    return isLeft;
  }

  #readOwn(): ImportedRecord[] {
    const entries = this.#file.readOn();
    this.#isVoid ||= this.#isAnotherFormat(entries) || entries.some(({ raw }) => raw !== undefined);
    if (this.#isVoid) return [];
    for (const entry of entries) if ((entry.offset ?? 0) >= this.#lookedAt) this.#reader.look?.(entry);
    const { readAssumptions } = this.#reader;
    this.#isVoid ||= this.#readAssumptions !== undefined && this.#readAssumptions !== readAssumptions;
    if (entries.length > 0) this.#readAssumptions = readAssumptions;
    const records = this.#isVoid || entries.length === 0 ? [] : this.#read();
    this.#file.rest();
    return records;
  }

  /** Gives nothing until `gathered` is asked for: then what stands in files beside goes to where it belongs. */
  gather(): void {
    this.#gathered = [];
  }

  /** Gives what was gathered; where it `isQuiet`, what waited for more stands where it belongs, too. */
  *gathered(isQuiet: boolean): Generator<Gained> {
    const { made } = this.#sink.drafts;
    if (isQuiet) this.#reader.settle?.(false);
    const lost = this.#gathered ?? [];
    this.#gathered = undefined;
    const conversation = this.#givable();
    if (!conversation) return;
    if (isQuiet) appendAll(lost, this.#lostIn(conversation, [], made));
    const { drafts } = this.#sink;
    const left = this.#reader.open ?? openAmong(conversation.waiting, () => drafts.settle(0));
    for (const records of conversation.furtherInParts(({ index }) => left.has(index))) {
      this.#last = records.at(-1) ?? this.#last;
      yield { records, isMore: false };
    }
    yield { records: this.#leftOver(lost, conversation), isMore: false };
    this.#watch(left);
  }

  /** Gives what has waited: nothing was written for a while. */
  settle(): Gained {
    this.#isWaiting = false;
    return this.#given(() => {
      const records: ImportedRecord[] = [];
      const left = this.beside.filter(({ name, path }) => this.#awaited.has(name) && !this.#beside.has(path));
      for (const { name } of left) this.#awaited.set(name, MAX_AWAITED);
      const isMore = left.map((file) => this.#readSidecars(file, [], records)).includes(true);
      const { made } = this.#sink.drafts;
      this.#reader.settle?.(true);
      appendAll(records, this.#give([], this.#reader.open ?? NONE, made));
      return { records, isMore };
    });
  }

  /** Whether something was read since it settled, of which not all may have been given. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** The answers that wait, because they may go on; none where nothing does. */
  get saidSoFar(): readonly TextSoFar[] {
    return Array.from(this.#conversation?.waitingInOrder() ?? []).flatMap(saidIn);
  }

  close(): void {
    for (const file of [this.#file, ...this.#beside.values()]) file.rest();
    this.#spool.close();
  }

  get #conversation(): ConversationBuilder | undefined {
    return this.#sink.conversations[0];
  }

  /** What something gives; nothing where the file is void, or where that changes what was given already and is kept no more. */
  #given(give: () => Gained): Gained {
    try {
      const gained = give();
      return this.#isVoid ? NOTHING : gained;
    } catch (error) {
      if (!(error instanceof ForgottenDraft)) throw error;
      this.#isVoid = true;
      return NOTHING;
    }
  }

  #isAnotherFormat(entries: readonly Entry[]): boolean {
    if (this.#head.length >= HEAD || entries.length === 0) return false;
    for (const entry of entries.slice(0, HEAD - this.#head.length)) this.#head.push(entry);
    return formatOf(this.#head)?.format !== this.format;
  }

  /** Feeds the piece that was read to the reader, and makes records of what can change no more. */
  #read(): ImportedRecord[] {
    const records: ImportedRecord[] = [];
    let entries: Entry[] = [];
    let bytes = 0;
    const give = () => {
      appendAll(records, this.#give(entries));
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

  /** The records of what was drafted, but for what may still change, and of what stands in the values but in no draft. */
  #give(entries: readonly Entry[], open = this.#reader.open, settledFrom?: number): ImportedRecord[] {
    this.#isWaiting ||= entries.length > 0;
    if (this.#gathered) {
      this.#isVoid ||= this.#reader.mustBeReadWhole === true;
      const begun = this.#conversation;
      if (begun && !this.#isVoid) appendAll(this.#gathered, this.#lostIn(begun, entries));
      return [];
    }
    const conversation = this.#givable();
    if (!conversation) return [];
    const lost = this.#lostIn(conversation, entries, settledFrom);
    const left = open ?? openAmong(conversation.waiting);
    const records = conversation.further(({ index }) => left.has(index));
    this.#last = records.at(-1) ?? this.#last;
    appendAll(records, this.#leftOver(lost, conversation));
    this.#watch(left);
    return records;
  }

  /** The conversation, where something can be given of it. */
  #givable(): ConversationBuilder | undefined {
    this.#isVoid ||= this.#reader.mustBeReadWhole === true;
    const { drafts, conversations } = this.#sink;
    const conversation = this.#conversation;
    if (!conversation || this.#isVoid) return undefined;
    const facts = JSON.stringify([...conversation.facts]);
    this.#facts ??= facts;
    this.#isVoid ||= drafts.hasWatchedChanged || conversations.length > 1 || facts !== this.#facts;
    return this.#isVoid ? undefined : conversation;
  }

  /** The records of what stands in no draft. */
  #leftOver(lost: readonly LostText[], conversation: ConversationBuilder): ImportedRecord[] {
    appendAll(this.#lost, lost);
    const kept = keptOf(lost, conversation.id, { length: 0, last: this.#last });
    return Array.from(kept, (record) => conversation.numbered(record));
  }

  /** Watches what was given: all but what still may change. */
  #watch(left: ReadonlySet<number>): void {
    const { drafts } = this.#sink;
    const { made } = drafts;
    // One that is read with all known ahead is not to be void again.
    drafts.watch((index) => index < made && !left.has(index), this.#lookedAt === 0);
  }

  /**
   * What of these values, and of those before that still wait, stands in none of the drafts that were made or changed for
   * them, or from a number on; a value may wait for the one that it belongs to.
   */
  #lostIn(
    conversation: ConversationBuilder,
    entries: readonly Entry[],
    settledFrom = this.#sink.drafts.made,
  ): readonly LostText[] {
    const { drafts } = this.#sink;
    const first = drafts.taken - entries.length;
    const indices = new Set<number>();
    for (let index = settledFrom; index < drafts.made; index++) indices.add(index);
    for (let at = 0; at < entries.length; at++)
      for (const index of drafts.ofTaken(first + at)) indices.add(index);
    // What a draft was made of stands in its record, as a whole: what is no part of the message is added to it.
    const known = new Set<unknown>();
    for (const index of indices) {
      const { raws, body } = drafts.at(index);
      for (const raw of raws) known.add(raw);
      known.add(body.value);
    }
    const isNew = ({ raw }: Entry, at: number) => raw === undefined && !this.#sink.isRepeated(first + at);
    const unknown = [...this.#unknown, ...entries.filter(isNew)].filter(({ value }) => !known.has(value));
    if (unknown.length === 0) this.#unknown = unknown;
    if (unknown.length === 0) return [];
    const standing = new StandingTexts();
    standing.add([conversation.title, [...this.#sink.counts], [...known]]);
    for (const index of indices) {
      const { body, time } = drafts.at(index);
      standing.add([body, time]);
    }
    const lostOf = (entry: Entry) => [...lostTexts(entry.value, positionOf('', entry), standing)];
    this.#unknown = unknown.filter((entry) => lostOf(entry).length > 0);
    const isPatient = entries.length > 0 && this.#unknown.length <= MAX_UNKNOWN;
    return isPatient ? [] : this.#unknown.splice(0).flatMap(lostOf);
  }
}

/** That nothing may still change. */
const NONE: ReadonlySet<number> = new Set();

const NOTHING: Gained = { records: [], isMore: false };

/** For whoever looks at a file that is read by another, which reports. */
const DEAF = { problem: () => undefined, unreadable: () => undefined };

/** What a file beside has gained; undefined where it was replaced, is gone or cannot be read: reading all anew tells more. */
function entriesOf(file: GrowingFile): readonly Entry[] | undefined {
  try {
    return file.readOn();
  } catch {
    return undefined;
  }
}

/** A small file that is read as a whole; without values where it is none, or cannot be read. */
function asWhole({ name, path }: NamedFile): SidecarEntries {
  try {
    return { name, entries: [{ value: parsed(readFileSync(path, 'utf8')) }] };
  } catch {
    // It only tells more; a later reading as a whole reports why.
    return { name, entries: [] };
  }
}

/** A format whose values can be fed to a reader while they are written, and how that begins. */
interface Followed {
  readonly format: TranscriptFormat;
  readonly begin: (sink: ImportSink) => FormatReader;
}

/** The format of a file that begins like this, where it is one whose values are fed to its reader. */
function formatOf(entries: readonly Entry[]): Followed | undefined {
  const head = entries.slice(0, HEAD);
  const { format, entries: found } = detect(head);
  if (found !== head || !format) return undefined;
  if ('begin' in format) return { format, begin: (sink) => format.begin(sink, []) };
  const begin = 'readLines' in format ? format.follow : undefined;
  return begin && { format, begin };
}

function saidIn({ place: callSite, body }: Draft): readonly TextSoFar[] {
  const { role, content, reasoning_content, tool_calls } = fields(body.message);
  if (role !== 'assistant') return [];
  const calls = objects(tool_calls).map(({ function: called }) => {
    const { name, arguments: input } = fields(called);
    return preview(singleLine(`${asText(name)} ${asText(input)}`), MAX_CALL);
  });
  const text = [textOf(content), ...calls].filter((part) => part !== '').join('\n');
  const { call, agent, depth } = callSite;
  return [{ call, agent, depth, text, reasoning: asText(reasoning_content ?? '') }];
}

/**
 * Which of the drafts that were not given yet are not final: in each call, the answer that was given last may go on in further
 * lines, unless an agent that it asked is at work. What was made of the same value waits with it, and so does what follows it
 * there. `onSeen` is called for each of them.
 */
function openAmong(drafts: readonly Draft[], onSeen: () => void = () => undefined): ReadonlySet<number> {
  const begun = new Set<unknown>();
  const last = new Map<string, number>();
  for (const [at, { place: callSite, body }] of drafts.entries()) {
    if (body.type === 'message') last.set(callSite.call, at);
    if (body.type === 'dispatch') begun.add(body.toolCallId);
    onSeen();
  }
  const open = new Set<number>();
  for (const [call, at] of last) {
    const { role, tool_calls } = fields(drafts[at]?.body.message);
    if (role !== 'assistant' || objects(tool_calls).some(({ id }) => begun.has(id))) continue;
    let first = at;
    while (drafts[first]?.raws.some((raw) => drafts[first - 1]?.raws.includes(raw)) === true) first--;
    for (const { index, place: callSite } of drafts.slice(first)) {
      if (callSite.call === call) open.add(index);
      onSeen();
    }
  }
  return open;
}
