import { claudeCodeHome } from './tools/claudeCode/claudeCodeHome.js';
import { clineHome, rooCodeHome } from './tools/cline/clineHome.js';
import { codexHome } from './tools/codex/codexHome.js';
import { copilotCliHome } from './tools/copilotCli/copilotCliHome.js';
import { crushHome } from './tools/crush/crushHome.js';
import { cursorHome } from './tools/cursor/cursorHome.js';
import { geminiHome } from './tools/gemini/geminiHome.js';
import { gooseHome } from './tools/goose/gooseHome.js';
import { hermesHome } from './tools/hermes/hermesHome.js';
import { amazonQHome, kiroHome } from './tools/kiro/kiroHome.js';
import { homesOfOpenCode, openCodeHome } from './tools/openCode/openCodeHome.js';
import { piHome } from './tools/pi/piHome.js';
import { vscodeChatHome } from './tools/vscodeChat/vscodeChatHome.js';
import { zedHome } from './tools/zed/zedHome.js';
import type { ToolHome } from './tools/home.js';
import { isObject } from '../core/message.js';
import { spoken, parts, fields, text, type Fields, type SessionHint } from './tools/hint.js';

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
  'kilo',
  'mimo',
  'icodemate',
  'zcode',
  'amazon-q',
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
  ...homesOfOpenCode,
  amazonQHome,
  hermesHome,
];

/** What was recorded here, by the receiver and the proxy. */
const recordings: ToolHome<typeof RECORDINGS> = {
  id: RECORDINGS,
  name: 'Recordings',
  hintOf: recordingHint,
  places: ({ recordings: folder }) =>
    folder === undefined ? [] : [{ folder, names: [/\.(?:otlp|exchanges)\.jsonl$/], workspaceAt: undefined }],
};

/** The row of a tool. */
export function toolHome(id: ToolId): ToolHome<ToolId> {
  const found = [...toolHomes, recordings].find((each) => each.id === id);
  if (!found) throw new Error(`There is no tool ${id}.`);
  return found;
}

/** A line of a recording: a request to a model or its answer, or spans, of which the names alone are looked at. */
function recordingHint(line: Fields): SessionHint | undefined {
  const { messages, input, contents, model } = fields(line.request);
  if (line.endTime !== undefined)
    return { end: 'failure' in line || (Number(line.status) || 0) >= 400 ? 'error' : 'answer' };
  if (isObject(line.request)) {
    const sent = parts(messages ?? input ?? contents);
    const asked = sent.find(({ role }) => role === 'user');
    const prompt = typeof input === 'string' ? input : spoken(asked?.content ?? asked?.parts);
    return { prompt, model: text(model), end: 'prompt' };
  }
  const [first] = parts(line.resourceSpans ?? line.resourceLogs);
  const service = parts(fields(first?.resource).attributes).find(({ key }) => key === 'service.name');
  return { made: text(fields(service?.value).stringValue) };
}
