import type { AgentDefinition } from '../core/agent.js';
import type { HeaderReader } from './headerReader.js';

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
export function warnOfKeys(reader: HeaderReader, agent: AgentDefinition): void {
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
