import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type YAMLError,
} from 'yaml';
import type { Problem } from '../../core/agent.js';
import { messageOf, singleLine } from '../../core/text.js';

/** One key of a header. `value` is plain data: strings, booleans, numbers, arrays and null-prototype objects. */
export interface HeaderEntry {
  readonly value: unknown;
  readonly line: number;
  readonly column: number;
}

/** The keys of a front matter, and what is wrong with it. */
export interface Header {
  readonly entries: ReadonlyMap<string, HeaderEntry>;
  readonly problems: readonly Problem[];
}

/** Values that nest deeper are cut off; nothing in a definition needs this depth. */
const MAX_DEPTH = 20;
const MAX_NODES = 5_000;
/** In UTF-16 code units; the parser takes a second for ten times as many brackets. */
const MAX_HEADER_LENGTH = 32 * 1024;

/** Reads the YAML of a front matter. Never throws: what cannot be read becomes a problem with its line in the file. */
export function readHeader(text: string): Header {
  if (text.length > MAX_HEADER_LENGTH) {
    const message = `The front matter is longer than ${MAX_HEADER_LENGTH} characters.`;
    return { entries: new Map(), problems: [{ severity: 'error', message, line: 1, column: 1 }] };
  }
  const first = parseYaml(text);
  if (!first.problems.some(isError)) return first;
  const { repaired, problems } = quotePlainValues(text);
  if (problems.length === 0) return first;
  const second = parseYaml(repaired);
  return second.problems.some(isError) ? first : { ...second, problems: [...problems, ...second.problems] };
}

const isError = (problem: Problem) => problem.severity === 'error';

function parseYaml(text: string): Header {
  const lineCounter = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1) + FIRST_HEADER_LINE - 1, column: Math.max(col, 1) };
  };
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false, stringKeys: true });
    const problems = [
      ...document.errors.map((error) => yamlProblem('error', error, at)),
      ...document.warnings.map((warning) => yamlProblem('warning', warning, at)),
    ];
    return collect(document, problems, at);
  } catch (error) {
    // The parser is recursive: a header of nothing but brackets can exhaust the stack.
    const message = `The front matter cannot be read: ${singleLine(messageOf(error))}`;
    return { entries: new Map(), problems: [{ severity: 'error', message, ...at(0) }] };
  }
}

type Position = { readonly line: number; readonly column: number };

function yamlProblem(
  severity: Problem['severity'],
  error: YAMLError,
  at: (offset: number) => Position,
): Problem {
  return { severity, message: `YAML: ${singleLine(error.message)}`, ...at(error.pos[0]) };
}

function collect(document: Document, problems: Problem[], at: (offset: number) => Position): Header {
  const entries = new Map<string, HeaderEntry>();
  const root = document.contents;
  if (root === null) return { entries, problems };
  if (!isMap(root)) {
    problems.push({
      severity: 'error',
      message: 'The front matter must be a list of `key: value` lines.',
      ...at(root.range?.[0] ?? 0),
    });
    return { entries, problems };
  }
  const budget = { nodes: MAX_NODES };
  for (const { key, value } of root.items) {
    if (!isScalar(key)) continue;
    const place = at(key.range?.[0] ?? 0);
    entries.set(String(key.value), { value: plain(document, value as Node | null, budget, 0), ...place });
  }
  return { entries, problems };
}

/** A YAML node as plain data. The budget of nodes keeps nested aliases from multiplying without bound. */
function plain(document: Document, node: Node | null, budget: { nodes: number }, depth: number): unknown {
  if (node === null || depth > MAX_DEPTH || budget.nodes-- <= 0) return null;
  if (isAlias(node)) return plain(document, node.resolve(document) ?? null, budget, depth + 1);
  if (isScalar(node)) return node.value;
  if (isSeq(node)) return node.items.map((item) => plain(document, item as Node | null, budget, depth + 1));
  if (!isMap(node)) return null;
  const object = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of node.items) {
    if (isScalar(key)) object[String(key.value)] = plain(document, value as Node | null, budget, depth + 1);
  }
  return object;
}

/**
 * Many files in the wild contain unquoted prose such as `description: Use when: …`, which is not valid YAML.
 * Quotes such values of top-level keys, line by line, with a warning for each.
 */
function quotePlainValues(text: string): { repaired: string; problems: Problem[] } {
  const problems: Problem[] = [];
  const lines = text.split('\n').map((line, index) => {
    const match = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line);
    const [, key = '', value = ''] = match ?? [];
    if (!match || /^["'[{|>&*!#]/.test(value) || !/: |:$|^[@`%]/.test(value)) return line;
    problems.push({
      severity: 'warning',
      message: `The value of '${key}' is no plain YAML text; it was read as it stands. Put it in quotes.`,
      line: index + FIRST_HEADER_LINE,
      column: key.length + 3,
    });
    return `${key}: ${JSON.stringify(value.trim())}`;
  });
  return { repaired: lines.join('\n'), problems };
}

/** A definition file, split into its two parts. */
export interface FrontMatter {
  /** The YAML between the two `---`; undefined where the file does not begin with one. */
  readonly header: string | undefined;
  /** What follows the header, or the whole file where there is none. */
  readonly body: string;
  /** False where the second `---` is missing; then everything is header. */
  readonly closed: boolean;
}

/** The line of a file at which its header starts, from 1. */
export const FIRST_HEADER_LINE = 2;

const fence = /^---[ \t]*$/;

/** Splits a file at its front matter: the first line `---` up to the next one. Accepts a BOM and any line breaks. */
export function splitFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (!fence.test(lines[0] ?? '')) return { header: undefined, body: lines.join('\n'), closed: true };
  const end = lines.findIndex((line, index) => index > 0 && fence.test(line));
  if (end < 0) return { header: lines.slice(1).join('\n'), body: '', closed: false };
  return { header: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n'), closed: true };
}
