import fc from 'fast-check';

/** Alphabets whose texts have long runs, borders of pieces at every place, or characters that engines disagree about. */
const alphabets = [
  ' ',
  ' \t\n\r',
  ' a\n',
  '-=_*#/.',
  'aAbB',
  "'sStTdDmMrReEvVlLfF a",
  'ABCDEFGH',
  'etaoinshrdlu',
  '0123456789\u0664\u00bd\u2167 ',
  '啊的一是不了在人有我',
  'ひらがなカタカナー漢字',
  'नमस्तेहिन्दी',
  '\u0301\u0308\u20e3aA !\n',
  'ǅʰªßſ\u212aİıΣςσ',
  "ſ'’sS aZ",
  '\ufeff \n\u0085a!Z',
  '\u00a0\u2003\u2028\u3000\u180e\u200b a.',
];

const emoji = ['😀', '👩', '\u200d', '💻', '🏽', '🇩', '🇪', ' ', 'a'];
const surrogates = ['\ud83d', '\ude00', '\udfff', '\ud800', 'a', ' '];
const words = [
  ' the',
  ' quick',
  'Fox',
  "don't",
  "WE'RE",
  ' 42',
  '…',
  '\n\n',
  '    ',
  '<|endoftext|>',
  'é',
  '你好',
  '{"a":',
];

/** Texts made to go wrong, of up to `maxLength` characters. */
export function nastyText(maxLength: number): fc.Arbitrary<string> {
  const of = (characters: readonly string[]) =>
    fc.array(fc.constantFrom(...characters), { maxLength, size: 'max' }).map((chosen) => chosen.join(''));
  const run = fc.tuple(
    fc.constantFrom(...words, ...alphabets.flatMap((alphabet) => Array.from(alphabet))),
    fc.integer({ min: 1, max: maxLength }),
  );
  return fc.oneof(
    ...alphabets.map((alphabet) => of(Array.from(alphabet))),
    of(emoji),
    of(surrogates),
    of(words),
    fc.string({ unit: 'binary', maxLength, size: 'max' }),
    fc.array(run, { maxLength: 4 }).map((runs) => runs.map(([text, times]) => text.repeat(times)).join('')),
  );
}
