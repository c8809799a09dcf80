import { t } from '../../core/l10n.js';
import type { RunStarter } from '../answers/runRequest.js';
import type { Agents } from '../ports/host.js';
import type { Settings } from '../ports/settings.js';
import type { AgentDefinition } from '../../core/agent.js';
import { messageOf } from '../../core/text.js';
import { visibleLine } from '../../core/visibleText.js';
import type {
  ConversationOutcome,
  ConversationRequest,
  ConversationRunner,
} from '../../core/ports/conversationRunner.js';
import type { Log } from '../../core/ports/log.js';
import { UserError } from '../userError.js';
import type { RunResult } from '../../agents/loop/agentSession.js';

/** What running agents for a connector needs. */
export interface ConnectorConversationRunnerOptions {
  readonly library: Agents;
  readonly runs: RunStarter;
  readonly settings: Settings;
  readonly log: Log;
  /** The name of the run's frontend in the log. */
  readonly frontendName: string;
  /** The setting with the default agent; empty: the first agent that a person may run. */
  readonly agentSetting: 'telegram.agent' | 'discord.agent';
}

/** Runs this window's agents for people who write from elsewhere; their runs are recorded like any other. */
export class ConnectorConversationRunner implements ConversationRunner {
  readonly #options: ConnectorConversationRunnerOptions;

  constructor(options: ConnectorConversationRunnerOptions) {
    this.#options = options;
  }

  async agents(): Promise<readonly string[]> {
    const agents = await this.#options.library.invocable();
    const first = this.#chosenOf(agents);
    const ordered = first ? [first, ...agents.filter((agent) => agent !== first)] : agents;
    return ordered.map(({ name }) => name);
  }

  /**
   * The agent that answers where none was chosen. Rejects, with the possible names, where the setting names an agent that
   * a person may not run: a different one might have more rights than intended.
   */
  async defaultAgent(): Promise<AgentDefinition> {
    const { library, settings, agentSetting } = this.#options;
    const agents = await library.invocable();
    if (agents.length === 0) throw new UserError(t`There is no agent here that can be run.`);
    const agent = this.#chosenOf(agents);
    if (agent) return agent;
    const names = agents.map(({ name }) => visibleLine(name)).join(', ');
    const wanted = visibleLine(settings.get(agentSetting));
    throw new UserError(
      t`The setting agentLogbook.${agentSetting} names '${wanted}', but no agent of that name can be run here. There are: ${names}.`,
    );
  }

  async run(request: ConversationRequest): Promise<ConversationOutcome> {
    const { runs, log } = this.#options;
    try {
      const started = await runs.start(await this.#runRequest(request));
      const { conversation } = started;
      request.onConversation?.(conversation);
      return outcomeOfRun(conversation, await started.done);
    } catch (error) {
      if (!(error instanceof UserError)) log.error('A run could not begin', error);
      return { failure: messageOf(error) };
    }
  }

  #chosenOf(agents: readonly AgentDefinition[]): AgentDefinition | undefined {
    const wanted = this.#options.settings.get(this.#options.agentSetting).trim().toLowerCase();
    return wanted === '' ? agents[0] : agents.find(({ name }) => name.toLowerCase() === wanted);
  }

  async #runRequest({ conversation, agent, prompt, frontend, signal }: ConversationRequest) {
    const shown = {
      prompt,
      signal,
      attended: false,
      frontend: { name: this.#options.frontendName, frontend },
    };
    if (conversation !== undefined) return { ...shown, conversation };
    if (agent === undefined) return { ...shown, agent: await this.defaultAgent() };
    const entry = (await this.#options.library.invocable()).find(({ name }) => name === agent);
    if (!entry) throw new UserError(t`There is no agent named ${visibleLine(agent)}.`);
    return { ...shown, agent: entry };
  }
}

/** Converts the result of a run to a conversation outcome: the answer, or why there is none. */
export function outcomeOfRun(
  conversation: string,
  { outcome, text, error }: Pick<RunResult, 'outcome' | 'text' | 'error'>,
): ConversationOutcome {
  if (outcome === 'done') return { conversation, answer: text };
  return { conversation, failure: error?.message ?? outcome };
}
