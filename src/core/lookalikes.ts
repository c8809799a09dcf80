import { visibleText } from './visibleText.js';

/**
 * Characters that look like ASCII ones, by what they look like: the common ones of Unicode's table of confusable
 * characters (UTS #39) for letters that names are written with. What compatibility forms stand for, like full-width or
 * mathematical letters, is found by NFKC.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  A: 'АΑᎪ',
  B: 'ВΒᏴ',
  C: 'СᏟϹ',
  D: 'Ꭰᗪ',
  E: 'ЕΕᎬ',
  G: 'ԌᏀ',
  H: 'НΗᎻ',
  J: 'ЈᎫ',
  K: 'КΚᏦ',
  L: 'ᏞԼ',
  M: 'МΜᎷ',
  N: 'Ν',
  P: 'РΡᏢ',
  S: 'ЅᏚՏ',
  T: 'ТΤᎢ',
  V: 'ᏙѴ',
  W: 'ԜᎳ',
  X: 'ХΧ',
  Y: 'УҮΥ',
  Z: 'ΖᏃ',
  a: 'аαɑ',
  b: 'Ьᖯ',
  c: 'сᴄϲ',
  d: 'ԁ',
  e: 'еҽ',
  g: 'ɡց',
  h: 'һհ',
  i: 'іıɩιɪ',
  j: 'јϳ',
  k: 'кκ',
  l: 'IІΙ1|ӀӏᏆ',
  n: 'ոռ',
  o: '0оοօσᴏ',
  O: 'ОΟՕ',
  p: 'рρ',
  q: 'ԛզ',
  r: 'гᴦ',
  s: 'ѕꜱƽ',
  u: 'υսᴜ',
  v: 'νѵᴠ',
  w: 'ѡԝաᴡ',
  x: 'хᕁ',
  y: 'уγүʏ',
  z: 'ᴢ',
  '-': '‐‑‒–—−',
};

const looksLike = new Map(
  Object.entries(LOOKALIKES).flatMap(([ascii, others]) =>
    Array.from(others, (other) => [other, ascii] as const),
  ),
);

/**
 * What a name looks like: two names with the same skeleton can be taken for each other. Hidden characters are left out;
 * letter case is ignored, as it is among agents.
 */
export function skeletonOf(name: string): string {
  const seen = name.normalize('NFKC').replace(HIDDEN, '').replace(/\s+/gu, ' ').trim();
  const latin = Array.from(seen, (character) => looksLike.get(character) ?? character).join('');
  return latin.toLowerCase().replaceAll('rn', 'm').replaceAll('vv', 'w');
}

const HIDDEN = /[\p{Cf}\p{Cc}\ufe00-\ufe0f\u115f\u1160\u3164\uffa0]/gu;

/** Names as they are shown: one that could be taken for another of them has its foreign letters written out. */
export function toldApart(names: readonly string[]): readonly string[] {
  const alike = new Map<string, Set<string>>();
  for (const name of names) {
    const skeleton = skeletonOf(name);
    alike.set(skeleton, (alike.get(skeleton) ?? new Set()).add(name.toLowerCase()));
  }
  return names.map((name) =>
    (alike.get(skeletonOf(name))?.size ?? 0) > 1 ? writtenOut(name) : distinctName(name),
  );
}

/** A name as it is shown alone: a word of it with letters of two scripts that look alike has the foreign ones written out. */
export function distinctName(name: string): string {
  return mixesScripts(name) ? writtenOut(name) : name;
}

/** The name with every character that looks like an ASCII one, or like nothing, followed by its code: `rе⟨U+0435⟩viewer`. */
export function writtenOut(name: string): string {
  const codes = Array.from(name, (character) => {
    const isForeign = (character.codePointAt(0) ?? 0) > 0x7f && looksLike.has(character.normalize('NFKC'));
    return isForeign || isCompatible(character) ? `${character}${codeOf(character)}` : character;
  });
  return visibleText(codes.join(''));
}

/** Whether a word has both ASCII letters and others that look like them. */
function mixesScripts(name: string): boolean {
  return name
    .split(/[^\p{L}\p{M}\p{Cf}]+/u)
    .some(
      (word) =>
        /[a-z]/i.test(word) &&
        Array.from(word).some((letter) => /[^\0-\x7f]/.test(letter) && looksLike.has(letter)),
    );
}

/** Whether a character is only another form of an ASCII letter or digit. */
function isCompatible(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f && /^[a-z0-9]$/i.test(character.normalize('NFKC'));
}

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
