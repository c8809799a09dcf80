import type { Problem } from '../../core/agent.js';
import { ConversationBuilder } from './conversationBuilder.js';
import type { Entries, Entry, SourceOfEntries } from '../reading/entries.js';
import type { ImportedConversation } from '../reading/importResult.js';
import { MAX_TRANSCRIPT_BYTES } from '../reading/readBytes.js';
import { Drafts } from '../spool/drafts.js';
import type { GroupsOfFile } from '../spool/groupsOfFile.js';
import { Numbers } from '../spool/numbers.js';
import type { Steps } from '../reading/steps.js';

export type { Entry } from '../reading/entries.js';

/** How many problems of one kind are reported individually. */
const MAX_SAME_PROBLEMS = 3;

/** Receives what a format reads: conversations and problems. */
export class ImportSink {
  readonly drafts: Drafts;
  /** How long a conversation may be whose parts stand scattered over a large file, in bytes: it is held while it is read. */
  readonly maxGroupBytes: number;
  #name: string;
  /** The file in an archive that is being read. */
  #member: string | undefined;
  readonly #conversations: ConversationBuilder[] = [];
  /** With each id the last number that was put behind it. */
  readonly #ids = new Map<string, number>();
  readonly #problems: Problem[] = [];
  /** How many lines have each problem. */
  readonly #same = new Map<
    string,
    {
      readonly message: string;
      readonly severity: Problem['severity'];
      readonly isOfLines: boolean;
      count: number;
    }
  >();
  /** How often each thing occurred that the format does not know. */
  readonly #unknown = new Map<string, number>();
  #rings = 0;
  readonly #waiting: string[] = [];
  readonly #leftOut = new Set<string>();
  readonly #counted = new Set<unknown>();
  /** The number of the first value that was taken from each source. */
  readonly #takenFrom = new Map<Entries, number>();
  /** The numbers of the values that say what another has said. */
  readonly #repeated = new Numbers();
  /** By what the values of a file were read that are not taken one by one. */
  readonly #groupsOf = new Map<Entries, GroupsOfFile>();
  #source: SourceOfEntries | undefined;

  /** `name` is the file's name, for conversations without an id; `drafts` hold what is read. */
  constructor(name: string, drafts = new Drafts(), maxGroupBytes = MAX_TRANSCRIPT_BYTES) {
    this.#name = name;
    this.drafts = drafts;
    this.maxGroupBytes = maxGroupBytes;
  }

  /** The name of the file that is read, without its ending. */
  get name(): string {
    return this.#name;
  }

  /** Notes which file of an archive is read from now on: problems name it, and so do conversations without an id. */
  startMember(path: string): void {
    this.#member = path;
    this.#name = baseName(path);
  }

  /** Reports a problem; of one that very many lines have, the first are named and the others counted. */
  problem(severity: Problem['severity'], what: string, line?: number): void {
    const message = this.#member === undefined ? what : `${this.#member}: ${what}`;
    const isOfLines = line !== undefined;
    const key = `${severity} ${isOfLines ? 'line' : ''} ${message}`;
    const same = this.#same.get(key) ?? { message, severity, isOfLines, count: 0 };
    this.#same.set(key, same);
    if (++same.count <= MAX_SAME_PROBLEMS)
      this.#problems.push({ severity, message, ...(line !== undefined && { line }) });
  }

  /** Notes something that the format does not know; it is reported once, with its number of occurrences. */
  unknown(what: string): void {
    this.#unknown.set(what, (this.#unknown.get(what) ?? 0) + 1);
  }

  /** Notes files that refer to each other in a ring. */
  ring(): void {
    this.#rings++;
  }

  /** Notes a file beside the transcript that does not belong to it, so that nothing of it is missed. */
  leaveOut(sidecar: string): void {
    this.#leftOut.add(sidecar);
  }

  /** Notes a number of the file that only counts what records hold, so that nothing is missed where it stands in none. */
  counted(number: unknown): void {
    this.#counted.add(number);
  }

  /** The numbers that only count what records hold. */
  get counts(): ReadonlySet<unknown> {
    return this.#counted;
  }

  /** The names of the files beside the transcript that do not belong to it. */
  get leftOut(): ReadonlySet<string> {
    return this.#leftOut;
  }

  /** Whether no conversation was started. */
  get isEmpty(): boolean {
    return this.#conversations.length === 0;
  }

