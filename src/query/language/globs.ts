/**
 * A test for whole texts against a text in which `*` stands for any characters. Takes linear time for each star.
 * `ignoreCase`: letter case does not matter.
 */
export function wildcardTest(pattern: string, ignoreCase: boolean): (text: string) => boolean {
  const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
  const [first = '', ...rest] = wanted.split('*');
  const last = rest.pop();
  return (given) => {
    const text = ignoreCase ? given.toLowerCase() : given;
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

/**
 * A test for paths. `*` and `?` stay within a name, `**` crosses folders. A pattern that begins with `/` or a drive is for
 * whole paths; any other may stand for the end of a path, behind a `/`. `\` and `/` are the same, and letter case counts.
 */
export function globTest(pattern: string): (path: string) => boolean {
  const wanted = normal(pattern);
  const isWhole = /^(?:\/|[A-Za-z]:\/)/.test(wanted);
  const names = (isWhole ? wanted : `**/${wanted}`).split('/');
  return (path) => matchesNames(names, normal(path).split('/'));
}

function normal(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
}

/** Whether names match patterns of names, `**` standing for any number of them; quadratic at worst. */
function matchesNames(patterns: readonly string[], names: readonly string[]): boolean {
  const tests = patterns.map((pattern) => (pattern === '**' ? undefined : nameTest(pattern)));
  // The indexes of patterns that may come next, after the names so far.
  let open = skipped(tests, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const at of open) {
      const test = tests[at];
      if (at < tests.length && test === undefined) next.add(at);
      else if (test?.(name)) next.add(at + 1);
    }
    open = skipped(tests, next);
    if (open.size === 0) return false;
  }
  return open.has(tests.length);
}

/** Those indexes, and those behind each `**` among them, which may stand for nothing. */
function skipped(tests: readonly unknown[], open: Set<number>): Set<number> {
  for (const at of open) if (at < tests.length && tests[at] === undefined) open.add(at + 1);
  return open;
}

function nameTest(pattern: string): (name: string) => boolean {
  if (!pattern.includes('?')) return wildcardTest(pattern, false);
  const pieces = Array.from(pattern);
  // The same way of matching as with paths, a character at a time.
  return (name) => {
    let open = stars(pieces, new Set([0]));
    for (const character of name) {
      const next = new Set<number>();
      for (const at of open) {
        const piece = pieces[at];
        if (piece === '*') next.add(at);
        else if (piece === '?' || piece === character) next.add(at + 1);
      }
      open = stars(pieces, next);
    }
    return open.has(pieces.length);
  };
}

function stars(pieces: readonly string[], open: Set<number>): Set<number> {
  for (const at of open) if (pieces[at] === '*') open.add(at + 1);
  return open;
}
