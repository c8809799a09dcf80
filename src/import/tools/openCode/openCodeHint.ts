import { text, type Fields, type SessionHint } from '../hint.js';

/** What the file of a session tells of it. */
export function openCodeHint(value: Fields): SessionHint | undefined {
  return { named: text(value.title), workspace: text(value.directory) };
}
