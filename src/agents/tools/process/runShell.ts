import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { onAbort, raceAbort } from '../../../core/abort.js';
import { endTree, killOnExit, treeOf } from './processTree.js';

/** A command's output: its beginning and its end, and how much is left out in between. */
export class OutputBuffer {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;

  /** Keeps at most `limit` bytes, half of them from the beginning. */
  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.floor(limit / 2);
  }

  /** The number of bytes received, kept or not. */
  get total(): number {
    return this.#total;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = this.#headLimit - this.#headBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(part);
      this.#headBytes += part.length;
    }
    if (chunk.length > room) this.#addToTail(chunk.subarray(Math.max(room, 0)));
  }

  #addToTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    // Twice the limit may pile up, so that the copying costs the same however small the pieces are.
    if (this.#tailBytes <= 2 * this.#tailLimit) return;
    const kept = Buffer.concat(this.#tail).subarray(-this.#tailLimit);
    this.#tail = [Buffer.from(kept)];
    this.#tailBytes = kept.length;
  }

  /** The text, without split characters; a note between beginning and end tells what is left out. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail).subarray(-this.#tailLimit);
    const left = this.#total - head.length - tail.length;
    if (left === 0) return decode(Buffer.concat([head, tail]));
    return `${decode(wholeEnd(head))}\n(… ${left} bytes are left out …)\n${decode(wholeStart(tail))}`;
  }
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Without the beginning of a character at the end. */
function wholeEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (length > 0) return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Without the end of a character at the start. */
function wholeStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

/** A command line and everything that it is run with. */
export interface ShellRun {
  readonly command: string;
  /** The path of bash. */
  readonly shell: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The value of the mark in `environment`. */
  readonly mark: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told what the command says while it runs, whole characters only. Must not throw. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/** How a command ended. */
export interface ShellEnd {
  readonly why: 'exit' | 'timeout' | 'cancelled' | 'flood';
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signalName: string | undefined;
  /** Processes that it had left behind, which were ended. */
  readonly leftBehind: number;
  /** Processes that could not be ended. */
  readonly unkillable: readonly number[];
  readonly output: string;
  /** The size of its output in bytes. */
  readonly outputBytes: number;
}

/** How much of the output is kept, half from the beginning and half from the end, in bytes. */
const MAX_OUTPUT = 32 * 1024;
/** The most output, in bytes, after which a command is ended, because nobody would read it. */
const MAX_FLOOD = 64 * 1024 * 1024;
/** How long the last output may take to arrive when all processes have ended, in milliseconds. */
const DRAIN_MS = 500;
/** The file that every process inherits and nobody needs, by which those are found that drop their environment. */
const INHERITED_FILE = 3;
/** All files that lead to us: who keeps its output, or the file nobody needs, is found. */
const PIPES = [1, 2, INHERITED_FILE];
/** Waits for a line, then becomes the shell that runs the command: a short one would be over before we have looked. */
const WAIT_FOR_US = `read -r -u ${INHERITED_FILE} || exit; exec "$1" --noprofile --norc -c "$0"`;

/** Runs a command line in a shell of its own, in a group of its own. When this resolves, nothing of it runs. */
export async function runShell(run: ShellRun): Promise<ShellEnd | { readonly failure: string }> {
  const child = spawn(run.shell, ['--noprofile', '--norc', '-c', WAIT_FOR_US, run.command, run.shell], {
    cwd: run.folder,
    env: run.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const exited = endOf(child);
  if (child.pid === undefined) return { failure: `The shell cannot be started: ${await exited}` };
  const tree = treeOf(child.pid, run.mark, PIPES);
  const outlive = killOnExit(tree);
  const file = child.stdio[INHERITED_FILE] as Duplex;
  // What a program writes into a file that it was not told about is nobody's.
  file.resume().on('error', () => undefined);
  if (!run.signal.aborted) file.write('\n');
  const stop = new AbortController();
  const end = (reason: ShellEnd['why']) => stop.abort(reason);
  const output = gather(child, run.onOutput, () => end('flood'));
  const timer = setTimeout(() => end('timeout'), run.timeoutMs);
  const leave = onAbort(run.signal, () => end('cancelled'));
  await raceAbort(exited, stop.signal);
  const why = stop.signal.aborted ? (stop.signal.reason as ShellEnd['why']) : 'exit';
  clearTimeout(timer);
  leave();
  const { ended, left } = await endTree(tree);
  outlive();
  await Promise.race([Promise.all([exited, output.closed]), wait(DRAIN_MS)]);
  for (const stream of child.stdio) stream?.destroy();
  return {
    why,
    exitCode: child.exitCode ?? undefined,
    signalName: child.signalCode ?? undefined,
    leftBehind: why === 'exit' ? ended : 0,
    unkillable: left,
    output: output.buffer.text(),
    outputBytes: output.buffer.total,
  };
}

/** Resolves when a process has ended, or with the words for why it never began. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve('it ended'));
    child.once('error', (error) => resolve(error.message));
  });
}

function gather(child: ChildProcess, onOutput: ShellRun['onOutput'], onFlood: () => void) {
  const buffer = new OutputBuffer(MAX_OUTPUT);
  const closed = [child.stdout, child.stderr].map((stream) => {
    if (stream === null) return Promise.resolve();
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => {
      buffer.add(chunk);
      const text = decoder.write(chunk);
      if (text !== '') onOutput?.(text);
      if (buffer.total > MAX_FLOOD) onFlood();
    });
    return closeOf(stream);
  });
  return { buffer, closed: Promise.all(closed) };
}

function closeOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve).once('error', () => resolve()));
}
