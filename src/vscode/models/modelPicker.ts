import * as vscode from 'vscode';
import type { Model } from '../../ports/model.js';
import { chosen } from '../userError.js';
import type { ModelOffer } from './modelOffer.js';

const NOTHING = 'No model was found. Start Ollama or LM Studio, sign in to Copilot, or add an endpoint.';

const kindWords: Readonly<Record<Model['kind'], string>> = {
  scripted: 'Scripts: answer offline, from a file of the workspace',
  http: 'Endpoints and servers of this machine',
  vscode: 'Models of VS Code',
};

/** What a person can do where the wanted model is not offered. */
type OtherWay = 'addEndpoint' | 'lookAgain';

type ModelItem = vscode.QuickPickItem & { readonly choice?: ModelOffer | OtherWay };

const otherWays: readonly ModelItem[] = [
  { label: 'Not on the list?', kind: vscode.QuickPickItemKind.Separator },
  {
    label: '$(add) Add Endpoint…',
    description: 'a server that speaks the OpenAI chat-completions format',
    choice: 'addEndpoint',
    alwaysShow: true,
  },
  {
    label: '$(refresh) Look Again',
    description: 'after a server was started, or an account signed in',
    choice: 'lookAgain',
    alwaysShow: true,
  },
];

/** Lets the person choose a model while offers still arrive; Cancelled when they leave or `signal` is aborted. */
export async function pickModel(
  title: string,
  offers: Promise<readonly ModelOffer[]>,
  preferred: string,
  signal?: AbortSignal,
): Promise<ModelOffer | OtherWay> {
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = title;
  pick.placeholder = 'Looking for models …';
  pick.matchOnDescription = true;
  pick.busy = true;
  // Listing takes a moment, during which a person may look elsewhere.
  pick.ignoreFocusOut = true;
  const accepted = new Promise<ModelOffer | OtherWay | undefined>((resolve) => {
    pick.onDidAccept(() => {
      const choice = pick.selectedItems[0]?.choice;
      if (choice) resolve(choice);
    });
    pick.onDidHide(() => resolve(undefined));
  });
  const leave = () => pick.hide();
  signal?.addEventListener('abort', leave, { once: true });
  pick.show();
  if (signal?.aborted === true) leave();
  try {
    const found = await offers;
    pick.items = [...itemsFor(found, preferred), ...otherWays];
    pick.placeholder = found.length === 0 ? NOTHING : 'The model for agents that name none';
    pick.busy = false;
    return chosen(await accepted);
  } finally {
    signal?.removeEventListener('abort', leave);
    pick.dispose();
  }
}

/** Groups offers by kind; the previous choice comes first, so that the Enter key takes it. */
function itemsFor(offers: readonly ModelOffer[], preferred: string): ModelItem[] {
  const before = offers.filter(({ id }) => id === preferred);
  const groups = (Object.keys(kindWords) as Model['kind'][]).flatMap((kind) => {
    const members = offers.filter((offer) => offer.kind === kind && offer.id !== preferred);
    if (members.length === 0) return [];
    const separator = { label: kindWords[kind], kind: vscode.QuickPickItemKind.Separator };
    return [separator, ...members.map((offer) => itemFor(offer, preferred))];
  });
  return [...before.map((offer) => itemFor(offer, preferred)), ...groups];
}

function itemFor(offer: ModelOffer, preferred: string): ModelItem {
  const label = offer.id === preferred ? `$(check) ${offer.label}` : offer.label;
  return { label, description: offer.detail ?? offer.endpoint, choice: offer };
}
