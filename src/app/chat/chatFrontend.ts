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
import type { AnswerSink, AnswerButton } from '../answers/streamedAnswer.js';
import { commandOf, type FailedRun } from '../runs/failedRun.js';
import { commandName } from '../manifest.js';

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

/** What a question in the Chat view asks for. */
type ChatQuestion =
  | { readonly kind: 'prompt'; readonly prompt: string }
  | { readonly kind: 'run'; readonly agent: string; readonly prompt: string }
  | { readonly kind: 'unknownAgent' };

/** Parses `/run AGENT PROMPT` or a plain prompt; names may contain spaces, may start with `@`, and ignore letter case. */
export function chatQuestion(
  command: string | undefined,
  text: string,
  agents: readonly string[],
): ChatQuestion {
  const said = text.trim();
  if (command !== 'run') return { kind: 'prompt', prompt: said };
  const asked = said.replace(/^@/, '');
  const named = agents.filter((name) => beginsWith(asked, name)).sort((a, b) => b.length - a.length);
  const [agent] = named;
  if (agent === undefined) return { kind: 'unknownAgent' };
  return { kind: 'run', agent, prompt: asked.slice(agent.length).trim() };
}

function beginsWith(text: string, name: string): boolean {
  const rest = text.slice(name.length);
  return text.slice(0, name.length).toLowerCase() === name.toLowerCase() && (rest === '' || /^\s/.test(rest));
}

/** The buttons below a failed answer of the Chat view; another try is answered there too. */
export function failureButtons(failure: FailedRun): readonly AnswerButton[] {
  return failure.ways.map((way) => {
    if (way !== 'Retry') {
      const { command, argument } = commandOf(failure, way);
      return { title: way, command, arguments: [argument] };
    }
    const query = `@logbook ${failure.prompt}`;
    return { title: way, command: 'workbench.action.chat.open', arguments: [{ query }] };
  });
}

/** The button in an answer of the Chat view that opens the transcript of a conversation. */
export function transcriptButton(conversation: string): AnswerButton {
  return { command: commandName('openTranscript'), title: t`Open Transcript`, arguments: [{ conversation }] };
}
