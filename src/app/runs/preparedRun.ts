import { inLanguage, message, t } from '../../core/l10n.js';
import type { AgentDefinition } from '../../core/agent.js';
import { newConversationId } from '../../core/ids.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import type { Stores } from '../services/stores.js';
import { withTranscript } from '../transcripts/withTranscript.js';
import type { Agents } from '../ports/host.js';
import type { Workspace } from '../ports/workspace.js';
import { UserError } from '../userError.js';
import type { RunRequest } from '../answers/runRequest.js';
import type { ChatMessage } from '../../core/message.js';
import { isMessageRecord, type LogRecord } from '../../core/record.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { features } from '../features/features.js';

/** A run's agent, conversation and store. */
export interface PreparedRun {
  readonly store: TranscriptStore;
  /** The folder of the store, absolute. */
  readonly root: string;
  readonly agent: AgentDefinition;
  readonly conversation: string;
  /** The history of a conversation that is continued. */
  readonly history?: EntryHistory;
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
export async function prepareRun(
  { conversation, agent }: RunRequest,
  { library, stores, workspace }: PreparingOptions,
): Promise<PreparedRun> {
  if (conversation === undefined) {
    if (!agent) throw new UserError(t`Choose an agent to run.`);
    const opened = await stores.storeFor(workspace.workingFolder(agent.path));
    return { ...opened, agent, conversation: newConversationId(Date.now()) };
  }
  if (stores.isUnlisted(conversation)) throw new UserError(inLanguage(IMPORTED));
  const { store, root } = await stores.find(conversation);
  const history = await withTranscript(store, conversation, readEntryHistory);
  if (!agent && history.agent === undefined) throw new UserError(inLanguage(IMPORTED));
  const entry = agent ?? (await library.agents()).find(({ name }) => name === history.agent);
  if (!entry)
    throw new UserError(t`The agent ${history.agent ?? ''} of this conversation is not there any more.`);
  return { store, root, agent: entry, history, conversation };
}

/** The history of a recorded conversation's entry agent, from which the conversation continues. */
interface EntryHistory {
  /** The messages of all its runs. */
  readonly messages: readonly ChatMessage[];
  /** The name of the latest run's entry agent; undefined without a run. */
  readonly agent: string | undefined;
}

/** Reads the entry agent's messages of all runs. */
async function readEntryHistory(transcript: Transcript): Promise<EntryHistory> {
  const { restoredRecords } = await features.transcripts();
  const messages: ChatMessage[] = [];
  let agent: string | undefined;
  for await (const record of restoredRecords(transcript)) {
    if (record.depth !== 0) continue;
    if (record.type === 'callStart') agent = record.agent;
    const known = record as LogRecord;
    if (isMessageRecord(known)) messages.push(known.message);
  }
  return { messages, agent };
}
