import { textOf } from '../../../core/message.js';
import { endOfCalls, namesIn, parts, fields, text, type Fields, type SessionHint } from '../hint.js';

/** What a line of a session tells of it. */
export function claudeCodeHint(line: Fields): SessionHint | undefined {
  const { type, isMeta, isSidechain, cwd } = line;
  const workspace = text(cwd);
  if (type === 'custom-title') return { named: text(line.customTitle) };
  if (type === 'ai-title') return { made: text(line.aiTitle) };
  if (type === 'summary') return { summary: text(line.summary) };
  if (type === 'agent-name') return { agent: text(line.agentName) };
  const { model, content, id, stop_reason: stop } = fields(line.message);
  if (type === 'assistant') {
    const called = endOfCalls(namesIn(content, 'tool_use'));
    const end = called === 'answer' && stop === 'tool_use' ? 'call' : called;
    return {
      workspace,
      message: text(id),
      messages: 1,
      end: line.isApiErrorMessage === true ? 'error' : end,
      model: model === '<synthetic>' ? undefined : text(model),
    };
  }
  if (type !== 'user') return { workspace };
  const results = parts(content).filter((part) => part.type === 'tool_result').length;
  const isPrompt = results === 0 && isMeta !== true && isSidechain !== true && line.isCompactSummary !== true;
  const prompt = isPrompt ? textOf(content) : undefined;
  return { workspace, prompt, messages: Math.max(1, results), end: results > 0 ? 'call' : 'prompt' };
}
