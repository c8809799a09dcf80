import type { AgentDefinition } from '../../core/agent.js';
import type { Model } from '../../core/ports/model.js';
import type { Frontend } from '../../core/ports/frontend.js';
import type { RunResult } from '../../agents/loop/agentSession.js';
import type { RuntimeEvent } from '../../agents/loop/runtimeEvent.js';

/** From where a person wants to go on, and with what. */
export interface ForkRequest {
  readonly conversation: string;
  /** A record of it that is a message. */
  readonly seq: number;
  /** What that message says instead. */
  readonly text?: string | undefined;
  /** Whether that message, of a call, says that it failed. */
  readonly isError?: boolean | undefined;
}

/** A request to run an agent. */
export interface RunRequest {
  /** What is asked; '' where a conversation goes on from another one without a further word. */
  readonly prompt: string;
  /** The entry agent; absent: that of the conversation to continue. */
  readonly agent?: AgentDefinition;
  /** The conversation to continue; absent: a new one. */
  readonly conversation?: string;
  /** The message of another conversation that a new one goes on from. */
  readonly from?: ForkRequest;
  /** The folder in which a new conversation's agents work, absolute; absent: those of the workspace. */
  readonly folder?: string;
  /** Where this run's dispatches are shown, in addition to the output channel. */
  readonly frontend?: { readonly name: string; readonly frontend: Frontend };
  readonly signal?: AbortSignal;
  /** False where the person who prompts is not at this window; true by default. */
  readonly attended?: boolean;
  /** Told by which model the agent is run before anything is asked or recorded; where it rejects, nothing is. */
  mayBegin?(model: Pick<Model, 'id' | 'label' | 'kind'>): Promise<void>;
  onEvent?(event: RuntimeEvent): void;
}

/** A run that has started. */
export interface StartedRun {
  readonly conversation: string;
  /** The result of the run; never rejects. */
  readonly done: Promise<RunResult>;
}

/** Starts runs. */
export interface RunStarter {
  /** Resolves as soon as the run has started; rejects with an error for a person where it cannot. */
  start(request: RunRequest): Promise<StartedRun>;
}
