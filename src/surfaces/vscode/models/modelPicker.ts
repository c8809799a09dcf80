import * as vscode from 'vscode';
import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import { onAbort } from '../../../core/abort.js';
import type { Model } from '../../../core/ports/model.js';
import { choiceList, heading, type Choice, type Heading } from '../ui/pickers.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { chosen } from '../../../app/userError.js';
import type { ModelOption, OtherModelChoice } from '../../../app/models/endpointOptions.js';
import type { ModelHost } from '../../../app/models/modelCatalog.js';
import type * as endpointDialogs from './addEndpoint.js';
import type * as modelsOfEditor from './editorModels.js';
import type { Log } from '../../../core/ports/log.js';
import { editorSettings } from '../settings.js';
import { messageOf } from '../../../core/text.js';
import { scriptOption } from '../../../app/models/scriptOption.js';

/** The script files of a workspace, which its agents use while no model is chosen. */
const SCRIPTS = '{*.script.yaml,*.script.yml,*.script.json,.github/agents/*.script.yaml}';
const MAX_SCRIPTS = 20;

/** The scripts of the workspace, by name; one that cannot be read is logged with its error and place. */
async function scriptOptions(log: Log): Promise<readonly ModelOption[]> {
  const files = await vscode.workspace.findFiles(SCRIPTS, undefined, MAX_SCRIPTS);
  const offers = await Promise.all(
    files.sort((a, b) => a.path.localeCompare(b.path)).map((file) => optionIn(file, log)),
  );
  return offers.filter((offer) => offer !== undefined);
}

async function optionIn(file: vscode.Uri, log: Log): Promise<ModelOption | undefined> {
  const path = vscode.workspace.asRelativePath(file);
  const text = await vscode.workspace.fs.readFile(file).then(
    (bytes) => new TextDecoder().decode(bytes),
    (error: unknown) => {
      log.error(`${path} could not be read: ${messageOf(error)}`);
      return undefined;
    },
  );
  return text === undefined ? undefined : scriptOption(path, text, log);
}

/** What is loaded when it is first needed. */
interface LateModelOptions {
  readonly dialogs: () => Promise<Pick<typeof endpointDialogs, 'addEndpoint' | 'editEndpoint' | 'askForKey'>>;
  readonly models: () => Promise<Pick<typeof modelsOfEditor, 'editorModels'>>;
}

/** What this window offers: the scripts of its workspace, the models of VS Code, and its dialogs. */
export function modelHost(
  secrets: vscode.SecretStorage,
  log: Log,
  { dialogs, models }: LateModelOptions,
): ModelHost {
  return {
    settings: editorSettings,
    secrets,
    log,
    scripts: () => scriptOptions(log),
    editorModels: async () => (await models()).editorModels(),
    pickModel,
    addEndpoint: async (keys) => (await dialogs()).addEndpoint(keys),
    editEndpoint: async (keys, name) => (await dialogs()).editEndpoint(keys, name),
    askForKey: async (name) => (await dialogs()).askForKey(name),
  };
}

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
    pick.items = [...itemsFor(found, preferred), ...waysToEdit(found), ...otherWays()];
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
  const before = offers.filter(({ id }) => id === preferred && id !== '');
  const groups = (Object.keys(kindWords) as Model['kind'][]).flatMap((kind) => {
    const members = offers.filter(
      (offer) => offer.kind === kind && offer.id !== '' && offer.id !== preferred,
    );
    if (members.length === 0) return [];
    return [
      heading(iconText(inLanguage(kindWords[kind]))),
      ...members.map((offer) => itemFor(offer, preferred)),
    ];
  });
  return [...before.map((offer) => itemFor(offer, preferred)), ...groups];
}

function itemFor(offer: ModelOption, preferred: string): ModelItem {
  const isDead = offer.problem !== undefined;
  const label = iconText(offer.label, isDead ? 'warning' : offer.id === preferred ? 'check' : undefined);
  const where = offer.detail ?? offer.endpoint;
  return {
    label,
    description: iconText(isDead ? t`${where}, which does not answer` : where),
    choice: offer,
  };
}

/** What can be done about endpoints that do not answer. */
function waysToEdit(offers: readonly ModelOption[]): ModelItem[] {
  const dead = new Map(
    offers.flatMap(({ endpoint, problem }) => (problem === undefined ? [] : [[endpoint, problem] as const])),
  );
  if (dead.size === 0) return [];
  return [
    heading(iconText(t`Endpoints that do not answer`)),
    ...[...dead].map(([endpoint, problem]) => ({
      label: iconText(t`Edit Endpoint ${endpoint}…`, 'edit'),
      description: iconText(problem),
      choice: { edit: endpoint },
      alwaysShow: true,
    })),
  ];
}
