import { messageOf } from '../core/text.js';
import { Redactor } from '../export/redact.js';

/** What goes into the log of a message and its error, with the error's stack; nothing in it looks like a secret. */
export function logLine(message: string, error?: unknown): string {
  if (error === undefined) return new Redactor().text(message);
  const stack = error instanceof Error ? error.stack : undefined;
  return new Redactor().text(`${message}: ${stack ?? messageOf(error)}`);
}
