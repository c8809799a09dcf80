import { endOfCalls, has, parts, spoken, fields, text, type Fields, type SessionHint } from '../hint.js';

/** What a line of a stored session tells of it. */
export function gooseHint(line: Fields): SessionHint | undefined {
  const { role, content } = line;
  if (role === undefined)
    return {
      made: text(line.name) ?? text(line.description),
      workspace: text(line.working_dir),
      model: text(fields(line.model_config).model_name),
    };
  if (has(content, 'toolResponse')) return { messages: 1, end: 'call' };
  if (role === 'user') return { messages: 1, prompt: spoken(content), end: 'prompt' };
  const calls = parts(content).filter((part) => part.type === 'toolRequest');
  return { messages: 1, end: endOfCalls(calls.map(({ toolCall }) => fields(fields(toolCall).value).name)) };
}
