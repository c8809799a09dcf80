import type { TextCriteria } from '../../query/textTest.js';
import { carriesChecksum } from '../../store/format/lineFormat.js';
import { BYTE, JsonCursor, OTHER } from '../../store/format/jsonCursor.js';

/** Texts of these characters are the same in JSON, whoever wrote it. */
export const PLAIN = /^[A-Za-z0-9 _.,:;()=*#@!?$%^|~[\]{}-]+$/;

/** How many bytes of a content are looked at where nothing tells that the text is in it. */
export const GLANCE_BYTES = 1_024;

const SEQ = Buffer.from('{"seq":');
const ID = Buffer.from(',"id":"');
const TIME = Buffer.from(',"time":');
/** Keys, as this program writes them, behind their first quote. */
const MESSAGE = Buffer.from('message":');
const TYPE = Buffer.from('type":');
const CONTENT = Buffer.from('content":');
const QUOTE = Buffer.from('"');
/** No line goes on like this. */
const NOTHING = Buffer.from('\n');

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
/** How many letters an escape such as \u0041 has. */
const ESCAPE_LETTERS = 6;
/** What a small letter in ASCII has that its capital has not. */
const CASE = 0x20;

/** Finds where the contents of messages begin on the lines of records. */
class Contents {
  readonly #line = new JsonCursor();
  /** What stood last between the time of a record and its type, that included. */
  #common = NOTHING;

  /**
   * Where the characters of the text begin that is the content of a record's message, on the line from `from` up to, not
   * including, `to`; -1 where none is, or the line carries no checksum.
   */
  placeIn(bytes: Buffer, from: number, to: number): number {
    if (!carriesChecksum(bytes, from, to)) return -1;
    const line = this.#line.begin(bytes, from, to);
    try {
      return this.#goTo(line) ? line.at : -1;
    } catch (error) {
      if (error === OTHER) return -1;
      throw error;
    }
  }

  /** Goes to the text that is the content of the record's message; false where none is. Throws `OTHER` as the cursor does. */
  #goTo(line: JsonCursor): boolean {
    line.expect(SEQ);
    line.digits();
    line.expect(ID);
    line.string();
    line.expect(TIME);
    line.digits();
    const start = line.at;
    // Records of one call follow each other, and have their place and type in common.
    line.goPast(this.#common);
    for (;;) {
      if (!line.nextKey()) return false;
      if (line.goPast(MESSAGE)) break;
      const isType = line.isAt(TYPE);
      line.skipPair();
      // Not of a number, which may go on where another ends: only a text is the same to its end.
      if (isType && line.bytes[line.at - 1] === BYTE.quote)
        this.#common = Buffer.from(line.bytes.subarray(start, line.at));
    }
    line.byte(BYTE.open);
    for (let isFirst = true; line.nextKey(isFirst); isFirst = false) {
      if (line.goPast(CONTENT)) return line.goPast(QUOTE);
      line.skipPair();
    }
    return false;
  }
}

/**
 * Finds a text in the contents of messages, in the bytes of their lines. What it finds is proved: the record on the line
 * matches, and need not be parsed. What it does not find may still stand somewhere in the record.
 */
export class ContentSearch {
  readonly #contents = new Contents();
  readonly #letters: Uint8Array;
  /** For each letter 0x20 where its case does not matter, else 0. */
  readonly #cases: Uint8Array;

  /** `text` must be of plain characters, see `contentSearchFor`. */
  constructor(text: string, matchCase: boolean) {
    this.#cases = Uint8Array.from(text, (letter) => (!matchCase && /[A-Za-z]/.test(letter) ? CASE : 0));
    this.#letters = Uint8Array.from(Buffer.from(text), (code, at) => code | (this.#cases[at] ?? 0));
  }

  /**
   * Whether the line from `from` up to, not including, `to` is that of a record whose message has the text in the first
   * `most` bytes of its content. Its checksum has been verified when it was indexed, and must be there, but is not here.
   */
  isIn(bytes: Buffer, from: number, to: number, most = Number.POSITIVE_INFINITY): boolean {
    const at = this.#contents.placeIn(bytes, from, to);
    return at >= 0 && this.#stands(bytes, at, Math.min(to, at + most));
  }

  /** Whether the text stands in the JSON string of which the characters begin at `from`, before `to`. */
  #stands(bytes: Buffer, from: number, to: number): boolean {
    const first = this.#letters[0] ?? 0;
    const firstCase = this.#cases[0] ?? 0;
    for (let at = from; at < to;) {
      const code = bytes[at] ?? 0;
      if (code === BYTE.quote) return false;
      if (code === BACKSLASH) at += bytes[at + 1] === SMALL_U ? ESCAPE_LETTERS : 2;
      else if ((code | firstCase) === first && this.#isAt(bytes, at)) return true;
      else at++;
    }
    return false;
  }

  #isAt(bytes: Buffer, at: number): boolean {
    const letters = this.#letters;
    const cases = this.#cases;
    for (let index = 1; index < letters.length; index++)
      if (((bytes[at + index] ?? 0) | (cases[index] ?? 0)) !== letters[index]) return false;
    return true;
  }
}

/**
 * The search for what criteria ask for, where they ask for nothing but one text whose letters are the same in JSON; else
 * undefined.
 */
export function contentSearchFor(criteria: TextCriteria): ContentSearch | undefined {
  const { text, content, matchCase = false, regex, wholeWord } = criteria;
  const needle = text ?? content;
  if (text !== undefined && content !== undefined) return undefined;
  if (regex || wholeWord || typeof needle !== 'string' || !PLAIN.test(needle)) return undefined;
  return new ContentSearch(needle, matchCase);
}

const contents = new Contents();

/**
 * Whether what `ContentSearch` looks at on a line is the content of the message on it, as it was read: it is not where a key
 * stands there twice, or where what looks like a message lacks what one must have.
 */
export function isContentOf(line: Buffer, content: unknown): boolean {
  const at = contents.placeIn(line, 0, line.length);
  if (at < 0) return true;
  if (typeof content !== 'string') return false;
  const json = Buffer.from(JSON.stringify(content));
  return json.equals(line.subarray(at - 1, at - 1 + json.length));
}
