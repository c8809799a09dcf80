import { textOf, type ChatMessage } from '../../src/core/message.js';

/** What one writes without a library, for each question; each looks at the messages once or twice. */

export function byRole(messages: readonly ChatMessage[], role: string): ChatMessage[] {
  return messages.filter((message) => message.role === role);
}

/** The calls of a tool and, by their ids, the results. */
export function byTool(messages: readonly ChatMessage[], tool: string): ChatMessage[] {
  const ids = new Set<string>();
  return messages.filter((message) => {
    if (message.role === 'tool') return ids.has(message.tool_call_id ?? '');
    const calls = message.tool_calls?.filter((call) => call.function.name === tool) ?? [];
    for (const call of calls) ids.add(call.id);
    return calls.length > 0;
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

/** Calls with their results, by tool. */
export function toolCalls(messages: readonly ChatMessage[]): Map<string, object[]> {
  const results = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'tool') results.set(message.tool_call_id ?? '', textOf(message.content));
  }
  const tools = new Map<string, object[]>();
  for (const message of messages) {
    for (const { id, function: call } of message.tool_calls ?? []) {
      const entries = tools.get(call.name) ?? [];
      tools.set(call.name, entries);
      entries.push({ id, arguments: JSON.parse(call.arguments) as unknown, result: results.get(id) ?? null });
    }
  }
  return tools;
}

/** Prompts with their answers and the calls between them. */
export function turns(messages: readonly ChatMessage[]): object[] {
  const results = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'tool') results.set(message.tool_call_id ?? '', textOf(message.content));
  }
  const all: { user: string; assistant: string; calls: object[] }[] = [];
  for (const message of messages) {
    const turn = all.at(-1);
    if (message.role === 'user') all.push({ user: textOf(message.content), assistant: '', calls: [] });
    if (message.role !== 'assistant' || !turn) continue;
    turn.assistant = textOf(message.content);
    for (const { id, function: call } of message.tool_calls ?? []) {
      const input = JSON.parse(call.arguments) as unknown;
      turn.calls.push({ name: call.name, id, input, result: results.get(id) ?? null });
    }
  }
  return all;
}

/** Messages and characters by role. */
export function statistics(
  messages: readonly ChatMessage[],
): Record<string, { messages: number; size: number }> {
  const roles: Record<string, { messages: number; size: number }> = {};
  for (const message of messages) {
    const of = (roles[message.role] ??= { messages: 0, size: 0 });
    of.messages++;
    of.size += textOf(message.content).length;
    for (const call of message.tool_calls ?? []) of.size += call.function.arguments.length;
  }
  return roles;
}

export function json(messages: readonly ChatMessage[]): string {
  return JSON.stringify(messages, null, 2);
}
