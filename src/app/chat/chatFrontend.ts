import { t } from '../../core/l10n.js';
import {
  formatApproval,
  formatDispatchFailure,
  formatDispatchResult,
  formatDispatchStart,
  formatToolActivity,
} from '../../agents/frontends/dispatchLines.js';
import type { Frontend, FrontendLocation } from '../../core/ports/frontend.js';
import { SUBAGENT_DISPATCH } from '../../agents/tools/subagentDispatch.js';
import type { AnswerSink } from '../answers/answerSink.js';
import { transcriptButton } from './transcriptButton.js';

/**
 * Shows dispatches, their results and pending approvals in an answer of the Chat view, and tools as transient progress.
 * The final answer is not shown: the participant writes it below.
 */
export class ChatFrontend implements Frontend {
  readonly #answer: Pick<AnswerSink, 'quote' | 'progress' | 'button'>;

  constructor(answer: Pick<AnswerSink, 'quote' | 'progress' | 'button'>) {
    this.#answer = answer;
  }

  showDispatchStart(callingAgent: string, targetAgent: string, task: string): void {
    this.#answer.quote(formatDispatchStart(callingAgent, targetAgent, task));
  }

  showDispatchResult(_callingAgent: string, targetAgent: string, result: string): void {
    this.#answer.quote(formatDispatchResult(targetAgent, result));
  }

  showDispatchFailure(_callingAgent: string, targetAgent: string, reason: string): void {
    this.#answer.quote(formatDispatchFailure(targetAgent, reason));
  }

  showText(): void {}

  /** Shows a tool; a dispatch has lines of its own. */
  showToolActivity(agent: string, toolName: string, phase: 'start' | 'end' | 'error', detail: string): void {
    if (toolName === SUBAGENT_DISPATCH) return;
    this.#answer.progress(formatToolActivity(agent, toolName, phase, detail));
  }

  /** Stays in the answer, with a button that leads to the approval, because the run waits for it. */
  showApproval(agent: string, title: string, location?: FrontendLocation): void {
    this.#answer.quote(t`${formatApproval(agent, title)} (answer in the notification or in the transcript)`);
    if (location) this.#answer.button(transcriptButton(location.conversation));
  }
}
