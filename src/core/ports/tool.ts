import type { ImagePart } from '../message.js';
import type { CallSite, LogRecord, RecordDraft } from '../record.js';
import type { Approver } from './approvals.js';
import type { Frontend } from './frontend.js';
import type { ToolSpec } from './model.js';

/** What a tool does to the world; the approval rules depend on it. */
export type ToolEffect = 'read' | 'write' | 'execute' | 'dispatch';

/** What a tool may use while it executes; one object per tool call. */
export interface ToolContext {
  readonly frontend: Frontend;
  readonly signal: AbortSignal;
  readonly call: CallSite;
  readonly toolCallId: string;
  readonly approvals: Approver;
  record(draft: RecordDraft): LogRecord;
  /** Runs another agent's call to its end; absent where dispatching is not possible. */
  readonly dispatch?: Dispatch;
}

/** A task for another agent. */
export interface DispatchRequest {
  /** The name of the agent that is to do it. */
  readonly target: string;
  readonly task: string;
  /** What the agent should know besides its task. */
  readonly context?: string;
  readonly toolCallId: string;
  readonly caller: CallSite;
  readonly signal: AbortSignal;
}

/** The outcome of a dispatch: the child's answer, or why there is none. `session` is the child's call id. */
export type DispatchResult =
  | { readonly ok: true; readonly result: string; readonly session: string }
  | { readonly ok: false; readonly error: string; readonly session?: string };

/** Runs another agent's call to its end. Never rejects. */
export type Dispatch = (request: DispatchRequest) => Promise<DispatchResult>;

/** A tool's answer to the model. */
export interface ToolResult {
  readonly content: string;
  /** Pictures that belong to the answer, for models with vision. */
  readonly pictures?: readonly ImagePart[];
  readonly isError?: boolean;
  /** True where nothing was executed, because the tool is unknown or its arguments are invalid. */
  readonly notRun?: boolean;
}

/** A tool that agents can call. */
export interface Tool extends ToolSpec {
  /** Who provides it, like the label of an MCP server; absent for built-in tools and where it is unknown. */
  readonly provider?: string;
  readonly effect: ToolEffect;
  /** Whether several calls from one message may run concurrently. */
  readonly parallel: boolean;
  /** `args` satisfies `parameters`. A failure is a result with `isError`; a rejection is turned into one. */
  execute(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** The tools of one call. `execute` never rejects: an unknown tool or invalid arguments give an error result. */
export interface ToolExecutor {
  readonly specs: readonly ToolSpec[];
  find(name: string): Tool | undefined;
  /** `args` is the raw JSON text of the call. */
  execute(name: string, args: string, context: ToolContext): Promise<ToolResult>;
}
