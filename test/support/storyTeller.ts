import { textOf, type ChatMessage, type ToolCall } from '../../src/core/message.js';
import type {
  CallSite,
  CallState,
  LogRecord,
  MessageBody,
  Outcome,
  RecordBody,
} from '../../src/core/record.js';
import type { Usage } from '../../src/core/usage.js';

/** 2026-11-21 09:30:15 UTC, when all stories begin. */
export const STORY_START = Date.UTC(2026, 10, 21, 9, 30, 15);

/** Tells what agents do as the records that they would leave; its clock only goes when it is told to. */
export class StoryTeller {
  /** All of it, but for what somebody took out. */
  readonly records: LogRecord[] = [];
  now = STORY_START;
  #calls = 0;
  #runs = 0;
  #tools = 0;
  #messages = 0;
  #seq = 0;

  constructor(readonly conversation = '20261121-093015-5f0c2a9e') {}

  wait(ms: number): this {
    this.now += ms;
    return this;
  }

  /** Begins a run of an entry agent with the person's prompt. */
  run(agent: string, prompt: string, options: { system?: string; model?: string } = {}): CallTeller {
    this.#runs++;
    const call = new CallTeller(this, this.nextCall(agent), options.model ?? 'gpt-5-mini');
    call.add({
      type: 'callStart',
      task: prompt,
      model: call.model,
      tools: ['read_file', 'search', 'subagent_dispatch'],
    });
    if (options.system !== undefined) call.message({ role: 'system', content: options.system });
    call.message({ role: 'user', content: prompt });
    return call;
  }

  nextCall(agent: string, parent?: CallSite): CallSite {
    const call = `k_${++this.#calls}`;
    const run = `r_${this.#runs}`;
    return {
      run,
      call,
      agent,
      depth: parent ? parent.depth + 1 : 0,
      ...(parent && { parentCall: parent.call }),
    };
  }

  nextToolCallId(): string {
    return `call_${++this.#tools}`;
  }

  add(callSite: CallSite, body: RecordBody): LogRecord {
    const { run, call, parentCall, agent, depth } = callSite;
    const record = {
      seq: ++this.#seq,
      id: `m_${++this.#messages}`,
      time: this.now,
      conversation: this.conversation,
      run,
      call,
      ...(parentCall !== undefined && { parentCall }),
      agent,
      depth,
      ...body,
    } as LogRecord;
    this.records.push(record);
    return record;
  }
}

/** One call of an agent, as it goes on. */
export class CallTeller {
  readonly startedAt: number;
  own: Usage = { inputTokens: 0, outputTokens: 0, estimated: false };
  #context = 400;

  constructor(
    readonly story: StoryTeller,
    readonly callSite: CallSite,
    readonly model: string,
  ) {
    this.startedAt = story.now;
  }

  add(body: RecordBody): LogRecord {
    return this.story.add(this.callSite, body);
  }

  message(message: ChatMessage, rest: Partial<MessageBody> = {}): LogRecord {
    this.#context += Math.ceil(textOf(message.content).length / 4);
    return this.add({ type: 'message', message, ...rest });
  }

  /** The model answers after `ms`, perhaps with tool calls. */
  say(
    content: string | null,
    ms = 1_800,
    calls: readonly ToolCall[] = [],
    rest: Partial<ChatMessage> = {},
  ): LogRecord {
    this.story.wait(ms);
    const outputTokens = Math.ceil((content ?? '').length / 4) + calls.length * 30 + 5;
    const usage = { inputTokens: this.#context, outputTokens, estimated: false };
    this.own = {
      inputTokens: this.own.inputTokens + usage.inputTokens,
      outputTokens: this.own.outputTokens + outputTokens,
      estimated: false,
    };
    this.add({
      type: 'request',
      model: this.model,
      endpoint: 'local',
      attempt: 1,
      durationMs: ms,
      firstTokenMs: ms >> 1,
      finishReason: 'stop',
      usage,
    });
    return this.message(
      { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }), ...rest },
      { model: this.model, usage },
    );
  }

  /** The model calls a tool, which answers after `ms`. */
  useTool(
    name: string,
    args: unknown,
    result: string,
    options: { ms?: number; think?: number; content?: string; isError?: boolean } = {},
  ): LogRecord {
    const { ms = 40, think = 900, content = null, isError = false } = options;
    const call = this.toolCall(name, args);
    this.say(content, think, [call]);
    this.story.wait(ms);
    return this.answer(call, result, ms, isError);
  }

  toolCall(name: string, args: unknown): ToolCall {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    return { id: this.story.nextToolCallId(), type: 'function', function: { name, arguments: text } };
  }

  answer(call: ToolCall, content: string, durationMs = 40, isError = false, state?: CallState): LogRecord {
    return this.message(
      { role: 'tool', tool_call_id: call.id, content },
      { toolName: call.function.name, durationMs, ...(isError && { isError }), ...(state && { state }) },
    );
  }

  /** The agent dispatches another; the tool call is made, the child's call begun. */
  dispatch(
    target: string,
    task: string,
    content: string | null = null,
  ): { child: CallTeller; call: ToolCall } {
    const call = this.toolCall('subagent_dispatch', { agent: target, task });
    this.say(content, 1_200, [call]);
    return { child: this.begin(target, task, call), call };
  }

  /** Begins the call that one of the tool calls asked for. */
  begin(target: string, task: string, call: ToolCall): CallTeller {
    const callSite = this.story.nextCall(target, this.callSite);
    this.add({ type: 'dispatch', target, task, toolCallId: call.id, childCall: callSite.call });
    const child = new CallTeller(this.story, callSite, this.model);
    child.add({ type: 'callStart', task, model: this.model, tools: ['read_file'], toolCallId: call.id });
    child.message({ role: 'user', content: task });
    return child;
  }

  end(outcome: Outcome = 'done', reason?: string): LogRecord {
    const durationMs = this.story.now - this.startedAt;
    return this.add({
      type: 'callEnd',
      outcome,
      ...(reason !== undefined && { reason }),
      durationMs,
      ownUsage: this.own,
      totalUsage: this.own,
    });
  }
}
