import { resolveToolName } from './toolAliases.js';

/** The meaning of a `tools` or `disallowedTools` value. */
export interface ToolList {
  /** Names of tools, aliases resolved, each once, in order. */
  readonly tools: readonly string[];
  /** The agents named by `Agent(a, b)` or `Task(a)`; undefined without such an entry. */
  readonly children: readonly string[] | undefined;
  /** Aliases without a counterpart here. */
  readonly unserved: readonly string[];
  /** Entries like `Bash(git *)` that restrict a tool in a way that cannot be enforced here. */
  readonly narrowed: readonly string[];
}

const withArgument = /^([^()]+)\((.*)\)$/;
const dispatch = 'subagent_dispatch';

/**
 * Reads the entries of a tool list. Restrictions cannot be enforced: an allowed tool with one is not allowed at all, a
 * forbidden tool with one is forbidden entirely.
 */
export function readToolList(entries: readonly string[], list: 'allowed' | 'forbidden'): ToolList {
  const tools = new Set<string>();
  const unserved: string[] = [];
  const narrowed: string[] = [];
  let children: string[] | undefined;
  for (const entry of entries) {
    const [, name = entry, argument] = withArgument.exec(entry) ?? [];
    const resolved = resolveToolName(name.trim());
    if (argument !== undefined && resolved.includes(dispatch)) {
      children = [...(children ?? []), ...splitNames(argument)];
    } else if (argument !== undefined && argument.trim() !== '*') {
      narrowed.push(entry);
      if (list === 'allowed') continue;
    }
    if (resolved.length === 0) unserved.push(entry);
    for (const tool of resolved) tools.add(tool);
  }
  return { tools: [...tools], children, unserved, narrowed };
}

/** Splits a text like `Read, Agent(a, b)` at the commas outside of parentheses; empty parts are left out. */
export function splitNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let name = '';
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (character === ',' && depth === 0) {
      names.push(name.trim());
      name = '';
    } else {
      name += character;
    }
  }
  return [...names, name.trim()].filter((part) => part !== '');
}
