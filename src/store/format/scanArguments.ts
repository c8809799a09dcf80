import { isPathKey, PATCH_BEGIN } from '../../query/numbers/namedPaths.js';
import { MAX_PATH, NO_FILES, usedBy } from '../../query/numbers/fileUses.js';
import type { JsonCursor } from './jsonCursor.js';
import type { ScannedCall } from './scannedRecord.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const NINE = 0x39;
const STAR = 0x2a;

/** What may follow the backslash of an escape, besides the quote and the backslash, which are escaped once more. */
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('/bfnrt'));
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const WORD = /^\w{1,40}$/;
/** Arguments with more names are parsed. */
const MAX_NAMES = 30;

/**
 * Takes the names of arguments and the file that they name from the bytes of their JSON, which stands in a string of a line,
 * its quotes escaped. Knows objects of texts, numbers and the like; gives up where anything else stands there, a patch
 * or a rare escape too, so that whatever it takes is what parsing gives.
 */
export class ArgumentScanner {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #to = 0;
  /** Where the text stands that was read last. */
  #valueFrom = 0;
  #valueTo = 0;

  /** Reads the arguments that the cursor has just gone past into a call; false where they have to be parsed. */
  scan(line: JsonCursor, call: ScannedCall): boolean {
    const bytes = (this.#bytes = line.bytes);
    this.#at = line.from;
    this.#to = line.to;
    call.nameCount = 0;
    call.files = NO_FILES;
    call.pathFrom = call.pathTo = 0;
    let command = '';
    if (!this.#goPast(OPEN)) return false;
    this.#skipSpaces();
    let isLast = this.#goPast(CLOSE);
    while (!isLast) {
      if (this.#text() !== 'plain') return false;
      const [keyFrom, keyTo] = [this.#valueFrom, this.#valueTo];
      this.#skipSpaces();
      if (!this.#goPast(COLON)) return false;
      this.#skipSpaces();
      const value = bytes[this.#at] === BACKSLASH ? this.#text() : this.#scalar();
      if (value === 'other') return false;
      const key = line.nameIn(keyFrom, keyTo);
      if (!isNew(call, key)) return false;
      call.names[call.nameCount++] = key;
      if (value !== 'scalar' && isPathKey(key) && (value !== 'plain' || !this.#takePath(call))) return false;
      if (value === 'plain' && key === 'command' && this.#valueTo - this.#valueFrom <= 40)
        command = bytes.toString('latin1', this.#valueFrom, this.#valueTo);
      this.#skipSpaces();
      isLast = this.#goPast(CLOSE);
      if (!isLast && !this.#goPast(COMMA)) return false;
      this.#skipSpaces();
    }
    if (call.pathTo > 0) call.use = usedBy(call.name, WORD.test(command) ? command : undefined);
    return this.#at === this.#to;
  }

  /** Takes the value as the only path; false where it is another one, or none that stands there as it is. */
  #takePath(call: ScannedCall): boolean {
    if (call.pathTo > 0) return false;
    const length = this.#valueTo - this.#valueFrom;
    if (length === 0) return true;
    if (length > MAX_PATH) return false;
    for (let at = this.#valueFrom; at < this.#valueTo; at++)
      if ((this.#bytes[at] ?? DELETE) >= DELETE) return false;
    call.pathFrom = this.#valueFrom;
    call.pathTo = this.#valueTo;
    return true;
  }

  /** Goes past a text, which begins and ends with an escaped quote. */
  #text(): 'plain' | 'escaped' | 'other' {
    const bytes = this.#bytes;
    const to = this.#to;
    let at = this.#at;
    if (bytes[at] !== BACKSLASH || bytes[at + 1] !== QUOTE) return 'other';
    at += 2;
    this.#valueFrom = at;
    let [hasEscapes, hasStar] = [false, false];
    for (;;) {
      for (; at < to && bytes[at] !== BACKSLASH; at++) if (bytes[at] === STAR) hasStar = true;
      if (at >= to) return 'other';
      if (bytes[at + 1] === QUOTE) break;
      hasEscapes = true;
      at = afterEscape(bytes, at);
      if (at < 0) return 'other';
    }
    this.#valueTo = at;
    this.#at = at + 2;
    // What a patch changes is for the reader of patches.
    if (hasStar && bytes.subarray(this.#valueFrom, at).includes(PATCH_BEGIN)) return 'other';
    return hasEscapes ? 'escaped' : 'plain';
  }

  /** Goes past a number, a truth value or null. */
  #scalar(): 'scalar' | 'other' {
    const from = this.#at;
    let at = from;
    while (at < this.#to && !isEnd(this.#bytes[at])) at++;
    this.#at = at;
    const isOne = at - from <= 40 && SCALAR.test(this.#bytes.toString('latin1', from, at));
    return isOne ? 'scalar' : 'other';
  }

  #skipSpaces(): void {
    while (this.#bytes[this.#at] === SPACE) this.#at++;
  }

  #goPast(code: number): boolean {
    if (this.#bytes[this.#at] !== code) return false;
    this.#at++;
    return true;
  }
}

function isEnd(code: number | undefined): boolean {
  return code === COMMA || code === CLOSE || code === SPACE;
}

/** Whether a name is another than those before it, and one that an object keeps in its order. */
function isNew({ names, nameCount }: ScannedCall, key: string): boolean {
  if (nameCount === MAX_NAMES || key.charCodeAt(0) <= NINE) return false;
  for (let at = 0; at < nameCount; at++) if (names[at] === key) return false;
  return true;
}

/** The end of the escape that begins with the two bytes of an escaped backslash; -1 where none does. */
function afterEscape(bytes: Buffer, at: number): number {
  if (bytes[at + 1] !== BACKSLASH) return -1;
  const next = bytes[at + 2] ?? 0;
  if (ESCAPED.has(next)) return at + 3;
  const isDoubled = next === BACKSLASH && (bytes[at + 3] === QUOTE || bytes[at + 3] === BACKSLASH);
  return isDoubled ? at + 4 : -1;
}
