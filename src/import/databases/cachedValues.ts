/** How much of one session is kept between two readings, in bytes of its rows or files; what is beyond that is read each time. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** How long ago something must have been written to so that its time tells whether it was written to again, in milliseconds. */
const SURE_MS = 2_000;

/** Whether a time of writing, in milliseconds since 1970, is a stamp: what was just written to may be again at the same time. */
export function isSure(written: number): boolean {
  return Date.now() - written > SURE_MS;
}

/** What a row or a file holds. */
export interface CachedValue {
  readonly value: unknown;
  /** What of it could not be read, in words. */
  readonly problems: readonly string[];
  /** How much of the disk it takes. */
  readonly bytes: number;
}

interface CachedEntry {
  readonly stamp: string;
  /** Undefined where it is too much to be kept. */
  readonly read: CachedValue | undefined;
}

/**
 * What was read of a session that stands in many rows or files, by what each is called and a stamp that is another one once it
 * was written to: where the session is read again, only those are read that are new or have changed.
 */
export class CachedValues {
  #known = new Map<string, CachedEntry>();
  #next = new Map<string, CachedEntry>();
  #bytes = 0;
  #unsure = 0;
  #hasChanged = false;

  /** Whether the session is another one than when it was `used` last. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Begins to read all of the session; what a reading has kept that did not end is forgotten. */
  begin(): void {
    this.#next = new Map();
    this.#bytes = 0;
  }

  /** A stamp that is like no other, for what may change without being seen. */
  unsure(): string {
    return `unsure ${++this.#unsure}`;
  }

  /** What is known to stand there; undefined where it must be read, and `keep` be told. */
  find(name: string, stamp: string): CachedValue | undefined {
    const known = this.#known.get(name);
    if (known?.stamp !== stamp || !known.read) return undefined;
    this.keep(name, stamp, known.read);
    return known.read;
  }

  keep(name: string, stamp: string, read: CachedValue): void {
    this.#bytes += read.bytes;
    this.#next.set(name, { stamp, read: this.#bytes <= MAX_KEPT_BYTES ? read : undefined });
  }

  /** Notes that something is there which needs not be kept. */
  note(name: string, stamp: string): void {
    this.#next.set(name, { stamp, read: undefined });
  }

  /** Notes that what was read since `begin` is what the session is. */
  end(): void {
    this.#hasChanged ||=
      this.#next.size !== this.#known.size ||
      [...this.#next].some(([name, { stamp }]) => this.#known.get(name)?.stamp !== stamp);
    this.#known = this.#next;
    this.#next = new Map();
  }

  /** Notes that a conversation was made of the session as it was when it was read last. */
  used(): void {
    this.#hasChanged = false;
  }
}
