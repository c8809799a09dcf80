import * as vscode from 'vscode';
import { messageOf } from '../core/text.js';
import { Redactor } from '../export/redact.js';
import type { Log } from '../ports/log.js';

/**
 * The output channel "Agent Logbook": dispatches as people read them, and every error with its stack. VS Code keeps it
 * in a file that people send with their reports, so nothing in it looks like a key or a password.
 */
export class LogChannel implements Log, vscode.Disposable {
  readonly #channel = vscode.window.createOutputChannel('Agent Logbook', { log: true });

  error(message: string, error?: unknown): void {
    this.#channel.error(withoutSecrets(withCause(message, error)));
  }

  warn(message: string, error?: unknown): void {
    this.#channel.warn(withoutSecrets(withCause(message, error)));
  }

  info(message: string): void {
    this.#channel.info(withoutSecrets(message));
  }

  debug(message: string): void {
    this.#channel.debug(withoutSecrets(message));
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel.dispose();
  }
}

const withoutSecrets = (text: string) => new Redactor().text(text);

function withCause(message: string, error: unknown): string {
  if (error === undefined) return message;
  const stack = error instanceof Error ? error.stack : undefined;
  return `${message}: ${stack ?? messageOf(error)}`;
}
