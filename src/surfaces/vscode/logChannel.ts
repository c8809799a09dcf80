import * as vscode from 'vscode';
import type { Log } from '../../core/ports/log.js';
import type { logLine } from '../../app/logLine.js';
import { features } from '../../app/features/features.js';
import { OutputChannelFrontend, type LineSink } from '../../agents/frontends/outputChannelFrontend.js';
import { setting } from './settings.js';
import type { TranscriptLinks } from './frontends/transcriptLinks.js';

type Level = 'error' | 'warn' | 'info' | 'debug';

/**
 * The output channel "Agent Logbook": dispatches in readable form, and every error with its stack. VS Code keeps it in a
 * file that people attach to bug reports, so secrets are removed. What finds them is loaded with the first line, which
 * keeps its patterns out of every start; lines that come meanwhile wait in their order.
 */
export class LogChannel implements Log, vscode.Disposable {
  readonly #channel = vscode.window.createOutputChannel('Agent Logbook', { log: true });
  #logLine: typeof logLine | undefined;
  #loading: Promise<void> | undefined;
  readonly #waiting: { level: Level; message: string; error: unknown }[] = [];

  error(message: string, error?: unknown): void {
    this.#write('error', message, error);
  }

  warn(message: string, error?: unknown): void {
    this.#write('warn', message, error);
  }

  info(message: string): void {
    this.#write('info', message);
  }

  debug(message: string): void {
    this.#write('debug', message);
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel.dispose();
  }

  /** Resolves when all lines are with VS Code. */
  async written(): Promise<void> {
    await this.#loading;
  }

  #write(level: Level, message: string, error?: unknown): void {
    if (this.#logLine) {
      this.#channel[level](this.#logLine(message, error));
      return;
    }
    this.#waiting.push({ level, message, error });
    this.#loading ??= features.redaction().then(
      (loaded) => {
        this.#logLine = loaded.logLine;
        for (const line of this.#waiting.splice(0)) this.#write(line.level, line.message, line.error);
      },
      () => {
        this.#channel.error(
          'What removes secrets from this log cannot be loaded, so nothing is written to it. Install the extension again.',
        );
      },
    );
  }
}

/** Shows dispatches in the output channel, with links to the transcript; at verbosity 2 also times and tools. */
export function outputChannelFrontend(sink: LineSink, links: TranscriptLinks): OutputChannelFrontend {
  return new OutputChannelFrontend(sink, {
    detailed: () => setting('verbosity') >= 2,
    linkTo: (location) => links.markFor(location),
  });
}
