import type { CallSite } from '../../../core/record.js';
import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';

/** A file that agents have changed without a person having read how. */
export interface UnreviewedFile {
  /** The real path. */
  readonly path: string;
  /** What was done, oldest first, each as it would be shown in an approval. */
  readonly changes: readonly string[];
}

/** How much of one change is kept to be shown later, in UTF-16 code units. */
const MAX_CHANGE = 20_000;

/**
 * The version of each file that each agent has last read or written, so that no agent overwrites a text that it has not
 * seen. One per conversation: an entry agent keeps its knowledge across runs, as it keeps its history; every other call
 * starts with nothing.
 */
export class SeenFiles {
  readonly #versions = new Map<string, Map<string, string>>();
  readonly #written = new Set<string>();
  readonly #unreviewed = new Map<string, readonly string[]>();

  note(call: CallSite, place: GuardedPath, version: string): void {
    const key = readerOf(call);
    const versions = this.#versions.get(key) ?? new Map<string, string>();
    this.#versions.set(key, versions.set(place.path, version));
  }

  noteWritten(call: CallSite, place: GuardedPath, version: string): void {
    this.note(call, place, version);
    this.#written.add(place.path);
  }

  /** Notes files that an agent's command writes, by real path; no agent has seen their content then. */
  noteMade(paths: readonly string[]): void {
    for (const path of paths) this.#written.add(path);
  }

  /** The version that this call's agent knows; undefined where it has not seen the file. */
  versionSeen(call: CallSite, place: GuardedPath): string | undefined {
    return this.#versions.get(readerOf(call))?.get(place.path);
  }

  /** Forgets what this call's agent has seen of a file that no longer exists. */
  forget(call: CallSite, place: GuardedPath): void {
    this.#versions.get(readerOf(call))?.delete(place.path);
  }

  /** Notes that agents have changed files, by real path, and no person has read how. `change` says how, for a person. */
  noteUnreviewed(paths: readonly string[], change: string): void {
    for (const path of paths) {
      this.#unreviewed.set(path, [...(this.#unreviewed.get(path) ?? []), change.slice(0, MAX_CHANGE)]);
    }
  }

  /** Everything that agents have changed and no person has read, file by file in the order of the first change. */
  unreviewed(): readonly UnreviewedFile[] {
    return [...this.#unreviewed].map(([path, changes]) => ({ path, changes }));
  }

  /** Notes that a person has read these changes. What was changed again since they were taken stays unreviewed. */
  noteReviewed(files: readonly UnreviewedFile[]): void {
    for (const { path, changes } of files) {
      const left = this.#unreviewed.get(path)?.slice(changes.length) ?? [];
      if (left.length === 0) this.#unreviewed.delete(path);
      else this.#unreviewed.set(path, left);
    }
  }

  /** The real paths of all files that agents have written. */
  get written(): ReadonlySet<string> {
    return this.#written;
  }
}

function readerOf(call: CallSite): string {
  return call.depth === 0 ? `entry ${call.agent}` : `call ${call.call}`;
}
