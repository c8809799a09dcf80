import type { AgentDefinition, AgentFile, AgentFormat, AgentOrigin, Problem } from '../../core/agent.js';
import { singleLine } from '../../core/text.js';
import { splitFrontMatter, readHeader, type Header, type HeaderEntry } from './readHeader.js';
import { isObject } from '../../core/message.js';
import { resolveToolName } from './toolAliases.js';

/** The longest name of an agent, in code points: models must repeat it, and every list shows it. */
const MAX_NAME = 100;

const dispatch = 'subagent_dispatch';
const noHeader: Header = { entries: new Map(), problems: [] };

/**
 * Reads one agent file of either convention. Pure; never throws: errors become problems with their line.
 * A file whose header cannot be read gives no agent, because the agent's restrictions would be lost with it.
 */
export function readAgentFile(path: string, text: string, origin: AgentOrigin): AgentFile {
  const { header, body, closed } = splitFrontMatter(text);
  const reader = new HeaderReader(header === undefined ? noHeader : readHeader(header));
  const file = { path, origin, keyLines: reader.keyLines };
  if (reader.problems.some(({ severity }) => severity === 'error'))
    return { ...file, problems: reader.problems };
  const format = formatOf(path);
  const agent: AgentDefinition = {
    name: singleLine(reader.text('name') ?? '') || singleLine(nameOf(path)) || 'agent',
    path,
    format,
    origin,
    description: singleLine(reader.text('description') ?? ''),
    instructions: body.trim(),
    ...readRights(reader),
    ...readModel(reader),
    ...readInvocation(reader),
    unknownKeys: reader.unknownKeys,
  };
  const { length } = Array.from(agent.name);
  if (length > MAX_NAME) {
    const words = `The name has ${length.toLocaleString('en')} characters; more than ${MAX_NAME} are not allowed. Shorten it.`;
    reader.fail('name', words);
    return { ...file, problems: reader.problems };
  }
  if (!closed) reader.problems.push(unclosed);
  warnOfKeys(reader, agent);
  return { ...file, agent, problems: reader.problems };
}

const unclosed: Problem = {
  severity: 'warning',
  message:
    'The front matter has no closing `---`, so all of the file is header and the agent has no instructions.',
  line: 1,
  column: 1,
};

/** The convention of a file, by its folder: everything in `.claude/agents` is Claude's. */
function formatOf(path: string): AgentFormat {
  return /(^|[\\/])\.claude[\\/]agents[\\/][^\\/]*$/.test(path) ? 'claude' : 'vscode';
}

function nameOf(path: string): string {
  const file = path.split(/[\\/]/).at(-1) ?? path;
  return file.replace(/(\.agent|\.chatmode)?\.md$/i, '') || file;
}

function readRights(reader: HeaderReader): Pick<AgentDefinition, 'tools' | 'disallowedTools' | 'agents'> {
  const allowedNames = reader.names('tools');
  const forbiddenNames = reader.names('disallowedTools', 'disallowed-tools');
  const allowed = allowedNames && readToolList(allowedNames, 'allowed');
  const forbidden = readToolList(forbiddenNames ?? [], 'forbidden');
  if (allowed) warnOfTools(reader, allowed);
  const agents = reader.names('agents') ?? allowed?.children;
  const all = agents === undefined || agents.includes('*');
  if (agents !== undefined && agents.length > 0 && allowed?.tools.includes(dispatch) === false) {
    reader.warn('agents', `'agents' has no effect: 'tools' does not hold 'agent'.`);
  }
  return {
    tools: allowed?.tools,
    disallowedTools: forbidden.tools,
    agents: all ? '*' : [...new Set(agents)],
  };
}

function warnOfTools(reader: HeaderReader, { unserved, narrowed }: ToolList): void {
  for (const name of unserved) reader.warn('tools', `No tool here does what '${name}' stands for.`);
  for (const name of narrowed) {
    reader.warn('tools', `'${name}' is left out: a tool can be allowed as a whole only.`);
  }
}

function readModel(reader: HeaderReader): Pick<AgentDefinition, 'models' | 'maxTurns' | 'effort'> {
  const names = reader.names('model') ?? [];
  // After other names, `inherit` is the fallback; only in first place does it mean that no model is named.
  const models = names[0]?.toLowerCase() === 'inherit' ? [] : names;
  const maxTurns = reader.count('maxTurns', 'max-turns');
  const effort = reader.text('reasoning-effort', 'reasoningEffort', 'effort');
  return { models, ...(maxTurns !== undefined && { maxTurns }), ...(effort && { effort }) };
}

