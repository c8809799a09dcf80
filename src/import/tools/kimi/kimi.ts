import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { foundIn, parsedValues, type Entries } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, text, time, type Fields } from '../../reading/fields.js';
import { callsOf } from '../../messages/anyMessage.js';
import { contentParts, chatMessage, toolMessage } from '../../messages/chatMessage.js';
import { kimiContent, KimiAgent, type KimiCall } from './kimiAgent.js';
import { atMost, existing, type SidecarPaths, type Tool } from '../tool.js';
import type { SidecarEntries, TranscriptFormat } from '../../building/transcriptFormat.js';

/** Lines of Kimi Code that are about the session. */
const KNOWN_LINES =
  /^(?:metadata$|(?:config|tools|turn|llm|permission|profile|usage|context|plan_mode|full_compaction)\.)/;

/** Events of Kimi CLI's wire that are about the session. */
const KNOWN_EVENTS =
  /^(?:Turn(?:Begin|End)|Step\w+|SteerInput|Compaction\w+|MCP\w+|StatusUpdate|Notification|PlanDisplay|Btw\w+|Hook\w+|Approval\w+|QuestionRequest|ToolCallRequest)$/;

/** Lines of Kimi CLI's `context.jsonl` that no other tool writes. */
const MARKS: ReadonlySet<unknown> = new Set(['_checkpoint', '_usage', '_system_prompt']);

/** Kimi's sessions: the events of Kimi CLI and of Kimi Code (`wire.jsonl`), and what Kimi CLI sends (`context.jsonl`). */
const kimiSessions: TranscriptFormat = {
  name: 'kimi',
  of: 'Kimi CLI, Kimi Code',
  files: '`wire.jsonl` with those of subagents, `context.jsonl`',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) =>
    head.some((value) => isCodeLine(value) || isWireLine(value) || MARKS.has(fields(value).role)),
  *readLines(lines, sink, sidecars) {
    const session = new KimiSession(sink, lines);
    for (const value of sink.each(lines)) {
      session.add(value);
      yield;
    }
    session.addSubagents(sidecars);
    session.finish();
  },
};

/** Kimi CLI and Kimi Code. */
export const kimi: Tool = {
  formats: [kimiSessions],
  owned: { is: (path) => basename(path) === 'wire.jsonl', sidecarFiles: wireSidecars },
  sessionsOver: (path) =>
    basename(path) === 'wire.jsonl' ? [join(dirname(dirname(path)), 'main', 'wire.jsonl')] : [],
};

/** The events of the subagents of a session of Kimi Code, whose own are in `agents/main`. */
async function wireSidecars(path: string): Promise<SidecarPaths> {
  const agents = dirname(dirname(path));
  if (basename(dirname(path)) !== 'main' || basename(agents) !== 'agents') return { paths: [], left: 0 };
  const names = (await readdir(agents)).filter((name) => name !== 'main').sort();
  return atMost(existing(names.map((name) => join(agents, name, 'wire.jsonl'))));
}

/** Whether a value is a line of Kimi Code with a message or an event. */
function isCodeLine(value: unknown): boolean {
  const { type, event, message, input } = fields(value);
  if (type === 'context.append_loop_event') return isObject(event);
  if (type === 'context.append_message') return isObject(message);
  return (type === 'turn.prompt' || type === 'turn.steer') && Array.isArray(input);
}

/** Whether a value is a line of Kimi CLI's wire. */
function isWireLine(value: unknown): boolean {
  const { timestamp, message } = fields(value);
  const { type, payload } = fields(message);
  return timestamp !== undefined && typeof type === 'string' && /^[A-Z]/.test(type) && isObject(payload);
}

/** Reads the lines of a session into one conversation. */
class KimiSession {
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  /** The agents by the id that events have for them, or the tool call that started them. */
  readonly #agents = new Map<string, KimiAgent>();
  readonly #main: KimiAgent;
  readonly #calls = new Map<string, KimiCall>();
  /** The questions to the person that wait for an answer, by id: the call, who makes it, and when it was asked. */
  readonly #asked = new Map<string, { toolCallId: string; agent: KimiAgent; at: number | undefined }>();

