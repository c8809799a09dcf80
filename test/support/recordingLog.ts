import { messageOf } from '../../src/core/text.js';
import type { Log } from '../../src/core/ports/log.js';

/** Keeps what it is told as lines like `warn: words: error`. */
export class RecordingLog implements Log {
  readonly lines: string[] = [];

  error = (message: string, error?: unknown) => this.#keep('error', message, error);
  warn = (message: string, error?: unknown) => this.#keep('warn', message, error);
  info = (message: string) => this.#keep('info', message);
  debug = (message: string) => this.#keep('debug', message);

  #keep(level: string, message: string, error?: unknown): void {
    this.lines.push(`${level}: ${message}${error === undefined ? '' : `: ${messageOf(error)}`}`);
  }
}
