import type * as vscode from 'vscode';
import {
  formatApproval,
  formatDispatchFailure,
  formatDispatchResult,
  formatDispatchStart,
  formatToolActivity,
} from '../../frontends/dispatchLines.js';
import type { Frontend } from '../../ports/frontend.js';
import { escapeMarkdown } from './escapeMarkdown.js';

/**
 * Shows in an answer of the Chat view who asks whom and what comes back; tools and approvals as passing progress.
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

  showToolActivity(agent: string, toolName: string, phase: 'start' | 'end' | 'error', detail: string): void {
    this.#stream.progress(escapeMarkdown(formatToolActivity(agent, toolName, phase, detail)));
  }

  showApproval(agent: string, title: string): void {
    this.#stream.progress(escapeMarkdown(formatApproval(agent, title)));
  }

  #line(line: string): void {
    this.#stream.markdown(`> ${escapeMarkdown(line)}\n\n`);
  }
}
