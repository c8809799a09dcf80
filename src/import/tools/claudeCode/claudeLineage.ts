import { isObject } from '../../../core/message.js';
import { fields, text, time, type Fields } from '../../reading/fields.js';
import type { SidecarEntries } from '../../building/transcriptFormat.js';

/** Whether a file beside a session is another session in its folder, of which it may be a copy. */
export function isSibling({ name }: Pick<SidecarEntries, 'name'>): boolean {
  return /^\.\.\/(?!agent-)[^/]+$/.test(name);
}

/** What the lines of a session tell of where it came from. */
export interface CopyMarks {
  /** The session that a branch says its lines were copied from. */
  readonly forkedFrom: string | undefined;
  /** Whether it begins with a copy of another session, which it does not name: see `CopyMark`. */
  readonly isCopy: boolean;
  /** Of all lines that have one. */
  readonly firstUuid: string | undefined;
  readonly lastUuid: string | undefined;
}

/** By how much what stands before the first message may be later than that in a session that is no copy, in milliseconds. */
const MAX_LATER_MS = 1000;

/**
 * Whether the lines of a session, looked at one after another, begin with a copy of another one: it was sent to the
 * background, or branched off, so that what happened when it began stands before messages that are older.
 */
export class CopyMark {
  isCopy = false;
  #begun: number | undefined;
  #isUnderWay = false;

  look({ sessionKind, uuid, timestamp }: Fields): void {
    this.isCopy ||= sessionKind === 'bg';
    if (this.#isUnderWay) return;
    const at = time(timestamp);
    if (uuid === undefined) this.#begun = at ?? this.#begun;
    else {
      this.#isUnderWay = true;
      this.isCopy ||= at !== undefined && this.#begun !== undefined && this.#begun - at > MAX_LATER_MS;
    }
  }
}

/**
 * Where the beginning of a session was copied from, because what was said there was paid there. A branch says it on each
 * line. One that says nothing has lines with the uuids of another session of its folder.
 */
export class ClaudeLineage {
  /** The session that it was copied from. */
  readonly from: string | undefined;
  readonly #copied: ReadonlySet<number | string>;

  constructor(ahead: CopyMarks, sidecars: readonly SidecarEntries[]) {
    const ancestors = ahead.isCopy ? sidecars.flatMap((file) => ancestorIn(file, ahead) ?? []) : [];
    const nearest = ancestors.reduce<Ancestor | undefined>(
      (best, each) => (best && best.uuids.size >= each.uuids.size ? best : each),
      undefined,
    );
    this.from = ahead.forkedFrom ?? nearest?.session;
    this.#copied = new Set(ancestors.flatMap(({ uuids }) => [...uuids]));
  }

  /** Whether a line is a copy from another session. */
  isCopied({ uuid, forkedFrom }: Fields): boolean {
    if (isObject(forkedFrom)) return true;
    return this.#copied.size > 0 && typeof uuid === 'string' && this.#copied.has(hashOf(uuid));
  }
}

interface Ancestor {
  readonly session: string | undefined;
  readonly uuids: ReadonlySet<number | string>;
}

/**
 * The session in a file, where this one begins with a copy of it: it has the same first line. One that is a copy
 * itself and has the last line too is a copy of this one.
 */
function ancestorIn(file: SidecarEntries, { firstUuid, lastUuid }: CopyMarks): Ancestor | undefined {
  if (!isSibling(file) || firstUuid === undefined) return undefined;
  const uuids = new Set<number | string>();
  let session: string | undefined;
  const mark = new CopyMark();
  let hasLast = false;
  for (const { value } of file.entries) {
    const line = fields(value);
    mark.look(line);
    const uuid = text(line.uuid);
    if (uuid === undefined) continue;
    if (uuids.size === 0 && uuid !== firstUuid) return undefined;
    session ??= text(line.sessionId);
    hasLast ||= uuid === lastUuid;
    uuids.add(hashOf(uuid));
  }
  return uuids.size === 0 || (mark.isCopy && hasLast) ? undefined : { session, uuids };
}

/** The first 48 bits of a uuid, which take less memory than its text; anything else as it is. */
function hashOf(uuid: string): number | string {
  const bits = Number(`0x${uuid.replaceAll('-', '').slice(0, 12)}`);
  return uuid.length < 36 || Number.isNaN(bits) ? uuid : bits;
}
