import { messageOf } from '../core/text.js';
import { Redactor } from '../export/secrets/redact.js';

/** The log line for a message and its error, with the error's stack and without secrets. */
export function logLine(message: string, error?: unknown): string {
  if (error === undefined) return new Redactor().text(message);
  const stack = error instanceof Error ? error.stack : undefined;
  return new Redactor().text(`${message}: ${stack ?? messageOf(error)}`);
}
