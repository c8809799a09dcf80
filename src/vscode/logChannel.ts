import * as vscode from 'vscode';
import { messageOf } from '../core/text.js';
import type { Log } from '../ports/log.js';

/** The output channel "Agent Logbook": dispatches as people read them, and every error with its stack. */
export class LogChannel implements Log, vscode.Disposable {
  readonly #channel = vscode.window.createOutputChannel('Agent Logbook', { log: true });

  error(message: string, error?: unknown): void {
    this.#channel.error(withCause(message, error));
  }

  warn(message: string, error?: unknown): void {
    this.#channel.warn(withCause(message, error));
  }

  info(message: string): void {
    this.#channel.info(message);
  }

  debug(message: string): void {
    this.#channel.debug(message);
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel.dispose();
  }
}

function withCause(message: string, error: unknown): string {
  if (error === undefined) return message;
  const stack = error instanceof Error ? error.stack : undefined;
  return `${message}: ${stack ?? messageOf(error)}`;
}
