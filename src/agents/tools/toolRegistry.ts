import { skeletonOf } from '../../core/lookalikes.js';
import { visibleText } from '../../core/visibleText.js';
import { messageOf, preview, singleLine } from '../../core/text.js';
import type { ArgumentValidator } from '../../core/ports/argumentValidator.js';
import type { ToolSpec } from '../../core/ports/model.js';
import type { Tool, ToolContext, ToolExecutor, ToolResult } from '../../core/ports/tool.js';
import { failure } from './result.js';
import { isObject } from '../../core/message.js';

/** The names that more than one tool has, each once; names that only differ by letter case or by letters that look alike are one. */
export function duplicateNames(tools: readonly { readonly name: string }[]): readonly string[] {
  const seen = new Map<string, string>();
  const twice = new Set<string>();
  for (const { name } of tools) {
    const key = /[^\0-\x7f]/.test(name) ? skeletonOf(name) : name.toLowerCase();
    const before = seen.get(key);
    if (before === undefined) seen.set(key, name);
    else twice.add(before === name ? name : `${before} and ${visibleText(name)}`);
  }
  return [...twice];
}

/**
 * The tools of one call. Made before the model is asked, and throws then if two tools have one name
 * (ask `duplicateNames` first); from there on nothing throws: every failure is a result for the model.
 */
export class ToolRegistry implements ToolExecutor {
  readonly specs: readonly ToolSpec[];
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #validator: ArgumentValidator;

  constructor(tools: readonly Tool[], validator: ArgumentValidator) {
    const twice = duplicateNames(tools);
    if (twice.length > 0) throw new Error(`More than one tool is named ${twice.join(', ')}.`);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#validator = validator;
    this.specs = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Runs a tool to its end; whoever waits for it ends the wait where the signal is aborted and the tool goes on. */
  async execute(name: string, args: string, context: ToolContext): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (tool === undefined) return notRun(this.#unknown(name));
    const parsed = parseArguments(args);
    if (!parsed.ok) return notRun(parsed.problem);
    const problems = await this.#validator.check(tool.parameters, parsed.args);
    if (problems.length > 0) return notRun(`The arguments do not fit ${name}:\n${problems.join('\n')}`);
    if (context.signal.aborted) return failure(`${name} was cancelled before it started.`);
    try {
      return await tool.execute(parsed.args, context);
    } catch (error) {
      return failure(`${name} failed: ${messageOf(error)}`);
    }
  }

  #unknown(name: string): string {
    const names = [...this.#tools.keys()];
    const what = name === '' ? 'The call does not say which tool it means' : `There is no tool '${name}'`;
    return names.length === 0
      ? `${what}, and there is none to call.`
      : `${what}. There are: ${names.join(', ')}.`;
  }
}

const notRun = (message: string): ToolResult => ({ ...failure(message), notRun: true });

/** The arguments of a tool call, or what is wrong with them, for the model. */
type ParsedArguments =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** The deepest nesting, more than any schema needs, so that recursion over the value stays shallow. */
const MAX_DEPTH = 200;

/** Parses the JSON text of a call's arguments. An empty text counts as an empty object, because some models send it. */
function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, args: {} };
  if (nestingOf(text) > MAX_DEPTH) {
    return { ok: false, problem: `The arguments are nested deeper than ${MAX_DEPTH} levels.` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const got = singleLine(preview(text));
    return { ok: false, problem: `The arguments are not valid JSON (${messageOf(error)}). Got: ${got}` };
  }
  return isObject(value)
    ? { ok: true, args: value }
    : { ok: false, problem: 'The arguments must be one JSON object.' };
}

/** The deepest nesting of brackets outside of strings. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}
