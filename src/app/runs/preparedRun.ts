import { inLanguage, message, t } from '../../core/l10n.js';
import type { AgentDefinition } from '../../core/agent.js';
import { newConversationId } from '../../core/ids.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import type { Stores } from '../services/stores.js';
import type { Agents } from '../ports/host.js';
import type { Workspace } from '../ports/workspace.js';
import { UserError } from '../userError.js';
import type { RunRequest } from '../answers/runRequest.js';
import type { ChatMessage } from '../../core/message.js';
import type { GoingOn } from '../../agents/loop/callFrame.js';
import { features } from '../features/features.js';

/** A run's agent, conversation and store. */
export interface PreparedRun {
  readonly store: TranscriptStore;
  /** The folder of the store, absolute. */
  readonly root: string;
  readonly agent: AgentDefinition;
  readonly conversation: string;
  /** What is asked; of a conversation that goes on without a word, what was asked last. */
  readonly prompt: string;
  /** The history of a conversation that is continued. */
  readonly history?: readonly ChatMessage[];
  /** The folder in which its agents work, where that is none of the workspace's. */
  readonly folder?: string | undefined;
  /** Where a new conversation goes on from another one. */
  readonly goingOn?: GoingOn;
}

/** What a run is prepared with. */
export interface PreparingOptions {
  readonly library: Agents;
  readonly stores: Stores;
  readonly workspace: Workspace;
}

/** Why an imported conversation cannot be continued. */
export const IMPORTED = message`This transcript was recorded elsewhere: it can be read and exported, but not continued.`;

/** Resolves the agent and conversation of a request; rejects with an error for a person where they do not exist. */
export async function prepareRun(request: RunRequest, options: PreparingOptions): Promise<PreparedRun> {
  const { conversation, agent, prompt, from, folder } = request;
  const fresh = newConversationId(Date.now());
  const { stores, workspace } = options;
  if (conversation === undefined && !from) {
    if (!agent) throw new UserError(t`Choose an agent to run.`);
    const opened = await stores.storeFor(workspace.workingFolder(agent.path));
    return { ...opened, folder, agent, prompt, conversation: fresh };
  }
  const { prepareContinued, prepareFork } = await features.transcripts();
  if (from) return { ...(await prepareFork(request, from, options)), folder, conversation: fresh };
  if (conversation !== undefined && !stores.isUnlisted(conversation)) {
    const continued = await prepareContinued(request, conversation, options);
    if (continued) return continued;
  }
  throw new UserError(inLanguage(IMPORTED));
}
