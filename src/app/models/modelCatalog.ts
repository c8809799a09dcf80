import { t } from '../../core/l10n.js';
import type { Secrets, Settings } from '../ports/settings.js';
import type { AgentDefinition } from '../../core/agent.js';
import type { Failure } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import type { Endpoint } from '../../agents/models/endpoint.js';
import type { Log } from '../../core/ports/log.js';
import type { Model } from '../../core/ports/model.js';
import { UserError } from '../userError.js';
import {
  EndpointKeys,
  endpointOptions,
  localServerOptions,
  type BegunScripts,
  type ModelOption,
  type OtherModelChoice,
} from './endpointOptions.js';
import { features } from '../features/features.js';

/** The run that a model is needed for. */
export interface ModelRequirement {
  /** The scripts that the conversation has started. */
  readonly begun: BegunScripts;
  /** Whether a person is at the window and can be asked. */
  readonly attended: boolean;
  /** Aborting it ends the question. */
  readonly signal: AbortSignal;
}

/** What the models of a window need from it, and what it offers itself. */
export interface ModelHost {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly log: Log;
  /** The scripts of the workspace, by name. */
  scripts(): Promise<readonly ModelOption[]>;
  /** The models that the editor itself offers. */
  editorModels(): Promise<readonly ModelOption[]>;
  /** Lets the person choose while offers still arrive; rejects with `Cancelled` when they leave. */
  pickModel(
    title: string,
    offers: Promise<readonly ModelOption[]>,
    preferred: string,
    signal?: AbortSignal,
  ): Promise<ModelOption | OtherModelChoice>;
  /** Lets the person set up another endpoint. */
  addEndpoint(keys: EndpointKeys): Promise<void>;
  /** Lets the person change the endpoint with this name. */
  editEndpoint(keys: EndpointKeys, name: string): Promise<void>;
  /** Asks for the key of an endpoint, and tries it there. Rejects with `Cancelled` where the person leaves. */
  askForKey(name: string): Promise<string>;
}

/** The models that this window's agents can use: lists them, selects one for an agent, and lets a person choose. */
export class ModelCatalog {
  readonly keys: EndpointKeys;
  readonly #host: ModelHost;
  readonly #log: Log;
  /** What a person chose in place of unavailable models, by their names; until the window closes. */
  readonly #substitutes = new Map<string, string>();
  /** Settles when the last choice is in the settings: a run that begins before that waits, so that it is of the chosen model. */
  #saved: Promise<unknown> = Promise.resolve();

  constructor(host: ModelHost) {
    this.keys = new EndpointKeys(host.secrets);
    this.#host = host;
    this.#log = host.log;
  }

  /** The settings of the window. */
  get settings(): Settings {
    return this.#host.settings;
  }

