import type { Settings, Secrets } from '../ports/settings.js';
import type { Log } from '../../core/ports/log.js';
import type { Endpoint } from '../../agents/models/endpoint.js';
import { limitSetting } from '../ports/runLimits.js';
import { features } from '../features/features.js';
import type { ScriptedModel } from '../../agents/models/scriptedModel.js';
import type { Model } from '../../core/ports/model.js';

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

/** The API keys of endpoints, where the editor keeps secrets and nowhere else. */
export class EndpointKeys {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  get(endpoint: string): PromiseLike<string | undefined> {
    return this.#secrets.get(nameOf(endpoint));
  }

  set(endpoint: string, key: string): PromiseLike<void> {
    return this.#secrets.store(nameOf(endpoint), key);
  }

  remove(endpoint: string): PromiseLike<void> {
    return this.#secrets.delete(nameOf(endpoint));
  }
}

function nameOf(endpoint: string): string {
  return `endpoint-key:${endpoint}`;
}

/**
 * The scripts that a conversation has started, by the model's id: each run continues where the last one stopped, as long
 * as the script's file is unchanged.
 */
export type BegunScripts = Map<string, { readonly source: string; readonly model: ScriptedModel }>;

/** A model that can be chosen; created only when it is used. */
export interface ModelOption extends Pick<Model, 'id' | 'label' | 'endpoint' | 'kind'> {
  /** A detail for the person who chooses, like the file of a script. */
  readonly detail?: string;
  /** Why its endpoint does not answer, where it does not. */
  readonly problem?: string;
  /** Creates the model; a script that is in `begun` continues, another one is added to it. */
  open(begun?: BegunScripts): Promise<Model>;
}

/** What a person can do where the wanted model is not offered. */
export type OtherModelChoice = 'addEndpoint' | 'lookAgain' | { readonly edit: string };

/** Logs the steps of a conversation's scripts that have not been used so far. */
export function logUnusedSteps(begun: BegunScripts, log: Log): void {
  for (const { model } of begun.values()) {
    const steps = model.unused().map(({ agent, at }) => `${agent} ${at}`);
    if (steps.length > 0) log.debug(`${model.label}: not used so far: ${steps.join(', ')}`);
  }
}