  /** `lines` are all that will be added; a session has no id in its files, but a time when it began. */
  constructor(sink: ImportSink, lines: Entries) {
    const began = foundIn(lines, (value) => timeOf(fields(value)));
    this.#sink = sink;
    this.#builder = sink.conversation(began === undefined ? undefined : `kimi-${began}`, 'Kimi');
    this.#main = new KimiAgent(this.#builder, this.#builder.entry, this.#calls);
    this.#main.expect(parsedValues(lines));
  }

  add(value: unknown, agent = this.#main): void {
    const line = fields(value);
    const at = timeOf(line);
    if (isWireLine(line)) this.#addEvent(fields(line.message), line, agent, at);
    else if (typeof line.role === 'string') this.#addSent(line, agent);
    else this.#addLine(line, value, agent, at);
  }

  /** Adds the sessions of subagents, each after the call whose result names it. */
  addSubagents(sidecars: readonly SidecarEntries[]): void {
    this.#main.end();
    for (const { name, entries } of sidecars) {
      const id = /(?:^|\/)([^/]+)\/wire\.jsonl$/.exec(name)?.[1];
      if (id !== undefined) this.#addSubagent(id, entries);
    }
  }

  finish(): void {
    this.#main.end();
    for (const agent of this.#agents.values()) agent.end();
  }

  #addSubagent(id: string, lines: Entries): void {
    const builder = this.#builder;
    const call = [...this.#calls.values()].find(({ started }) => started?.has(id));
    const from = builder.length;
    const profile = foundIn(lines, (value) => text(fields(value).profileName));
    const callSite = builder.dispatch(call?.place ?? builder.entry, profile ?? call?.agent ?? id, {
      task: call?.prompt,
      toolCallId: call?.id,
    });
    const agent = new KimiAgent(builder, callSite, this.#calls);
    agent.expect(parsedValues(lines));
    for (const value of this.#sink.each(lines)) this.add(value, agent);
    agent.end();
    if (call) builder.moveBehind(call.draft, from);
  }

  /** A line of Kimi Code. */
  #addLine(line: Fields, value: unknown, agent: KimiAgent, at: number | undefined): void {
    const type = text(line.type) ?? 'unknown';
    if (type === 'context.append_loop_event') this.#addStepEvent(fields(line.event), line, agent, at);
    else if (type === 'context.append_message') this.#addMessage(fields(line.message), line, agent, at);
    else if (type === 'turn.prompt' || type === 'turn.steer') agent.prompt(type, line.input, line, at);
    else {
      agent.model = text(line.model) ?? text(line.modelAlias) ?? agent.model;
      if (type === 'usage.record') agent.total(line.usage, at);
      if (typeof line.systemPrompt === 'string') agent.system(line.systemPrompt, line, at);
      else agent.keep(type, value, at);
      if (!KNOWN_LINES.test(type)) this.#sink.unknown(`lines of type ${type}`);
    }
  }

  #addStepEvent(event: Fields, line: Fields, agent: KimiAgent, at: number | undefined): void {
    if (event.type === 'content.part') agent.part(fields(event.part), line, at);
    else if (event.type === 'tool.call') agent.call(event.toolCallId, event.name, event.args, line, at);
    else if (event.type === 'tool.result') {
      const { output, message, isError } = fields(event.result);
      agent.result(event.toolCallId, { output, message, isError: isError === true }, line, at);
    } else if (event.type === 'step.end') {
      agent.used(event.usage, line, at);
      agent.end();
    } else {
      if (event.type === 'step.begin') agent.begin();
      else this.#sink.unknown(`events of type ${asText(event.type)}`);
      agent.keep(text(event.type) ?? 'unknown', line, at);
    }
  }

  #addMessage(said: Fields, line: Fields, agent: KimiAgent, at: number | undefined): void {
    if (said.role === 'tool') {
      agent.result(said.toolCallId ?? said.tool_call_id, { output: said.content, isError: false }, line, at);
      return;
    }
    agent.end();
    agent.say({ ...spoken(said), ...callsOf(said.toolCalls) }, said.content, line, at);
  }

