import type { AgentDefinition, AgentFile, AgentFormat, AgentOrigin, Problem } from '../core/agent.js';
import { singleLine } from '../core/text.js';
import { splitFrontMatter } from './frontMatter.js';
import { HeaderReader } from './headerReader.js';
import { readHeader } from './readHeader.js';
import type { Header } from './readHeader.js';
import { readToolList } from './toolList.js';
import type { ToolList } from './toolList.js';
import { warnOfKeys } from './warnOfKeys.js';

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
