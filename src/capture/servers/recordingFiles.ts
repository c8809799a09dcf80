import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundedMap } from '../../core/boundedMap.js';
import { endsWithinLine, LineRoom } from '../../node/lines.js';
import { syncFolder } from '../../node/plainFile.js';
import { TextPieces } from './textPieces.js';

/** The most bytes of one recording where nothing else is said: what is read of one conversation at once. */
export const MAX_RECORDING = 512 * 1024 * 1024;

/** Of how many recordings it is remembered what texts they have told. */
const MAX_TOLD = 100;

/** How much of a recording is read at once, in bytes. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** What was added to a recording. */
export interface Growth {
  /** The path of the file. */
  readonly path: string;
  /** Its bytes now. */
  readonly bytes: number;
}

/** How recordings are kept. */
export interface RecordingFilesOptions {
  /** The folder; made where it is not there. */
  readonly folder: string;
  /** The end of every file's name, for example `.otlp.jsonl`. */
  readonly extension: string;
  /** The most bytes of one file. */
  readonly maxBytes: number;
  /** Hears of what is on the disk. */
  readonly onGrown: (growth: Growth) => void;
}

/** A line: a JSON text as it is, or a value whose long texts are written once. */
export type RecordedLine = string | Readonly<Record<string, unknown>>;

/** Lines that wait to be written. */
interface Addition {
  readonly lines: readonly RecordedLine[];
  readonly resolve: (isAdded: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Recordings of what came from outside, as they came: a file of JSON lines for each conversation, which only the person
 * may read. The name of a file comes from the conversation's key, so a recording goes on where it ended, also after a
 * restart. What is added while a file is being written is written together.
 */
export class RecordingFiles {
  readonly #options: RecordingFilesOptions;
  readonly #waiting = new Map<string, Addition[]>();
  /** What is being written, by the paths of the files. */
  readonly #writing = new Map<string, Promise<void>>();
  /** What texts the latest recordings have told, by their paths, and how long each was then, in bytes. */
  readonly #told = new BoundedMap<string, { readonly texts: TextPieces; bytes: number }>(MAX_TOLD);

  constructor(options: RecordingFilesOptions) {
    this.#options = options;
  }

  /** The path of a conversation's recording. */
  pathOf(key: string): string {
    const name = createHash('sha256').update(key).digest('hex').slice(0, 24);
    return join(this.#options.folder, `${name}${this.#options.extension}`);
  }

  /**
   * Adds lines, of which texts have no line breaks, in the order of the calls. Resolves when they are on the disk; to
   * `false` where the file would become too large, and none of them is added. Rejects where they cannot be written.
   */
  add(key: string, lines: readonly RecordedLine[]): Promise<boolean> {
    const path = this.pathOf(key);
    return new Promise((resolve, reject) => {
      const addition = { lines, resolve, reject };
      const waiting = this.#waiting.get(path);
      if (waiting) {
        waiting.push(addition);
        return;
      }
      this.#waiting.set(path, [addition]);
      this.#writing.set(path, this.#write(path));
    });
  }

  /** Whether a conversation has a recording, or one that is just written. */
  has(key: string): boolean {
    const path = this.pathOf(key);
    return this.#writing.has(path) || existsSync(path);
  }

  /** Resolves when what was added to a recording so far is on the disk, or was rejected. */
  async written(key: string): Promise<void> {
    await this.#writing.get(this.pathOf(key));
  }

  /** The paths of all recordings; none where the folder is not there. */
  async all(): Promise<ReadonlySet<string>> {
    const { folder, extension } = this.#options;
    const names = existsSync(folder) ? await readdir(folder) : [];
    return new Set(names.filter((name) => name.endsWith(extension)).map((name) => join(folder, name)));
  }

  /**
   * Puts the lines of one recording behind those of another, and removes it once they are on the disk there; `isAgain` where that
   * may have been broken off before, so that some are there already. Resolves to `false` where there is no room for them: then the
   * recording stays. One that is not there was taken. Rejects where a file cannot be read, written or removed.
   */
  async take(from: string, into: string, isAgain = false): Promise<boolean> {
    const { maxBytes, folder } = this.#options;
    const [own, other] = [this.pathOf(from), this.pathOf(into)];
    await this.written(from);
    // Another receiver has taken it.
    if (!existsSync(own)) return true;
    if ((await sizeOf(own)) + (await sizeOf(other)) > maxBytes) return false;
    const known = new Set<string>();
    if (isAgain) for await (const lines of linesIn(other)) for (const line of lines) known.add(markOf(line));
    for await (const lines of linesIn(own)) {
      const missing = lines.filter((line) => !known.has(markOf(line)));
      if (missing.length > 0 && !(await this.add(into, missing))) return false;
    }
    await rm(own);
    await syncFolder(folder);
    return true;
  }

  /** Resolves when all that was added is on the disk, or was rejected. */
  async settled(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing.values());
  }

  async #write(path: string): Promise<void> {
    for (let batch = this.#waiting.get(path); batch && batch.length > 0;) {
      this.#waiting.set(path, []);
      try {
        await this.#append(path, batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      batch = this.#waiting.get(path);
    }
    // At once: whoever adds next begins to write anew, and is waited for.
    this.#waiting.delete(path);
    this.#writing.delete(path);
  }

  /** The texts that a recording has told; none where somebody else has written to it, or it was removed. */
  #textsOf(path: string, bytes: number): TextPieces {
    const told = this.#told.get(path);
    return told?.bytes === bytes ? told.texts : new TextPieces();
  }

  async #append(path: string, batch: readonly Addition[]): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    const file = await open(path, 'a+', 0o600);
    try {
      const { size } = await file.stat();
      const mend = (await endsWithinLine(file, size)) ? Buffer.from('\n') : Buffer.alloc(0);
      let bytes = size + mend.length;
      const texts = this.#textsOf(path, size);
      const added: Buffer[] = [];
      const fits = batch.map(({ lines }) => {
        const written = Buffer.from(lines.map((line) => `${lineOf(line, texts)}\n`).join(''));
        if (bytes + written.length > this.#options.maxBytes) {
          texts.forget();
          return false;
        }
        bytes += written.length;
        added.push(written);
        return true;
      });
      if (added.length > 0) {
        // Where it cannot be written, nothing of it is known.
        this.#told.delete(path);
        await file.appendFile(Buffer.concat([mend, ...added]));
        await file.datasync();
        this.#told.set(path, { texts, bytes });
        this.#options.onGrown({ path, bytes });
      }
      for (const [at, { resolve }] of batch.entries()) resolve(fits[at] === true);
    } finally {
      await file.close();
    }
  }
}

function lineOf(line: RecordedLine, texts: TextPieces): string {
  if (typeof line !== 'string') return texts.written(line);
  // It may come from another recording, and be very long.
  texts.forget();
  return line;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** What tells a line from others. */
function markOf(line: string): string {
  return createHash('sha256').update(line).digest('base64').slice(0, 24);
}

/** The lines of a file that are not empty, a few megabytes at a time; none where it is not there. */
export async function* linesIn(path: string): AsyncGenerator<readonly string[]> {
  const size = await sizeOf(path);
  if (size === 0) return;
  const file = await open(path);
  try {
    const room = new LineRoom(Buffer.allocUnsafe(Math.min(size, PIECE_BYTES)));
    for (let isEnd = false; !isEnd;) {
      const { bytesRead } = await file.read(room.free());
      isEnd = bytesRead === 0;
      yield textsOf(room.lines(bytesRead, isEnd));
    }
  } finally {
    await file.close();
  }
}

function textsOf(bytes: Buffer): readonly string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}
