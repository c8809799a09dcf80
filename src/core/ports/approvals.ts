import type { CallSite, Decider } from '../record.js';

/**
 * The longest subject, in UTF-16 code units, that a transcript's page shows and can approve: half of what one message to
 * the page may hold.
 */
export const MAX_SHOWN_SUBJECT = 125_000;

/**
 * What a rule may name of a tool call: the command line; the file, from its workspace folder and by its real path; or the
 * call of the tool, whatever its arguments.
 */
export type ApprovalAction =
  | { readonly kind: 'command'; readonly line: string }
  | { readonly kind: 'write'; readonly path: string }
  | { readonly kind: 'call' };

/** The allow rules of a person, in words, by which an action needs no question; undefined where they do not name all of it. */
export type AllowedBy = (toolName: string, action: ApprovalAction) => string | undefined;

/** What a tool wants to do; decided before it does it. */
export interface ApprovalRequest {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly call: CallSite;
  /** The full text of what will be done (command, path and change): approving it approves exactly this text. */
  readonly subject: string;
  /** A short line naming the action, like `Write src/a.ts`. */
  readonly title: string;
  /** What will be done, for rules: absent where no rule can allow it. */
  readonly action?: ApprovalAction;
  /** Identifies the tool and its canonical arguments; an approval may be remembered under it. */
  readonly key: string;
  /** Why a person must be asked even where the policy approves everything; absent: the policy decides. */
  readonly askReason?: string;
  /** The rule by which this is harmless, so that even the policy `ask` approves it; never together with `askReason`. */
  readonly allowReason?: string;
  /** Whether it is about no tool call but about the run, which goes on when it is approved and ends when it is denied. */
  readonly isOfRun?: boolean;
  readonly signal: AbortSignal;
}

/** Whether a tool call may go ahead, and who or what decided. */
export interface ApprovalDecision {
  readonly approved: boolean;
  readonly decidedBy: Decider;
  /** The policy or rule that decided. */
  readonly rule?: string;
  /** What the person said, for the model to read. */
  readonly reason?: string;
}

/** Decides on tool calls and records each decision. Never rejects; an aborted signal is a denial by `cancel`. */
export interface Approver {
  decide(request: ApprovalRequest): Promise<ApprovalDecision>;
}

/** An approver that follows the policy of whichever run asks; tools never see this one, so that they choose none. */
export interface RunApprover {
  decide(request: ApprovalRequest, policy?: RunApprovalPolicy): Promise<ApprovalDecision>;
}

/** What happens to requests that no rule decides: `ask` a person, or approve or reject all that need not be asked. */
export type RunApprovalPolicy = (typeof APPROVAL_POLICIES)[number];

/** All of them. */
export const APPROVAL_POLICIES = ['ask', 'approveAll', 'rejectAll'] as const;

/** A question to a person; answered at most once. */
export interface ApprovalPrompt {
  readonly id: string;
  readonly request: ApprovalRequest;
  /** Distinguishes prompts that wait at the same time: 1 where no other waits, else one more than the latest. */
  readonly number: number;
}

/** A person's answer. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  /** Whether to approve the same key for the rest of the session without asking. */
  readonly remember?: boolean;
  readonly reason?: string;
}

/** Asks a person for approval. Resolves with undefined when nobody answered before the signal was aborted. */
export type AskApproval = (prompt: ApprovalPrompt) => Promise<ApprovalAnswer | undefined>;
