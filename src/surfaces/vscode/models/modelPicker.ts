import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import { onAbort } from '../../../core/abort.js';
import type { Model } from '../../../core/ports/model.js';
import { choiceList, heading, type Choice, type Heading } from '../ui/pickers.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { chosen } from '../../../app/userError.js';
import type { ModelOption, OtherModelChoice } from '../../../app/models/modelOption.js';

const nothing = () =>
  words`No model was found. Start Ollama or LM Studio, sign in to Copilot, or add an endpoint.`;

const kindWords: Readonly<Record<Model['kind'], Message>> = {
  scripted: message`Scripts: answer offline, from a file of the workspace`,
  http: message`Endpoints and servers of this machine`,
  vscode: message`Models of VS Code`,
};

type ModelItem = (Choice & { readonly choice: ModelOption | OtherModelChoice }) | Heading;

const otherWays = (): readonly ModelItem[] => [
  heading(iconText(t`Not on the list?`)),
  {
    label: iconText(t`Add Endpoint…`, 'add'),
    description: iconText(t`a server that speaks the OpenAI chat-completions format`),
    choice: 'addEndpoint',
    alwaysShow: true,
  },
  {
    label: iconText(t`Look Again`, 'refresh'),
    description: iconText(t`after a server was started, or an account signed in`),
    choice: 'lookAgain',
    alwaysShow: true,
  },
];

/** Lets the person choose a model while offers still arrive; Cancelled when they leave or `signal` is aborted. */
export async function pickModel(
  title: string,
  offers: Promise<readonly ModelOption[]>,
  preferred: string,
  signal?: AbortSignal,
): Promise<ModelOption | OtherModelChoice> {
  const pick = choiceList<ModelItem>();
  pick.title = plain(title);
  pick.placeholder = words`Looking for models …`;
  pick.matchOnDescription = true;
  pick.busy = true;
  // Listing takes a moment, during which a person may look elsewhere.
  pick.ignoreFocusOut = true;
  const accepted = new Promise<ModelOption | OtherModelChoice | undefined>((resolve) => {
    pick.onDidAccept(() => {
      const [selected] = pick.selectedItems;
      if (selected && 'choice' in selected) resolve(selected.choice);
    });
    pick.onDidHide(() => resolve(undefined));
  });
  pick.show();
  const leave = onAbort(signal, () => pick.hide());
  try {
    const found = await offers;
    pick.items = [...itemsFor(found, preferred), ...otherWays()];
    pick.placeholder = found.length === 0 ? nothing() : words`The model for agents that name none`;
    pick.busy = false;
    return chosen(await accepted);
  } finally {
    leave();
    pick.dispose();
  }
}

/** Groups offers by kind; the previous choice comes first, so that the Enter key takes it. */
function itemsFor(offers: readonly ModelOption[], preferred: string): ModelItem[] {
  const before = offers.filter(({ id }) => id === preferred);
  const groups = (Object.keys(kindWords) as Model['kind'][]).flatMap((kind) => {
    const members = offers.filter((offer) => offer.kind === kind && offer.id !== preferred);
    if (members.length === 0) return [];
    return [
      heading(iconText(inLanguage(kindWords[kind]))),
      ...members.map((offer) => itemFor(offer, preferred)),
    ];
  });
  return [...before.map((offer) => itemFor(offer, preferred)), ...groups];
}

function itemFor(offer: ModelOption, preferred: string): ModelItem {
  const label = iconText(offer.label, offer.id === preferred ? 'check' : undefined);
  return { label, description: iconText(offer.detail ?? offer.endpoint), choice: offer };
}
