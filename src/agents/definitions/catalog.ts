import type { AgentDefinition, AgentFile, Problem } from '../../core/agent.js';
import { agentNameKey } from '../../core/agentLookup.js';
import { skeletonOf, writtenOut } from '../../core/lookalikes.js';
import { nearest } from '../../core/nearest.js';
import { toolNames } from './toolAliases.js';

/** All agents that were found, and all files with their problems. */
export interface AgentCatalog {
  /** One agent per name. */
  readonly agents: readonly AgentDefinition[];
  /** Every file that was read, including those without an agent. */
  readonly files: readonly AgentFile[];
}

/** The tools that agents can be given now, to find the names that mean none of them. */
export interface KnownTools {
  readonly names: readonly string[];
  /** The names of an agent's `tools` that no tool has. */
  missing(agent: AgentDefinition): readonly string[];
}

interface CatalogContext {
  readonly winners: ReadonlyMap<string, AgentDefinition>;
  /** The agents by what their names look like. */
  readonly looks: ReadonlyMap<string, readonly AgentDefinition[]>;
  readonly tools: KnownTools | undefined;
}

/**
 * Combines files. Of several agents with one name (ignoring letter case) the workspace's wins over the user's, then
 * the first file wins; the others remain listed without an agent and with a problem.
 */
export function buildCatalog(files: readonly AgentFile[], tools?: KnownTools): AgentCatalog {
  const winners = new Map<string, AgentDefinition>();
  const ranked = [...files.filter(fromWorkspace), ...files.filter((file) => !fromWorkspace(file))];
  for (const { agent } of ranked) {
    if (agent && !winners.has(agentNameKey(agent.name))) winners.set(agentNameKey(agent.name), agent);
  }
  const agents = files.flatMap(({ agent }) =>
    agent && winners.get(agentNameKey(agent.name)) === agent ? [agent] : [],
  );
  const looks = new Map<string, AgentDefinition[]>();
  for (const agent of agents) {
    const skeleton = skeletonOf(agent.name);
    looks.set(skeleton, [...(looks.get(skeleton) ?? []), agent]);
  }
  const context = { winners, looks, tools };
  return { agents, files: files.map((file) => withoutRepeated(withCatalogProblems(file, context))) };
}

const fromWorkspace = (file: AgentFile) => file.origin === 'workspace';

function withCatalogProblems(file: AgentFile, context: CatalogContext): AgentFile {
  const { winners } = context;
  const { agent, ...rest } = file;
  if (agent === undefined) return file;
  const winner = winners.get(agentNameKey(agent.name));
  if (winner !== undefined && winner !== agent) {
    const message = `Another agent is already named '${winner.name}': ${winner.path}`;
    return { ...rest, problems: [...file.problems, problemAt(file, 'name', 'error', message)] };
  }
  const unknown = agent.agents === '*' ? [] : agent.agents.filter((name) => !winners.has(agentNameKey(name)));
  const names = [...winners.values()].map(({ name }) => name);
  const problems = [
    ...unknown.map((name) =>
      problemAt(file, 'agents', 'warning', `There is no agent named '${name}'.${didYouMean(name, names)}`),
    ),
    ...unknownTools(file, agent, context),
    ...lookalikes(file, agent, context),
  ];
  return problems.length === 0 ? file : { ...file, problems: [...file.problems, ...problems] };
}

function unknownTools(file: AgentFile, agent: AgentDefinition, { tools }: CatalogContext): Problem[] {
  if (!tools) return [];
  return tools.missing(agent).map((name) => {
    const hint = didYouMean(name, [...toolNames, ...tools.names]);
    return problemAt(file, 'tools', 'warning', `No tool named '${name}' is known here now.${hint}`);
  });
}

function lookalikes(file: AgentFile, agent: AgentDefinition, { looks }: CatalogContext): Problem[] {
  const others = (looks.get(skeletonOf(agent.name)) ?? []).filter((other) => other !== agent);
  return others.map((other) => {
    const message = `The name '${writtenOut(agent.name)}' looks like that of another agent, '${writtenOut(other.name)}': ${other.path}`;
    return problemAt(file, 'name', 'warning', message);
  });
}

function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near.length === 0 ? '' : ` Did you mean ${near.map((each) => `'${each}'`).join(' or ')}?`;
}

/** Lists each problem once, however many readers found it. */
function withoutRepeated(file: AgentFile): AgentFile {
  const seen = new Set<string>();
  const problems = file.problems.filter(({ message, line = 0 }) => {
    const key = `${line} ${message}`;
    return !seen.has(key) && seen.add(key);
  });
  return problems.length === file.problems.length ? file : { ...file, problems };
}

function problemAt(file: AgentFile, key: string, severity: Problem['severity'], message: string): Problem {
  const line = file.keyLines?.get(key) ?? file.keyLines?.get('tools');
  return { severity, message, line: line ?? 1, column: 1 };
}
