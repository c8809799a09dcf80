import { NotCleanError } from '../export/sharing/resultCheck.js';
import type { Redactor } from '../export/secrets/redact.js';
import { SharingGate } from '../export/sharing/sharingGate.js';
import type { SharingRules } from '../export/sharing/sharingPolicy.js';
import type { LogRecord } from '../core/record.js';
import type { ReadRecord } from '../core/ports/transcript.js';
import { encodeLine, lineOfJson } from '../store/format/lineFormat.js';
import { withTextsApart } from '../store/format/spillTexts.js';
import type { ArchiveMode } from './archiveMode.js';
import { isObject } from '../core/message.js';

type Loose = Readonly<Record<string, unknown>>;

/**
 * A record without anything that was said: who, when, where in the team, which tools, how many tokens, what it cost and how
 * it ended. Only what is named here stays, so that a field nobody has thought of is left out.
 */
function factsOnly(record: ReadRecord): ReadRecord {
  const { type } = record;
  const loose = record as unknown as Loose;
  const head = picked(loose, HEAD);
  const body =
    type === 'message' ? messageFacts(loose) : { ...picked(loose, BODY.get(type) ?? []), ...EMPTY.get(type) };
  const error = isObject(loose.error)
    ? { error: { ...picked(loose.error, ['code', 'status']), message: '' } }
    : {};
  return { ...head, ...body, ...error } as unknown as ReadRecord;
}

const HEAD = ['seq', 'id', 'time', 'conversation', 'run', 'call', 'parentCall', 'agent', 'depth', 'type'];

const BODY: ReadonlyMap<string, readonly string[]> = new Map([
  ['callStart', ['model', 'scripted', 'tools', 'toolTokens', 'toolCallId', 'settings', 'limits']],
  ['callEnd', ['outcome', 'durationMs', 'ownUsage', 'totalUsage']],
  ['dispatch', ['target', 'toolCallId', 'childCall']],
  ['request', ['model', 'attempt', 'durationMs', 'firstTokenMs', 'finishReason', 'usage']],
  ['approval', ['toolName', 'toolCallId', 'decision', 'decidedBy', 'waitedMs']],
  ['error', ['where', 'dropped']],
]);

/** What readers of records expect to be there, without its text. */
const EMPTY: ReadonlyMap<string, Loose> = new Map<string, Loose>([
  ['callStart', { task: '' }],
  ['dispatch', { task: '' }],
  ['request', { endpoint: '' }],
  ['approval', { subject: '' }],
  ['title', { title: '' }],
]);

function messageFacts(record: Loose): Loose {
  const message = isObject(record.message) ? record.message : {};
  const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as unknown[]) : [];
  return {
    message: {
      ...picked(message, ['role', 'tool_call_id']),
      content: '',
      ...(calls.length > 0 && { tool_calls: calls.map(callFacts) }),
    },
    ...picked(record, ['model', 'usage', 'toolName', 'durationMs', 'isError', 'state', 'partial']),
  };
}

function callFacts(call: unknown): Loose {
  const { id, function: called } = isObject(call) ? call : {};
  const name = isObject(called) && typeof called.name === 'string' ? called.name : '';
  return { ...(typeof id === 'string' && { id }), type: 'function', function: { name, arguments: '' } };
}

/** The plain values at some keys, and lists and objects of plain values. */
function picked(from: Loose, keys: readonly string[]): Loose {
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(from, key) ? [[key, plain(from[key])]] : [])),
  );
}

/** Where a hostile record has a text instead of counts, it stays one; the gate looks through it as through everything. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).filter((each) => typeof each !== 'object');
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === 'number'));
}

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
