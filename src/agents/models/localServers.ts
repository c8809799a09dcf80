import { checkOptions } from '../../core/checkOptions.js';
import type { Endpoint } from './endpoint.js';
import { listModels, type ListModelsOptions } from './listModels.js';

/** The ports on which the usual servers listen unless told otherwise; llama.cpp and vLLM share theirs with many. */
export const usualPorts: readonly { readonly name: string; readonly port: number }[] = [
  { name: 'Ollama', port: 11434 },
  { name: 'LM Studio', port: 1234 },
  { name: 'llama.cpp', port: 8080 },
  { name: 'vLLM', port: 8000 },
  { name: 'LiteLLM', port: 4000 },
  { name: 'Jan', port: 1337 },
];

/** A model server on this machine. */
export interface LocalServer {
  readonly endpoint: Endpoint;
  readonly models: readonly string[];
  /** True where the server requires a key to list its models. */
  readonly needsKey: boolean;
}

/** How long a port is waited for, in milliseconds; a local server answers sooner. */
const PROBE_MS = 1_000;

/** Asks the usual ports of this machine, all at once, for their models. To be used only when a person asks for it. */
export async function findLocalServers(
  options: Pick<ListModelsOptions, 'signal' | 'timers'> = {},
  ports: typeof usualPorts = usualPorts,
): Promise<readonly LocalServer[]> {
  checkOptions(options, { signal: 'object', timers: 'object' }, 'findLocalServers');
  const limits = { connectMs: PROBE_MS, firstByteMs: PROBE_MS, idleMs: PROBE_MS, totalMs: 2 * PROBE_MS };
  const answers = await Promise.all(
    ports.map(async ({ name, port }) => {
      const endpoint: Endpoint = { name, url: { base: `http://127.0.0.1:${port}/v1`, query: {} } };
      const models = await listModels(endpoint, { ...options, limits });
      if (!('code' in models)) return models.length > 0 ? { endpoint, models, needsKey: false } : undefined;
      return models.code === 'auth' ? { endpoint, models: [], needsKey: true } : undefined;
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}
