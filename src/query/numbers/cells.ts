/** Numbers in as few bytes as the largest of them needs. */
export type Cells = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const TYPES = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;

/** A column as the head of a file lists it: the bytes of each number, 0 where all are 0, and how many there are. */
export type ColumnHead = readonly [name: string, width: 0 | 1 | 2 | 4 | 8, length: number];

/** Whether a file may say that the numbers of a column have so many bytes. */
export function isWidth(width: unknown): width is ColumnHead[1] {
  return typeof width === 'number' && (width === 0 || Object.hasOwn(TYPES, width));
}

/** Numbers in cells as small as they allow; undefined where all are 0. */
export function cellsOf(numbers: ArrayLike<number>): Cells | undefined {
  let most = 0;
  let isPlain = true;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? 0;
    if (number > most) most = number;
    if (number < 0 || !Number.isInteger(number)) isPlain = false;
  }
  if (!isPlain || most >= 2 ** 32) return new Float64Array(numbers);
  if (most === 0) return undefined;
  if (most < 2 ** 8) return new Uint8Array(numbers);
  return most < 2 ** 16 ? new Uint16Array(numbers) : new Uint32Array(numbers);
}

/** The cells of a column that begin at a byte, which must be a multiple of 8; undefined where they do not fit. */
export function cellsAt(buffer: ArrayBuffer, at: number, [, width, length]: ColumnHead): Cells | undefined {
  if (width === 0 || !Object.hasOwn(TYPES, width)) return undefined;
  if (!Number.isInteger(length) || length < 0 || at + width * length > buffer.byteLength) return undefined;
  return new TYPES[width](buffer, at, length);
}

/** The next multiple of 8. */
export function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
