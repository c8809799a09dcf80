import { textOf } from '../../src/core/message.js';
import type { MessageBody } from '../../src/core/record.js';
import { recordJournal, type MadeJournal } from '../opening/makeJournal.js';
import { messageOf } from '../recording/messages.js';

/** How many tool calls each prompt leads to. */
const STEPS = 20;

/** Records turns of prompts, answers with tool calls and their results, of 1 KB in the mean, as a run does. */
export function makeTeamJournal(root: string, messages: number): Promise<MadeJournal> {
  return recordJournal(root, messages, bodyOf);
}

function bodyOf(n: number): Omit<MessageBody, 'type'> {
  const result = messageOf(n);
  const content = textOf(result.content);
  const step = n % (2 * STEPS);
  if (step === 0) return { message: { role: 'user', content } };
  if (step % 2 === 0) {
    return {
      toolName: 'read_file',
      durationMs: 5,
      message: { ...result, role: 'tool', tool_call_id: `call_${n - 1}` },
    };
  }
  const input = { name: 'read_file', arguments: JSON.stringify({ path: `src/${n}.ts` }) };
  const calls =
    step === 2 * STEPS - 1
      ? {}
      : { tool_calls: [{ id: `call_${n}`, type: 'function', function: input } as const] };
  return {
    model: 'm',
    usage: { inputTokens: 900, outputTokens: 40, estimated: false },
    message: { role: 'assistant', content, ...calls },
  };
}
