import { join } from 'node:path';
import { ANY, from, JSON_LINES, roots, type ToolHome } from '../home.js';
import { textOf } from '../../../core/message.js';
import { endOfCalls, namesIn, fields, text, type Fields, type SessionHint } from '../hint.js';
import { signOfEnd, type LifeSign } from '../life.js';

/** Pi: a folder of sessions for each workspace. */
export const piHome: ToolHome<'pi'> = {
  id: 'pi',
  formats: ['pi'],
  name: 'Pi',
  hintOf: piHint,
  approvals: 'never',
  places: ({ home, env }, folders) =>
    roots([join(from(env, 'PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent'), 'sessions')], folders).map(
      (folder) => ({ folder, names: [ANY, JSON_LINES], workspaceAt: 0 }),
    ),
};

/** What a line tells of its session. */
export function piHint(line: Fields): SessionHint | undefined {
  if (line.type === 'session')
    return { id: text(line.id), workspace: text(line.cwd), model: text(line.modelId) };
  if (line.type === 'model_change') return { model: text(line.modelId) };
  if (line.type === 'session_info') return { named: text(line.name) };
  if (line.type !== 'message') return undefined;
  const { role, content, model, stopReason } = fields(line.message);
  if (role === 'user') return { prompt: textOf(content), messages: 1, end: 'prompt' };
  if (role !== 'assistant') return { messages: 1, end: 'call' };
  const end = stopReason === 'error' ? 'error' : endOfCalls(namesIn(content, 'toolCall'));
  return { messages: 1, model: text(model), end, life: [lifeOf(stopReason) ?? signOfEnd(end)] };
}

/** What the reason says for which an answer ended; undefined where its words do. */
function lifeOf(stopReason: unknown): LifeSign | undefined {
  if (stopReason === 'stop' || stopReason === 'length') return { kind: 'finish' };
  return stopReason === 'aborted' ? { kind: 'break', by: 'person' } : undefined;
}
