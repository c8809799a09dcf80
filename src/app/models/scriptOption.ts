import type { Log } from '../../core/ports/log.js';
import { features } from '../features/features.js';
import type { ModelOption } from './endpointOptions.js';

/**
 * A script of the workspace as a model: `path` is where it lies in the workspace, `text` what it says. What is wrong with
 * it is logged with its place; undefined where it cannot be used.
 */
export async function scriptOption(path: string, text: string, log: Log): Promise<ModelOption | undefined> {
  const { parseScript } = await features.run();
  const name = path.replace(/^.*[/\\]|\.script\.\w+$/g, '');
  const { script, problems } = parseScript(text, name);
  for (const { severity, message, line = 1 } of problems) {
    if (severity === 'error') log.error(`${path}:${line}: ${message}`);
    else log.warn(`${path}:${line}: ${message}`);
  }
  if (!script) return undefined;
  const id = `script/${script.name}`;
  return {
    id,
    label: `${script.name} (script)`,
    endpoint: 'script',
    kind: 'scripted',
    detail: path,
    open: async (begun) => {
      const before = begun?.get(id);
      if (before?.source === text) return before.model;
      const { ScriptedModel } = await features.run();
      const model = new ScriptedModel(script);
      begun?.set(id, { source: text, model });
      return model;
    },
  };
}
