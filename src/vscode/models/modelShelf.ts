import * as vscode from 'vscode';
import type { AgentDefinition } from '../../core/agent.js';
import type { Failure } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import type { Endpoint } from '../../models/endpoint.js';
import type { Log } from '../../ports/log.js';
import type { Model } from '../../ports/model.js';
import { changeSetting, setting } from '../settings.js';
import { EndpointKeys } from './endpointKeys.js';
import { endpointOffers, localServerOffers } from './endpointOffers.js';
import { LmModel } from './lmModel.js';
import type { BegunScripts, ModelOffer } from './modelOffer.js';
import { pickModel } from './modelPicker.js';
import { scriptOffers } from './scriptOffers.js';

/** The models that agents of this window can use: which there are, which one an agent gets, which one was chosen. */
export class ModelShelf {
  readonly keys: EndpointKeys;
  readonly #log: Log;

  constructor(context: vscode.ExtensionContext, log: Log) {
    this.keys = new EndpointKeys(context.secrets);
    this.#log = log;
  }

  /** The names of the endpoints of the settings. */
  async endpointNames(): Promise<readonly string[]> {
    return (await this.#endpoints()).map(({ name }) => name);
  }

  /**
   * The model for an entry agent: what its file names, else what was chosen. While nothing was chosen and no
   * endpoint is set up, the workspace's script. Else the person is asked. `begun` holds the conversation's scripts.
   */
  async entryModel(agent: AgentDefinition, begun: BegunScripts): Promise<Model> {
    const endpoints = await this.#endpoints();
    const offers = await this.#offers(endpoints);
    const names = agent.models.filter((name) => name.toLowerCase() !== 'inherit');
    const named = await firstNamed(names, offers);
    if (named) return named.open(begun);
    const preferred = setting('model');
    const known = offers.find(({ id }) => id === preferred) ?? (await this.#localModel(preferred, endpoints));
    if (known) return known.open(begun);
    const script = offers.find(({ kind }) => kind === 'scripted');
    if (script && preferred === '' && endpoints.length === 0) return script.open(begun);
    const missing = names.length > 0 ? ` (not available: ${names.join(', ')})` : '';
    return (await this.#pick(`Model for ${agent.name}${missing}`)).open(begun);
  }

  /** The model of an agent that was dispatched: what its file names, else its caller's. Never rejects. */
  async resolve(agent: AgentDefinition, inherited: Model, begun: BegunScripts): Promise<Model | Failure> {
    // A script answers for the whole team, whatever models their files name.
    if (agent.models.length === 0 || inherited.kind === 'scripted') return inherited;
    try {
      const { resolveModelName } = await import('../../models/resolveModelName.js');
      const own: ModelOffer = { ...identityOf(inherited), open: () => Promise.resolve(inherited) };
      const found = resolveModelName(agent.models, await this.#offers(await this.#endpoints()), own);
      return 'code' in found ? found : await found.open(begun);
    } catch (error) {
      return { code: 'noModel', message: messageOf(error) };
    }
  }

  /** Lets the person choose the model for agents that name none, and keeps the choice. */
  async choose(): Promise<void> {
    await this.#pick('Select Model');
  }

  async #pick(title: string): Promise<ModelOffer> {
    const offer = await pickModel(title, this.#everything(), setting('model'));
    await changeSetting('model', offer.id);
    return offer;
  }

  async #everything(): Promise<readonly ModelOffer[]> {
    const endpoints = await this.#endpoints();
    const local = localServerOffers(endpoints, this.keys);
    const [near, known] = await Promise.all([this.#gather([local]), this.#offers(endpoints)]);
    return [...known, ...near];
  }

  /** All models that can be told without looking for servers. */
  #offers(endpoints: readonly Endpoint[]): Promise<readonly ModelOffer[]> {
    return this.#gather([
      scriptOffers(this.#log),
      endpointOffers(endpoints, this.keys, this.#log),
      lmOffers(),
    ]);
  }

  async #gather(sources: readonly Promise<readonly ModelOffer[]>[]): Promise<readonly ModelOffer[]> {
    const settled = await Promise.allSettled(sources);
    return settled.flatMap((source) => {
      if (source.status === 'fulfilled') return source.value;
      this.#log.warn('Some models could not be listed', source.reason);
      return [];
    });
  }

  async #localModel(id: string, endpoints: readonly Endpoint[]): Promise<ModelOffer | undefined> {
    if (id === '') return undefined;
    return (await localServerOffers(endpoints, this.keys)).find((offer) => offer.id === id);
  }

  async #endpoints(): Promise<readonly Endpoint[]> {
    const settings = setting('endpoints');
    if (settings.length === 0) return [];
    const { parseEndpoints } = await import('../../models/endpoints.js');
    const { endpoints, problems } = parseEndpoints(settings);
    for (const problem of problems) this.#log.warn(`Setting agentLogbook.endpoints: ${problem}`);
    return endpoints;
  }
}

function identityOf({ id, label, endpoint, kind }: Model) {
  return { id, label, endpoint, kind };
}

async function firstNamed(
  names: readonly string[],
  offers: readonly ModelOffer[],
): Promise<ModelOffer | undefined> {
  const [any] = offers;
  if (names.length === 0 || !any) return undefined;
  const { resolveModelName } = await import('../../models/resolveModelName.js');
  const found = resolveModelName(names, offers, any);
  return 'code' in found ? undefined : found;
}

async function lmOffers(): Promise<readonly ModelOffer[]> {
  const chats = await vscode.lm.selectChatModels();
  return chats.map((chat) => {
    const model = new LmModel(chat);
    return { ...identityOf(model), open: () => Promise.resolve(model) };
  });
}
