import { withoutTerminalSequences } from '../../src/core/terminalText.js';

/** A run of terminal output in one style; `style` is a list of CSS classes, '' for the default style. */
export interface AnsiPiece {
  readonly text: string;
  readonly style: string;
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/**
 * Splits a text at the escape sequences that set colours and weight. No sequence stays in the text: a terminal shows none,
 * and what others do, like moving the cursor or naming a link, a page does not do.
 */
export function splitAnsi(text: string): AnsiPiece[] {
  if (!/[\u001b\u009b]/.test(text)) return [{ text, style: '' }];
  const pieces: AnsiPiece[] = [];
  const style = { bold: false, faint: false, italic: false, underline: false, colour: '' };
  let at = 0;
  const push = (end: number): void => {
    const shown = withoutTerminalSequences(text.slice(at, end));
    if (shown !== '') pieces.push({ text: shown, style: classesOf(style) });
  };
  for (const match of text.matchAll(/\u001b\[([0-9;]{0,40})m/g)) {
    push(match.index);
    at = match.index + match[0].length;
    applyCodes(style, (match[1] ?? '').split(';').map(Number));
  }
  push(text.length);
  return pieces;
}

interface Style {
  bold: boolean;
  faint: boolean;
  italic: boolean;
  underline: boolean;
  colour: string;
}

function applyCodes(style: Style, codes: readonly number[]): void {
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0)
      Object.assign(style, { bold: false, faint: false, italic: false, underline: false, colour: '' });
    else if (code === 1) style.bold = true;
    else if (code === 2) style.faint = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 22) Object.assign(style, { bold: false, faint: false });
    else if (code === 23) style.italic = false;
    else if (code === 24) style.underline = false;
    else if (code >= 30 && code <= 37) style.colour = COLOURS[code - 30] ?? '';
    else if (code >= 90 && code <= 97) style.colour = `bright-${COLOURS[code - 90] ?? ''}`;
    else if (code === 39) style.colour = '';
    // 38 and 48 are followed by a colour of a larger palette, which a theme does not have.
    else if (code === 38 || code === 48) at += codes[at + 1] === 2 ? 4 : 2;
  }
}

function classesOf({ bold, faint, italic, underline, colour }: Style): string {
  const classes = [
    bold && 'ansi-bold',
    faint && 'ansi-faint',
    italic && 'ansi-italic',
    underline && 'ansi-underline',
    colour !== '' && `ansi-${colour}`,
  ];
  return classes.filter((name) => name !== false).join(' ');
}
