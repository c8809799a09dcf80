import type { AgentDefinition, AgentFile, AgentFormat, AgentOrigin, Problem } from '../../core/agent.js';
import { singleLine } from '../../core/text.js';
import { splitFrontMatter } from './frontMatter.js';
import { HeaderReader } from './headerReader.js';
import { readHeader, type Header } from './readHeader.js';
import { readToolList, type ToolList } from './toolList.js';

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
