import { formatBytes, formatTime } from '../../app/text/format.js';
import { deedOf, outcomeOf, type DeedKind } from '../../query/numbers/deed.js';
import { callsOf, rawArgumentsOf } from '../../query/numbers/toolCalls.js';
import { toolResultOf } from '../../query/numbers/toolSummary.js';
import { idOf, type UntypedMessage } from '../../query/numbers/transcriptItem.js';
import { formatDuration } from '../../core/duration.js';
import { inParts, type InjectedKind, type InjectedWords } from '../../core/injected.js';
import { isObject, textOf } from '../../core/message.js';
import { firstCodePoints } from '../../core/text.js';
import { RowMaker, type ExportRow } from '../../export/exportRow.js';
import type { RecordNote } from '../../export/failureNotes.js';
import { stateIn } from '../../query/numbers/failures.js';
import { otherPartOf } from '../../export/leftOut.js';
import {
  absorbedWords,
  damageRecord,
  partialWords,
  RecordNotes,
  STATE_WORDS,
  usageWords,
} from '../../export/recordNotes.js';
import type { DamagedLine, ReadRecord } from '../../core/ports/transcript.js';
import type { Output } from './output.js';
import { cutTo, type Style } from './styles.js';

/** How many lines of a message and of a tool's result are shown, unless all are wanted. */
const MESSAGE_LINES = 60;
const RESULT_LINES = 12;
/** How long a line may be before it is cut, unless all is wanted, in UTF-16 code units. */
const MAX_LINE = 2_000;

/** So many calls are known until their results come: a hostile session may have any number that never do. */
const MAX_OPEN = 10_000;

const STYLES: Readonly<Record<string, Style>> = {
  user: 'green',
  assistant: 'cyan',
  tool: 'magenta',
  system: 'dim',
  injected: 'dim',
};

/** What tools put into every other message, which nobody has to read again. */
const STANDING: ReadonlySet<InjectedKind> = new Set(['instructions', 'environment', 'context', 'reminder']);

/** Writes the records of a session for a person: a head for each message, its text and calls below it. */
export class MessageWriter {
  readonly #out: Output;
  readonly #isFull: boolean;
  readonly #rows: RowMaker;
  readonly #notes = new RecordNotes();
  /** What is done by the calls that have no result yet, by their ids. */
  readonly #open = new Map<string, DeedKind>();

  /** `isFull`: whether texts are written whole, however long they are. */
  constructor(out: Output, isFull: boolean) {
    this.#out = out;
    this.#isFull = isFull;
    this.#rows = new RowMaker(undefined, out.redactor, true);
  }

  /** `goesOn`: whether it is the rest of a message that was written before. */
  async write(record: ReadRecord, goesOn = false): Promise<void> {
    const row = this.#rows.next(withoutPictures(record));
    if (row) {
      await this.#writeNotes(this.#notes.before(row.envelope, row.message));
      await this.#writeMessage(row, record.seq, goesOn);
      return;
    }
    const bare = this.#rows.bare(record);
    if (bare) await this.#writeNotes(this.#notes.of(bare) ?? []);
  }

  /** Tells something wrong in a journal, in its place. */
  async damage(line: DamagedLine): Promise<void> {
    await this.#writeNotes(this.#notes.of(damageRecord(line)) ?? []);
  }

  /** To be called behind the last record. */
  async end(): Promise<void> {
    await this.#writeNotes(this.#notes.rest());
  }

  async #writeMessage(row: ExportRow, seq: number, goesOn: boolean): Promise<void> {
    const out = this.#out;
    const { message, place } = row;
    const role = row.speaker;
    if (role === 'user' && saysNothing(message)) return;
    const envelope = row.envelope ?? {};
    const result = role === 'tool' ? toolResultOf(row.item, message) : undefined;
    const state = role === 'tool' ? stateIn(envelope) : '';
    const head = out.style(
      STYLES[role] ?? 'yellow',
      out.line(role === 'tool' ? `tool ${row.resultName}`.trim() : role),
    );
    const rest = [
      goesOn ? 'goes on' : '',
      place.agent ?? '',
      wordOf(envelope.model),
      place.time === undefined ? '' : formatTime(place.time),
      result ? this.#outcome(message, result.text, state === '') : '',
      tookWords(result?.durationMs),
      usageWords(envelope.usage),
      partialWords(envelope.partial),
      absorbedWords(envelope),
    ].filter((part) => part !== '');
    const failed =
      state === '' ? '' : ` ${out.style(state === 'open' ? 'yellow' : 'red', STATE_WORDS[state])}`;
    const about = rest.length > 0 ? ` ${out.style('dim', out.line(`· ${rest.join(' · ')}`))}` : '';
    await out.say(`${out.style('bold', `#${seq}`)} ${head}${failed}${about}`);
    await this.#writeBeside('thinks', message.reasoning_content);
    const { spoken } = row;
    const text = result ? result.text : (spoken?.own ?? inParts(message.content).text);
    await this.#writeText(text, result ? RESULT_LINES : MESSAGE_LINES);
    for (const words of spoken?.injected ?? []) await this.#writeInjected(words);
    await this.#writeBeside('refuses', message.refusal);
    for (const words of otherParts(message.content)) await this.#writeText(words, MESSAGE_LINES);
    await this.#writeCalls(message);
    await out.say();
  }

