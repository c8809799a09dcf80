import type { Problem } from '../core/agent.js';
import { ConversationBuilder } from './conversationBuilder.js';
import type { ImportedConversation } from './importResult.js';

/** A value in a file: a line of JSONL, or a whole JSON file. */
export interface Entry {
  /** Undefined where the line could not be parsed, see `raw`. */
  readonly value: unknown;
  /** The line number, from 1; undefined for a whole file. */
  readonly line?: number;
  /** The text that could not be parsed. */
  readonly raw?: string;
}

/** How many problems of one kind are reported individually. */
const MAX_SAME_PROBLEMS = 20;

/** Receives what a format reads: conversations and problems. */
export class ImportSink {
  #name: string;
  /** The file in an archive that is being read. */
  #member: string | undefined;
  readonly #conversations: ConversationBuilder[] = [];
  readonly #ids = new Set<string>();
  readonly #problems: Problem[] = [];
  /** How often each thing occurred that the format does not know. */
  readonly #unknown = new Map<string, number>();
  readonly #waiting: string[] = [];
  readonly #leftOut = new Set<string>();
  readonly #counted = new Set<unknown>();
  #unreadable = 0;

  /** `name` is the file's name, for conversations without an id. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Notes which file of an archive is read from now on: problems name it, and so do conversations without an id. */
  startMember(path: string): void {
    this.#member = path;
    this.#name = baseName(path);
  }

  problem(severity: Problem['severity'], what: string, line?: number): void {
    const message = this.#member === undefined ? what : `${this.#member}: ${what}`;
    this.#problems.push({ severity, message, ...(line !== undefined && { line }) });
  }

  /** Notes something that the format does not know; it is reported once, with its number of occurrences. */
  unknown(what: string): void {
    this.#unknown.set(what, (this.#unknown.get(what) ?? 0) + 1);
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
    for (let count = 2; this.#ids.has(free); count++) free = `${wanted}-${count}`;
    this.#ids.add(free);
    const builder = new ConversationBuilder(free, agent);
    this.#conversations.push(builder);
    for (const raw of this.#waiting.splice(0)) builder.keep(builder.entry, 'unreadable', raw);
    return builder;
  }

  /** The entries that could be parsed; the others are reported and kept in their place. */
  *readable(entries: Iterable<Entry>): Generator<Entry> {
    for (const entry of entries) {
      if (entry.raw === undefined) {
        yield entry;
        continue;
      }
      const current = this.#conversations.at(-1);
      if (current) current.keep(current.entry, 'unreadable', entry.raw);
      else this.#waiting.push(entry.raw);
    }
  }

  /** The values of all parsed entries; the others are kept before them. */
  values(entries: Iterable<Entry>): unknown[] {
    return Array.from(this.readable(entries), ({ value }) => value);
  }

  /** Reports a line that could not be read. */
  unreadable(line: number, why: string): void {
    if (++this.#unreadable <= MAX_SAME_PROBLEMS) this.problem('error', why, line);
  }

  finish(): { conversations: ImportedConversation[]; problems: Problem[] } {
    this.#member = undefined;
    const more = this.#unreadable - MAX_SAME_PROBLEMS;
    if (more > 0) this.problem('error', `${more} more lines could not be read.`);
    for (const [what, count] of this.#unknown) {
      this.problem('warning', `Kept without being understood: ${what} (${count} times).`);
    }
    if (this.#waiting.length > 0) {
      const builder = this.conversation(undefined, 'unknown');
      builder.title = 'What could not be read';
    }
    return {
      conversations: this.#conversations.map((builder) => builder.finish()),
      problems: this.#problems,
    };
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