function readInvocation(reader: HeaderReader): Pick<AgentDefinition, 'userInvocable' | 'modelInvocable'> {
  const infer = reader.flag('infer');
  const disabled = reader.flag('disable-model-invocation', 'disableModelInvocation');
  return {
    userInvocable: reader.flag('user-invocable', 'user-invokable', 'userInvocable') ?? true,
    modelInvocable: disabled === undefined ? (infer ?? true) : !disabled,
  };
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Keys that mean something in VS Code or Claude but have no effect here, each with the reason for the author. */
const withoutEffect: ReadonlyMap<string, string> = new Map([
  ['permissionMode', 'approvals are decided in the settings, never by an agent file'],
  ['hooks', 'hooks are not run'],
  ['mcp-servers', 'MCP servers are those that VS Code knows'],
  ['mcpServers', 'MCP servers are those that VS Code knows'],
  ['isolation', 'agents work in the workspace itself'],
  ['handoffs', 'hand-off buttons are not shown'],
  ['skills', 'skills are not loaded'],
  ['memory', 'agents keep no memory of their own'],
]);

/** Keys of the two conventions that do not change what an agent may do; not worth a warning. */
const harmless = new Set(
  'argument-hint target github advancedOptions background initialPrompt color mode version'.split(' '),
);

/** Warns of keys that are missing, misspelt or without effect, and of unknown values. */
function warnOfKeys(reader: HeaderReader, agent: AgentDefinition): void {
  for (const key of agent.unknownKeys) {
    const reason = withoutEffect.get(key);
    if (reason !== undefined) reader.warn(key, `'${key}' has no effect: ${reason}.`);
    else if (!harmless.has(key)) reader.warn(key, `'${key}' is not a known key and has no effect.`);
  }
  if (agent.effort !== undefined && !efforts.includes(agent.effort)) {
    reader.warn('effort', `The effort '${agent.effort}' is none of ${efforts.join(', ')}.`);
  }
  if (reader.has('infer')) {
    reader.warn('infer', `'infer' is replaced by 'user-invocable' and 'disable-model-invocation'.`);
  }
  if (agent.format === 'claude' && agent.description === '') {
    reader.warn('description', 'A description is missing; other agents choose whom to ask by it.');
  }
  if (agent.instructions === '') reader.warn('', 'The agent has no instructions.');
}

/** Reads typed values from a header, collects problems with them, and keeps track of the keys that were read. */
class HeaderReader {
  readonly problems: Problem[];
  readonly #entries: ReadonlyMap<string, HeaderEntry>;
  readonly #known = new Set<string>();

  constructor(header: Header) {
    this.#entries = header.entries;
    this.problems = [...header.problems];
  }

  /** The keys that were not read, in the order of the file. */
  get unknownKeys(): string[] {
    return [...this.#entries.keys()].filter((key) => !this.#known.has(key));
  }

  /** The line of each key, from 1. */
  get keyLines(): ReadonlyMap<string, number> {
    return new Map([...this.#entries].map(([key, { line }]) => [key, line]));
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Adds a warning at a key, or without a place where the header has no such key. */
  warn(key: string, message: string): void {
    this.#add('warning', key, message);
  }

  #add(severity: Problem['severity'], key: string, message: string): void {
    const entry = this.#entries.get(key);
    this.problems.push({
      severity,
      message,
      ...(entry && { line: entry.line, column: entry.column }),
    });
  }

  /** Adds an error at a key, or without a place where the header has no such key. */
  fail(key: string, message: string): void {
    this.#add('error', key, message);
  }

  /** The value of the first of `keys` that has a text. */
  text(...keys: string[]): string | undefined {
    return this.#first(keys, (value, key) => {
      if (typeof value === 'string') return value.trim();
      if (typeof value === 'number' || typeof value === 'boolean') return String(value);
      this.warn(key, `'${key}' must be a text.`);
      return undefined;
    });
  }

  /** The value of the first of `keys` that is true or false. */
  flag(...keys: string[]): boolean | undefined {
    return this.#first(keys, (value, key) => {
      if (typeof value === 'boolean') return value;
      if (value === 'true' || value === 'false') return value === 'true';
      this.warn(key, `'${key}' must be true or false.`);
      return undefined;
    });
  }

  /** The value of the first of `keys` that has a whole number of at least 1. */
  count(...keys: string[]): number | undefined {
    return this.#first(keys, (value, key) => {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
      this.warn(key, `'${key}' must be a whole number of at least 1.`);
      return undefined;
    });
  }

  /** Names, given as a list, as a comma-separated text, or in the old form, a map of names to true or false. */
  names(...keys: string[]): string[] | undefined {
    return this.#first(keys, (value, key) => {
      if (typeof value === 'string') return splitNames(value);
      if (Array.isArray(value)) return this.#listedNames(value, key);
      if (isObject(value)) return Object.keys(value).filter((name) => value[name] === true);
      this.warn(key, `'${key}' must be a list of names.`);
      return [];
    });
  }

  #listedNames(list: readonly unknown[], key: string): string[] {
    return list.flatMap((name) => {
      if (typeof name === 'string' && name.trim() !== '') return [name.trim()];
      this.warn(key, `'${key}' holds an entry that is no name.`);
      return [];
    });
  }

  #first<T>(keys: readonly string[], read: (value: unknown, key: string) => T | undefined): T | undefined {
    let found: T | undefined;
    for (const key of keys) {
      this.#known.add(key);
      const entry = this.#entries.get(key);
      if (found !== undefined || entry === undefined) continue;
      if (entry.value === null) {
        this.warn(key, `'${key}' has no value and counts as missing.`);
        continue;
      }
      found = read(entry.value, key);
    }
    return found;
  }
}

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
