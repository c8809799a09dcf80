import { firstCodePoints } from '../../core/text.js';
import type { GuardedPath, WorkspaceFiles } from '../../ports/workspaceFiles.js';
import type { FindInLine } from './lineSearch.js';
import { shownPath } from '../paths/pathNames.js';
import { readRule } from '../paths/protectedPaths.js';
import { Turns } from '../turns.js';

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_HITS = 200;
const MAX_SHOWN_LENGTH = 300;
const MAX_DURATION_MS = 20_000;

/** The results of one search so far, and why it did not search everywhere. */
export class Findings {
  readonly #lines: string[] = [];
  readonly #turns = new Turns();
  readonly #files: WorkspaceFiles;
  readonly #find: FindInLine;
  readonly #signal: AbortSignal;
  readonly #end = Date.now() + MAX_DURATION_MS;
  #secret = 0;
  #large = 0;
  #stopped: string | undefined;

  constructor(files: WorkspaceFiles, find: FindInLine, signal: AbortSignal) {
    this.#files = files;
    this.#find = find;
    this.#signal = signal;
  }

  /** Searches one file; false when enough was found or enough time was spent. */
  async searchIn(place: GuardedPath): Promise<boolean> {
    if (readRule(place) !== undefined || place.names > 1) {
      this.#secret++;
      return true;
    }
    const file = await this.#files.read(place, MAX_FILE_BYTES);
    if (!file.ok) {
      if (file.why === 'tooLarge') this.#large++;
      return true;
    }
    await this.#searchLines(place, file.text);
    return this.#stopped === undefined;
  }

  async #searchLines(place: GuardedPath, text: string): Promise<void> {
    for (const [index, line] of text.split('\n').entries()) {
      const at = this.#find(line);
      if (at >= 0) this.#lines.push(`${shownPath(place.relative)}:${index + 1}: ${shown(line, at)}`);
      if (this.#lines.length >= MAX_HITS)
        this.#stopped = `Only the first ${MAX_HITS} lines; narrow the search`;
      else if (Date.now() > this.#end) this.#stopped = `Stopped after ${MAX_DURATION_MS / 1_000} seconds`;
      else if (this.#signal.aborted) this.#stopped = 'Cancelled';
      if (this.#stopped !== undefined) return;
      const turn = this.#turns.giveWay();
      if (turn) await turn;
    }
  }

  report(): string {
    const notes = [
      this.#stopped,
      this.#secret > 0 ? `${files(this.#secret)} not searched: may hold secrets` : undefined,
      this.#large > 0 ? `${files(this.#large)} not searched: larger than 2 MiB` : undefined,
    ].filter((note) => note !== undefined);
    const note = notes.length > 0 ? `\n(${notes.join('. ')}.)` : '';
    return (this.#lines.length > 0 ? this.#lines.join('\n') : '(Nothing found.)') + note;
  }
}

const files = (count: number) => (count === 1 ? '1 file' : `${count} files`);

/** The part of a line around a match. */
function shown(line: string, at: number): string {
  const text = line.trimEnd();
  if (text.length <= MAX_SHOWN_LENGTH) return text;
  const start = Math.max(0, Math.min(at - 50, text.length - MAX_SHOWN_LENGTH));
  const part = text.slice(start, start + MAX_SHOWN_LENGTH).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${firstCodePoints(part, MAX_SHOWN_LENGTH)}${start + part.length < text.length ? '…' : ''}`;
}
