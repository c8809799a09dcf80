/**
 * Characters that change what a reader sees without being visible: control characters except tab and line break,
 * bidirectional and zero-width formatting (not the joiners that emoji and scripts need), tags, rare variation
 * selectors, fillers, lone surrogates.
 */
const unseen =
  /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\p{Cs}]/gu;

/** The text with every invisible character written out, like `⟨U+202E⟩`; tabs and line breaks stay. */
export function visibleText(text: string): string {
  return text.replace(unseen, nameOf);
}

/**
 * A JSON text with every invisible character in its strings as JSON's own escape, like `\u202e`: it is shown whole and
 * means the same.
 */
export function escapedUnseen(json: string): string {
  return json.replace(unseen, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A text that is one visible line as it is, as most are. */
const VISIBLE_LINE = /^[!-~]+(?: [!-~]+)*$/;
/** Longer texts are not tried, in UTF-16 code units. */
const MAX_TRIED = 1_000;

/** The text on one line: runs of white space become one space, every other invisible character is written out. */
export function visibleLine(text: string): string {
  if (text.length <= MAX_TRIED && VISIBLE_LINE.test(text)) return text;
  return visibleText(foldWhiteSpace(text));
}

/** The text on one line: runs of white space become one space, none at either end. */
export function foldWhiteSpace(text: string): string {
  return text.replace(/[^\S\ufeff]+/gu, ' ').trim();
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
