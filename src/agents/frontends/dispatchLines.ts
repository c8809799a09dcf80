import { preview } from '../../core/text.js';
import { foldWhiteSpace, visibleText } from '../../core/visibleText.js';

/** A model's text as part of a line: at most 200 code points, then `...`; invisible characters are written out. */
export function previewLine(text: string): string {
  return visibleText(preview(foldWhiteSpace(text)));
}

/** How much of the name of an agent or a tool a line shows, in code points; a longer one would hide what is said. */
const MAX_NAME = 100;

function nameLine(name: string): string {
  return visibleText(preview(foldWhiteSpace(name.slice(0, MAX_NAME * 8)), MAX_NAME));
}

/** `Pickle → @Cookie: task` */
export function formatDispatchStart(callingAgent: string, targetAgent: string, task: string): string {
  return `${nameLine(callingAgent)} → @${nameLine(targetAgent)}: ${previewLine(task)}`;
}

/** `Cookie: result` */
export function formatDispatchResult(targetAgent: string, result: string): string {
  return `${nameLine(targetAgent)}: ${previewLine(result)}`;
}

/** `Cookie failed: reason` */
export function formatDispatchFailure(targetAgent: string, reason: string): string {
  return `${nameLine(targetAgent)} failed: ${previewLine(reason)}`;
}

/** `Pickle: text` */
export function formatText(agent: string, text: string): string {
  return `${nameLine(agent)}: ${previewLine(text)}`;
}

const phaseMarks = { start: '…', end: '✓', error: '✗' } as const;

/** `Pickle · read_file … src/a.ts`, with `✓` at the end and `✗` for an error instead of `…`. */
export function formatToolActivity(
  agent: string,
  toolName: string,
  phase: keyof typeof phaseMarks,
  detail: string,
): string {
  return `${nameLine(agent)} · ${nameLine(toolName)} ${phaseMarks[phase]} ${previewLine(detail)}`.trimEnd();
}

/** `Pickle waits for your approval: Write src/a.ts` */
export function formatApproval(agent: string, title: string): string {
  return `${nameLine(agent)} waits for your approval: ${previewLine(title)}`;
}

/**
 * `Pickle: waits for an approval …`, for a chat. It does not say for what, because commands and paths are no business of
 * a third-party platform, and the approval cannot be given there.
 */
export function formatChatApproval(agent: string): string {
  return `${nameLine(agent)}: waits for an approval. It is asked and given in VS Code only; /stop ends the run.`;
}

/** `Pickle: @cookie task`, for a chat. */
export function formatChatDispatchStart(callingAgent: string, targetAgent: string, task: string): string {
  return `${nameLine(callingAgent)}: @${nameLine(targetAgent).toLowerCase()} ${previewLine(task)}`;
}

/** `Cookie: - result`, for a chat. */
export function formatChatDispatchResult(targetAgent: string, result: string): string {
  return `${nameLine(targetAgent)}: - ${previewLine(result)}`;
}

/** `Cookie: - failed: reason`, for a chat. */
export function formatChatDispatchFailure(targetAgent: string, reason: string): string {
  return `${nameLine(targetAgent)}: - failed: ${previewLine(reason)}`;
}
