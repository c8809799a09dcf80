/**
 * A test for whole texts against a text in which `*` stands for any characters. Takes linear time for each star.
 * `ignoreCase`: letter case does not matter. Letters are the same composed and decomposed.
 */
export function wildcardTest(pattern: string, ignoreCase: boolean): (text: string) => boolean {
  const formed = (text: string) => (ignoreCase ? text.normalize('NFC').toLowerCase() : text.normalize('NFC'));
  const wanted = formed(pattern);
  const [first = '', ...rest] = wanted.split('*');
  const last = rest.pop();
  return (given) => {
    const text = formed(given);
    if (last === undefined) return text === first;
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
      return false;
    let at = first.length;
    const end = text.length - last.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found < 0 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}

/** Longer paths are none that a tool could open, in UTF-16 code units; they match no pattern. */
const MAX_PATH = 8_192;

/**
 * A test for paths. `*` and `?` stay within a name, `**` crosses folders. A pattern that begins with `/` or a drive is for
 * whole paths; any other may stand for the end of a path, behind a `/`. `\` and `/` are the same, and letter case counts.
 * Takes, at worst, as many looks at a name as the path and the pattern have names, multiplied: whoever tests what strangers
 * wrote against it limits the time.
 */
export function globTest(pattern: string): (path: string) => boolean {
  const wanted = normal(pattern);
  const isWhole = /^(?:\/|[A-Za-z]:\/)/.test(wanted);
  const matches = namesTest((isWhole ? wanted : `**/${wanted}`).split('/'));
  return (path) => path.length <= MAX_PATH && matches(normal(path).split('/'));
}

function normal(path: string): string {
  return path
    .normalize('NFC')
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '');
}

/** Tests the names of one folder after the other. */
type NameTest = (name: string) => boolean;

/**
 * A test of names against patterns of names, `**` standing for any number of them. What stands between two of these is
 * taken where it first matches: were it taken later, no more could follow.
 */
function namesTest(patterns: readonly string[]): (names: readonly string[]) => boolean {
  const runs: NameTest[][] = [[]];
  for (const pattern of patterns) {
    if (pattern === '**') runs.push([]);
    else runs.at(-1)?.push(nameTest(pattern));
  }
  const [first = [], ...between] = runs;
  const last = between.pop();
  const needed = runs.reduce((sum, { length }) => sum + length, 0);
  return (names) => {
    if (names.length < needed || !matchAt(first, names, 0)) return false;
    if (!last) return names.length === first.length;
    const end = names.length - last.length;
    let at = first.length;
    for (const run of between) {
      while (at + run.length <= end && !matchAt(run, names, at)) at++;
      at += run.length;
      if (at > end) return false;
    }
    return matchAt(last, names, end);
  };
}

function matchAt(run: readonly NameTest[], names: readonly string[], at: number): boolean {
  return run.every((test, index) => test(names[at + index] ?? ''));
}

function nameTest(pattern: string): NameTest {
  if (!pattern.includes('?')) return wildcardTest(pattern, false);
  const pieces = Array.from(pattern.replace(/\*{2,}/g, '*'));
  return (name) => matchesPieces(pieces, Array.from(name));
}

/** Whether characters match pieces: `*` any number of them, `?` one. Goes back to the last `*` only, which suffices. */
function matchesPieces(pieces: readonly string[], characters: readonly string[]): boolean {
  let [at, piece] = [0, 0];
  let star: { readonly piece: number; at: number } | undefined;
  while (at < characters.length) {
    const wanted = pieces[piece];
    if (wanted === '*') star = { piece: piece++, at };
    else if (wanted === '?' || (wanted !== undefined && wanted === characters[at])) {
      at++;
      piece++;
    } else if (star) {
      star.at++;
      [at, piece] = [star.at, star.piece + 1];
    } else return false;
  }
  while (pieces[piece] === '*') piece++;
  return piece === pieces.length;
}
