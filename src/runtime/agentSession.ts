import type { AgentDefinition } from '../core/agent.js';
import { newId } from '../core/ids.js';
import { textOf, type ChatMessage } from '../core/message.js';
import type { ToolExecutor } from '../ports/tool.js';
import { CallFrame } from './callFrame.js';
import { isFailure, prepareCall } from './prepareCall.js';
import { repairHistory } from './history/repairHistory.js';
import { runCall, type CallResult } from './runCall.js';
import type { RuntimeConfig } from './runtimeConfig.js';
import { RunScope } from './runScope.js';

/** How a run ended. */
export interface RunResult extends CallResult {
  readonly run: string;
}

export interface RunOptions {
  /** Aborting it stops the run; it then ends soon, and the conversation can be gone on with. */
  readonly signal?: AbortSignal;
  /** Takes the place of the session's configuration for this run. */
  readonly config?: RuntimeConfig;
}

const noTools: ToolExecutor = {
  specs: [],
  find: () => undefined,
  execute: async () => Promise.resolve({ content: 'There are no tools.', isError: true, notRun: true }),
};

/**
 * A conversation with one entry agent: runs come one after another, and the agent knows what was said in the
 * runs before. Only the entry agent keeps a history; those it dispatches begin anew each time.
 */
export class AgentSession {
  readonly conversation: string;
  readonly agent: AgentDefinition;
  readonly #config: RuntimeConfig;
  #history: readonly ChatMessage[] = [];
  /** The last run's entry call, which the next run goes on from. */
  #frame: CallFrame | undefined;
  #recordedInstructions: string | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;

  constructor(conversation: string, agent: AgentDefinition, config: RuntimeConfig) {
    this.conversation = conversation;
    this.agent = agent;
    this.#config = config;
  }

  /** How many runs are under way or wait for their turn. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Replaces the history, for example by what a journal or an import holds, made valid. Calls in it are never run;
   * the instructions stay those of the agent, and are recorded anew only if they differ from the last ones in it.
   */
  update(history: readonly ChatMessage[]): void {
    this.#history = repairHistory(history.filter(({ role }) => role !== 'system')).messages;
    this.#frame = undefined;
    this.#recordedInstructions = textOf(history.findLast(({ role }) => role === 'system')?.content);
  }

  /** What was said so far between the user, the entry agent and its tools; without the instructions. */
  get(): readonly ChatMessage[] {
    return this.#history;
  }

  /** The same, or undefined where nothing was said yet. */
  asHistory(): readonly ChatMessage[] | undefined {
    return this.#history.length > 0 ? this.#history : undefined;
  }

  /** Runs one prompt to its end, after the runs that were asked for before. Rejects only if the record itself does. */
  run(prompt: string, options: RunOptions = {}): Promise<RunResult> {
    this.#pending++;
    const run = async (): Promise<RunResult> => {
      try {
        return await this.#run(prompt, options);
      } finally {
        this.#pending--;
      }
    };
    const mine = this.#last.then(run);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #run(prompt: string, options: RunOptions): Promise<RunResult> {
    const config = options.config ?? this.#config;
    const signal = options.signal ?? new AbortController().signal;
    const scope = new RunScope(newId('run'), this.conversation, config, signal);
    try {
      return await this.#runIn(scope, config, prompt);
    } finally {
      scope.dispose();
    }
  }

  async #runIn(scope: RunScope, config: RuntimeConfig, prompt: string): Promise<RunResult> {
    const { agent } = this;
    const prepared = await prepareCall(agent, config, config.model, scope.signal);
    const refusal = isFailure(prepared) && !scope.signal.aborted ? prepared : undefined;
    const ready = isFailure(prepared) ? { model: config.model, tools: noTools } : prepared;
    const changes = { config, scope, ...ready, prompt, frontend: config.frontend, signal: scope.signal };
    const frame =
      this.#frame?.cloneSameDepth(changes) ??
      new CallFrame({ ...changes, agent, depth: 0, history: this.#history });
    this.#frame = frame;
    scope.beginCall();
    frame.emit({ type: 'runStart', prompt, model: frame.model.id });
    const knownInstructions = this.#recordedInstructions === agent.instructions;
    const result = await runCall(frame, { knownInstructions, refusal });
    this.#recordedInstructions = agent.instructions;
    this.#history = frame.messages.filter(({ role }) => role !== 'system');
    const { outcome, text, error, durationMs } = result;
    frame.emit({ type: 'runEnd', outcome, text, ...(error && { reason: error.message }), durationMs });
    return { run: scope.run, ...result };
  }
}
