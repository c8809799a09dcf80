import { isObject } from '../../core/message.js';
import { fields, list, parsed, type Fields } from './fields.js';

/**
 * The rows of a table that is written as one JSON value: pages of Hugging Face's viewer of data sets, and tables of
 * pandas by columns or split. What stands around the rows is said by the first as `around`. Undefined for anything else.
 */
export function tableRows(value: unknown): readonly Fields[] | undefined {
  if (!isObject(value)) return undefined;
  const { rows, columns, data, ...about } = value;
  if (Array.isArray(rows) && rows.length > 0 && rows.every((each) => isObject(fields(each).row)))
    return described(
      rows.map((each) => fields(fields(each).row)),
      { ...about, columns, data },
    );
  if (Array.isArray(columns) && isTable(columns, data)) {
    const cells = list(data).map((row) =>
      Object.fromEntries(columns.map((key, at) => [String(key), list(row)[at]])),
    );
    return described(cells, { ...about, rows });
  }
  return ofColumns(value);
}

function isTable(columns: readonly unknown[], data: unknown): boolean {
  const isNamed = columns.length > 0 && columns.every((each) => typeof each === 'string');
  return isNamed && list(data).length > 0 && list(data).every((row) => list(row).length === columns.length);
}

/** The rows of columns, each an object of its cells by the numbers of the rows. */
function ofColumns(value: Fields): readonly Fields[] | undefined {
  const columns = Object.entries(value);
  const [first] = columns;
  const numbers = Object.keys(fields(first?.[1]));
  if (columns.length < 2 || numbers.length === 0 || !numbers.every((key) => /^\d+$/.test(key)))
    return undefined;
  const isWhole = columns.every(([, cells]) => {
    const keys = isObject(cells) ? Object.keys(cells) : [];
    return keys.length === numbers.length && keys.every((key, at) => key === numbers[at]);
  });
  if (!isWhole) return undefined;
  return numbers.map((key) => Object.fromEntries(columns.map(([name, cells]) => [name, fields(cells)[key]])));
}

function described(rows: readonly Fields[], about: Fields): readonly Fields[] {
  const around = Object.fromEntries(Object.entries(about).filter(([, each]) => each !== undefined));
  return rows.map((row, at) => (at === 0 && Object.keys(around).length > 0 ? { ...row, around } : row));
}

/** The most columns that a table has whose header is looked at. */
const MAX_COLUMNS = 1000;

/**
 * The rows of a CSV file (RFC 4180) whose first line names the columns; cells that are JSON objects or lists are read as
 * such. Undefined where a text is no such table: fewer than two columns, a row with another number of cells, or a quote
 * that does not end.
 */
export function csvRows(csv: string): readonly Fields[] | undefined {
  const text = csv.replace(/^\ufeff/, '');
  const lines = cellsOf(text);
  const [header = [], ...rows] = lines ?? [];
  const isNamed =
    header.every((name) => /^[\w .:[\]/()-]{1,100}$/.test(name)) && new Set(header).size === header.length;
  if (rows.length === 0 || header.length < 2 || header.length > MAX_COLUMNS || !isNamed) return undefined;
  if (!rows.every((row) => row.length === header.length)) return undefined;
  return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, cellValue(row[at] ?? '')])));
}

function cellValue(cell: string): unknown {
  const inside = /^\s*[[{]/.test(cell) ? parsed(cell) : cell;
  return typeof inside === 'object' ? inside : cell;
}

/** The cells of each line; undefined where a quoted one does not end, or something follows its end. */
function cellsOf(text: string): string[][] | undefined {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const lines: string[][] = [];
  let line: string[] = [];
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (!found) return undefined;
    const [, quoted, plain = '', end] = found;
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',' && cell.lastIndex < text.length) continue;
    if (end === ',') line.push('');
    if (line.length > 1 || line[0] !== '') lines.push(line);
    line = [];
  }
  return lines;
}
