import type { AgentDefinition } from '../../core/agent.js';
import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { newId } from '../../core/ids.js';
import { textOf, type ChatMessage, isObject } from '../../core/message.js';
import { NO_USAGE } from '../../core/usage.js';
import type { ToolExecutor } from '../../core/ports/tool.js';
import { ABORTED, raceAbort } from '../../core/abort.js';
import { CallFrame, type GoingOn } from './callFrame.js';
import { isFailure, prepareCall } from './prepareCall.js';
import { repairHistory } from './history/repairHistory.js';
import type { CallResult } from './callResult.js';
import { runCall } from './runCall.js';
import { limitKinds } from './limits/limits.js';
import { runtimeConfigKinds, type RuntimeConfig } from './runtimeConfig.js';
import { RunScope, stopOf } from './runScope.js';

/** No message that is read is nested deeper; what may still come deeper is shared. */
const MAX_DEPTH = 200;

/** How a run ended. */
export interface RunResult extends CallResult {
  readonly run: string;
}

/** Options of a single run. */
export interface RunOptions {
  /** Aborting it stops the run, which then ends soon; the conversation can be continued. */
  readonly signal?: AbortSignal;
  /** Replaces the session's configuration for this run. */
  readonly config?: RuntimeConfig;
  /** Where the conversation goes on from another one; in its first run. */
  readonly goingOn?: GoingOn | undefined;
}

const runOptionKinds: KnownOptions<RunOptions> = { signal: 'object', config: 'object', goingOn: 'object' };

/** The ids by which a run and its entry call are recorded. */
interface RunIds {
  readonly run: string;
  readonly call: string;
}

const noTools: ToolExecutor = {
  specs: [],
  find: () => undefined,
  execute: async () => Promise.resolve({ content: 'There are no tools.', isError: true, notRun: true }),
};

/**
 * A conversation with one entry agent: runs follow one another, and the agent knows the history of the previous ones.
 * Only the entry agent keeps a history; dispatched agents start without one each time.
 */
export class AgentSession {
  readonly conversation: string;
  readonly agent: AgentDefinition;
  readonly #config: RuntimeConfig;
  #history: readonly ChatMessage[] = [];
  /** The last run's entry call, from which the next run continues. */
  #frame: CallFrame | undefined;
  #recordedInstructions: string | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;

  constructor(conversation: string, agent: AgentDefinition, config: RuntimeConfig) {
    checkOptions(config, runtimeConfigKinds, 'AgentSession');
    checkOptions(config.limits, limitKinds, 'limits');
    this.conversation = conversation;
    this.agent = agent;
    this.#config = config;
  }

  /** The number of runs in progress or waiting for their turn. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Replaces the history by a valid copy of another one, for example from a journal or an import. Calls in it are never
   * executed; the instructions remain those of the agent, and are recorded again only if they differ from the last ones
   * in it. What a run in progress says is then not part of the history.
   */
  update(history: readonly ChatMessage[]): void {
    this.#take(history, false);
  }

  #take(history: readonly ChatMessage[], mayEndOpen: boolean): void {
    const { messages } = repairHistory(copyOf(history), mayEndOpen);
    this.#history = messages.filter(({ role }) => role !== 'system');
    this.#frame = undefined;
    this.#recordedInstructions = textOf(messages.findLast(({ role }) => role === 'system')?.content);
  }

  /** A copy of the messages so far of the user, the entry agent and its tools, without the instructions. */
  get(): readonly ChatMessage[] {
    return copyOf(this.#history);
  }

  /** The same, or undefined where there are none. */
  asHistory(): readonly ChatMessage[] | undefined {
    return this.#history.length > 0 ? this.get() : undefined;
  }

  /**
   * Runs one prompt to its end, after the runs requested before. A run that is stopped while waiting for its turn resolves
   * at once, and is recorded when its turn comes. Throws a TypeError for an unknown option; rejects only if recording fails.
   */
  run(prompt: string, options: RunOptions = {}): Promise<RunResult> {
    checkOptions(options, runOptionKinds, 'AgentSession.run');
    if (options.config) checkOptions(options.config, runtimeConfigKinds, 'config');
    const ids = { run: newId('run'), call: newId('call') };
    const turn = this.#last;
    const mustWait = this.#pending++ > 0;
    const mine = turn.then(async () => {
      try {
        return await this.#run(ids, prompt, options);
      } finally {
        this.#pending--;
      }
    });
    this.#last = mine.catch(() => undefined);
    return mustWait && options.signal ? unlessStopped(turn, mine, ids, options.signal) : mine;
  }

  async #run(ids: RunIds, prompt: string, options: RunOptions): Promise<RunResult> {
    const config = options.config ?? this.#config;
    const { goingOn } = options;
    if (goingOn) this.#take(goingOn.history, goingOn.isSilent);
    const signal = options.signal ?? new AbortController().signal;
    const scope = new RunScope(ids.run, this.conversation, config, signal);
    try {
      const result = await this.#runIn(scope, ids.call, config, { prompt, goingOn });
      if (scope.broken) throw scope.broken.error;
      return result;
    } finally {
      scope.dispose();
    }
  }

  async #runIn(
    scope: RunScope,
    call: string,
    config: RuntimeConfig,
    asked: { readonly prompt: string; readonly goingOn: GoingOn | undefined },
  ): Promise<RunResult> {
    const { agent } = this;
    const { prompt } = asked;
    const prepared = await prepareCall(agent, config, scope.signal);
    const refusal = isFailure(prepared) && !scope.signal.aborted ? prepared : undefined;
    const ready = isFailure(prepared) ? { model: config.model, tools: noTools } : prepared;
    const changes = {
      config,
      scope,
      call,
      ...ready,
      ...asked,
      frontend: config.frontend,
      signal: scope.signal,
    };
    const frame =
      this.#frame?.cloneSameDepth(changes) ??
      new CallFrame({ ...changes, agent, depth: 0, history: this.#history });
    this.#frame = frame;
    scope.beginCall();
    frame.emit({ type: 'runStart', prompt, model: frame.model.id });
    const knownInstructions = this.#recordedInstructions === agent.instructions;
    const result = await runCall(frame, { knownInstructions, refusal });
    if (this.#frame === frame) {
      this.#history = frame.messages.filter(({ role }) => role !== 'system');
      if (!scope.broken) this.#recordedInstructions = agent.instructions;
    }
    const { outcome, text, error, durationMs } = result;
    frame.emit({ type: 'runEnd', outcome, text, ...(error && { reason: error.message }), durationMs });
    return { run: scope.run, ...result };
  }
}

/** Resolves as a run does, or at once where it is stopped before its turn. */
async function unlessStopped(
  turn: Promise<unknown>,
  run: Promise<RunResult>,
  ids: RunIds,
  signal: AbortSignal,
): Promise<RunResult> {
  const waited = await raceAbort(turn, signal);
  if (waited !== ABORTED) return run;
  const end = stopOf(signal);
  return { ...ids, ...end, text: '', durationMs: 0, ownUsage: NO_USAGE, totalUsage: NO_USAGE };
}

/** A copy of plain data that nobody else can change: objects and lists anew, texts shared, so that it costs little. */
function copyOf<T>(value: T): T {
  return copyAt(value, 0) as T;
}

function copyAt(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => copyAt(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyAt(inner, depth + 1)]));
}
