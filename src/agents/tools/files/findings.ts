import { TimeSlices } from '../../../core/yieldToEventLoop.js';
import { withoutHalves } from '../../../core/halves.js';
import { firstCodePoints } from '../../../core/text.js';
import type { PatternMatcher } from '../../../core/ports/patternMatcher.js';
import type { GuardedPath, WorkspaceFiles } from '../../../core/ports/workspaceFiles.js';
import { matchingLines, type LineQuestion } from './lineSearch.js';
import { shownPath } from '../paths/pathNames.js';
import { readRule } from '../paths/protectedPaths.js';

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_HITS = 200;
const MAX_SHOWN_LENGTH = 300;
const MAX_DURATION_MS = 20_000;
/** How long a search may hold the process before others get their turn. */
const MAX_SLICE_MS = 10;

/** What a search is for, and by whom. */
export interface FindingsOptions {
  readonly files: WorkspaceFiles;
  readonly patterns: PatternMatcher;
  readonly question: LineQuestion;
  readonly signal: AbortSignal;
}

/** The results of one search so far, and why it did not search everywhere. */
export class Findings {
  readonly #lines: string[] = [];
  readonly #slices = new TimeSlices(MAX_SLICE_MS);
  readonly #options: FindingsOptions;
  readonly #end = performance.now() + MAX_DURATION_MS;
  #secret = 0;
  #large = 0;
  #slow = 0;
  #stopped: string | undefined;

  constructor(options: FindingsOptions) {
    this.#options = options;
  }

  /** Searches one file; false when enough was found or enough time was spent. */
  async searchIn(place: GuardedPath): Promise<boolean> {
    if (readRule(place) !== undefined || place.names > 1) {
      this.#secret++;
      return true;
    }
    const file = await this.#options.files.read(place, MAX_FILE_BYTES);
    if (!file.ok) {
      if (file.why === 'tooLarge') this.#large++;
      return true;
    }
    await this.#searchLines(place, file.text);
    return this.#stopped === undefined;
  }

  async #searchLines({ relative }: GuardedPath, text: string): Promise<void> {
    const { question, patterns, signal } = this.#options;
    const turn = this.#slices.whenOver();
    if (turn) await turn;
    const limit = MAX_HITS - this.#lines.length;
    const maxMs = this.#end - performance.now();
    const matches =
      maxMs > 0 ? await matchingLines(question, text, limit, { patterns, maxMs, signal }) : undefined;
    const lines = new LineNumbers(text);
    for (const { start } of matches ?? []) {
      const line = lines.at(start);
      this.#lines.push(
        `${shownPath(relative)}:${line.number}: ${shown(text.slice(line.start, line.end), start - line.start)}`,
      );
    }
    if (signal.aborted) this.#stopped = 'Cancelled';
    else if (performance.now() > this.#end)
      this.#stopped = `Stopped after ${MAX_DURATION_MS / 1_000} seconds`;
    else if (this.#lines.length >= MAX_HITS)
      this.#stopped = `Only the first ${MAX_HITS} lines; narrow the search`;
    else if (!matches) this.#slow++;
  }

  report(): string {
    const notes = [
      this.#stopped,
      this.#secret > 0 ? `${files(this.#secret)} not searched: may hold secrets` : undefined,
      this.#slow > 0 ? `${files(this.#slow)} not searched: the pattern takes too long there` : undefined,
      this.#large > 0 ? `${files(this.#large)} not searched: larger than 2 MiB` : undefined,
    ].filter((note) => note !== undefined);
    const note = notes.length > 0 ? `\n(${notes.join('. ')}.)` : '';
    return (this.#lines.length > 0 ? this.#lines.join('\n') : '(Nothing found.)') + note;
  }
}

const files = (count: number) => (count === 1 ? '1 file' : `${count} files`);

/** Counts the lines of a text on the way from one place to the next. */
class LineNumbers {
  readonly #text: string;
  #number = 1;
  #start = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The line of a position; each position must lie behind the one before. */
  at(position: number): { readonly number: number; readonly start: number; readonly end: number } {
    for (let next = this.#nextBreak(); next >= 0 && next < position; next = this.#nextBreak()) {
      this.#number++;
      this.#start = next + 1;
    }
    const end = this.#nextBreak();
    return { number: this.#number, start: this.#start, end: end < 0 ? this.#text.length : end };
  }

  #nextBreak(): number {
    return this.#text.indexOf('\n', this.#start);
  }
}

/** The part of a line around a match. */
function shown(line: string, at: number): string {
  const text = line.trimEnd();
  if (text.length <= MAX_SHOWN_LENGTH) return text;
  const start = Math.max(0, Math.min(at - 50, text.length - MAX_SHOWN_LENGTH));
  const part = withoutHalves(text.slice(start, start + MAX_SHOWN_LENGTH));
  return `${start > 0 ? '…' : ''}${firstCodePoints(part, MAX_SHOWN_LENGTH)}${start + part.length < text.length ? '…' : ''}`;
}
