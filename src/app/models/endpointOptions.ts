import type { Settings } from '../ports/settings.js';
import type { Log } from '../../core/ports/log.js';
import type { Endpoint } from '../../agents/models/endpoint.js';
import type { EndpointKeys } from './endpointKeys.js';
import { limitSetting } from '../ports/runLimits.js';
import type { ModelOption } from './modelOption.js';
import { features } from '../features/features.js';

/** What the models of endpoints are made with. */
export interface OptionParts {
  readonly keys: EndpointKeys;
  readonly settings: Settings;
  readonly log: Log;
}

/** The models of the endpoints: those that the settings name, else those that the endpoint itself lists. */
export async function endpointOptions(
  endpoints: readonly Endpoint[],
  parts: OptionParts,
): Promise<readonly ModelOption[]> {
  const lists = await Promise.all(
    endpoints.map(async (endpoint) => {
      const names = endpoint.models ?? (await listedBy(endpoint, parts));
      return names.map((name) => optionOf(endpoint, name, parts));
    }),
  );
  return lists.flat();
}

/** The models of servers on their usual ports of this machine that are not among the endpoints of the settings. */
export async function localServerOptions(
  endpoints: readonly Endpoint[],
  parts: OptionParts,
): Promise<readonly ModelOption[]> {
  const { findLocalServers } = await features.run();
  const known = new Set(endpoints.map(({ url }) => url.base));
  const servers = (await findLocalServers()).filter(({ endpoint }) => !known.has(endpoint.url.base));
  return servers.flatMap(({ endpoint, models }) => models.map((name) => optionOf(endpoint, name, parts)));
}

async function listedBy(endpoint: Endpoint, { keys, log }: OptionParts): Promise<readonly string[]> {
  const { listModels } = await features.run();
  const names = await listModels(endpoint, { key: await keys.get(endpoint.name) });
  if (!('code' in names)) return names;
  log.warn(`The models of ${endpoint.name} could not be listed: ${names.message}`);
  return [];
}

function optionOf(endpoint: Endpoint, model: string, { keys, settings, log }: OptionParts): ModelOption {
  return {
    id: `${endpoint.name}/${model}`,
    label: `${model} (${endpoint.name})`,
    endpoint: endpoint.name,
    kind: 'http',
    detail: endpoint.url.base,
    open: async () => {
      const { OpenAiModel } = await features.run();
      return new OpenAiModel({
        endpoint,
        model,
        apiKey: async () => keys.get(endpoint.name),
        idleMs: () => limitSetting(settings, 'limits.maxSilenceSeconds') * 1000,
        log,
      });
    },
  };
}
