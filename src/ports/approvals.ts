import type { CallPlace } from '../core/record.js';

/** What a tool wants to do, asked before it does it. */
export interface ApprovalRequest {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly call: CallPlace;
  /** The full text of what will be done (command, path and change), exactly the bytes that are approved. */
  readonly subject: string;
  /** One short line saying what kind of thing is asked, like `Write src/a.ts`. */
  readonly title: string;
  /** Stands for tool and canonical arguments; an approval may be remembered for this key. */
  readonly key: string;
  /** Why this must be asked even where the policy approves everything; absent: the policy decides. */
  readonly mustAsk?: string;
  /** The rule that found this harmless: the policy `ask` then approves by it; never together with `mustAsk`. */
  readonly harmless?: string;
  readonly signal: AbortSignal;
}

export interface ApprovalDecision {
  readonly approved: boolean;
  readonly decidedBy: 'user' | 'policy' | 'remembered' | 'cancel';
  /** Which policy or rule decided. */
  readonly rule?: string;
  /** What the person said, for the model to read. */
  readonly reason?: string;
}

/** Decides about tool calls and records each decision. Never rejects; an aborted signal is a denial by `cancel`. */
export interface Approver {
  decide(request: ApprovalRequest): Promise<ApprovalDecision>;
}

/** `ask` a person, or approve or reject everything that need not be asked. */
export type RunApprovalPolicy = 'ask' | 'approveAll' | 'rejectAll';

/** What a person is asked; answered once. */
export interface ApprovalPrompt {
  readonly id: string;
  readonly request: ApprovalRequest;
  /** Tells those apart that wait at the same time: 1 where nobody else waits, one more than the latest otherwise. */
  readonly number: number;
}

/** A person's answer. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  /** Do not ask again for the same key in this session. */
  readonly remember?: boolean;
  readonly reason?: string;
}

/** Puts an approval before a person. Resolves with undefined when nobody answered before the signal was aborted. */
export type AskApproval = (prompt: ApprovalPrompt) => Promise<ApprovalAnswer | undefined>;
