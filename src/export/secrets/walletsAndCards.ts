import { greatestOf } from '../../core/lists.js';
import type { SecretRow } from './secretRow.js';
import type { Span } from './redacted.js';

/** How many words seed phrases have; standing alone, only the two that wallets make are taken for one. */
const COUNTS: ReadonlySet<number> = new Set([12, 15, 18, 21, 24]);
const COUNTS_ALONE: ReadonlySet<number> = new Set([12, 24]);
const WORDS =
  /(?<![A-Za-z0-9_-])[a-z]{3,8}(?:[ \t]{1,2}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23}(?![A-Za-z0-9_-])/g;
/** Words that no list of a wallet has, and prose can hardly do without. */
const PROSE_WORD =
  '(?:the|and|for|are|was|were|from|not|but|has|had|have|its|our|his|her|him|she|who|how|did|does|been|than|them|their|into|may|must|should|could|would|over|because|of)\\b';
const PROSE = new RegExp(`\\b${PROSE_WORD}`);
/** What may stand between two words behind a blank, and a word with what stands behind it. */
const NUMBER_OF_WORD = '(?:\\d{1,2}[.)] ?)?';
const NEXT_WORD = `(?:[a-z]{3,8}[ \\t]{1,2}${NUMBER_OF_WORD})`;
const NAMED =
  /(?:seed|recovery|secret|backup|wallet|mnemonic)[ _-]?(?:phrase|words|mnemonic)?[^\n]{0,40}$|mnemonic[^\n]{0,20}$|phrase[^\n]{0,20}$/i;

/** Words of a wallet: so many as one has, with a name before them or alone on their line or between quotes. */
function seedPhrases(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: words } of text.matchAll(WORDS)) {
    if (PROSE.test(words)) continue;
    const before = text.slice(Math.max(0, index - 60), index);
    const end = index + words.length;
    const name = NAMED.exec(before);
    // What says that they come may stand within the same words.
    const list = words.split(/[ \t]+/).filter((word) => /[a-z]/.test(word));
    if (COUNTS.has(list.length) && name) spans.push({ start: index, end });
    else if (COUNTS_ALONE.has(list.length) && isAlone(text, index, end) && isVaried(list))
      spans.push({ start: index, end });
  }
  return spans;
}

const LISTED_NAME = /(?:seed|recovery|secret|backup|wallet)[ _-]?(?:phrase|words?|mnemonic)|mnemonic/gi;
const NEXT_IN_LIST =
  '(?:["\']?\\s{0,2},\\s{0,4}["\']?|[ \\t]{0,2}(?:\\r?\\n|\\\\n)[ \\t]{0,4}(?:[*•-][ \\t])?|[ \\t]{1,4})(?:\\d{1,2}[.):]?[ \\t]{0,2})?';
/** Words of a wallet behind what they are called: one below the other, numbered, with commas, or as a list of a program. */
const LISTED = new RegExp(
  `["'\`*]{0,3}[^\\n:=]{0,40}(?:[:=]|\\n)[\\s"'\`[(>*-]{0,8}(?:1[.):]?[ \\t]{0,2})?((?:[a-z]{3,8}${NEXT_IN_LIST}){11,23}[a-z]{3,8})(?![a-z])`,
  'iy',
);

/** Words of a wallet that are listed behind their name. */
export function listedPhrases(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: name } of text.matchAll(LISTED_NAME)) {
    LISTED.lastIndex = index + name.length;
    const words = LISTED.exec(text)?.[1];
    if (words === undefined) continue;
    const start = LISTED.lastIndex - words.length;
    // What is said behind them may look like one more.
    const ends = Array.from(words.matchAll(/\\n|([a-z]{3,8})/gi)).flatMap(({ index: at, 1: word }) =>
      word === undefined ? [] : [at + word.length],
    );
    const end =
      ends[
        greatestOf(
          [...COUNTS].filter((count) => count <= ends.length),
          0,
        ) - 1
      ] ?? 0;
    if (!PROSE.test(words.slice(0, end).toLowerCase())) spans.push({ start, end: start + end });
  }
  return spans;
}

