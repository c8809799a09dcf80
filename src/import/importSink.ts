import type { Problem } from '../core/agent.js';
import { ConversationBuilder } from './conversationBuilder.js';
import type { ImportedConversation } from './importResult.js';

/** A value of a file: a line of JSONL, or the whole of a JSON file. */
export interface Entry {
  /** Undefined where the line could not be read, see `raw`. */
  readonly value: unknown;
  /** From 1; undefined for a whole file. */
  readonly line?: number;
  /** The text of what could not be read. */
  readonly raw?: string;
}

/** How many problems of one kind are reported one by one. */
const MAX_SAME_PROBLEMS = 20;

/** Takes in what a format reads: conversations and problems. */
export class ImportSink {
  readonly #name: string;
  readonly #conversations: ConversationBuilder[] = [];
  readonly #ids = new Set<string>();
  readonly #problems: Problem[] = [];
  /** How often something of a kind was met that the format does not know. */
  readonly #unknown = new Map<string, number>();
  readonly #waiting: string[] = [];
  #unreadable = 0;

  /** `name`: of the file, for conversations that have no id of their own. */
  constructor(name: string) {
    this.#name = name;
  }

  problem(severity: Problem['severity'], message: string, line?: number): void {
    this.#problems.push({ severity, message, ...(line !== undefined && { line }) });
  }

  /** Notes something that the format does not know; it is reported once, with how often it was met. */
  unknown(what: string): void {
    this.#unknown.set(what, (this.#unknown.get(what) ?? 0) + 1);
  }

  /** Begins a conversation; an id that is missing or taken is replaced. */
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

  /** The values of entries; what could not be read is reported, and kept where it stands. */
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

  /** The values of entries at once; what could not be read stands before them. */
  values(entries: Iterable<Entry>): unknown[] {
    return Array.from(this.readable(entries), ({ value }) => value);
  }

  /** Reports a line that could not be read. */
  unreadable(line: number, why: string): void {
    if (++this.#unreadable <= MAX_SAME_PROBLEMS) this.problem('error', why, line);
  }

  finish(): { conversations: ImportedConversation[]; problems: Problem[] } {
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

/** An id that is safe as a file name on every system: of letters, digits, dots, dashes and underscores. */
function safeId(id: string): string {
  const safe = id
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100);
  return safe === '' ? 'imported' : safe;
}
