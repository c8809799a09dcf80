import { NotCleanError } from '../export/sharing/resultCheck.js';
import type { Redactor } from '../export/secrets/redact.js';
import { SharingGate } from '../export/sharing/sharingGate.js';
import type { SharingRules } from '../export/sharing/sharingPolicy.js';
import type { LogRecord } from '../core/record.js';
import type { ReadRecord } from '../core/ports/transcript.js';
import { encodeLine, lineOfJson } from '../store/format/lineFormat.js';
import { withTextsApart } from '../store/format/spillTexts.js';
import type { ArchiveMode } from './archiveMode.js';
import { factsOnly } from './factsOnly.js';

/** A large text that stands beside its line. */
export interface SpilledText {
  readonly path: string;
  readonly bytes: Buffer;
}

/** A record as it goes to the archive. */
export interface ArchivedLine {
  /** As whoever reads the line gets it. */
  readonly record: ReadRecord;
  /** With its large texts. */
  readonly whole: ReadRecord;
  readonly line: Buffer;
  readonly texts: readonly SpilledText[];
  readonly mode: ArchiveMode;
}

/**
 * Makes the lines of a conversation that are pushed, by a mode. In every mode but `full`, all of the conversation is looked
 * through before the first line is made, so that a value has the same placeholder in each push; and what was made of a
 * record is looked through once more: where that finds something, only the facts of the record are told.
 */
export class RecordLines {
  /** How many secrets were replaced. */
  redacted = 0;
  /** Of how many records only the facts are told, because their texts could not be cleaned. */
  withheld = 0;
  readonly #mode: ArchiveMode;
  readonly #conversation: string;
  readonly #gate: SharingGate | undefined;
  readonly #facts = new WeakMap<ReadRecord, ReadRecord>();
  #redactor: Redactor | undefined;

  constructor(mode: ArchiveMode, conversation: string, rules: SharingRules) {
    this.#mode = mode;
    this.#conversation = conversation;
    this.#gate = mode === 'full' ? undefined : new SharingGate(rules);
  }

  /** Whether records have to be looked through. */
  get isGated(): boolean {
    return this.#gate !== undefined;
  }

  /** Looks through the next record, with its large texts. */
  look(whole: ReadRecord, position: number): void {
    this.#gate?.look(this.#told(whole), position);
    this.#redactor = undefined;
  }

  /** A text that stands beside the records, such as the title, as it is told. */
  text(text: string): string {
    return this.#cleaner?.text(text) ?? text;
  }

  /** The line of a record, given with its large texts. */
  lineOf(whole: ReadRecord): ArchivedLine {
    const redactor = this.#cleaner;
    if (!redactor) return this.#encoded(whole, this.#mode);
    const told = this.#told(whole);
    const json = JSON.stringify(told);
    if (this.#gate?.isDone(whole, json) === true && this.#isClean(told, json))
      return this.#encoded(told, this.#mode, json);
    const before = redactor.count;
    const clean = redactor.partOf(whole, told) as ReadRecord;
    this.redacted += redactor.count - before;
    if (this.#isClean(clean)) return this.#encoded(clean, this.#mode);
    this.withheld++;
    const facts = redactor.value(factsOnly(whole)) as ReadRecord;
    if (this.#isClean(facts)) return this.#encoded(facts, 'facts');
    const { seq, id, time, conversation, depth } = facts;
    const bare = { seq, id, time, conversation, run: '', call: '', agent: '', depth, type: 'withheld' };
    return this.#encoded(this.#isClean(bare) ? bare : { ...bare, id: '' }, 'facts');
  }

  get #cleaner(): Redactor | undefined {
    return (this.#redactor ??= this.#gate?.redactor());
  }

  /** What is told of a record at most; the same object where the same is asked again. */
  #told(whole: ReadRecord): ReadRecord {
    if (this.#mode !== 'facts') return whole;
    const told = this.#facts.get(whole) ?? factsOnly(whole);
    this.#facts.set(whole, told);
    return told;
  }

  #isClean(record: ReadRecord, json = JSON.stringify(record)): boolean {
    try {
      const check = this.#gate?.check();
      check?.given(() => record);
      check?.next(json);
      return true;
    } catch (error) {
      if (error instanceof NotCleanError) return false;
      throw error;
    }
  }

  #encoded(whole: ReadRecord, mode: ArchiveMode, json?: string): ArchivedLine {
    const { record, texts } = withTextsApart(whole as LogRecord, this.#conversation);
    return {
      record,
      whole,
      mode,
      line: record === whole && json !== undefined ? lineOfJson(json) : encodeLine(record),
      texts: texts.map(({ ref, bytes }) => ({ path: ref.path, bytes })),
    };
  }
}
