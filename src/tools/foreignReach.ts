import { appendAll } from '../core/lists.js';
import { judgeDanger } from './command/judgeDanger.js';
import { readRule, writeRule } from './paths/protectedPaths.js';

/** The longest text that is checked as a path, in UTF-16 code units. */
const MAX_PATH = 4_096;
/** How many values are checked one by one. */
const MAX_VALUES = 5_000;
/** The argument names in which external tools expect a command line. */
const commandName = /^(commands?|cmd|command_?line|shell|bash|script)$/i;

/**
 * Why the arguments of an external tool's call require asking: they name a file that decides rights, contains secrets or
 * belongs to the record, or a command that `run_command` would ask about. It is unknown what such a tool does with them,
 * so it is treated as if it wrote. Undefined: no reason.
 */
export function argumentReach(args: Readonly<Record<string, unknown>>): string | undefined {
  const open: (readonly [string, unknown])[] = Object.entries(args);
  for (let seen = 0; open.length > 0; seen++) {
    if (seen > MAX_VALUES) return 'Its arguments are too many to be looked through.';
    const [name, value] = open.pop() ?? ['', undefined];
    const reason = ruleOf(name) ?? (typeof value === 'string' ? textRule(name, value) : undefined);
    if (reason !== undefined) return reason;
    if (Array.isArray(value)) for (const one of value as unknown[]) open.push([name, one]);
    else if (typeof value === 'object' && value !== null) appendAll(open, Object.entries(value));
  }
  return undefined;
}

function textRule(name: string, value: string): string | undefined {
  const danger = commandName.test(name) ? judgeDanger(value) : undefined;
  return danger === undefined ? ruleOf(value) : `Its ${name} must be asked about: ${danger}.`;
}

function ruleOf(text: string): string | undefined {
  if (text.length > MAX_PATH || text.includes('\n')) return undefined;
  const rule = writeRule({ relative: text, isWord: true }) ?? readRule({ relative: text, isWord: true });
  return rule && `'${text}' ${rule.reason}.`;
}
