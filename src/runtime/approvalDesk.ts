import type { Clock } from '../core/clock.js';
import { newId } from '../core/ids.js';
import { messageOf } from '../core/text.js';
import type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalPrompt,
  ApprovalRequest,
  Approver,
  AskApproval,
  RunApprovalPolicy,
} from '../ports/approvals.js';
import type { MessageLog } from './runtimeConfig.js';
import type { RuntimeEvent } from './runtimeEvent.js';

export interface ApprovalDeskOptions {
  readonly policy: RunApprovalPolicy;
  /** Absent where nobody can be asked: what would be asked is then denied. */
  readonly ask?: AskApproval | undefined;
  readonly messageLog: MessageLog;
  readonly clock: Clock;
  /** Told when a person is waited for, and when no longer. Must not throw. */
  readonly onEvent?: (event: RuntimeEvent) => void;
}

/**
 * Decides about tool calls by policy, by what was remembered in this session or by asking a person, and records
 * every decision. What must be asked is asked each time anew, unless everything is rejected.
 */
export class ApprovalDesk implements Approver {
  readonly #options: ApprovalDeskOptions;
  readonly #remembered = new Set<string>();
  readonly #waiting = new Set<string>();

  constructor(options: ApprovalDeskOptions) {
    this.#options = options;
  }

  /** How many approvals a person is being asked for. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async decide(request: ApprovalRequest): Promise<ApprovalDecision> {
    const { clock, messageLog } = this.#options;
    const startedAt = clock.now();
    const decision = this.#byRule(request) ?? (await this.#ask(request));
    const { toolName, toolCallId, subject } = request;
    const { approved, decidedBy, rule, reason } = decision;
    messageLog.record({
      ...request.call,
      type: 'approval',
      toolName,
      toolCallId,
      subject,
      decision: approved ? 'approved' : 'denied',
      decidedBy,
      ...(rule !== undefined && { rule }),
      ...(reason !== undefined && { reason }),
      waitedMs: clock.now() - startedAt,
    });
    return decision;
  }

  /** Forgets what was remembered. */
  forget(): void {
    this.#remembered.clear();
  }

  #byRule({ signal, mustAsk, harmless, key }: ApprovalRequest): ApprovalDecision | undefined {
    const { policy } = this.#options;
    if (signal.aborted) return cancelled;
    if (policy === 'rejectAll') return { approved: false, decidedBy: 'policy', rule: policy };
    if (mustAsk !== undefined) return undefined;
    if (policy === 'approveAll') return { approved: true, decidedBy: 'policy', rule: policy };
    if (harmless !== undefined) return { approved: true, decidedBy: 'policy', rule: harmless };
    return this.#remembered.has(key) ? { approved: true, decidedBy: 'remembered' } : undefined;
  }

  async #ask(request: ApprovalRequest): Promise<ApprovalDecision> {
    const { ask, onEvent } = this.#options;
    const { call: place, toolName, title, mustAsk } = request;
    if (!ask) {
      return { approved: false, decidedBy: 'policy', rule: 'nobodyToAsk', reason: 'Nobody can be asked.' };
    }
    const id = newId('tool');
    this.#waiting.add(id);
    const number = this.#waiting.size;
    onEvent?.({ type: 'approvalWaiting', place, id, number, title, toolName });
    const answer = await this.#answerOf(ask, { id, request, number });
    this.#waiting.delete(id);
    const decision = decisionOf(answer, request);
    onEvent?.({ type: 'approvalDone', place, id, approved: decision.approved });
    const remember = answer !== undefined && 'remember' in answer && answer.remember;
    if (decision.approved && remember && mustAsk === undefined) this.#remembered.add(request.key);
    return mustAsk === undefined || decision.decidedBy === 'cancel'
      ? decision
      : { rule: mustAsk, ...decision };
  }

  /** The answer, or undefined at once when the signal is aborted, or why asking failed. */
  #answerOf(ask: AskApproval, prompt: ApprovalPrompt): Promise<ApprovalAnswer | AskFailure | undefined> {
    const { signal } = prompt.request;
    return new Promise((resolve) => {
      const onAbort = (): void => resolve(undefined);
      signal.addEventListener('abort', onAbort, { once: true });
      const finish = (answer: ApprovalAnswer | AskFailure | undefined): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
      };
      const failed = (error: unknown): void => finish({ failure: `Asking failed: ${messageOf(error)}` });
      if (signal.aborted) {
        // Whoever was told that a person is waited for may have stopped the run at once.
        finish(undefined);
        return;
      }
      try {
        ask(prompt).then(finish, failed);
      } catch (error) {
        failed(error);
      }
    });
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
