import type { CallPlace } from '../../core/record.js';
import type { GuardedPath } from '../../ports/workspaceFiles.js';

/**
 * Which version of which file each agent has read or written last, so that nobody writes over a text that he
 * has not seen. One per conversation: an entry agent keeps what it saw from run to run, as it keeps its history;
 * every other call begins with nothing.
 */
export class SeenFiles {
  readonly #versions = new Map<string, Map<string, string>>();
  readonly #written = new Set<string>();

  note(call: CallPlace, place: GuardedPath, version: string): void {
    const key = readerOf(call);
    const versions = this.#versions.get(key) ?? new Map<string, string>();
    this.#versions.set(key, versions.set(place.path, version));
  }

  noteWritten(call: CallPlace, place: GuardedPath, version: string): void {
    this.note(call, place, version);
    this.#written.add(place.path);
  }

  /** Files that a command of an agent writes, by real path; nobody has seen what they hold then. */
  noteMade(paths: readonly string[]): void {
    for (const path of paths) this.#written.add(path);
  }

  /** The version that this call's agent knows; undefined where it has not seen the file. */
  versionSeen(call: CallPlace, place: GuardedPath): string | undefined {
    return this.#versions.get(readerOf(call))?.get(place.path);
  }

  /** What this call's agent has seen of a file that is gone counts no more. */
  forget(call: CallPlace, place: GuardedPath): void {
    this.#versions.get(readerOf(call))?.delete(place.path);
  }

  /** The real paths of all files that agents have written. */
  get written(): ReadonlySet<string> {
    return this.#written;
  }
}

function readerOf(call: CallPlace): string {
  return call.depth === 0 ? `entry ${call.agent}` : `call ${call.call}`;
}
