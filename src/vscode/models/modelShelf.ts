import * as vscode from 'vscode';
import type { AgentDefinition } from '../../core/agent.js';
import type { Failure } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../ports/log.js';
import type { Model } from '../../ports/model.js';
import { changeSetting, setting } from '../settings.js';
import { chosen, UserError } from '../userError.js';
import { EndpointKeys } from './endpointKeys.js';
import { LmModel } from './lmModel.js';
import type { ModelOffer } from './modelOffer.js';
import { scriptOffers } from './scriptOffers.js';

const kindWords: Readonly<Record<Model['kind'], string>> = {
  scripted: 'Answers from a script, offline',
  http: 'Endpoints',
  vscode: 'Models of VS Code',
};

type ModelItem = vscode.QuickPickItem & { readonly offer?: ModelOffer };

/** The models that agents of this window can use: which there are, which one an agent gets, which one was chosen. */
export class ModelShelf {
  readonly keys: EndpointKeys;
  readonly #log: Log;

  constructor(context: vscode.ExtensionContext, log: Log) {
    this.keys = new EndpointKeys(context.secrets);
    this.#log = log;
  }

  /** The endpoints of the settings, by name. */
  endpointNames(): readonly string[] {
    return setting('endpoints').flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  }

  /** The model for an entry agent: what its file names, else what was chosen, else a script, else asks. */
  async entryModel(agent: AgentDefinition): Promise<Model> {
    const offers = await this.#offers();
    const named = findNamed(agent.models, offers);
    if (named) return named.open();
    const preferred = setting('model');
    const known = offers.find(({ id }) => id === preferred);
    if (known) return known.open();
    const script = offers.find(({ kind }) => kind === 'scripted');
    if (preferred === '' && script && this.endpointNames().length === 0) return script.open();
    return (await this.#pick(`Model for ${agent.name}`)).open();
  }

  /** The model of an agent that was dispatched: what its file names, else its caller's. Never rejects. */
  async resolve(agent: AgentDefinition, inherited: Model): Promise<Model | Failure> {
    try {
      // A script answers for the whole team: its agents' files may name any model.
      if (agent.models.length === 0 || inherited.kind === 'scripted') return inherited;
      const named = findNamed(agent.models, await this.#offers());
      return (await named?.open()) ?? inherited;
    } catch (error) {
      return { code: 'model', message: messageOf(error) };
    }
  }

  /** Lets the person choose the model for agents that name none, and keeps the choice. */
  async choose(): Promise<void> {
    await this.#pick('Select Model');
  }

  async #pick(title: string): Promise<ModelOffer> {
    const pick = vscode.window.createQuickPick<ModelItem>();
    pick.title = title;
    pick.placeholder = 'Looking for models …';
    pick.matchOnDescription = true;
    pick.busy = true;
    pick.show();
    try {
      const accepted = new Promise<ModelOffer | undefined>((resolve) => {
        pick.onDidAccept(() => {
          const offer = pick.selectedItems[0]?.offer;
          if (offer) resolve(offer);
        });
        pick.onDidHide(() => resolve(undefined));
      });
      pick.items = itemsFor(await this.#offers());
      pick.placeholder = 'The model for agents that name none';
      pick.busy = false;
      const offer = chosen(await accepted);
      await changeSetting('model', offer.id);
      return offer;
    } finally {
      pick.dispose();
    }
  }

  /** All models on offer. */
  async #offers(): Promise<readonly ModelOffer[]> {
    const settled = await Promise.allSettled([scriptOffers(this.#log), lmOffers()]);
    return settled.flatMap((source) => {
      if (source.status === 'fulfilled') return source.value;
      this.#log.warn('Some models could not be listed', source.reason);
      return [];
    });
  }
}

function findNamed(names: readonly string[], offers: readonly ModelOffer[]): ModelOffer | undefined {
  if (names.length === 0) return undefined;
  return offers.find(({ label }) => names.includes(label));
}

async function lmOffers(): Promise<readonly ModelOffer[]> {
  const chats = await vscode.lm.selectChatModels();
  return chats.map((chat) => {
    const model = new LmModel(chat);
    const { id, label, kind } = model;
    return { id, label, kind, source: chat.vendor, open: () => Promise.resolve(model) };
  });
}

function itemsFor(offers: readonly ModelOffer[]): ModelItem[] {
  if (offers.length === 0) throw new UserError(NOTHING);
  const preferred = setting('model');
  return (Object.keys(kindWords) as Model['kind'][]).flatMap((kind) => {
    const members = offers.filter((offer) => offer.kind === kind);
    if (members.length === 0) return [];
    const separator = { label: kindWords[kind], kind: vscode.QuickPickItemKind.Separator };
    return [
      separator,
      ...members.map((offer) => ({
        label: offer.id === preferred ? `$(check) ${offer.label}` : offer.label,
        description: offer.source,
        offer,
      })),
    ];
  });
}

const NOTHING =
  'No model was found. Start Ollama or LM Studio, sign in to Copilot, or add a server to the setting agentLogbook.endpoints.';
