import { messageOf } from '../core/text.js';
import type { ArgumentValidator } from '../ports/argumentValidator.js';
import type { ToolSpec } from '../ports/model.js';
import type { Tool, ToolContext, ToolExecutor, ToolResult } from '../ports/tool.js';
import { parseArguments } from './parseArguments.js';
import { failure } from './result.js';

/** The names that more than one tool has, each once. */
export function duplicateNames(tools: readonly { readonly name: string }[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of tools) (seen.has(name) ? twice : seen).add(name);
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
    const problems = this.#validator.check(tool.parameters, parsed.args);
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