  /** Writes what a tool put into a message: whole where it is news, else how much it is. */
  async #writeInjected({ kind, by, text }: InjectedWords): Promise<void> {
    const out = this.#out;
    const isNews = this.#isFull || !STANDING.has(kind);
    const size = isNews ? '' : ` (${text.length.toLocaleString('en')} characters; --full shows them)`;
    await out.say(`  ${out.style('dim', out.line(`${kind}${by === undefined ? '' : ` of ${by}`}${size}`))}`);
    if (isNews) await this.#writeText(text, RESULT_LINES, '    ');
  }

  /** Writes what a model says besides its answer. */
  async #writeBeside(verb: string, text: unknown): Promise<void> {
    if (typeof text !== 'string' || text.trim() === '') return;
    await this.#out.say(`  ${this.#out.style('dim', `${verb}:`)}`);
    await this.#writeText(text, RESULT_LINES, '    ');
  }

  async #writeCalls(message: UntypedMessage): Promise<void> {
    const out = this.#out;
    for (const { id, name, input } of callsOf(message)) {
      const deed = deedOf(name, input);
      if (this.#open.size < MAX_OPEN) this.#open.set(idOf(id), deed.kind);
      const given = out.line(this.#isFull ? rawArgumentsOf(input) : deed.headline);
      const room = Math.max(20, out.columns - deed.name.length - 6);
      await out.say(
        `  ${out.style('yellow', `→ ${out.line(deed.name)}`)} ${this.#isFull ? given : cutTo(given, room)}`,
      );
      const { about } = deed;
      if (about !== undefined && !this.#isFull)
        await out.say(`    ${out.style('dim', cutTo(out.line(about), Math.max(20, out.columns - 6)))}`);
    }
  }

  /** What came of a call: the exit code of a command that failed, how much of a look. */
  #outcome({ tool_call_id: id }: UntypedMessage, text: string, wentWell: boolean): string {
    const kind = this.#open.get(idOf(id));
    this.#open.delete(idOf(id));
    return kind === undefined ? '' : outcomeOf(kind, text, { wentWell });
  }

  async #writeNotes(notes: readonly RecordNote[]): Promise<void> {
    const out = this.#out;
    for (const { line, text, isError } of notes) {
      await out.say(out.style(isError ? 'red' : 'dim', `– ${out.line(line)}`));
      if (text !== undefined) await this.#writeText(text, RESULT_LINES);
      await out.say();
    }
  }

  async #writeText(text: string, most: number, indent = '  '): Promise<void> {
    const out = this.#out;
    const all = out.lines(text.replace(/\s+$/, '')).split('\n');
    const lines = this.#isFull ? all : all.slice(0, most);
    let cut = false;
    for (const line of lines) {
      const isLong = !this.#isFull && line.length > MAX_LINE;
      cut ||= isLong;
      const shown = isLong ? `${firstCodePoints(line, MAX_LINE)}…` : line;
      if (all.length > 1 || shown !== '') await out.say(shown === '' ? '' : `${indent}${shown}`);
    }
    const left = all.length - lines.length;
    const more = left > 0 ? `${left.toLocaleString('en')} more lines` : cut ? 'long lines are cut' : '';
    if (more !== '') await out.say(out.style('dim', `${indent}… ${more}; --full shows them`));
  }
}

/** How a part is marked that stands for a picture, which is said in words. */
const IN_WORDS = 'picture in words';

/** A record with words for the pictures that stand in its message: nobody sees them here, so nothing is looked for in them. */
function withoutPictures(record: ReadRecord): ReadRecord {
  const { message } = record as UntypedMessage;
  if (record.type !== 'message' || !isObject(message)) return record;
  const { content } = message;
  if (!Array.isArray(content) || !(content as unknown[]).some(isInline)) return record;
  const parts = (content as unknown[]).map((part) =>
    isInline(part) ? { type: IN_WORDS, words: wordsOfPart(part) } : part,
  );
  return { ...record, message: { ...message, content: parts } };
}

/** Whether a part is a picture whose bytes stand in it. */
function isInline(part: unknown): boolean {
  if (!isObject(part) || part.type !== 'image_url' || !isObject(part.image_url)) return false;
  const { url } = part.image_url;
  return typeof url === 'string' && url.startsWith('data:');
}

/** Whether a message has neither words nor parts nor calls. */
function saysNothing(message: UntypedMessage): boolean {
  const { content, refusal, reasoning_content: reasoning } = message;
  const isEmpty = textOf(content).trim() === '' && otherParts(content).length === 0;
  return isEmpty && wordOf(refusal) === '' && wordOf(reasoning) === '' && callsOf(message).length === 0;
}

/** In words what a content holds besides text. */
function otherParts(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return (content as unknown[]).flatMap((part) => {
    if (textOf([part]) !== '' || (isObject(part) && part.type === 'text')) return [];
    return [isObject(part) && part.type === IN_WORDS ? wordOf(part.words) : wordsOfPart(part)];
  });
}

function wordsOfPart(part: unknown): string {
  const shown = otherPartOf(part, () => undefined);
  if (typeof shown === 'string') return shown;
  return `picture: ${shown.mimeType}, ${formatBytes(Buffer.byteLength(shown.base64, 'base64'))}`;
}

function tookWords(ms: number | null | undefined): string {
  return typeof ms === 'number' ? formatDuration(ms) : '';
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
