import { isConversationId } from '../../core/ids.js';
import { ISSUED_KEYS } from './issuedKeys.js';
import { NAMED_SECRETS } from './namedSecrets.js';
import { SECRET_WORD, type Span } from './redacted.js';
import type { SecretRow, SecretSign } from './secretRow.js';
import { SPOKEN_SECRETS, SPOKEN_WORD } from './spokenSecrets.js';
import { WALLETS_AND_CARDS } from './walletsAndCards.js';
import { secretWords } from './commandWords.js';

/** A list of words in JSON, also within JSON. */
const LIST =
  /\[\s{0,40}(\\{0,8})"(?:[^"\\\n]{0,300}\1"\s{0,40},\s{0,40}\1"){1,40}[^"\\\n]{0,300}\1"\s{0,40}\]/g;
const WORD = /"([^"\\\n]*)(?=\\{0,8}")\\{0,8}"/g;

/** Secrets in the words of commands that are written as lists of JSON. */
const COMMAND_LISTS: SecretRow = {
  name: 'words of a command',
  sign: {
    before: '"',
    at: '-',
    after: '(?:[a-zA-Z]\\\\{0,8}"|p[^"\\s-]|-(?:user|pass|token|secret|auth|api|access))',
  },
  find: inLists,
  example: '["mysql","-u","root","-p{12}","shop"]',
  counterExample: '["mysql","-u","root","-p","shop"]',
};

function inLists(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: list } of text.matchAll(LIST)) {
    const words = [...list.matchAll(WORD)];
    const found = secretWords(words.map(([, word = '']) => word)).toSorted((a, b) => a.word - b.word);
    for (const { word, start } of found) {
      const at = words[word];
      if (at)
        spans.push({ start: index + at.index + 1 + start, end: index + at.index + 1 + (at[1]?.length ?? 0) });
    }
  }
  return spans;
}

/** Every kind of secret that is found, in the order in which they are looked for: what a name says goes first. */
export const SECRETS: readonly SecretRow[] = [
  ...NAMED_SECRETS,
  COMMAND_LISTS,
  ...ISSUED_KEYS,
  ...SPOKEN_SECRETS,
  ...WALLETS_AND_CARDS,
];

const escaped = (character: string) => character.replace(/[$.|?*+^()[\]{}\\/]/, '\\$&');

function signSource({ before = '', at, after = '' }: SecretSign): string {
  // What follows is looked at first: it is short, where what precedes may lie far back.
  return `${after === '' ? '' : `(?=${after})`}${before === '' ? '' : `(?<=${before}${escaped(at)})`}`;
}

/** A row with its sign, and the sign's source behind its character. */
interface SignedRow {
  readonly row: SecretRow;
  readonly around: string;
  /** Behind the character; undefined: it is the whole sign. */
  readonly pattern: RegExp | undefined;
}

/** The rows with a sign, by its character. */
function signedRows(rows: readonly SecretRow[]): ReadonlyMap<string, readonly SignedRow[]> {
  const byCharacter = new Map<string, SignedRow[]>();
  for (const row of rows) {
    for (const sign of row.sign ? [row.sign].flat() : []) {
      const around = signSource(sign);
      const pattern = around === '' ? undefined : new RegExp(around, 'y');
      byCharacter.set(sign.at, [...(byCharacter.get(sign.at) ?? []), { row, around, pattern }]);
    }
  }
  return byCharacter;
}

/**
 * Whether any of the rows with a sign could match. Each branch starts with a character that is rare in texts and looks
 * back from there, so that most characters are skipped at once.
 */
function patternOf(signed: ReadonlyMap<string, readonly SignedRow[]>): RegExp {
  const branches = Array.from(signed, ([at, some]) => {
    const around = some.map((each) => each.around);
    return around.includes('') ? escaped(at) : `${escaped(at)}(?:${around.join('|')})`;
  });
  return new RegExp(branches.join('|'), 'g');
}

/** How many signs of one text are looked at; with more of them, every row is tried. */
const MAX_SIGNS = 200;
const NO_ROWS: readonly SecretRow[] = [];

/** Some kinds of secrets, and which of them a text may hold. */
export class SecretKinds {
  readonly #rows: readonly SecretRow[];
  readonly #set: ReadonlySet<SecretRow>;
  /** Whether any of them is tried wherever `SECRET_WORD` matches. */
  readonly #hasWords: boolean;
  /** Whether any is tried wherever `SPOKEN_WORD` matches. */
  readonly #hasSpoken: boolean;
  /** Those with a sign, and the same by its character. */
  readonly #withSign: ReadonlySet<SecretRow>;
  readonly #signed: ReadonlyMap<string, readonly SignedRow[]>;
  readonly #pattern: RegExp;

  constructor(rows: readonly SecretRow[]) {
    this.#rows = rows;
    this.#set = new Set(rows);
    this.#hasWords = rows.some(({ sign, isSpoken }) => !sign && !isSpoken);
    this.#hasSpoken = rows.some(({ isSpoken }) => isSpoken);
    this.#withSign = new Set(rows.filter(({ sign }) => sign));
    this.#signed = signedRows(rows);
    this.#pattern = patternOf(this.#signed);
  }

  /** Those of them that are among others, too. */
  only(others: SecretKinds): SecretKinds {
    const shared = this.#rows.filter((row) => others.has(row));
    return shared.length === others.#rows.length ? others : new SecretKinds(shared);
  }

  /** Whether it is one of them. */
  has(row: SecretRow): boolean {
    return this.#set.has(row);
  }

  /** Those that could match in a text, in the order of the table; a text without secrets mostly gives none. */
  rowsFor(text: string): readonly SecretRow[] {
    // Lists are full of them, and they have no room for a secret.
    if (this.#rows.length === 0 || isConversationId(text)) return NO_ROWS;
    const hasWord = this.#hasWords && SECRET_WORD.test(text);
    const signed = this.#signedIn(text);
    const isSpoken = this.#hasSpoken && SPOKEN_WORD.test(text);
    if (!hasWord && !isSpoken && signed.size === 0) return NO_ROWS;
    return this.#rows.filter((row) => (row.sign ? signed.has(row) : row.isSpoken ? isSpoken : hasWord));
  }

  /** The rows whose signs a text has. */
  #signedIn(text: string): ReadonlySet<SecretRow> {
    const found = new Set<SecretRow>();
    if (this.#signed.size === 0) return found;
    const pattern = this.#pattern;
    pattern.lastIndex = 0;
    for (let count = 0; pattern.test(text); count++) {
      if (count >= MAX_SIGNS) return this.#withSign;
      const at = pattern.lastIndex;
      for (const { row, pattern: around } of this.#signed.get(text.charAt(at - 1)) ?? []) {
        if (found.has(row)) continue;
        if (around) around.lastIndex = at;
        if (around?.test(text) ?? true) found.add(row);
      }
    }
    return found;
  }
}

/** Every kind of the table; those whose form alone gives them away, whatever stands around them; and none. */
export const ALL_KINDS = new SecretKinds(SECRETS);
export const SHAPED_KINDS = new SecretKinds(ISSUED_KEYS);
export const NO_KINDS = new SecretKinds([]);
