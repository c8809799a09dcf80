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

  /** Runs a tool. Resolves at once when the signal is aborted, also if the tool itself goes on for a while. */
  async execute(name: string, args: string, context: ToolContext): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (tool === undefined) return notRun(this.#unknown(name));
    const parsed = parseArguments(args);
    if (!parsed.ok) return notRun(parsed.problem);
    const problems = this.#validator.check(tool.parameters, parsed.args);
    if (problems.length > 0) return notRun(`The arguments do not fit ${name}:\n${problems.join('\n')}`);
    return untilAborted(context.signal, name, () => tool.execute(parsed.args, context));
  }

  #unknown(name: string): string {
    const names = [...this.#tools.keys()];
    return names.length === 0
      ? `There is no tool '${name}', and no other tool either.`
      : `There is no tool '${name}'. There are: ${names.join(', ')}.`;
  }
}

const notRun = (message: string): ToolResult => ({ ...failure(message), notRun: true });

async function untilAborted(
  signal: AbortSignal,
  name: string,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const cancelled = (when: string) => failure(`${name} was cancelled ${when}.`);
  if (signal.aborted) return cancelled('before it started');
  let stop: (() => void) | undefined;
  const aborted = new Promise<ToolResult>((resolve) => {
    stop = () => resolve(cancelled('while it ran; what it had done until then stays'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([run(), aborted]);
  } catch (error) {
    return failure(`${name} failed: ${messageOf(error)}`);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
