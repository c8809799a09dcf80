/** More ways than this to meet a part of a pattern are not told apart. */
const MAX_WAYS = 16;
/** A text that is longer, in UTF-16 code units, is not made any longer. */
const MAX_LENGTH = 200;
/** In groups that are deeper nothing is looked for. */
const MAX_DEPTH = 40;
/** Shorter texts occur nearly everywhere, so that looking for them first gains nothing. */
const MIN_LENGTH = 2;

/** Ways to meet a pattern: for each of them the texts that stand in all that it matches so. */
export type RequiredTexts = readonly (readonly string[])[];

/**
 * The texts of ASCII without which a pattern matches nothing: all of those of one of the ways to meet it, in the letter case
 * of the pattern. Undefined where none is known of one of the ways.
 */
export function requiredTexts(pattern: RegExp): RequiredTexts | undefined {
  const ways = waysOf(pattern, MAX_WAYS);
  return ways?.every(({ length }) => length > 0) === true ? ways : undefined;
}

/**
 * The longest text of ASCII that occurs in everything a pattern matches, in the letter case of the pattern; undefined where
 * none is known.
 */
export function requiredLiteral(pattern: RegExp): string | undefined {
  const [first, ...others] = waysOf(pattern, 1) ?? [];
  const common = first?.filter((text) => others.every((way) => way.includes(text))) ?? [];
  return common.reduce<string | undefined>(
    (best, text) => (text.length > (best?.length ?? 0) ? text : best),
    undefined,
  );
}

function waysOf(pattern: RegExp, maxTexts: number): RequiredTexts | undefined {
  // With this flag classes nest, which is not understood here.
  if (pattern.flags.includes('v')) return undefined;
  return new PatternReader(pattern, maxTexts).ways();
}

/** What is known of a part of a pattern. */
interface PatternFacts {
  /** All that it matches, where that is a few texts. */
  readonly exact?: readonly string[];
  /** What all that it matches has. */
  readonly ways: RequiredTexts;
}

/** What may match anything. */
const ANY: PatternFacts = { ways: [[]] };
/** What matches a place, and takes no characters of it. */
const PLACE: PatternFacts = { exact: [''], ways: [[]] };

/** Reads a pattern from its beginning to its end. */
class PatternReader {
  readonly #source: string;
  readonly #isUnicode: boolean;
  readonly #maxTexts: number;
  #at = 0;
  #depth = 0;

  constructor({ source, unicode }: RegExp, maxTexts: number) {
    // As tests have it, which look for composed letters; see `inEachForm`.
    this.#source = source.normalize('NFC');
    this.#isUnicode = unicode;
    this.#maxTexts = maxTexts;
  }

  /** Undefined for a pattern that is not understood. */
  ways(): RequiredTexts | undefined {
    const known = this.#alternatives();
    return known && this.#at === this.#source.length ? waysTo(known) : undefined;
  }

