import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';
import { timestampOf } from '../metadata.js';
import type { Prices } from '../../core/ports/prices.js';
import type { TakenRecord } from './takenRecord.js';

/** Writes one transcript in the form of another tool; the joined texts are the file. */
export interface BridgeWriter {
  /** The text that can be written once the next record is known; '' where it has to wait. Takes of the record what is written. */
  add(record: TakenRecord): string;
  /** The rest. */
  end(): string;
}

/** Counts what a format has no place for, besides what was not taken of records: `loses('message records')`. */
export type Loses = (field: string, times?: number) => void;

/** What is known of a transcript besides its records. */
export interface AboutTranscript {
  /** A name for it that is the same in every export. */
  readonly conversation: string;
  /** What it becomes in a tool that goes on with it; '' for a folder that is not known. */
  readonly session: { readonly id: string; readonly folder: string };
  readonly loses: Loses;
  /** What models cost; undefined: what is recorded alone. */
  readonly prices?: Prices | undefined;
}

/** A time in milliseconds since 1970 as the field `timestamp`; none where it is unknown. */
export function isoTime(time: unknown): { readonly timestamp?: string } {
  const timestamp = typeof time === 'number' && time !== 0 ? timestampOf(time) : null;
  return timestamp === null ? {} : { timestamp };
}

/** The call that a record stands in; '' for all that a person's agent does itself, in whichever run. */
export function callOf({ depth, call }: UntypedMessage): string {
  return depth === 0 || typeof call !== 'string' ? '' : call;
}

/**
 * Holds the texts of calls, whose records stand in turn in a transcript, until each can be written as a whole: that of the entry
 * agent at once, those of the calls that were dispatched after it, in the order in which they began.
 */
export class BufferedCalls {
  #hasRoot = false;
  readonly #held = new Map<string, string[]>();

  /** The text that can be written now. */
  add(call: string, text: string): string {
    if (call === '') {
      this.#hasRoot = true;
      return text;
    }
    const held = this.#held.get(call);
    if (held) held.push(text);
    else this.#held.set(call, [text]);
    return '';
  }

  /** All that is held; `closed` gives what ends a call. */
  end(closed: (call: string) => string): string {
    const root = this.#hasRoot ? closed('') : '';
    return root + [...this.#held].map(([call, texts]) => texts.join('') + closed(call)).join('');
  }
}

/**
 * The calls of one conversation with a model, as the APIs want them: each id once, and each result right behind the message that makes
 * its call. What is not so is refused with all that stands around it.
 */
export class OpenCalls {
  readonly #made = new Set<string>();
  #open = new Set<string>();

  /** Whether a call of this id can be made. */
  readonly isFree = (id: string): boolean => id !== '' && !this.#made.has(id);

  /** A message that is no result, with the calls that it makes: no result of an earlier call can follow. */
  begin(ids: readonly string[] = []): void {
    for (const id of ids) this.#made.add(id);
    this.#open = new Set(ids);
  }

  /** Whether a result of this call can stand here; each only once. */
  answer(id: string): boolean {
    return this.#open.delete(id);
  }
}
