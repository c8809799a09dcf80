import type { ChatMessage } from '../../src/core/message.js';

const tools = ['read_file', 'edit_file', 'run_command', 'search_text', 'list_files', 'subagent_dispatch'];
const words =
  'agent reads the file and finds that recipes list cucumbers twice so it removes one row and runs all tests again'.split(
    ' ',
  );
/** A word that one in ten thousand messages says, and one that one in four says. */
export const RARE = 'Quetzalcoatl';
export const COMMON = 'Pickles';

/**
 * So many messages of runs with tools: a prompt, then three rounds of a call and its result, then an answer; about 240
 * characters of content each, different from message to message. Some calls take an id that was there before.
 */
export function makeTranscript(length: number): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (let n = 0; n < length; n++) messages.push(messageAt(n));
  return messages;
}

function messageAt(n: number): ChatMessage {
  const step = n % 8;
  if (step === 0) return { role: 'user', content: contentOf(n) };
  if (step === 7) return { role: 'assistant', content: contentOf(n) };
  const round = Math.floor(n / 2);
  const name = tools[(round * 7) % tools.length]!;
  if (step % 2 === 0) return { role: 'tool', tool_call_id: callIdOf(round - 1), content: contentOf(n) };
  const call = { name, arguments: JSON.stringify({ path: `src/part${n % 97}.ts`, line: n }) };
  return {
    role: 'assistant',
    content: contentOf(n),
    tool_calls: [{ id: callIdOf(round), type: 'function', function: call }],
  };
}

function callIdOf(round: number): string {
  return `call_${round % 100 === 49 ? 49 : round}`;
}

function contentOf(n: number): string {
  const said = [`${n}:`];
  if (n % 10_000 === 4_324) said.push(RARE);
  if (n % 4 === 1) said.push(COMMON);
  for (let word = n * 31; said.length < 42; word += 13) said.push(words[word % words.length]!);
  return said.join(' ');
}
