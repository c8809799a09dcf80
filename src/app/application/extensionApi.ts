import type { MessageQuery } from '../../export/messageQuery.js';
import type { AccumulatedMessage, MessageAccumulator } from '../../core/record/messageAccumulator.js';
import type { Settings } from '../ports/settings.js';
import type { Agents } from '../ports/host.js';
import type { RunRequest, RunStarter, StartedRun } from '../answers/runRequest.js';
import { UserError } from '../userError.js';
import { features } from '../features/features.js';

/** What other extensions get from `activate()`. */
export interface ExtensionApi<Library> {
  /** The messages of all agents that ran in this window, bounded by the settings. */
  readonly accumulator: MessageAccumulator;
  /**
   * The same messages as a query, which reads them afresh for each question and counts their tokens; loaded when it is
   * first asked for: `(await api.messages).filter({ role: 'tool' })`.
   */
  readonly messages: Promise<MessageQuery<AccumulatedMessage>>;
  /** Runs an agent of this window by name; resolves as soon as the run has started. */
  run(agent: string, prompt: string, options?: Pick<RunRequest, 'signal' | 'frontend'>): Promise<StartedRun>;
  /** All that Node programs import as `agent-logbook/library` and `agent-logbook/parts`; loaded on first use. */
  library(): Promise<Library>;
}

/** Makes the API for other extensions. */
export function extensionApi<Library>(parts: {
  readonly accumulator: MessageAccumulator;
  readonly runs: RunStarter;
  readonly agents: Agents;
  readonly settings: Pick<Settings, 'get'>;
  readonly library: () => Promise<Library>;
}): ExtensionApi<Library> {
  let messages: Promise<MessageQuery<AccumulatedMessage>> | undefined;
  const load = async () => {
    const { messagesSoFar } = await features.exporting();
    return messagesSoFar(parts.accumulator, parts.settings.get('model'));
  };
  return {
    accumulator: parts.accumulator,
    get messages() {
      messages ??= load();
      // What could not be loaded is tried again.
      messages.catch(() => (messages = undefined));
      return messages;
    },
    async run(name, prompt, options = {}) {
      const agent = (await parts.agents.agents()).find((candidate) => candidate.name === name);
      if (!agent) throw new UserError(`There is no agent named ${name} here.`);
      return parts.runs.start({ agent, prompt, ...options });
    },
    library: parts.library,
  };
}
