import type { Frontend } from '../../core/ports/frontend.js';
import type { WorkspaceFiles } from '../../core/ports/workspaceFiles.js';
import type { ForeignTools } from '../../agents/tools/foreignTool.js';
import type { CommandWatcher } from '../../agents/tools/runCommand.js';
import type { Agents, Host } from '../ports/host.js';
import type { ApprovalService } from './approvalService.js';
import type { Log } from '../../core/ports/log.js';
import type { PatternMatcher } from '../../core/ports/patternMatcher.js';
import type { MessageAccumulator } from '../../core/record/messageAccumulator.js';
import type { Scheduler } from '../../agents/loop/limits/scheduler.js';
import type { ApprovedDefinitions } from '../../agents/tools/foreignTool.js';
import type { Stores } from '../services/stores.js';
import type { ModelCatalog } from '../models/modelCatalog.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { SeenFiles } from '../../agents/tools/files/seenFiles.js';
import type { BegunScripts } from '../models/endpointOptions.js';
import type { LiveTexts } from '../services/liveTexts.js';
import type { PreparedRun } from './preparedRun.js';
import type { RunRequest } from '../answers/runRequest.js';

/** What outlives a run, because it belongs to the conversation's session; never written to disk. */
export interface ConversationMemory {
  /** What a person allowed for this session. */
  readonly remembered: Set<string>;
  /** The files that the agents have read and written. */
  readonly seen: SeenFiles;
  readonly scripts: BegunScripts;
}

/** Far more conversations than anybody continues at the same time. */
const MAX_CONVERSATIONS = 100;

/**
 * The memories of the conversations that this window has run. A conversation that was evicted starts over: its
 * approvals are asked for again.
 */
export class ConversationMemories {
  readonly #memories = new BoundedMap<string, ConversationMemory>(MAX_CONVERSATIONS);

  /** The memory of a conversation, an empty one where it has none yet. */
  of(conversation: string): ConversationMemory {
    return this.#memories.use(conversation, () => ({
      remembered: new Set(),
      seen: new SeenFiles(),
      scripts: new Map(),
    }));
  }
}

/** What all runs of a window share. */
export interface TeamParts extends Host {
  readonly library: Agents;
  readonly stores: Stores;
  readonly models: ModelCatalog;
  readonly approvals: ApprovalService;
  /** The definitions of other extensions' tools that were allowed. */
  readonly approved: ApprovedDefinitions;
  /** The workspace's files as the person sees them. */
  readonly files: WorkspaceFiles;
  /** The tools of other extensions and of MCP servers. */
  readonly foreignTools: ForeignTools;
  /** Looks for the patterns of models; left out, they are looked for on the thread that asks. */
  readonly patterns?: PatternMatcher | undefined;
  /** Shows the commands that agents of a conversation run. */
  readonly watcherOf: (conversation: string) => CommandWatcher;
  readonly accumulator: MessageAccumulator;
  readonly channel: Frontend;
  readonly log: Log;
}

/** What is specific to one run. */
export interface OneRun extends PreparedRun {
  readonly request: RunRequest;
  readonly memory: ConversationMemory;
  readonly scheduler: Scheduler;
  readonly controller: AbortController;
  /** What the run's agents are writing. */
  readonly texts: LiveTexts;
  /** Why runs are held, by conversation. */
  readonly held: Map<string, string>;
  /** Called when the conversation can be continued. */
  onEnd(): void;
}
