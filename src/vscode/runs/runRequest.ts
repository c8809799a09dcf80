import type { AgentDefinition } from '../../core/agent.js';
import type { Frontend } from '../../ports/frontend.js';
import type { RunResult } from '../../runtime/agentSession.js';
import type { RuntimeEvent } from '../../runtime/runtimeEvent.js';

/** What somebody asks of a team. */
export interface RunRequest {
  readonly prompt: string;
  /** The entry agent; for a conversation that goes on, the one it began with when left out. */
  readonly agent?: AgentDefinition;
  /** The conversation to go on with; a new one when left out. */
  readonly conversation?: string;
  /** Where this run's dispatches are shown besides the output channel. */
  readonly frontend?: { readonly name: string; readonly frontend: Frontend };
  readonly signal?: AbortSignal;
  /** False where the one who prompts does not sit at this window; by default he does. */
  readonly attended?: boolean;
  onEvent?(event: RuntimeEvent): void;
}

/** A run that goes on. */
export interface StartedRun {
  readonly conversation: string;
  /** Never rejects. */
  readonly done: Promise<RunResult>;
}
