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
