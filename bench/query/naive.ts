import { textOf, type ChatMessage } from '../../src/core/message.js';
import type { MessageRecord } from '../../src/core/record.js';

/** What one writes without a library, for each question; each looks at the messages once or twice. */

export function byRole(messages: readonly ChatMessage[], role: string): ChatMessage[] {
  return messages.filter((message) => message.role === role);
}

/** The messages of the records for which something holds. */
export function byRecord(
  records: readonly MessageRecord[],
  holds: (record: MessageRecord) => boolean,
): ChatMessage[] {
  return records.filter(holds).map(({ message }) => message);
}

/** The calls of a tool and its results: those that name it, and those of the latest call under their id. */
export function byTool(messages: readonly ChatMessage[], tool: string): ChatMessage[] {
  const called = new Map<string, string>();
  return messages.filter((message) => {
    if (message.role === 'tool') {
      return message.name === tool || called.get(message.tool_call_id ?? '') === tool;
    }
    const calls = message.tool_calls ?? [];
    for (const call of calls) called.set(call.id, call.function.name);
    return calls.some((call) => call.function.name === tool);
  });
}

export function byText(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const wanted = text.toLowerCase();
  return messages.filter((message) => textOf(message.content).toLowerCase().includes(wanted));
}

export function byPattern(messages: readonly ChatMessage[], pattern: string): ChatMessage[] {
  const wanted = new RegExp(pattern, 'u');
  return messages.filter((message) => wanted.test(textOf(message.content)));
}

/** Calls with the results that answer them, by tool; results may come without a call. */
export function toolSummary(messages: readonly ChatMessage[]): object[] {
  const open = new Map<string, { result: string | null; resultIndex: number }>();
  const tools = new Map<
    string,
    { toolName: string; callCount: number; calls: object[]; orphans: object[] }
  >();
  const toolOf = (toolName: string) => {
    const tool = tools.get(toolName) ?? { toolName, callCount: 0, calls: [], orphans: [] };
    tools.set(toolName, tool);
    return tool;
  };
  const unknown = { isError: false, durationMs: null, agent: null };
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? '';
      const result = textOf(message.content);
      const entry = open.get(id);
      if (entry?.result === null) Object.assign(entry, { result, resultIndex: index });
      else toolOf(message.name ?? '').orphans.push({ id, result, ...unknown, index });
    }
    for (const { id, function: call } of message.tool_calls ?? []) {
      const input = { arguments: argumentsOf(call.arguments), rawArguments: call.arguments };
      const entry = { id, ...input, result: null, ...unknown, index, resultIndex: -1 };
      open.set(id, entry);
      const tool = toolOf(call.name);
      tool.calls.push(entry);
      tool.callCount++;
    }
  });
  return [...tools.values()];
}

function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

/** Prompts with their answers and the calls between them, each with the result that answers it. */
export function turns(messages: readonly ChatMessage[]): object[] {
  const open = new Map<string, { status: string; result: string }>();
  const all: { assistantContent: string | null; toolInteractions: object[]; range: { end: number } }[] = [];
  messages.forEach((message, start) => {
    const content = message.content === null ? null : textOf(message.content);
    if (message.role === 'user') {
      const turn = { index: all.length, userContent: content, assistantContent: null, toolInteractions: [] };
      all.push({ ...turn, systemContext: null, agent: null, range: { start, end: start + 1 } } as never);
      return;
    }
    const turn = all.at(-1);
    if (!turn) return;
    turn.range.end = start + 1;
    if (message.role === 'tool') {
      const call = open.get(message.tool_call_id ?? '');
      if (call?.status === 'unanswered') Object.assign(call, { status: 'answered', result: content ?? '' });
      return;
    }
    if (content)
      turn.assistantContent = turn.assistantContent ? `${turn.assistantContent}\n${content}` : content;
    for (const { id, function: call } of message.tool_calls ?? []) {
      const named = { toolName: call.name, toolCallId: id, arguments: argumentsOf(call.arguments) };
      const told = { rawArguments: call.arguments, result: '', status: 'unanswered', isError: false };
      const interaction = { ...named, ...told, durationMs: null, turns: [] };
      open.set(id, interaction);
      turn.toolInteractions.push(interaction);
    }
  });
  return all;
}

/** Messages and tokens by role; the tokens by the rule of OpenAI's cookbook. */
export function statistics(messages: readonly ChatMessage[], count: (text: string) => number): object {
  const messagesByRole: Record<string, number> = {};
  const tokensByRole: Record<string, number> = {};
  let totalTokens = 0;
  for (const message of messages) {
    let tokens = 3 + count(message.role) + count(textOf(message.content));
    tokens += count(message.refusal ?? '') + count(message.tool_call_id ?? '');
    if (message.name !== undefined) tokens += 1 + count(message.name);
    for (const { id, function: call } of message.tool_calls ?? []) {
      tokens += 3 + count(id) + count(call.name) + count(call.arguments);
    }
    totalTokens += tokens;
    messagesByRole[message.role] = (messagesByRole[message.role] ?? 0) + 1;
    tokensByRole[message.role] = (tokensByRole[message.role] ?? 0) + tokens;
  }
  return { totalMessages: messages.length, messagesByRole, totalTokens, tokensByRole };
}

export function json(messages: readonly ChatMessage[]): string {
  return JSON.stringify(messages, null, 2);
}
