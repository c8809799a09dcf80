import { SharingGate } from './sharingGate.js';
import type { SharingRules } from './sharingPolicy.js';

/** A text as it goes out. */
export interface SharedText {
  readonly text: string;
  /** How much was left out. */
  readonly redacted: number;
}

/**
 * A single text, such as one that is copied, as it goes out: nobody is asked, and what it replaces has no number, because nothing
 * else of the conversation was looked through. Throws a NotCleanError where something would stand in it that is to be left out.
 */
export function sharedText(text: string, rules?: SharingRules): SharedText {
  const gate = new SharingGate(rules, { isNumbered: false });
  gate.look(text, 0);
  // Arguments of calls stand there as JSON, in which the lines of a file are none.
  if (text.includes('\\')) gate.look(withoutEscapes(text), 0);
  const redactor = gate.redactor();
  const clean = redactor.text(text);
  const check = gate.check();
  check.given(() => clean);
  check.next(clean);
  return { text: clean, redacted: redactor.count };
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** A text as somebody reads it who takes all of it for strings of JSON. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, other: string) =>
    code === undefined ? (ESCAPED[other] ?? other) : String.fromCharCode(parseInt(code, 16)),
  );
}
