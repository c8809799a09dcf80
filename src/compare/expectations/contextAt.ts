/** Where something is being written in a file: the words above it, and whether it is a value or the name of a word. */
export interface WritingContext {
  readonly path: readonly (string | number)[];
  readonly isValue: boolean;
}

interface Token {
  readonly column: number;
  /** The name of a word, or 0 for an entry of a list. */
  readonly part: string | 0;
}

const KEY = /^("[^"]*"|'[^']*'|[\w-]+):(?=\s|$)/;

/**
 * What stands above a place, by indentation alone, so that what is unfinished hides nothing. `lines` are those up to the one that is
 * written, of which all before `column` counts. Of entries of lists it is not told which.
 */
export function contextAt(lines: readonly string[], column: number): WritingContext {
  const before = (lines.at(-1) ?? '').slice(0, column);
  const { tokens, rest, column: start } = readLine(before);
  const last = tokens.at(-1);
  const isValue = last !== undefined && last.part !== 0 && last.column < start;
  const above = pathAbove(lines.slice(0, -1), tokens, start);
  const flow = flowPath(rest);
  if (flow) return { path: [...above, ...flow.path], isValue: flow.isValue };
  return { path: above, isValue };
}

/** The entries and the key that a line begins with, what follows them, and the column where that begins. */
function readLine(line: string): {
  readonly tokens: readonly Token[];
  readonly rest: string;
  readonly column: number;
} {
  const tokens: Token[] = [];
  let column = line.length - line.trimStart().length;
  let rest = line.slice(column);
  while (/^-(?:\s|$)/.test(rest)) {
    tokens.push({ column, part: 0 });
    const width = rest.length - rest.slice(1).trimStart().length;
    column += width;
    rest = rest.slice(width);
  }
  const [, key] = KEY.exec(rest) ?? [];
  if (key !== undefined) {
    tokens.push({ column, part: key.replace(/^["']|["']$/g, '') });
    const width = key.length + 1;
    column += width;
    rest = rest.slice(width);
  }
  return { tokens, rest: rest.trimStart(), column };
}

function pathAbove(
  lines: readonly string[],
  own: readonly Token[],
  start: number,
): readonly (string | number)[] {
  const path: (string | number)[] = [];
  let limit = start;
  const take = (tokens: readonly Token[]): void => {
    for (const { column, part } of tokens.toReversed()) {
      // An entry of a list may stand right below the word that it belongs to.
      const isAbove = column < limit || (column === limit && path[0] === 0 && part !== 0);
      if (!isAbove) continue;
      path.unshift(part);
      limit = column;
    }
  };
  take(own);
  for (const line of lines.toReversed()) {
    if (limit === 0 && path[0] !== 0) break;
    if (/^\s*(?:#|$)/.test(line)) continue;
    take(readLine(line).tokens);
  }
  return path;
}

/** The same within brackets on one line; undefined where none is open. */
function flowPath(text: string): WritingContext | undefined {
  const open: { readonly part: string | 0 | undefined; key: string | undefined; readonly isMap: boolean }[] =
    [];
  for (const [token] of text.matchAll(/"[^"]*"|'[^']*'|[{}[\],]|[\w-]+:(?=\s|$)/g)) {
    const inner = open.at(-1);
    if (token === '{' || token === '[')
      open.push({ part: inner && (inner.isMap ? inner.key : 0), key: undefined, isMap: token === '{' });
    else if (token === '}' || token === ']') open.pop();
    else if (!inner) continue;
    else if (token === ',') inner.key = undefined;
    else if (token.endsWith(':')) inner.key = token.slice(0, -1);
  }
  const inner = open.at(-1);
  if (!inner) return undefined;
  const path = open.flatMap(({ part }) => part ?? []);
  if (!inner.isMap) return { path: [...path, 0], isValue: true };
  return inner.key === undefined ? { path, isValue: false } : { path: [...path, inner.key], isValue: true };
}
