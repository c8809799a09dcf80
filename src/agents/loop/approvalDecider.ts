import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import type { Clock } from '../../core/clock.js';
import { newId } from '../../core/ids.js';
import { draftAt, type ApprovalBody } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import {
  APPROVAL_POLICIES,
  type ApprovalAnswer,
  type ApprovalDecision,
  type ApprovalPrompt,
  type ApprovalRequest,
  type AllowedBy,
  type AskApproval,
  type RunApprovalPolicy,
  type RunApprover,
} from '../../core/ports/approvals.js';
import { ABORTED, raceAbort } from '../../core/abort.js';
import { ApprovalNumbers } from './approvalNumbers.js';
import { ignoreFailure } from './ignoreFailure.js';
import type { Frontend } from '../../core/ports/frontend.js';
import type { Log } from '../../core/ports/log.js';
import type { MessageLog } from './runtimeConfig.js';
import type { RuntimeEvent } from './runtimeEvent.js';

/** How approvals are decided and recorded. */
export interface ApprovalDeciderOptions {
  /** The policy where the caller names none; a run names its own. `ask` by default. */
  readonly policy?: RunApprovalPolicy;
  /** Absent where nobody can be asked; what would be asked is then denied. */
  readonly ask?: AskApproval | undefined;
  readonly messageLog: MessageLog;
  readonly clock: Clock;
  /** Where a pending approval is shown, and for which conversation. */
  readonly shown?: { readonly frontend: Frontend; readonly conversation: string };
  readonly log?: Log;
  /** What a person allowed for this session; shared by the deciders of all runs of one conversation. */
  readonly remembered?: Set<string>;
  /** The allow rules of the person's settings, as they are when a tool call is decided on. */
  readonly allowedBy?: AllowedBy;
  /** Shared by all deciders whose approvals one person sees; by default each decider counts from 1. */
  readonly numbers?: ApprovalNumbers;
  /** Called when waiting for a person starts and ends. */
  readonly onEvent?: (event: RuntimeEvent) => void;
}

const deciderKinds: KnownOptions<ApprovalDeciderOptions> = {
  policy: APPROVAL_POLICIES,
  ask: 'function',
  messageLog: 'object',
  clock: 'object',
  shown: 'object',
  log: 'object',
  remembered: 'object',
  allowedBy: 'function',
  numbers: 'object',
  onEvent: 'function',
};

/**
 * Decides on tool calls by policy, by what was remembered in this session or by asking a person, and records every
 * decision. What must be asked is asked every time, unless everything is rejected.
 */
export class ApprovalDecider implements RunApprover {
  readonly #options: ApprovalDeciderOptions;
  readonly #remembered: Set<string>;
  readonly #numbers: ApprovalNumbers;
  /** The pending decision for each key that a person is being asked about, so that it is not asked twice at once. */
  readonly #asked = new Map<string, Promise<ApprovalDecision>>();

  constructor(options: ApprovalDeciderOptions) {
    checkOptions(options, deciderKinds, 'ApprovalDecider');
    this.#options = options;
    this.#remembered = options.remembered ?? new Set();
    this.#numbers = options.numbers ?? new ApprovalNumbers();
  }

  /** The number of approvals that wait for a person, of all deciders that share their numbers. */
  get waiting(): number {
    return this.#numbers.waiting;
  }

  async decide(
    request: ApprovalRequest,
    policy: RunApprovalPolicy = this.#options.policy ?? 'ask',
  ): Promise<ApprovalDecision> {
    const { clock, messageLog } = this.#options;
    const startedAt = clock.now();
    const decision = this.#byRule(request, policy) ?? (await this.#askOnce(request, policy));
    const { toolName, toolCallId, subject } = request;
    const { approved, decidedBy, rule, reason } = decision;
    const body: ApprovalBody = {
      type: 'approval',
      toolName,
      toolCallId,
      subject,
      decision: approved ? 'approved' : 'denied',
      decidedBy,
      ...(rule !== undefined && { rule }),
      ...(reason !== undefined && { reason }),
      waitedMs: clock.now() - startedAt,
    };
    messageLog.record(draftAt(request.call, body));
    return decision;
  }

  /** Discards the remembered approvals. */
  forget(): void {
    this.#remembered.clear();
  }

