import type { AgentDefinition } from '../../core/agent.js';
import { messageOf } from '../../core/text.js';
import type {
  ConversationOutcome,
  ConversationRequest,
  ConversationRunner,
} from '../../ports/conversationRunner.js';
import type { Log } from '../../ports/log.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { TeamRuns } from '../runs/teamRuns.js';
import { UserError } from '../userError.js';

export interface TeamRunnerDeps {
  readonly library: AgentLibrary;
  readonly runs: TeamRuns;
  readonly log: Log;
  /** What the run's frontend is called in the log. */
  readonly frontendName: string;
  /** The agent that answers where none was chosen; empty: the first that a person may run. */
  readonly defaultAgent: () => string;
}

/** Runs this window's agents for people who write from elsewhere; the runs are recorded as any other. */
export class TeamRunner implements ConversationRunner {
  readonly #deps: TeamRunnerDeps;

  constructor(deps: TeamRunnerDeps) {
    this.#deps = deps;
  }

  async agents(): Promise<readonly string[]> {
    return (await this.#invocable()).map(({ name }) => name);
  }

  async run(request: ConversationRequest): Promise<ConversationOutcome> {
    const { runs, log } = this.#deps;
    try {
      const started = await runs.start(await this.#runRequest(request));
      const { conversation } = started;
      request.onConversation?.(conversation);
      const { outcome, text, error } = await started.done;
      if (outcome === 'done') return { conversation, answer: text };
      return { conversation, failure: error?.message ?? outcome };
    } catch (error) {
      if (!(error instanceof UserError)) log.error('A run could not begin', error);
      return { failure: messageOf(error) };
    }
  }

  async #runRequest({ conversation, agent, prompt, frontend, signal }: ConversationRequest) {
    const shown = { prompt, signal, frontend: { name: this.#deps.frontendName, frontend } };
    if (conversation !== undefined) return { ...shown, conversation };
    const agents = await this.#invocable();
    const entry = agent === undefined ? agents[0] : agents.find(({ name }) => name === agent);
    if (entry) return { ...shown, agent: entry };
    throw new UserError(
      agent === undefined ? 'There is no agent here that can be run.' : `There is no agent named ${agent}.`,
    );
  }

  /** The agents that a person may run, the default first. */
  async #invocable(): Promise<readonly AgentDefinition[]> {
    const { library, defaultAgent } = this.#deps;
    const agents = (await library.agents()).filter(({ userInvocable }) => userInvocable);
    const first = agents.find(({ name }) => name === defaultAgent());
    return first ? [first, ...agents.filter((agent) => agent !== first)] : agents;
  }
}
