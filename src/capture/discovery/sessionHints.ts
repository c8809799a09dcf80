import { isObject, textOf } from '../../core/message.js';
import { promptTitle } from '../../core/promptTitle.js';
import type { ToolId } from './sessionTools.js';

/** The longest title, in code points. */
const MAX_TITLE = 80;

/** What the last word of a session is. */
export type SessionEnd = 'answer' | 'call' | 'prompt' | 'error';

/** What one value of a session's file tells of the session; what it does not tell is undefined. */
export interface SessionHint {
  /** A title that a person gave it; of several the last holds. */
  readonly named?: string | undefined;
  /** One that the tool made of it; of several the last holds. */
  readonly made?: string | undefined;
  /** What the tool sums it up as; of several the first holds. */
  readonly summary?: string | undefined;
  /** What a person asked; the first is the title where there is no other. */
  readonly prompt?: string | undefined;
  /** The folder in which it was held, absolute. */
  readonly workspace?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly end?: SessionEnd | undefined;
  /** How many messages it stands for. */
  readonly messages?: number;
  /** Whether what is read of it may be one message with what stands before it. */
  readonly isUncertain?: boolean;
  /** What the values of one message have in common; undefined where each value is its own. */
  readonly message?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
type HintsOf = (value: Fields) => SessionHint | undefined;

/** What the values of each tool's sessions tell, by the shapes that `src/import/tools` reads whole. */
const hints: Readonly<Record<ToolId, HintsOf>> = {
  'claude-code': claudeHint,
  codex: codexHint,
  'copilot-cli': copilotHint,
  'vscode-chat': vscodeHint,
  'gemini-cli': geminiHint,
  opencode: openCodeHint,
  pi: piHint,
  cursor: cursorHint,
  cline: clineHint,
  'roo-code': clineHint,
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

function claudeHint(line: Fields): SessionHint | undefined {
  const { type, isMeta, isSidechain, cwd } = line;
  const workspace = text(cwd);
  if (type === 'custom-title') return { named: text(line.customTitle) };
  if (type === 'ai-title') return { made: text(line.aiTitle) };
  if (type === 'summary') return { summary: text(line.summary) };
  if (type === 'agent-name') return { agent: text(line.agentName) };
  const { model, content, id, stop_reason: stop } = fields(line.message);
  if (type === 'assistant') {
    const isCall = has(content, 'tool_use');
    const isError = line.isApiErrorMessage === true;
    return {
      workspace,
      message: text(id),
      messages: 1,
      end: isError ? 'error' : isCall ? 'call' : 'answer',
      model: model === '<synthetic>' ? undefined : text(model),
      ...(stop === 'tool_use' && { end: 'call' }),
    };
  }
  if (type !== 'user') return { workspace };
  const results = parts(content).filter((part) => part.type === 'tool_result').length;
  const isPrompt = results === 0 && isMeta !== true && isSidechain !== true && line.isCompactSummary !== true;
  const prompt = isPrompt ? textOf(content) : undefined;
  return { workspace, prompt, messages: Math.max(1, results), end: results > 0 ? 'call' : 'prompt' };
}

function codexHint({ type, payload }: Fields): SessionHint | undefined {
  const said = fields(payload);
  if (type === 'session_meta') return { workspace: text(said.cwd), agent: text(said.agent_nickname) };
  if (type === 'turn_context') return { workspace: text(said.cwd), model: text(said.model) };
  if (type === 'event_msg') {
    if (said.type === 'thread_name_updated') return { named: text(said.thread_name) ?? text(said.name) };
    if (said.type === 'error') return { end: 'error' };
    return said.type === 'task_complete' ? { end: 'answer' } : undefined;
  }
  if (type !== 'response_item') return undefined;
  if (said.type === 'message' || (said.type === undefined && said.role !== undefined)) {
    if (said.role === 'assistant') return { messages: 1, end: 'answer' };
    const isUser = said.role === 'user';
    return {
      messages: 1,
      prompt: isUser ? spoken(said.content) : undefined,
      ...(isUser && { end: 'prompt' }),
    };
  }
  // A call belongs to the words before it, where these are of the same answer.
  const isCall = /_call(?:_output)?$/.test(text(said.type) ?? '');
  return isCall ? { messages: 1, isUncertain: true, end: 'call' } : undefined;
}

function copilotHint({ type, data }: Fields): SessionHint | undefined {
  const said = fields(data);
  switch (type) {
    case 'session.start':
      return { workspace: text(fields(said.context).cwd), model: text(said.selectedModel) };
    case 'session.model_change':
      return { model: text(said.newModel) };
    case 'session.title_changed':
      return { named: text(said.title) };
    case 'session.error':
      return { end: 'error' };
    case 'user.message':
      return { prompt: text(said.content), messages: 1, end: 'prompt' };
    case 'assistant.message': {
      const calls = parts(said.toolRequests).length;
      return { messages: 1, model: text(said.model), end: calls > 0 ? 'call' : 'answer' };
    }
    case 'tool.execution_complete':
      return { messages: 1, end: 'call' };
    case 'system.message':
      return { messages: 1 };
    default:
      return undefined;
  }
}

/** A session, one of its requests, or a line of a log of changes, whose first holds the session. */
function vscodeHint(value: Fields): SessionHint | undefined {
  if (value.kind === 0 && isObject(value.v)) {
    const begun = fields(value.v);
    const all = parts(begun.requests).map(vscodeHint);
    const first = all.find((each) => each?.prompt !== undefined);
    return { ...sessionOfVscode(begun), ...all.at(-1), prompt: first?.prompt, messages: all.length * 2 };
  }
  if (value.kind === 2 && Array.isArray(value.v) && lastKey(value) === 'requests') {
    const added = parts(value.v).map(vscodeHint);
    return { ...added.at(-1), prompt: added[0]?.prompt, messages: added.length * 2 };
  }
  if (value.kind === 1 && lastKey(value) === 'customTitle') return { named: text(value.v) };
  if ('requests' in value) return sessionOfVscode(value);
  if (!isObject(value.message) || !('requestId' in value)) return undefined;
  const { errorDetails } = fields(value.result);
  const end = errorDetails !== undefined ? 'error' : value.result !== undefined ? 'answer' : 'prompt';
  return { prompt: text(value.message.text), model: modelOf(value.modelId), messages: 2, end };
}

function sessionOfVscode({ customTitle, responderUsername }: Fields): SessionHint {
  return { named: text(customTitle), agent: text(responderUsername) };
}

function geminiHint(value: Fields): SessionHint | undefined {
  const changed = fields(value.$set);
  if (changed.summary !== undefined) return { named: text(changed.summary) };
  if ('sessionId' in value) return { named: text(value.summary) };
  const { type, content, id } = value;
  if (type === 'user') return { prompt: spoken(content), messages: 1, message: text(id), end: 'prompt' };
  if (type === 'error') return { end: 'error' };
  if (type !== 'gemini') return undefined;
  const calls = parts(value.toolCalls);
  const isOpen = calls.some(
    ({ status }) => status !== 'success' && status !== 'error' && status !== 'cancelled',
  );
  return {
    model: text(value.model),
    message: text(id),
    messages: 1 + calls.length,
    end: isOpen || (calls.length > 0 && spoken(content) === undefined) ? 'call' : 'answer',
  };
}

function openCodeHint(value: Fields): SessionHint | undefined {
  return { named: text(value.title), workspace: text(value.directory) };
}

function piHint(line: Fields): SessionHint | undefined {
  if (line.type === 'session') return { workspace: text(line.cwd), model: text(line.modelId) };
  if (line.type === 'model_change') return { model: text(line.modelId) };
  if (line.type === 'session_info') return { named: text(line.name) };
  if (line.type !== 'message') return undefined;
  const { role, content, model, stopReason } = fields(line.message);
  if (role === 'user') return { prompt: textOf(content), messages: 1, end: 'prompt' };
  if (role !== 'assistant') return { messages: 1, end: 'call' };
  const end = stopReason === 'error' ? 'error' : has(content, 'toolCall') ? 'call' : 'answer';
  return { messages: 1, model: text(model), end };
}

function cursorHint({ role, message }: Fields): SessionHint | undefined {
  const { content } = fields(message);
  if (role === 'user') return { prompt: textOf(content), messages: 1, end: 'prompt' };
  if (role !== 'assistant') return undefined;
  return { messages: 1, end: has(content, 'tool_use') ? 'call' : 'answer' };
}

/** What Cline and Roo Code show of a task; the folder stands in what they tell the model about its surroundings. */
function clineHint(value: Fields): SessionHint | undefined {
  const { type, say, ask, text: words, modelInfo } = value;
  if (typeof value.role === 'string' || Array.isArray(value.messages)) return clineSessionHint(value);
  const said = text(words);
  const model = text(fields(modelInfo).modelId);
  if (type === 'ask') {
    if (ask === 'completion_result') return { model, end: 'answer' };
    return { model, messages: 1, end: ask === 'followup' ? 'answer' : 'call' };
  }
  if (say === 'task') return { model, prompt: said, messages: 1, end: 'prompt' };
  if (say === 'api_req_started')
    return { model, workspace: /Current W\w+ Directory \(([^)\\\n]+)\)/.exec(said ?? '')?.[1] };
  if (say === 'error') return { model, end: 'error' };
  if (say === 'user_feedback') return { model, messages: 1, end: 'prompt' };
  if (say === 'text' || say === 'completion_result') return { model, messages: 1, end: 'answer' };
  return { model };
}

/** The same in the sessions of Cline's command line: the session, or one of its messages, as they are sent to the model. */
function clineSessionHint({ role, content, modelInfo, agent, cwd }: Fields): SessionHint | undefined {
  const model = text(fields(modelInfo).id) ?? text(fields(modelInfo).modelId);
  if (role === undefined) return { agent: text(agent), workspace: text(cwd) };
  if (role === 'assistant') return { model, messages: 1, end: has(content, 'tool_use') ? 'call' : 'answer' };
  if (role !== 'user') return undefined;
  const results = parts(content).filter((part) => part.type === 'tool_result').length;
  if (results > 0) return { messages: results, end: 'call' };
  const asked = spoken(content)?.replace(/^\s*<user_input[^>]*>|<\/user_input>\s*$/g, '');
  return { prompt: asked, messages: 1, end: 'prompt' };
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

/** The title that a prompt makes, as a panel shows it; undefined where it makes none. */
export function titleOf(prompt: string | undefined): string | undefined {
  return promptTitle(prompt ?? '', MAX_TITLE);
}

function lastKey({ k }: Fields): unknown {
  return Array.isArray(k) ? (k.at(-1) as unknown) : undefined;
}

/** A model's id without its vendor, as in `copilot/gpt-5`. */
function modelOf(id: unknown): string | undefined {
  return text(id)?.replace(/^[\w.-]+\//, '');
}

/** The words of a content of any of the usual shapes. */
function spoken(content: unknown): string | undefined {
  const all =
    typeof content === 'string'
      ? content
      : parts(content)
          .map((part) => text(part.text) ?? '')
          .join('');
  return all === '' ? undefined : all;
}

function has(content: unknown, type: string): boolean {
  return parts(content).some((part) => part.type === type);
}

function parts(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