  /** Starts a conversation; a missing or duplicate id is replaced. */
  conversation(id: unknown, agent: string): ConversationBuilder {
    const wanted = safeId(typeof id === 'string' && id !== '' ? id : this.#name);
    let free = wanted;
    let count = this.#ids.get(wanted) ?? 1;
    while (this.#ids.has(free)) free = `${wanted}-${++count}`;
    this.#ids.set(free, 1);
    this.#ids.set(wanted, count);
    const builder = new ConversationBuilder(free, agent, this.drafts);
    this.#conversations.push(builder);
    for (const raw of this.#waiting.splice(0)) builder.keep(builder.entry, 'unreadable', raw);
    return builder;
  }

  /** The entries that could be parsed; the others are reported and kept in their place. */
  *readable(entries: Entries): Generator<Entry> {
    for (const entry of this.taking(entries)) {
      if (entry.raw === undefined) yield entry;
      else this.keepUnreadable(entry.raw);
    }
  }

  /** Keeps the text of an entry that could not be parsed in its place. */
  keepUnreadable(raw: string): void {
    const current = this.#conversations.at(-1);
    if (current) current.keep(current.entry, 'unreadable', raw);
    else this.#waiting.push(raw);
  }

  /** All entries, each of which is read before the next is asked for: then what was made of it need not be held. */
  *taking(entries: Entries): Generator<Entry> {
    this.#takenFrom.set(entries, this.drafts.taken);
    const source = 'valueAt' in entries ? entries : undefined;
    for (const entry of entries) {
      this.#source = source;
      this.drafts.take(entry.value, source, entry.offset, entry.length);
      yield entry;
      this.drafts.settle(entry.length ?? 0);
    }
  }

  /** The file that is being read, where its values can be read again; undefined where they are held. */
  get source(): SourceOfEntries | undefined {
    return this.#source;
  }

  /** The number of the first value that was taken from a source; undefined where none was. */
  takenFrom(entries: Entries): number | undefined {
    return this.#takenFrom.get(entries);
  }

  /** Notes that the values of a file are read group by group. */
  grouped(entries: Entries, groups: GroupsOfFile): void {
    this.#groupsOf.set(entries, groups);
  }

  /** The groups in which a file was read; undefined where its values were taken one by one, or not at all. */
  groupsOf(entries: Entries): GroupsOfFile | undefined {
    return this.#groupsOf.get(entries);
  }

  /** Notes that the value that is being read, as a whole, says no more than one before it. */
  repeats({ offset }: Entry): void {
    if (offset !== undefined) this.#repeated.push(this.drafts.taken - 1);
  }

  /** Whether the value with a number among those that were taken says no more than one before it. */
  isRepeated(taken: number): boolean {
    return this.#repeated.at(this.#repeated.firstFrom(taken)) === taken;
  }

  /** The values of the parsed entries, each of which is read before the next is asked for; the others are kept in their place. */
  *each(entries: Entries): Generator {
    for (const { value } of this.readable(entries)) yield value;
  }

  /** The values of all parsed entries at once; the others are kept before them. */
  values(entries: Entries): unknown[] {
    return Array.from(this.readable(entries), ({ value }) => value);
  }

  /** Reports a line that could not be read. */
  unreadable(line: number, why: string): void {
    this.problem('error', why, line);
  }

  *finish(): Steps<{ conversations: ImportedConversation[]; problems: readonly Problem[] }> {
    const conversations: ImportedConversation[] = [];
    for (const builder of this.finished()) conversations.push(yield* builder.finishing());
    return { conversations, problems: this.problems };
  }

  /** The conversations that were started so far. */
  get conversations(): readonly ConversationBuilder[] {
    return this.#conversations;
  }

  /** The conversations that were started, when nothing more is read. */
  finished(): readonly ConversationBuilder[] {
    this.#member = undefined;
    if (this.#waiting.length > 0) {
      const builder = this.conversation(undefined, 'unknown');
      builder.title = 'What could not be read';
    }
    return this.#conversations;
  }

  /** What was reported so far, with the numbers of what was not reported one by one. */
  get problems(): readonly Problem[] {
    const counted: Problem[] = [];
    for (const { message: what, severity, isOfLines, count } of this.#same.values()) {
      const others = count - MAX_SAME_PROBLEMS;
      const unit = `${isOfLines ? 'line' : 'time'}${others === 1 ? '' : 's'}`;
      if (others > 0)
        counted.push({ severity, message: `${others.toLocaleString('en-US')} more ${unit}: ${what}` });
    }
    for (const [what, count] of this.#unknown) {
      const often = count === 1 ? 'once' : `${count.toLocaleString('en-US')} times`;
      const message = `Kept without being understood: ${what} (${often}).`;
      counted.push({ severity: 'warning', message });
    }
    const broken = this.#conversations.reduce((sum, { implausible }) => sum + implausible, 0);
    if (broken > 0) {
      const requests = broken === 1 ? '1 request tells' : `${broken.toLocaleString('en-US')} requests tell`;
      const message = `${requests} usage that cannot be true (negative, no number, or sums that disagree): the cost is unknown.`;
      counted.push({ severity: 'warning', message });
    }
    const rings = this.#rings + this.#conversations.reduce((sum, each) => sum + each.rings, 0);
    if (rings > 0) {
      const what =
        rings === 1 ? 'A ring of parents has' : `${rings.toLocaleString('en-US')} rings of parents have`;
      counted.push({
        severity: 'warning',
        message: `${what} no beginning: each says that another of them began it. It is read from the earliest on.`,
      });
    }
    return [...this.#problems, ...counted];
  }
}

/** What a file is called, without its folders and its extension. */
export function baseName(path: string): string {
  return path.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, '');
}

/** An id that is a valid file name on every system: of letters, digits, dots, dashes and underscores. */
function safeId(id: string): string {
  const safe = id
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100);
  return safe === '' ? 'imported' : safe;
}
