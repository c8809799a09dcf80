import * as v from 'valibot';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import type { Problem } from '../../core/agent.js';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { Script, ScriptStep } from './script.js';

/** The script in a file, and the file's problems. */
export interface ScriptFile {
  /** Absent where there is any error. */
  readonly script?: Script;
  readonly problems: readonly Problem[];
}

/** The longest file, in UTF-16 code units, and the longest pause between two pieces. */
const MAX_FILE = 4_000_000;
const MAX_DELAY_MS = 60_000;

const text = v.string('must be a text');
const amount = v.pipe(
  v.number('must be a number'),
  v.integer('must be whole'),
  v.minValue(0, 'must not be negative'),
);

const step = v.pipe(
  v.strictObject({
    expect: v.optional(
      v.strictObject({
        role: v.optional(
          v.picklist(['user', 'tool', 'assistant', 'system'], 'must be user, tool, assistant or system'),
        ),
        contains: v.optional(text),
      }),
    ),
    reasoning: v.optional(text),
    text: v.optional(text),
    toolCalls: v.optional(
      v.array(
        v.strictObject({
          name: v.pipe(text, v.nonEmpty('is empty')),
          arguments: v.optional(
            v.custom<string | Readonly<Record<string, unknown>>>(
              (value) => typeof value === 'string' || isObject(value),
              'must be a map or a text',
            ),
          ),
          id: v.optional(text),
        }),
        'must be a list',
      ),
    ),
    usage: v.optional(v.strictObject({ input: amount, output: amount })),
    error: v.optional(
      v.strictObject({
        message: text,
        code: v.optional(text),
        status: v.optional(amount),
        retryable: v.optional(v.boolean('must be true or false')),
        retryAfterMs: v.optional(amount),
      }),
    ),
    finish: v.optional(
      v.picklist(
        ['stop', 'tool_calls', 'length', 'content_filter', 'unknown'],
        'must be stop, tool_calls, length, content_filter or unknown',
      ),
    ),
    delayMs: v.optional(v.pipe(amount, v.maxValue(MAX_DELAY_MS, `must be at most ${MAX_DELAY_MS}`))),
  }),
  v.check(
    ({ text: said, toolCalls, error, reasoning }) =>
      [said, toolCalls, error, reasoning].some((one) => one !== undefined),
    'says nothing: it needs text, reasoning, toolCalls or error',
  ),
);

const steps = v.array(step, 'must be a list of steps');

/** The agents are validated one by one, because valibot's maps leave out names like `constructor`. */
const wholeScript = v.strictObject({
  script: v.literal(1, 'must be 1, the version of the format'),
  name: v.optional(text),
  agents: v.custom<Readonly<Record<string, unknown>>>(isObject, 'must map names of agents to steps'),
});

/** Reads a script of the scripted model, in YAML or JSON; `name` is the file's name, for messages. Never throws. */
export function parseScript(source: string, name: string): ScriptFile {
  if (source.length > MAX_FILE) return failed(`${name} is longer than ${MAX_FILE} characters.`, 1);
  const lines = new LineCounter();
  let document: Document.Parsed;
  let value: unknown;
  try {
    document = parseDocument(source, {
      lineCounter: lines,
      prettyErrors: false,
      merge: false,
      schema: 'core',
    });
    const problems = [...document.errors, ...document.warnings].map((problem) =>
      problemAt(problem.message, lines.linePos(problem.pos[0])),
    );
    if (problems.length > 0) return { problems };
    value = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    return failed(`${name} cannot be read: ${messageOf(error)}`, 1);
  }
  if (!isObject(value)) return failed("A script must be a map with 'script' and 'agents'.", 1);
  const reader = new ScriptReader(document, lines, name);
  return reader.read(value);
}

/** Validates the value of a document and finds the places of its problems. */
class ScriptReader {
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  readonly #name: string;
  readonly #problems: Problem[] = [];

  constructor(document: Document.Parsed, lines: LineCounter, name: string) {
    this.#document = document;
    this.#lines = lines;
    this.#name = name;
  }

  read(value: Readonly<Record<string, unknown>>): ScriptFile {
    const result = v.safeParse(wholeScript, value);
    if (!result.success) this.#keep([], result.issues);
    const given = isObject(value.agents) ? value.agents : {};
    const agents = new Map(Object.entries(given).map(([agent, list]) => [agent, this.#stepsOf(agent, list)]));
    if (!result.success || this.#problems.length > 0) return { problems: this.#problems };
    return { script: { name: result.output.name ?? this.#name, agents }, problems: [] };
  }

  #stepsOf(agent: string, list: unknown): readonly ScriptStep[] {
    const path = ['agents', agent];
    const result = v.safeParse(steps, list);
    if (!result.success) {
      this.#keep(path, result.issues);
      return [];
    }
    return result.output.map((one, index) => {
      const at = `${this.#name}:${this.#positionOf([...path, index]).line}`;
      return { ...(one as ScriptStep), at };
    });
  }

  #keep(under: readonly unknown[], issues: readonly v.BaseIssue<unknown>[]): void {
    for (const issue of issues) {
      const path = [...under, ...(issue.path ?? []).map(({ key }) => key)];
      this.#problems.push(problemAt(wordsOf(path, issue), this.#positionOf(path)));
    }
  }

  #positionOf(path: readonly unknown[]): { line: number; col: number } {
    return this.#lines.linePos(offsetOf(this.#document, path));
  }
}

function failed(message: string, line: number): ScriptFile {
  return { problems: [{ severity: 'error', message, line, column: 1 }] };
}

function problemAt(message: string, { line, col }: { line: number; col: number }): Problem {
  return { severity: 'error', message, line, column: col };
}

/** The offset of the value at a path, or of the nearest enclosing value that has one. */
function offsetOf(document: Document.Parsed, path: readonly unknown[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function wordsOf(path: readonly unknown[], issue: v.BaseIssue<unknown>): string {
  const where = path.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`;
    return before === '' ? String(key) : `${before}.${String(key)}`;
  }, '');
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${where} is not known.`;
  if (issue.type === 'strict_object' && issue.received === 'undefined') return `${where} is missing.`;
  return `${where} ${issue.message}.`;
}