  /** The address of an endpoint of the settings. */
  async addressOf(endpoint: string): Promise<string | undefined> {
    return (await this.#endpoints()).find(({ name }) => name === endpoint)?.url.base;
  }

  /**
   * The model for an entry agent: what its file names, or, where it names none or `inherit`, the chosen one. If none is
   * chosen and no endpoint is set up, the workspace's script. Otherwise the person is asked, once per unavailable model;
   * where nobody can be asked, the run is refused.
   */
  async entryModel(agent: AgentDefinition, { begun, attended, signal }: ModelRequirement): Promise<Model> {
    const endpoints = await this.#endpoints();
    const offers = await this.#offers(endpoints);
    const names = namesOf(agent);
    const named = await firstNamed(names, offers);
    if (named) return named.open(begun);
    await this.#saved;
    const preferred = this.#host.settings.get('model');
    const missing = names.length > 0 && names.length === agent.models.length ? names.join(', ') : undefined;
    const wanted = missing === undefined || !attended ? preferred : (this.#substitutes.get(missing) ?? '');
    const known = offers.find(({ id }) => id === wanted) ?? (await this.#localModel(wanted, endpoints));
    if (known) return known.open(begun);
    const script = offers.find(({ kind }) => kind === 'scripted');
    if (script && preferred === '' && endpoints.length === 0) return script.open(begun);
    if (!attended) throw new UserError(t`No model is chosen. Choose one in the editor with "Select Model…".`);
    return (await this.#ask(agent.name, missing, signal)).open(begun);
  }

  /** The model for a dispatched agent: what its file names, else the conversation's own. Never rejects. */
  async resolve(agent: AgentDefinition, inherited: Model, begun: BegunScripts): Promise<Model | Failure> {
    // A script answers for the whole team, whatever models their files name.
    if (agent.models.length === 0 || inherited.kind === 'scripted') return inherited;
    try {
      const { resolveModelName } = await features.run();
      const own: ModelOption = { ...identityOf(inherited), open: () => Promise.resolve(inherited) };
      const endpoints = await this.#endpoints();
      const offers = await this.#offers(endpoints);
      const found = resolveModelName(agent.models, offers, own);
      if (!('code' in found)) return await found.open(begun);
      const id = this.#substitutes.get(namesOf(agent).join(', ')) ?? '';
      const substitute = offers.find((offer) => offer.id === id) ?? (await this.#localModel(id, endpoints));
      return substitute ? await substitute.open(begun) : found;
    } catch (error) {
      return { code: 'noModel', message: messageOf(error) };
    }
  }

  /** Lets the person choose the model for agents that name none, and saves the choice. */
  async choose(): Promise<void> {
    await this.#save(t`Select Model`);
  }

  /** Lets the person choose a model once; its id. */
  async pick(title: string): Promise<string> {
    return (await this.#chosenOffer(title)).id;
  }

  /** All models that there are, those with a problem among them. */
  offered(): Promise<readonly ModelOption[]> {
    return this.#everything();
  }

  /** Lets the person set up another endpoint. */
  async addEndpoint(): Promise<void> {
    await this.#host.addEndpoint(this.keys);
  }

  /** Lets the person change the endpoint with this name. */
  async editEndpoint(name: string): Promise<void> {
    await this.#host.editEndpoint(this.keys, name);
  }

  /** Asks for the key of an endpoint; see `ModelHost.askForKey`. */
  askForKey(name: string): Promise<string> {
    return this.#host.askForKey(name);
  }

  /** Asks for a model and saves the choice: in place of the missing models, else for all agents that name none. */
  async #ask(agent: string, missing: string | undefined, signal: AbortSignal): Promise<ModelOption> {
    if (missing === undefined) return this.#save(t`Model for ${agent}`, signal);
    const title = t`Model for ${agent} (not available: ${missing})`;
    const offer = await this.#chosenOffer(title, signal);
    this.#substitutes.set(missing, offer.id);
    return offer;
  }

  async #save(title: string, signal?: AbortSignal): Promise<ModelOption> {
    const offer = await this.#chosenOffer(title, signal);
    const saving = this.#host.settings.change('model', offer.id);
    // That it could not be saved is for whoever chose.
    this.#saved = saving.catch(() => undefined);
    await saving;
    return offer;
  }

  /** Asks until a model is chosen; meanwhile an endpoint can be added. */
  async #chosenOffer(title: string, signal?: AbortSignal): Promise<ModelOption> {
    for (;;) {
      const choice = await this.#host.pickModel(
        title,
        this.#everything(),
        this.#host.settings.get('model'),
        signal,
      );
      if (typeof choice === 'object' && 'id' in choice) return choice;
      if (typeof choice === 'object') await this.editEndpoint(choice.edit);
      else if (choice === 'addEndpoint') await this.addEndpoint();
    }
  }

  async #everything(): Promise<readonly ModelOption[]> {
    const endpoints = await this.#endpoints();
    const local = localServerOptions(endpoints, this.#offerParts);
    const [near, known] = await Promise.all([this.#gather([local]), this.#offers(endpoints)]);
    const { withDeadEndpoints } = await features.run();
    return [...(await withDeadEndpoints(known, endpoints, (name) => this.keys.get(name))), ...near];
  }

  /** All models that are known without looking for servers. */
  #offers(endpoints: readonly Endpoint[]): Promise<readonly ModelOption[]> {
    return this.#gather([
      this.#host.scripts(),
      endpointOptions(endpoints, this.#offerParts),
      this.#host.editorModels(),
    ]);
  }

  async #gather(sources: readonly Promise<readonly ModelOption[]>[]): Promise<readonly ModelOption[]> {
    const settled = await Promise.allSettled(sources);
    return settled.flatMap((source) => {
      if (source.status === 'fulfilled') return source.value;
      this.#log.warn('Some models could not be listed', source.reason);
      return [];
    });
  }

  get #offerParts() {
    return { keys: this.keys, settings: this.#host.settings, log: this.#log };
  }

  async #localModel(id: string, endpoints: readonly Endpoint[]): Promise<ModelOption | undefined> {
    if (id === '') return undefined;
    return (await localServerOptions(endpoints, this.#offerParts)).find((offer) => offer.id === id);
  }

  async #endpoints(): Promise<readonly Endpoint[]> {
    const settings = this.#host.settings.get('endpoints');
    if (settings.length === 0) return [];
    const { parseEndpoints } = await features.run();
    const { endpoints, problems } = parseEndpoints(settings);
    for (const problem of problems) this.#log.warn(`Setting agentLogbook.endpoints: ${problem}`);
    return endpoints;
  }
}

/** The models that an agent's file names, without the conversation's own. */
function namesOf({ models }: AgentDefinition): readonly string[] {
  return models.filter((name) => name.toLowerCase() !== 'inherit');
}

/** What identifies a model among the offers. */
export function identityOf({ id, label, endpoint, kind }: Model) {
  return { id, label, endpoint, kind };
}

async function firstNamed(
  names: readonly string[],
  offers: readonly ModelOption[],
): Promise<ModelOption | undefined> {
  const [any] = offers;
  if (names.length === 0 || !any) return undefined;
  const { resolveModelName } = await features.run();
  const found = resolveModelName(names, offers, any);
  return 'code' in found ? undefined : found;
}
