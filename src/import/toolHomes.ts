import { claudeCodeHome } from './tools/claudeCode/claudeCodeHome.js';
import { clineHome, rooCodeHome } from './tools/cline/clineHome.js';
import { codexHome } from './tools/codex/codexHome.js';
import { copilotCliHome } from './tools/copilotCli/copilotCliHome.js';
import { crushHome } from './tools/crush/crushHome.js';
import { cursorHome } from './tools/cursor/cursorHome.js';
import { geminiHome } from './tools/gemini/geminiHome.js';
import { gooseHome } from './tools/goose/gooseHome.js';
import { hermesHome } from './tools/hermes/hermesHome.js';
import { kiroHome } from './tools/kiro/kiroHome.js';
import { openCodeHome } from './tools/openCode/openCodeHome.js';
import { piHome } from './tools/pi/piHome.js';
import { vscodeChatHome } from './tools/vscodeChat/vscodeChatHome.js';
import { zedHome } from './tools/zed/zedHome.js';
import type { ToolHome } from './tools/home.js';

/** The tools whose sessions are looked for, in the order in which they are listed. */
export const TOOL_IDS = [
  'claude-code',
  'codex',
  'copilot-cli',
  'vscode-chat',
  'gemini-cli',
  'opencode',
  'pi',
  'cursor',
  'cline',
  'roo-code',
  'goose',
  'zed',
  'crush',
  'kiro',
  'hermes',
] as const;

/** What was recorded here of other programs: nobody needs to be asked before it is listed. */
export const RECORDINGS = 'recordings';

/** A tool whose sessions are looked for. */
export type ToolId = (typeof TOOL_IDS)[number] | typeof RECORDINGS;

/** A tool that keeps sessions of its own, which a person is asked about. */
export type OptInToolId = (typeof TOOL_IDS)[number];

/** Every tool with the places of its sessions, as its documentation or its source names them, in the order of `TOOL_IDS`. */
export const toolHomes: readonly ToolHome<OptInToolId>[] = [
  claudeCodeHome,
  codexHome,
  copilotCliHome,
  vscodeChatHome,
  geminiHome,
  openCodeHome,
  piHome,
  cursorHome,
  clineHome,
  rooCodeHome,
  gooseHome,
  zedHome,
  crushHome,
  kiroHome,
  hermesHome,
];

/** What was recorded here, by the receiver and the proxy. */
const recordings: ToolHome<typeof RECORDINGS> = {
  id: RECORDINGS,
  name: 'Recordings',
  places: ({ recordings: folder }) =>
    folder === undefined ? [] : [{ folder, names: [/\.(?:otlp|exchanges)\.jsonl$/], workspaceAt: undefined }],
};

/** The row of a tool. */
export function toolHome(id: ToolId): ToolHome<ToolId> {
  const found = [...toolHomes, recordings].find((each) => each.id === id);
  if (!found) throw new Error(`There is no tool ${id}.`);
  return found;
}
