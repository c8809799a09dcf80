import type { ImagePart } from '../core/message.js';
import type { CallPlace, LogRecord, RecordDraft } from '../core/record.js';
import type { Approver } from './approvals.js';
import type { Frontend } from './frontend.js';
import type { ToolSpec } from './model.js';

/** What a tool does to the world, for the rules of approval. */
export type ToolEffect = 'read' | 'write' | 'execute' | 'dispatch';

/** Everything a tool may need, one object per tool call; a tool takes from it what it needs. */
export interface ToolContext {
  readonly frontend: Frontend;
  readonly signal: AbortSignal;
  readonly call: CallPlace;
  readonly toolCallId: string;
  readonly approvals: Approver;
  record(draft: RecordDraft): LogRecord;
  /** Starts another agent's call and waits for its end; absent where dispatching is not possible. */
  readonly dispatch?: Dispatch;
}

export interface DispatchRequest {
  readonly target: string;
  readonly task: string;
  readonly context?: string;
  readonly toolCallId: string;
  readonly caller: CallPlace;
  readonly signal: AbortSignal;
}

/** How a dispatch ended: the child's answer, or why there is none. `session` is the child's call id. */
export type DispatchResult =
  | { readonly ok: true; readonly result: string; readonly session: string }
  | { readonly ok: false; readonly error: string; readonly session?: string };

/** Never rejects. */
export type Dispatch = (request: DispatchRequest) => Promise<DispatchResult>;

/** A tool's answer to the model. */
export interface ToolResult {
  readonly content: string;
  /** Pictures that belong to the answer, for models that take them. */
  readonly pictures?: readonly ImagePart[];
  readonly isError?: boolean;
  /** True where nothing was run, because the tool is unknown or the arguments are unusable. */
  readonly notRun?: boolean;
}

export interface Tool extends ToolSpec {
  /** Who provides it, like the label of an MCP server; absent for ours and where that is not known. */
  readonly provider?: string;
  readonly effect: ToolEffect;
  /** Whether several calls of one message may run at the same time. */
  readonly parallel: boolean;
  /** `args` satisfies `parameters`. A failure is a result with `isError`; a rejection is treated as one too. */
  execute(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** The tools of one call. `execute` never rejects: an unknown tool or bad arguments are error results. */
export interface ToolExecutor {
  readonly specs: readonly ToolSpec[];
  find(name: string): Tool | undefined;
  /** `args` is the raw JSON text of the call. */
  execute(name: string, args: string, context: ToolContext): Promise<ToolResult>;
}
