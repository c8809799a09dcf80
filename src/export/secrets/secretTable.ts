import { isConversationId } from '../../core/ids.js';
import { COMMAND_LISTS } from './commandLists.js';
import { ISSUED_KEYS } from './issuedKeys.js';
import { NAMED_SECRETS } from './namedSecrets.js';
import { SECRET_WORD } from './secretNames.js';
import type { SecretRow, SecretSign } from './secretRow.js';

/** Every kind of secret that is found, in the order in which they are looked for: what a name says goes first. */
export const SECRETS: readonly SecretRow[] = [...NAMED_SECRETS, COMMAND_LISTS, ...ISSUED_KEYS];

/** The kinds whose form alone gives them away, whatever stands around them. */
export const SHAPED_ROWS: ReadonlySet<SecretRow> = new Set(ISSUED_KEYS);

const bySign = new Map<string, SecretRow[]>();
for (const row of SECRETS) {
  if (row.sign) bySign.set(row.sign.at, [...(bySign.get(row.sign.at) ?? []), row]);
}

const escaped = (character: string) => character.replace(/[$.|?*+^()[\]{}\\/]/, '\\$&');

function signSource({ before = '', at, after = '' }: SecretSign): string {
  // What follows is looked at first: it is short, where what precedes may lie far back.
  return `${after === '' ? '' : `(?=${after})`}${before === '' ? '' : `(?<=${before}${escaped(at)})`}`;
}

/**
 * Whether any of the rows with a sign could match. Each branch starts with a character that is rare in texts and looks
 * back from there, so that most characters are skipped at once.
 */
const SIGN = new RegExp(
  Array.from(bySign, ([at, rows]) => {
    const around = rows.flatMap(({ sign }) => (sign ? [signSource(sign)] : []));
    return around.includes('') ? escaped(at) : `${escaped(at)}(?:${around.join('|')})`;
  }).join('|'),
  'g',
);

/** The rows that could match in a text, in the order of the table; a text without secrets mostly gives none. */
export function rowsFor(text: string): readonly SecretRow[] {
  // Lists are full of them, and they have no room for a secret.
  if (isConversationId(text)) return NO_ROWS;
  const hasWord = SECRET_WORD.test(text);
  const signs = signsIn(text);
  if (!hasWord && signs.size === 0) return NO_ROWS;
  return SECRETS.filter(({ sign }) => (sign ? signs.has(sign.at) : hasWord));
}

const NO_ROWS: readonly SecretRow[] = [];

/** How many signs of one text are looked at; with more of them, every row is tried. */
const MAX_SIGNS = 200;
const ALL_SIGNS: ReadonlySet<string> = new Set(bySign.keys());

function signsIn(text: string): ReadonlySet<string> {
  const signs = new Set<string>();
  SIGN.lastIndex = 0;
  for (let count = 0; SIGN.test(text); count++) {
    if (count >= MAX_SIGNS) return ALL_SIGNS;
    signs.add(text.charAt(SIGN.lastIndex - 1));
  }
  return signs;
}
