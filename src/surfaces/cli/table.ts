import type { Output } from './output.js';
import { cutTo, cutToEnd, padTo, widthOf, type Style } from './styles.js';

/** A column of a table for people. */
export interface Column {
  readonly head: string;
  readonly side?: 'right';
  /** Whether it is the one that gives way where the line is too short. */
  readonly gives?: true;
  /** Whether its end tells most, as that of a path does: it is cut at its beginning. */
  readonly keepsEnd?: true;
  /** Whether it is left out where there is no room. */
  readonly isExtra?: true;
  readonly style?: Style;
}

/** The narrowest that a column gets which gives way. */
const MIN_WIDTH = 12;

/** Writes rows under their heads, each row on one line of the terminal. The cells are safe to show. */
export async function writeTable(
  out: Output,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const widths = columns.map(({ head }, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), widthOf(head)),
  );
  const shown = shownIn(out.columns, columns, widths);
  const lineOf = (cells: readonly string[], styleOf: (column: Column) => Style | undefined) =>
    shown
      .map(({ at, width, column }) => {
        const cut = column.keepsEnd ? cutToEnd : cutTo;
        const cell = padTo(cut(cells[at] ?? '', width), width, column.side ?? 'left');
        const style = styleOf(column);
        return style ? out.style(style, cell) : cell;
      })
      .join('  ')
      .trimEnd();
  const heads = columns.map(({ head }) => head);
  // At once: a promise for each of thousands of rows takes longer than the row.
  const lines = rows.map((row) => lineOf(row, ({ style }) => style));
  await out.say([lineOf(heads, () => 'dim'), ...lines].join('\n'));
}

interface ShownColumn {
  readonly column: Column;
  /** Which of all columns it is. */
  readonly at: number;
  readonly width: number;
}

/** The columns that there is room for: first one gives way, then others are left out from the last on. */
function shownIn(room: number, columns: readonly Column[], widths: readonly number[]): ShownColumn[] {
  const shown = columns.map((column, at) => ({ column, at, width: widths[at] ?? 0 }));
  const excess = () => shown.reduce((sum, { width }) => sum + width + 2, -2) - room;
  for (;;) {
    const giving = shown.find(({ column }) => column.gives);
    if (giving)
      giving.width = Math.max(Math.min(giving.width, MIN_WIDTH), giving.width - Math.max(0, excess()));
    const last = shown.findLastIndex(({ column }) => column.isExtra);
    if (excess() <= 0 || last < 0) break;
    shown.splice(last, 1);
    if (giving) giving.width = widths[giving.at] ?? 0;
  }
  return shown;
}
