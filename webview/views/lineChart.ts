import { greatestOf, smallestOf } from '../../src/core/lists.js';
import { el, svg } from '../dom.js';
import { shortNumber } from '../../src/core/shortNumber.js';

/** One line of a chart: points from left to right. */
export interface ChartLine {
  readonly label: string;
  readonly hue: number;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const HEIGHT = 220;
const LEFT = 48;
const BOTTOM = 24;
const TOP = 10;

/** A line chart whose vertical axis starts at 0, drawn to the available width. */
export class LineChart {
  readonly element = el('div', { class: 'chart' });
  readonly #label: string;
  readonly #xWords: (x: number) => string;
  #lines: readonly ChartLine[] = [];

  constructor(label: string, xWords: (x: number) => string) {
    this.#label = label;
    this.#xWords = xWords;
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  update(lines: readonly ChartLine[]): void {
    this.#lines = lines;
    this.#draw();
  }

  #draw(): void {
    const width = Math.max(this.element.clientWidth, 200);
    this.element.replaceChildren(drawing(this.#label, this.#lines, this.#xWords, width));
  }
}

function drawing(
  label: string,
  lines: readonly ChartLine[],
  xWords: (x: number) => string,
  width: number,
): SVGSVGElement {
  const points = lines.flatMap((line) => line.points);
  const xs = points.map(({ x }) => x);
  const [minX, maxX] = [smallestOf(xs, Infinity), greatestOf(xs, -Infinity)];
  const maxY = niceCeiling(
    greatestOf(
      points.map(({ y }) => y),
      1,
    ),
  );
  const toX = (x: number): number => LEFT + ((x - minX) / Math.max(maxX - minX, 1)) * (width - LEFT - 8);
  const toY = (y: number): number => TOP + (1 - y / maxY) * (HEIGHT - TOP - BOTTOM);
  const grid = partsOf(maxY).map((part) => {
    const y = toY(maxY * part);
    return svg(
      'g',
      {},
      svg('line', { class: 'grid', x1: LEFT, x2: width, y1: y, y2: y }),
      svg('text', { class: 'tick', x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, shortNumber(maxY * part)),
    );
  });
  const drawn = lines.map(({ hue, points: line, label: name }) => {
    const places = line.map(({ x, y }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ');
    return svg('polyline', { class: `line hue-${hue}`, points: places }, svg('title', {}, name));
  });
  const ends = [
    svg('text', { class: 'tick', x: LEFT, y: HEIGHT - 6 }, xWords(minX)),
    svg('text', { class: 'tick', x: width, y: HEIGHT - 6, 'text-anchor': 'end' }, xWords(maxX)),
  ];
  const size = { width, height: HEIGHT, role: 'img', 'aria-label': label };
  return svg('svg', size, grid, ends, drawn);
}

/** Where lines of the grid are drawn, as parts of the whole: at whole numbers, which are easy to read. */
function partsOf(maxY: number): readonly number[] {
  const count = [4, 5, 2, 1].find((parts) => Number.isInteger(maxY / parts)) ?? 4;
  return Array.from({ length: count + 1 }, (_, at) => at / count);
}

/** The next larger number that is easy to read on an axis. */
export function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 8, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}