  #byRule(request: ApprovalRequest, policy: RunApprovalPolicy): ApprovalDecision | undefined {
    const { signal, askReason, allowReason, key } = request;
    if (signal.aborted) return cancelled;
    if (policy === 'rejectAll') return { approved: false, decidedBy: 'policy', rule: policy };
    if (askReason !== undefined) return undefined;
    if (policy === 'approveAll') return { approved: true, decidedBy: 'policy', rule: policy };
    if (allowReason !== undefined) return { approved: true, decidedBy: 'policy', rule: allowReason };
    if (this.#remembered.has(key)) return { approved: true, decidedBy: 'remembered' };
    const rule = this.#ruleFor(request);
    return rule === undefined ? undefined : { approved: true, decidedBy: 'rule', rule };
  }

  /** Rules that cannot be read allow nothing. */
  #ruleFor({ toolName, action }: ApprovalRequest): string | undefined {
    const { allowedBy, log } = this.#options;
    if (!allowedBy || !action) return undefined;
    try {
      return allowedBy(toolName, action);
    } catch (error) {
      log?.error('The allow rules could not be read, so a person is asked', error);
      return undefined;
    }
  }

  /** Waits while the same key is being asked about, because that answer may be remembered; then asks. */
  async #askOnce(request: ApprovalRequest, policy: RunApprovalPolicy): Promise<ApprovalDecision> {
    const { key, signal } = request;
    for (let other = this.#asked.get(key); other; other = this.#asked.get(key)) {
      await raceAbort(other, signal);
      const decision = this.#byRule(request, policy);
      if (decision) return decision;
    }
    const asked = this.#ask(request);
    this.#asked.set(key, asked);
    try {
      return await asked;
    } finally {
      this.#asked.delete(key);
    }
  }

  async #ask(request: ApprovalRequest): Promise<ApprovalDecision> {
    const { ask } = this.#options;
    const { call: callSite, toolName, title, askReason } = request;
    if (!ask) {
      return { approved: false, decidedBy: 'policy', rule: 'nobodyToAsk', reason: 'Nobody can be asked.' };
    }
    const id = newId('tool');
    const number = this.#numbers.take();
    this.#tell({ type: 'approvalWaiting', place: callSite, id, number, title, toolName });
    this.#show(request);
    const answer = await this.#answerOf(ask, { id, request, number });
    this.#numbers.release();
    const decision = decisionOf(answer, request);
    this.#tell({ type: 'approvalDone', place: callSite, id, approved: decision.approved });
    const remember = answer !== undefined && 'remember' in answer && answer.remember;
    if (decision.approved && remember && askReason === undefined) this.#remembered.add(request.key);
    return askReason === undefined || decision.decidedBy === 'cancel'
      ? decision
      : { rule: askReason, ...decision };
  }

  #show({ call, title, toolCallId }: ApprovalRequest): void {
    const { shown } = this.#options;
    if (!shown) return;
    const place = { ...call, toolCallId, conversation: shown.conversation };
    this.#ignoreFailure(() => shown.frontend.showApproval(call.agent, title, place));
  }

  #tell(event: RuntimeEvent): void {
    this.#ignoreFailure(() => this.#options.onEvent?.(event));
  }

  /** An observer that fails must not affect an approval. */
  #ignoreFailure(act: () => unknown): void {
    ignoreFailure(act, (error) => this.#options.log?.warn('Showing an approval failed', error));
  }

  /** The answer, or undefined at once when the signal is aborted, or why asking failed. */
  async #answerOf(
    ask: AskApproval,
    prompt: ApprovalPrompt,
  ): Promise<ApprovalAnswer | AskFailure | undefined> {
    try {
      const answer = await raceAbort(ask(prompt), prompt.request.signal);
      return answer === ABORTED ? undefined : answer;
    } catch (error) {
      return { failure: `Asking failed: ${messageOf(error)}` };
    }
  }
}

interface AskFailure {
  readonly failure: string;
}

const cancelled: ApprovalDecision = { approved: false, decidedBy: 'cancel' };

function decisionOf(
  answer: ApprovalAnswer | AskFailure | undefined,
  { signal }: ApprovalRequest,
): ApprovalDecision {
  if (!answer || signal.aborted) return cancelled;
  if ('failure' in answer) {
    return { approved: false, decidedBy: 'policy', rule: 'nobodyToAsk', reason: answer.failure };
  }
  const { approved, reason } = answer;
  return { approved, decidedBy: 'user', ...(reason !== undefined && { reason }) };
}
