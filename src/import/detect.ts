import { formats } from './tools.js';
import type { Entry } from './building/importSink.js';
import { asText } from './reading/fields.js';
import { tableRows } from './reading/tables.js';
import { isObject } from '../core/message.js';
import { isOfAnyLength, type TranscriptFormat } from './building/transcriptFormat.js';

/** How many values a format gets at first, which are enough for nearly every file. */
const HEAD = 20;

/** How many different shapes of values are looked at one by one. */
const MAX_SHAPES = 200;

/** What a file was recognised as. */
export interface Detected {
  /** Undefined where no format recognises it. */
  readonly format: TranscriptFormat | undefined;
  /** The values to read: those of the file, or the items of the only list in it. */
  readonly entries: readonly Entry[];
}

/**
 * Finds the format of a file by what stands in it, however late: by its first values, else by all, else by the items of
 * the list that it consists of, else by a vote of its values, each taken for itself.
 */
export function detect(given: readonly Entry[]): Detected {
  const entries = rowEntries(given);
  const values = entries.flatMap(({ value, raw }) => (raw === undefined ? [value] : []));
  const format = recognised(values.slice(0, HEAD)) ?? recognised(values);
  const items = itemsOf(values);
  if (format) {
    // What is read value by value is read so from a list, too, however long the list is.
    const isByItems =
      isOfAnyLength(format) &&
      format.isOfLists !== true &&
      items?.every(isObject) &&
      recognised(items.slice(0, HEAD)) === format;
    return { format, entries: isByItems === true ? itemEntries(entries, items) : entries };
  }
  const inside = items && (recognised(items.slice(0, HEAD)) ?? recognised(items) ?? voted(items, specific));
  if (inside) return { format: inside, entries: itemEntries(entries, items) };
  const vote = voted(values, specific) ?? lastOf(values) ?? voted(values, formats);
  if (vote || !items) return { format: vote, entries };
  const general = voted(items, formats);
  return { format: general, entries: general ? itemEntries(entries, items) : entries };
}

/** The formats that know their files by something that only these have. */
const specific = formats.filter(({ isGeneral }) => isGeneral !== true);

/** The formats of which the last may be asked at once; it takes whatever looks like messages. */
const first = formats.slice(0, -1);

function recognised(
  values: readonly unknown[],
  among: readonly TranscriptFormat[] = first,
): TranscriptFormat | undefined {
  return values.length === 0 ? undefined : among.find((format) => recognises(format, values));
}

function lastOf(values: readonly unknown[]): TranscriptFormat | undefined {
  return recognised(values, formats.slice(-1));
}

function recognises(format: TranscriptFormat, values: readonly unknown[]): boolean {
  try {
    return format.detect(values);
  } catch {
    // A file on which a format's detection fails is not of that format.
    return false;
  }
}

/** The rows of a table as entries, after what could not be parsed; the given ones where the file is no table. */
function rowEntries(entries: readonly Entry[]): readonly Entry[] {
  const whole = entries.filter(({ raw }) => raw === undefined);
  const rows = whole.length === 1 ? tableRows(whole[0]?.value) : undefined;
  return rows ? itemEntries(entries, rows) : entries;
}

/** The items of the only list in a file as entries, after what could not be parsed. */
function itemEntries(entries: readonly Entry[], items: readonly unknown[]): readonly Entry[] {
  return [...entries.filter(({ raw }) => raw !== undefined), ...items.map((value) => ({ value }))];
}

/** The items of the list that a file consists of: what belongs on lines of its own is sometimes put into one. */
function itemsOf(values: readonly unknown[]): readonly unknown[] | undefined {
  const [only] = values;
  return values.length === 1 && Array.isArray(only) && only.length > 0 ? only : undefined;
}

/** The format that recognises the most values by themselves; values of one shape are asked about once. */
function voted(values: readonly unknown[], among: readonly TranscriptFormat[]): TranscriptFormat | undefined {
  const known = new Map<string, TranscriptFormat | undefined>();
  const votes = new Map<TranscriptFormat, number>();
  for (const value of values) {
    const shape = shapeOf(value);
    if (shape === undefined || (!known.has(shape) && known.size >= MAX_SHAPES)) continue;
    if (!known.has(shape)) known.set(shape, recognised([value], among));
    const format = known.get(shape);
    if (format) votes.set(format, (votes.get(format) ?? 0) + 1);
  }
  return [...votes].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function shapeOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return [asText((value as { type?: unknown }).type), ...Object.keys(value).sort()].join(' ');
}
