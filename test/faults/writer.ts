import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { DriverTask } from './driver.js';

/** What a writing process has said before it ended. */
export interface WriterReport {
  /** The hash of the content of each acknowledged record, by id. */
  readonly acknowledged: Map<string, string>;
  readonly problems: string[];
  readonly solved: string[];
  readonly done: boolean;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
}

/** A process of its own that writes through the real store. */
export class Writer {
  readonly acknowledged = new Map<string, string>();
  readonly problems: string[] = [];
  readonly solved: string[] = [];
  /** Resolves when it has its conversation, or has ended. */
  readonly ready: Promise<void>;
  readonly ended: Promise<WriterReport>;
  readonly #child: ChildProcess;
  #done = false;
  #errors = '';
  readonly #waiting: { readonly word: string; resolve(): void }[] = [];

  /** `wrap` goes before the command, as `strace` does; `user` is who runs it, if not we. */
  constructor(task: DriverTask, driver: string, wrap: readonly string[] = [], user?: number) {
    const command = [...wrap, process.execPath, driver, JSON.stringify(task)];
    const child = spawn(command[0] ?? '', command.slice(1), {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user !== undefined && { uid: user, gid: user }),
    });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    createInterface(child.stdout).on('line', (line) => this.#hear(line));
    this.ended = new Promise((resolve) => {
      child.on('close', (_, signal) => {
        for (const waiting of this.#waiting) waiting.resolve();
        const { acknowledged, problems, solved } = this;
        resolve({ acknowledged, problems, solved, done: this.#done, signal, errors: this.#errors });
      });
    });
    this.ready = this.heard('READY');
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Resolves when a line begins with a word, or when it has ended. */
  heard(word: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ word, resolve }));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #hear(line: string): void {
    const [word = '', first = '', second = ''] = line.split(' ');
    if (word === 'ACK') this.acknowledged.set(first, second);
    if (word === 'PROBLEM') this.problems.push(first);
    if (word === 'SOLVED') this.solved.push(first);
    if (word === 'DONE') this.#done = true;
    for (const waiting of this.#waiting.filter((each) => line.startsWith(each.word))) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve();
    }
  }
}