function isAlone(text: string, start: number, end: number): boolean {
  const [before, after] = [text.charAt(start - 1), text.charAt(end)];
  return /^$|["'`\n]/.test(before) && /^$|["'`\n\r]/.test(after);
}

/** What is in the order of the alphabet is a list of something else. */
function isVaried(list: readonly string[]): boolean {
  const isSorted = list.every((word, at) => at === 0 || (list[at - 1] ?? '') <= word);
  return !isSorted && new Set(list).size * 4 >= list.length * 3;
}

/** The lengths of cards' numbers, by how they begin. */
const CARD =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$/;
const GAP = '[ \\u00a0\\u2009\\u202f-]?';
const NUMBER = new RegExp(
  `(?<![\\dA-Za-z_.,/-])[2-6]\\d{3}(?:${GAP}\\d{4}${GAP}\\d{4}${GAP}\\d{4}(?:\\d{1,3})?|(?:\\.\\d{4}){3}|${GAP}\\d{6}${GAP}\\d{4,5})(?![\\dA-Za-z_]|[.,-]\\d)`,
  'g',
);

/** Numbers of cards: of an issuer's length and beginning, with the last digit that belongs to the others. */
function isCard(value: string): boolean {
  const digits = value.replace(/\D+/g, '');
  if (!CARD.test(digits) || new Set(digits).size < 2) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits.charAt(digits.length - 1 - at));
    const twice = at % 2 === 1 ? 2 * digit : digit;
    sum += twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
/** For examples. */
const KEY = 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF9hJxLnRqUkXaB3dE5gH7jK';
const hasAll = (value: string) => /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);

const wif = (at: string, rest: string, example: string): SecretRow => ({
  name: `private key of a wallet (${at})`,
  kind: 'wallet-key',
  sign: { at, after: rest },
  find: new RegExp(`(?<![A-Za-z0-9])${at}${rest}(?![A-Za-z0-9])`, 'g'),
  accepts: hasAll,
  example,
  counterExample: `${at}abc`,
});

/** What wallets and cards are known by: words, numbers with a check, keys with a fixed length. */
export const WALLETS_AND_CARDS: readonly SecretRow[] = [
  {
    name: 'seed phrase',
    kind: 'wallet-key',
    // A few words first: most texts end there, before each word is looked up.
    sign: [' ', '\t'].map((at) => ({
      before: '[a-z]{3}',
      at,
      after: `[ \\t]?${NUMBER_OF_WORD}(?=${NEXT_WORD}{5})(?:(?!${PROSE_WORD})${NEXT_WORD}){10}[a-z]{3,8}`,
    })),
    find: seedPhrases,
    example: 'zoo zero zone able about above zebra abuse access acid across act',
    counterExample: 'a list of words that is about the same as the one above and has no end',
  },
  wif('5', `[HJK]${BASE58}{49}`, `5J${KEY.slice(0, 49)}`),
  wif('K', `${BASE58}{51}`, `K${KEY}`),
  wif('L', `${BASE58}{51}`, `L${KEY}`),
  ...['2', '3', '4', '5', '6'].map((at): SecretRow => ({
    name: `card that begins with ${at}`,
    kind: 'card',
    sign: {
      before: '(?<![\\dA-Za-z_.,/-])',
      at,
      after: `\\d{3}(?:\\.|${GAP})\\d{4}(?:(?:\\.|${GAP})\\d{3}|\\d\\d)`,
    },
    find: NUMBER,
    accepts: (value) => value.startsWith(at) && isCard(value),
    example:
      {
        2: '2223003122003222',
        3: '378282246310005',
        4: '4111 1111 1111 1111',
        5: '5555-5555-5555-4444',
        6: '6011111111111117',
      }[at] ?? '',
    counterExample: `${at}000 0000 0000 0000`,
  })),
];
