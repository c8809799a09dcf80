import { isObject } from '../../../core/message.js';
import { firstCodePoints, preview, singleLine } from '../../../core/text.js';
import { compactJson } from '../../../query/numbers/jsonText.js';
import { namedPaths } from '../../../query/numbers/namedPaths.js';
import { argumentsOf, MAX_READ_ARGUMENTS } from '../../../query/numbers/toolCalls.js';

const SUMMARY_LENGTH = 160;
const VALUE_LENGTH = 80;
const LINE_KEYS = ['line', 'lineNumber', 'line_number', 'startLine', 'start_line'];
const MAX_FILES = 5;

/** A file that arguments name; the path is as untrusted as the arguments are. */
export interface NamedFile {
  readonly path: string;
  readonly line?: number;
}

/** Arguments on one line: a text or a structure alone where there is nothing else, `name: value` otherwise. */
export function summarizeArguments(text: string): string {
  const entries = text.length > MAX_READ_ARGUMENTS ? [] : Object.entries(argumentsOf(text));
  if (entries.length === 0)
    return text === '{}' ? '' : preview(singleLine(firstCodePoints(text, 1_000)), SUMMARY_LENGTH);
  const words = entries.map(([name, value]) =>
    entries.length === 1 && saysEnough(value) ? short(value) : `${name}: ${short(value)}`,
  );
  return preview(words.join(', '), SUMMARY_LENGTH);
}

/** Whether a value is meaningful without its name, as a number, a boolean or null is not. */
function saysEnough(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** The files that arguments name, by the names that tools commonly give such arguments. */
export function filesIn(text: string): NamedFile[] {
  if (text.length > MAX_READ_ARGUMENTS) return [];
  const args = argumentsOf(text);
  const lines = LINE_KEYS.map((key) => args[key]).filter(
    (value) => Number.isSafeInteger(value) && Number(value) > 0,
  );
  const line = lines[0] as number | undefined;
  return namedPaths(args)
    .filter((path) => path.length < 1_000)
    .slice(0, MAX_FILES)
    .map((path) => ({ path, ...(line !== undefined && { line }) }));
}

function short(value: unknown): string {
  const text =
    typeof value === 'string'
      ? value
      : isObject(value) || Array.isArray(value)
        ? compactJson(value)
        : String(value);
  const line = singleLine(firstCodePoints(text, 1_000));
  return isPath(line) ? withEnd(line) : preview(line, VALUE_LENGTH);
}

function isPath(text: string): boolean {
  return text.length > VALUE_LENGTH && /^\S+[/\\][^\s/\\]+$/.test(text);
}

/** A long path without its middle: its end says most. */
function withEnd(path: string): string {
  const characters = Array.from(path);
  if (characters.length <= VALUE_LENGTH) return path;
  const start = Math.floor(VALUE_LENGTH / 4);
  return `${characters.slice(0, start).join('')}…${characters.slice(start + 1 - VALUE_LENGTH).join('')}`;
}
