import { isObject } from '../../core/message.js';
import { promptTitle } from '../../core/promptTitle.js';
import type { ToolId } from '../../import/toolHomes.js';
import { chatLogHint, fields, type HintsOf, type SessionHint } from '../../import/tools/hint.js';
import { claudeCodeHint } from '../../import/tools/claudeCode/claudeCodeHint.js';
import { clineHint } from '../../import/tools/cline/clineHint.js';
import { codexHint } from '../../import/tools/codex/codexHint.js';
import { copilotCliHint } from '../../import/tools/copilotCli/copilotCliHint.js';
import { cursorHint } from '../../import/tools/cursor/cursorHint.js';
import { geminiHint } from '../../import/tools/gemini/geminiHint.js';
import { gooseHint } from '../../import/tools/goose/gooseHint.js';
import { openCodeHint } from '../../import/tools/openCode/openCodeHint.js';
import { piHint } from '../../import/tools/pi/piHint.js';
import { recordingHint } from '../../import/tools/recordingHint.js';
import { vscodeChatHint } from '../../import/tools/vscodeChat/vscodeChatHint.js';

export type { SessionEnd, SessionHint } from '../../import/tools/hint.js';

/** The longest title, in code points. */
const MAX_TITLE = 80;

/** What the values of each tool's sessions tell, by the shapes that its readers read whole. */
const hints: Readonly<Record<ToolId, HintsOf>> = {
  'claude-code': claudeCodeHint,
  codex: codexHint,
  'copilot-cli': copilotCliHint,
  'vscode-chat': vscodeChatHint,
  'gemini-cli': geminiHint,
  opencode: openCodeHint,
  pi: piHint,
  cursor: cursorHint,
  cline: clineHint,
  'roo-code': clineHint,
  goose: gooseHint,
  // Of what stands in databases, these tell.
  zed: () => undefined,
  crush: () => undefined,
  kiro: chatLogHint,
  hermes: chatLogHint,
  recordings: recordingHint,
};

/** What a value of a tool's session tells; nothing where it is of no shape that is known. */
export function hintOf(tool: ToolId, value: unknown): SessionHint {
  return (isObject(value) ? hints[tool](value) : undefined) ?? {};
}

/** The values of a file that is one JSON text: of the session itself and of each of its messages. */
export function valuesIn(tool: ToolId, whole: unknown): readonly unknown[] {
  if (Array.isArray(whole)) return whole;
  const { messages, requests } = fields(whole);
  const inside = tool === 'vscode-chat' ? requests : messages;
  return [whole, ...(Array.isArray(inside) ? (inside as unknown[]) : [])];
}

/** The title that a prompt makes, as a panel shows it; undefined where it makes none. */
export function titleOf(prompt: string | undefined): string | undefined {
  return promptTitle(prompt ?? '', MAX_TITLE);
}