  #alternatives(): PatternFacts | undefined {
    let known = this.#sequence();
    while (known && this.#source[this.#at] === '|') {
      this.#at++;
      const next = this.#sequence();
      known = next && this.#either(known, next);
    }
    return known;
  }

  #either(one: PatternFacts, other: PatternFacts): PatternFacts {
    const exact = one.exact && other.exact ? [...new Set([...one.exact, ...other.exact])] : undefined;
    if (exact && exact.length <= this.#maxTexts) return { exact, ways: [[]] };
    const ways = [...waysTo(one), ...waysTo(other)];
    return ways.length > MAX_WAYS || ways.some(({ length }) => length === 0) ? ANY : { ways };
  }

  #sequence(): PatternFacts | undefined {
    const run = new Run(this.#maxTexts);
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      const part = this.#part();
      if (!part) return undefined;
      const { least, most } = this.#quantifier();
      if (least === 0) run.add(most === 1 && part.exact ? this.#either(part, PLACE) : ANY);
      else run.add(part, most > 1);
    }
    return run.end();
  }

  /** One character, class, place or group; undefined where it is not understood. */
  #part(): PatternFacts | undefined {
    const char = this.#source.charAt(this.#at);
    if (char === '\\') return this.#escape();
    if (char === '[') return this.#class();
    if (char === '(') return this.#group();
    if ('*+?{}]'.includes(char)) return undefined;
    this.#at++;
    if (char === '^' || char === '$') return PLACE;
    return char === '.' || char > '\x7f' ? ANY : textOf(char);
  }

  #escape(): PatternFacts | undefined {
    const found = ESCAPE.exec(this.#source.slice(this.#at, this.#at + MAX_LENGTH));
    if (!found) return undefined;
    const [all, place, any, unicode, char] = found;
    this.#at += all.length;
    if (place !== undefined) return PLACE;
    if (any !== undefined) return ANY;
    if (unicode !== undefined) return this.#isUnicode ? ANY : undefined;
    return textOf(char ?? '');
  }

  #class(): PatternFacts | undefined {
    const from = this.#at + 1;
    let to = from;
    while (to < this.#source.length && this.#source[to] !== ']') to += this.#source[to] === '\\' ? 2 : 1;
    if (to >= this.#source.length) return undefined;
    this.#at = to + 1;
    const chars = this.#source.slice(from, to);
    return chars.length <= this.#maxTexts && /^[A-Za-z0-9_ .,;:]+$/.test(chars)
      ? { exact: [...new Set(chars)], ways: [[]] }
      : ANY;
  }

  #group(): PatternFacts | undefined {
    const [start] =
      /^\((?:\?(?::|<?[=!]|<[\w$]+>)|(?!\?))/.exec(this.#source.slice(this.#at, this.#at + MAX_LENGTH)) ?? [];
    if (start === undefined || ++this.#depth > MAX_DEPTH) return undefined;
    this.#at += start.length;
    const inner = this.#alternatives();
    this.#depth--;
    if (!inner || this.#source[this.#at] !== ')') return undefined;
    this.#at++;
    return /[=!]$/.test(start) ? PLACE : inner;
  }

  #quantifier(): { readonly least: number; readonly most: number } {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at, this.#at + 40));
    if (!found) return { least: 1, most: 1 };
    const [all, sign, least = '0', more, most = ''] = found;
    this.#at += all.length;
    if (sign !== undefined) return { least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    return {
      least: Number(least),
      most: more === '' ? Number(least) : most === '' ? Infinity : Number(most),
    };
  }
}

/** A place; any characters; any with the flag `u`, else perhaps something else; a character that stands for itself. */
const ESCAPE =
  /^\\(?:([bB])|([dDwWsSrntfv])|(0|[1-9]\d*|k<[\w$]+>|[pP]\{[^}]*\}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|c[A-Za-z])|([^A-Za-z0-9\x80-\uffff]))/;

/** The parts of a sequence, as far as it is read. */
class Run {
  readonly #maxTexts: number;
  /** What stands where the sequence is now, in one piece. */
  #texts: readonly string[] = [''];
  #before: RequiredTexts = [[]];
  /** Whether these texts are all that it matches. */
  #isExact = true;

  constructor(maxTexts: number) {
    this.#maxTexts = maxTexts;
  }

  /** `repeats`: whether it may come several times. */
  add(part: PatternFacts, repeats = false): void {
    const { exact } = part;
    if (!exact) {
      this.#begin(['']);
      this.#before = both(this.#before, part.ways);
      return;
    }
    const texts = this.#texts.flatMap((text) => exact.map((each) => text + each));
    const isSmall = texts.length <= this.#maxTexts && texts.every(({ length }) => length <= MAX_LENGTH);
    if (isSmall) this.#texts = texts;
    else this.#begin(exact);
    // The last of several stands before what follows.
    if (repeats) this.#begin(exact);
  }

  end(): PatternFacts {
    return this.#isExact
      ? { exact: this.#texts, ways: [[]] }
      : { ways: both(this.#before, waysTo({ exact: this.#texts, ways: [[]] })) };
  }

  #begin(texts: readonly string[]): void {
    this.#isExact = false;
    this.#before = both(this.#before, waysTo({ exact: this.#texts, ways: [[]] }));
    this.#texts = texts;
  }
}

function textOf(char: string): PatternFacts {
  return { exact: [char], ways: [[]] };
}

function waysTo({ exact, ways }: PatternFacts): RequiredTexts {
  if (!exact) return ways;
  const isKnown = exact.length <= MAX_WAYS && exact.every(({ length }) => length >= MIN_LENGTH);
  return isKnown ? exact.map((text) => [text]) : [[]];
}

/** What has both; where that is too much, the one of which more is known. */
function both(one: RequiredTexts, other: RequiredTexts): RequiredTexts {
  if (one.length * other.length <= MAX_WAYS)
    return one.flatMap((texts) => other.map((each) => [...texts, ...each]));
  const least = (ways: RequiredTexts) =>
    ways.reduce((few, texts) => Math.min(few, texts.join('').length), Infinity);
  return least(one) >= least(other) ? one : other;
}
