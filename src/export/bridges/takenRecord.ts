import { isObject } from '../../core/message.js';
import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';

/** Where a value stands in a record: keys of objects and positions in lists. */
export type Path = readonly (string | number)[];

/**
 * What every record has so that records can be told apart and put in order. Formats have their own ways of that; that a record
 * stands in another call than the entry's is lost with the `dispatch` that led there, where it is lost.
 */
const IDENTITY: ReadonlySet<string> = new Set([
  'seq',
  'id',
  'conversation',
  'type',
  'run',
  'call',
  'parentCall',
  'depth',
  'spill',
]);

/**
 * A record of which a bridge takes what it writes. What was not taken then is what the other format has no place for, so that
 * nothing is left out in silence, whatever a record may hold.
 */
export class TakenRecord {
  readonly record: UntypedMessage;
  readonly #taken = new Set<string>();
  /** The beginnings of what was taken. */
  readonly #touched = new Set<string>();

  constructor(record: UntypedMessage) {
    this.record = record;
  }

  get type(): unknown {
    return this.record.type;
  }

  /** Whether it carries a message. */
  get isMessage(): boolean {
    return isObject(this.record.message);
  }

  /** A value of the record, whether it is written or not. */
  get(path: Path): unknown {
    let value: unknown = this.record;
    for (const step of path) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = (value as Record<string | number, unknown>)[step];
    }
    return value;
  }

  /** A value that is written, with all that is in it. */
  take(path: Path): unknown {
    this.#taken.add(key(path));
    for (let length = 1; length < path.length; length++) this.#touched.add(key(path.slice(0, length)));
    return this.get(path);
  }

  /**
   * The fields that were not taken, each as often as it occurs; a record of which nothing was taken, not even its type, is one of
   * the `approval records`. What is empty is nothing that could be lost.
   */
  *left(): Generator<string, void, undefined> {
    if (this.#taken.size === 0) yield `${String(this.type)} records`;
    else
      for (const [name, value] of Object.entries(this.record))
        if (!IDENTITY.has(name)) yield* this.#leftIn(value, [name]);
  }

  *#leftIn(value: unknown, path: Path): Generator<string, void, undefined> {
    if (isEmpty(value) || this.#taken.has(key(path))) return;
    if (Array.isArray(value)) {
      for (const [index, item] of (value as unknown[]).entries()) yield* this.#leftIn(item, [...path, index]);
    } else if (isObject(value) && (key(path) === 'message' || this.#touched.has(key(path)))) {
      for (const [name, item] of Object.entries(value))
        if (name !== 'type') yield* this.#leftIn(item, [...path, name]);
    } else yield nameOf(path, value);
  }
}

const BETWEEN = '\u0000';

const key = (path: Path): string => path.join(BETWEEN);

/** How a field is called in a report: `message.tool_calls[].function.name`; a part of a content by its kind. */
function nameOf(path: Path, value: unknown): string {
  const name = path.map((step) => (typeof step === 'number' ? '[]' : `.${step}`)).join('');
  const kind = isObject(value) && typeof value.type === 'string' ? ` (${value.type})` : '';
  return name.slice(1) + (name.endsWith('[]') ? kind : '');
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
