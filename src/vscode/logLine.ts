import { messageOf } from '../core/text.js';
import { Redactor } from '../export/redact.js';

/** What goes into the log of a message and its error, with the error's stack; nothing in it looks like a secret. */
export function logLine(message: string, error?: unknown): string {
  const cause = error === undefined ? '' : `: ${(error instanceof Error && error.stack) || messageOf(error)}`;
  return new Redactor().text(message + cause);
}