  /** An event of Kimi CLI's wire, also one of a subagent within one of its parent. */
  #addEvent(event: Fields, line: Fields, agent: KimiAgent, at: number | undefined): void {
    const payload = fields(event.payload);
    const type = asText(event.type);
    if (type === 'SubagentEvent') {
      this.#addEvent(fields(payload.event), line, this.#agentOf(payload, agent, at), at);
    } else if (type === 'TurnBegin' || type === 'SteerInput') {
      agent.end();
      const content = payload.user_input ?? payload.content;
      agent.say({ role: 'user', content: kimiContent(content) }, undefined, line, at);
    } else if (type === 'ContentPart' || type === 'TextPart' || type === 'ThinkPart') {
      agent.part(payload, line, at, true);
    } else if (type === 'ToolCall') {
      const { name, arguments: input } = fields(payload.function);
      agent.call(payload.id, name, input, line, at);
    } else if (type === 'ToolCallPart') agent.callPart(asText(payload.arguments_part), line);
    else if (type === 'ToolResult') {
      const { output, message, is_error } = fields(payload.return_value ?? payload.result);
      agent.result(payload.tool_call_id, { output, message, isError: is_error === true }, line, at);
    } else {
      if (type === 'StatusUpdate' && isObject(payload.token_usage)) {
        agent.used(payload.token_usage, line, at);
        return;
      }
      if (type === 'StepBegin') agent.begin();
      else if (type === 'StepInterrupted' || type === 'TurnEnd') agent.end();
      else if (type === 'ApprovalRequest')
        this.#asked.set(asText(payload.id), { toolCallId: asText(payload.tool_call_id), agent, at });
      // A version before called the answer so.
      else if (type === 'ApprovalResponse' || type === 'ApprovalRequestResolved') this.#decide(payload, at);
      if (!KNOWN_EVENTS.test(type)) this.#sink.unknown(`events of type ${type}`);
      agent.keep(type, line, at);
    }
  }

  /** Adds what the person decided; the line itself is kept, too, because it says for how long that holds. */
  #decide({ request_id, response, feedback }: Fields, at: number | undefined): void {
    const asked = this.#asked.get(asText(request_id));
    if (!asked) return;
    this.#asked.delete(asText(request_id));
    const waitedMs = at === undefined || asked.at === undefined ? 0 : Math.max(0, at - asked.at);
    const about = {
      toolCallId: asked.toolCallId,
      decidedBy: 'user',
      reason: asText(feedback ?? ''),
    } as const;
    this.#builder.decide(asked.agent.place, { ...about, isApproved: response !== 'reject', waitedMs }, at);
  }

  #agentOf(payload: Fields, parent: KimiAgent, at: number | undefined): KimiAgent {
    const callId = text(payload.parent_tool_call_id) ?? text(payload.task_tool_call_id) ?? '';
    const key = text(payload.agent_id) ?? callId;
    const known = this.#agents.get(key);
    if (known) return known;
    const call = this.#calls.get(callId);
    const named = text(payload.subagent_type) ?? call?.agent ?? text(payload.agent_id) ?? 'subagent';
    const about = { task: call?.prompt, toolCallId: call?.id ?? callId, time: at };
    const callSite: CallSite = this.#builder.dispatch(parent.place, named, about);
    const agent = new KimiAgent(this.#builder, callSite, this.#calls);
    this.#agents.set(key, agent);
    return agent;
  }

  /** A line of what Kimi CLI sends to the model. */
  #addSent(line: Fields, agent: KimiAgent): void {
    const at = timeOf(line);
    if (line.role === '_system_prompt') agent.system(asText(line.content), line, at);
    else if (line.role === 'tool')
      agent.say(toolMessage(line.tool_call_id, kimiContent(line.content)), undefined, line, at);
    else if (asText(line.role).startsWith('_')) {
      if (!MARKS.has(line.role)) this.#sink.unknown(`lines with the role ${asText(line.role)}`);
      agent.keep(asText(line.role).slice(1), line, at);
    } else agent.say({ ...spoken(line), ...callsOf(line.tool_calls) }, undefined, line, at);
  }
}

/** A message whose content may hold thoughts as parts. */
function spoken(said: Fields): Record<string, unknown> {
  const parts = contentParts(said.content);
  const thoughts = parts.filter(({ type }) => type === 'think').map(({ think }) => asText(think));
  const content = typeof said.content === 'string' ? said.content : kimiContent(list(said.content));
  return chatMessage(text(said.role) ?? 'user', content, { reasoning: thoughts.join('\n') });
}

/** When a line was written: seconds in Kimi CLI's, milliseconds in Kimi Code's. */
function timeOf({ timestamp, time: at, created_at }: Fields): number | undefined {
  return time(timestamp) ?? time(at) ?? time(created_at);
}
