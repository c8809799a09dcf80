import { firstValue, type Entries } from '../reading/entries.js';
import type { SidecarEntries } from '../building/transcriptFormat.js';

/** The session of a subagent in a file of its own, as Claude Code and Qwen Code write them: `agent-<id>.jsonl`. */
export interface AgentFile {
  readonly agentId: string;
  /** The workflow that it worked for, whose folder its file is in; undefined where it is none. */
  readonly workflow: string | undefined;
  /** What `agent-<id>.meta.json` beside it says; undefined where there is none. */
  readonly meta: unknown;
  readonly entries: Entries;
}

/** The sessions of subagents among the files beside a session. */
export function agentFiles(sidecars: readonly SidecarEntries[]): readonly AgentFile[] {
  const found: AgentFile[] = [];
  for (const { name, entries } of sidecars) {
    const agentId = /(?:^|\/)agent-([^/]+)\.jsonl$/.exec(name)?.[1];
    if (agentId === undefined) continue;
    const meta = sidecars.find((other) => other.name === name.replace(/\.jsonl$/, '.meta.json'));
    const workflow = /(?:^|\/)workflows\/([^/]+)\/[^/]+$/.exec(name)?.[1];
    found.push({ agentId, workflow, meta: meta && firstValue(meta.entries), entries });
  }
  return found;
}
