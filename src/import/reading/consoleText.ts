/** A piece of what Claude Code shows in a terminal: who speaks, or what a tool gave. */
export interface ConsolePiece {
  readonly kind: 'head' | 'prompt' | 'said' | 'given';
  /** The mark at its beginning and the text behind it, as they stand in the file; the head has no mark. */
  readonly mark: string;
  readonly lines: readonly string[];
}

const MARKS: readonly (readonly [kind: ConsolePiece['kind'], mark: RegExp])[] = [
  ['prompt', /^[>❯] (?=.)/],
  ['said', /^[⏺●] /],
  ['given', /^ {1,4}⎿ {1,3}/],
];

/** Whether a text is what Claude Code's `/export` writes, or what was copied from its terminal. */
export function isConsoleText(text: string): boolean {
  const isShown = (mark: RegExp) => text.split('\n').some((line) => mark.test(line));
  return isShown(/^[>❯] \S/) && isShown(/^[⏺●] \S/);
}

/** The pieces of such a text, in their order; together they hold every line of it. */
export function consolePieces(text: string): ConsolePiece[] {
  const pieces: { kind: ConsolePiece['kind']; mark: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const found = MARKS.map(([kind, mark]) => ({ kind, mark: mark.exec(line)?.[0] })).find(
      (each) => each.mark,
    );
    if (found?.mark !== undefined)
      pieces.push({ kind: found.kind, mark: found.mark, lines: [line.slice(found.mark.length)] });
    else if (pieces.length === 0) pieces.push({ kind: 'head', mark: '', lines: [line] });
    else pieces.at(-1)?.lines.push(line);
  }
  return pieces;
}
