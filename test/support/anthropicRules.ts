import { isObject } from '../../src/core/message.js';

type Fields = Readonly<Record<string, unknown>>;

/** What Anthropic's API refuses of the messages of a request: calls without names of their own, results that follow no call, texts of space. */
export function anthropicProblems(messages: readonly unknown[]): string[] {
  const problems: string[] = [];
  const made = new Set<unknown>();
  let open = new Set<unknown>();
  for (const [index, message] of messages.map(fieldsOf).entries()) {
    const blocks = listOf(message.content).map(fieldsOf);
    const tell = (what: string) => problems.push(`message ${index + 1}: ${what}`);
    if (blocks.length === 0) tell('empty');
    const calls = new Set<unknown>();
    for (const block of blocks) {
      if (block.type === 'text' && String(block.text).trim() === '') tell('a text of space');
      if (block.type === 'tool_result' && !open.delete(block.tool_use_id)) tell('a result without its call');
      if (block.type !== 'tool_use') continue;
      if (made.has(block.id)) tell('a call with the id of another');
      if (block.id === '' || block.name === '') tell('a call without a name');
      made.add(block.id);
      calls.add(block.id);
    }
    if (open.size > 0) tell('a call without a result before it');
    open = calls;
  }
  return problems;
}

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
