import type { ChatMessage } from '../../src/core/message.js';

const words = 'the agent read a file and found that pickles were counted twice in the second row of it'.split(
  ' ',
);

/** The nth message: an answer of a tool, its content 1 KB of words that differ from message to message. */
export function messageOf(n: number): ChatMessage {
  let content = '';
  for (let word = n; content.length < 1000; word += 7) content += `${words[word % words.length]} ${word} `;
  return { role: 'tool', tool_call_id: `call_${n}`, name: 'read_file', content };
}

/** What a plain writer would put into a line: the same fields as a record of ours. */
export function lineOf(seq: number, message: ChatMessage): string {
  const header = { seq, id: `m-${seq}`, time: Date.now(), conversation: 'c', run: 'r', call: 'k' };
  return `${JSON.stringify({ ...header, agent: 'Pickle', depth: 0, type: 'message', message })}\n`;
}
