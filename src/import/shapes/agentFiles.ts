import type { Entry } from '../importSink.js';
import type { Sidecar } from '../transcriptFormat.js';

/** The session of a subagent in a file of its own, as Claude Code and Qwen Code write them: `agent-<id>.jsonl`. */
export interface AgentFile {
  readonly agentId: string;
  /** What `agent-<id>.meta.json` beside it says; undefined where there is none. */
  readonly meta: unknown;
  readonly entries: readonly Entry[];
}

/** The sessions of subagents among the files beside a session. */
export function agentFiles(sidecars: readonly Sidecar[]): readonly AgentFile[] {
  const found: AgentFile[] = [];
  for (const { name, entries } of sidecars) {
    const agentId = /(?:^|\/)agent-([^/]+)\.jsonl$/.exec(name)?.[1];
    if (agentId === undefined) continue;
    const meta = sidecars.find((other) => other.name === name.replace(/\.jsonl$/, '.meta.json'));
    found.push({ agentId, meta: meta?.entries[0]?.value, entries });
  }
  return found;
}
