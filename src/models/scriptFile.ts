import * as v from 'valibot';
import { isMap, isNode, LineCounter, parseDocument, type Document } from 'yaml';
import type { Problem } from '../core/agent.js';
import { messageOf } from '../core/text.js';
import type { Script, ScriptStep } from './script.js';

/** What reading a script file gave: a script, or what is wrong with the file. */
export type ScriptFile =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** More than any script that a person writes; a larger file is refused, in UTF-16 code units. */
const MAX_LENGTH = 4 * 1024 * 1024;

const text = v.pipe(v.string(), v.minLength(1));
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const step = v.strictObject({
  expect: v.exactOptional(
    v.strictObject({
      role: v.exactOptional(v.picklist(['user', 'tool', 'assistant', 'system'])),
      contains: v.exactOptional(text),
    }),
  ),
  reasoning: v.exactOptional(v.string()),
  text: v.exactOptional(v.string()),
  toolCalls: v.exactOptional(
    v.array(
      v.strictObject({
        name: text,
        id: v.exactOptional(text),
        arguments: v.exactOptional(v.union([v.string(), v.record(v.string(), v.unknown())])),
      }),
    ),
  ),
  usage: v.exactOptional(v.strictObject({ input: whole, output: whole })),
  error: v.exactOptional(
    v.strictObject({
      message: text,
      code: v.exactOptional(text),
      status: v.exactOptional(whole),
      retryable: v.exactOptional(v.boolean()),
      retryAfterMs: v.exactOptional(whole),
    }),
  ),
  finish: v.exactOptional(v.picklist(['stop', 'tool_calls', 'length', 'content_filter', 'unknown'])),
  delayMs: v.exactOptional(v.pipe(whole, v.maxValue(60_000))),
});
const file = v.strictObject({
  name: text,
  agents: v.pipe(v.record(v.string(), v.array(step)), v.minEntries(1)),
});

/** Reads a script of YAML or JSON. Never throws: what is wrong is said with its line and field. */
export function readScriptFile(source: string): ScriptFile {
  if (source.length > MAX_LENGTH) return refused([{ message: 'The script is too large.' }]);
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  if (document.errors.length > 0) {
    return refused(
      document.errors.map(({ message, pos }) => ({ message: firstLine(message), ...at(lines, pos[0]) })),
    );
  }
  const value = plainValue(document);
  if (!value.ok) return refused([{ message: value.problem, line: 1, column: 1 }]);
  const parsed = v.safeParse(file, value.value);
  if (parsed.success) return { ok: true, script: scriptOf(parsed.output, document, lines) };
  return refused(
    parsed.issues.map((issue) => {
      const path = (issue.path ?? []).map(({ key }) => key);
      const where = path.length > 0 ? `${path.join('.')}: ` : '';
      return { message: `${where}${issue.message}`, ...at(lines, offsetOf(document, path)) };
    }),
  );
}

/** The document as plain data; a file that unfolds itself beyond all measure is a problem, not data. */
function plainValue(document: Document): { ok: true; value: unknown } | { ok: false; problem: string } {
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    return { ok: false, problem: messageOf(error) };
  }
}

function scriptOf(read: v.InferOutput<typeof file>, document: Document, lines: LineCounter): Script {
  const agents = Object.entries(read.agents).map(([agent, steps]): [string, readonly ScriptStep[]] => [
    agent,
    steps.map((each, index) => {
      const { line } = at(lines, offsetOf(document, ['agents', agent, index]));
      return { ...each, at: `line ${line}` };
    }),
  ]);
  return { name: read.name, agents: new Map(agents) };
}

/** Where a value stands, or the nearest value around it that stands somewhere. */
function offsetOf(document: Document, path: readonly unknown[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return isMap(document.contents) ? (document.contents.range?.[0] ?? 0) : 0;
}

function at(lines: LineCounter, offset: number): Required<Pick<Problem, 'line' | 'column'>> {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** The parser draws the place on further lines; we have its line and column. */
function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message;
}

function refused(problems: readonly Omit<Problem, 'severity'>[]): ScriptFile {
  return { ok: false, problems: problems.map((problem) => ({ severity: 'error', ...problem })) };
}
