import type * as vscode from 'vscode';
import {
  formatApproval,
  formatDispatchFailure,
  formatDispatchResult,
  formatDispatchStart,
  formatToolActivity,
} from '../../frontends/dispatchLines.js';
import type { Frontend, FrontendPlace } from '../../ports/frontend.js';
import { SUBAGENT_DISPATCH } from '../../tools/subagentDispatch.js';
import { escapeMarkdown } from './escapeMarkdown.js';
import { transcriptButton } from './transcriptButton.js';

/**
 * Shows in an answer of the Chat view who asks whom and what comes back, and what waits for an approval; tools as passing
 * progress.
 * The final answer is not shown: whoever asked writes it below.
 */
export class ChatFrontend implements Frontend {
  readonly #stream: vscode.ChatResponseStream;

  constructor(stream: vscode.ChatResponseStream) {
    this.#stream = stream;
  }

  showDispatchStart(callingAgent: string, targetAgent: string, task: string): void {
    this.#line(formatDispatchStart(callingAgent, targetAgent, task));
  }

  showDispatchResult(_callingAgent: string, targetAgent: string, result: string): void {
    this.#line(formatDispatchResult(targetAgent, result));
  }

  showDispatchFailure(_callingAgent: string, targetAgent: string, reason: string): void {
    this.#line(formatDispatchFailure(targetAgent, reason));
  }

  showText(): void {}

  /** A dispatch is told by its own lines. */
  showToolActivity(agent: string, toolName: string, phase: 'start' | 'end' | 'error', detail: string): void {
    if (toolName === SUBAGENT_DISPATCH) return;
    this.#stream.progress(escapeMarkdown(formatToolActivity(agent, toolName, phase, detail)));
  }

  /** Stays in the answer, with the way to where it is given: the run goes on only then. */
  showApproval(agent: string, title: string, place?: FrontendPlace): void {
    this.#line(`${formatApproval(agent, title)} (answer in the notification or in the transcript)`);
    if (place) this.#stream.button(transcriptButton(place.conversation));
  }

  #line(line: string): void {
    this.#stream.markdown(`> ${escapeMarkdown(line)}\n\n`);
  }
}
