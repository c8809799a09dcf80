import * as vscode from 'vscode';
import type { Log } from '../ports/log.js';
import { logLine } from './logLine.js';

/**
 * The output channel "Agent Logbook": dispatches in readable form, and every error with its stack. VS Code keeps it in a
 * file that people attach to bug reports, so secrets are removed.
 */
export class LogChannel implements Log, vscode.Disposable {
  readonly #channel = vscode.window.createOutputChannel('Agent Logbook', { log: true });

  error(message: string, error?: unknown): void {
    this.#channel.error(logLine(message, error));
  }

  warn(message: string, error?: unknown): void {
    this.#channel.warn(logLine(message, error));
  }

  info(message: string): void {
    this.#channel.info(logLine(message));
  }

  debug(message: string): void {
    this.#channel.debug(logLine(message));
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel.dispose();
  }
}
