import { commands } from 'vscode';
import { message, t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import { EndpointEntries, type EndpointEntry } from '../../../app/models/endpointEntries.js';
import type { ModelCatalog } from '../../../app/models/modelCatalog.js';
import { commandName } from '../../../app/manifest.js';
import { confirm, showInformation } from '../ui/notices.js';
import { choose, heading, type Choice } from '../ui/pickers.js';
import { formatCount } from '../../../app/text/format.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import type { ChatPlatform, ChatConnectors } from '../../../app/chat/chatConnectors.js';

/** The commands about models and the keys of their endpoints. */
export function modelCommands(models: ModelCatalog) {
  const entries = new EndpointEntries(models);
  const chooseEntry = async (title: string) => chooseAmong(title, await entries.all());
  const chooseEndpoint = async (title: string): Promise<string> => {
    const valid = (await entries.all()).filter(({ problem }) => problem === '');
    return (await chooseAmong(title, valid)).name;
  };
  const handlers = {
    selectModel: () => models.choose(),

    addEndpoint: () => models.addEndpoint(),

    editEndpoint: async () => models.editEndpoint(await chooseEndpoint(t`Edit Endpoint`)),

    async setEndpointKey(argument?: unknown) {
      const given = isObject(argument) ? argument : {};
      const endpoint =
        typeof given.endpoint === 'string' ? given.endpoint : await chooseEndpoint(t`Set API Key`);
      const typed = typeof given.key === 'string' ? given.key : await models.askForKey(endpoint);
      await models.keys.set(endpoint, typed.trim());
      void tellKept(endpoint, given.retry);
    },

    async removeEndpoint(argument?: unknown) {
      const given = isObject(argument) ? argument.endpoint : undefined;
      if (typeof given === 'string') {
        await entries.removeNamed(given);
        void showInformation(words`${given} is removed.`);
        return;
      }
      const entry = await chooseEntry(t`Remove Endpoint`);
      const question = words`Remove the endpoint ${entry.name}?`;
      const detail = words`Its address goes from the settings and its key from the secret storage. What is recorded stays.`;
      if (!(await confirm(question, detail, t`Remove`))) return;
      await entries.remove(entry);
      void showInformation(words`${entry.name} is removed.`);
    },

    async clearEndpointKey() {
      const endpoint = await chooseEndpoint(t`Remove API Key`);
      await models.keys.remove(endpoint);
      await showInformation(words`The key of ${endpoint} is removed.`);
    },
  };
  return {
    ...handlers,

    async manageEndpoints() {
      const ways = [
        { label: iconText(t`Add Endpoint…`, 'add'), run: () => handlers.addEndpoint() },
        { label: iconText(t`Edit Endpoint…`, 'edit'), run: () => handlers.editEndpoint() },
        { label: iconText(t`Set API Key…`, 'key'), run: () => handlers.setEndpointKey() },
        { label: iconText(t`Remove API Key…`, 'circle-slash'), run: () => handlers.clearEndpointKey() },
        { label: iconText(t`Remove Endpoint…`, 'trash'), run: () => handlers.removeEndpoint() },
      ];
      const { length } = await entries.all();
      const title = words`Manage Endpoints`;
      const placeHolder = words`${formatCount(length, 'endpoint')} set up`;
      await chosen(await choose(length > 0 ? ways : ways.slice(0, 1), { title, placeHolder })).run();
    },
  };
}

/** Tells that a key is kept; where a run had failed for it, it can be begun again. */
async function tellKept(endpoint: string, retry: unknown): Promise<void> {
  const told = words`The key of ${endpoint} is kept.`;
  const again = t`Retry`;
  const pressed = await (isObject(retry) ? showInformation(told, again) : showInformation(told));
  if (pressed === again) await commands.executeCommand(commandName('continueConversation'), retry);
}

/** Asks for one of these endpoints; those that cannot be used say why. */
async function chooseAmong(title: string, entries: readonly EndpointEntry[]): Promise<EndpointEntry> {
  if (entries.length > 0) {
    const items = entries.map((entry) => ({
      label: iconText(entry.name),
      entry,
      description: iconText(entry.problem === '' ? '' : t`not valid: ${entry.problem}`),
    }));
    const options = { title: plain(title), placeHolder: words`Which endpoint?` };
    return chosen(await choose(items, options)).entry;
  }
  const recovery = { label: message`Add Endpoint…`, command: commandName('addEndpoint') };
  throw new UserError(t`No endpoint is set up yet.`, recovery);
}

/** The commands about chat platforms. */
export function chatCommands(connectors: ChatConnectors) {
  return {
    ...connectors.commands(),

    /** One list for all platforms: what is on can be stopped, what is off started; tokens are asked for when they are needed. */
    async connectChat() {
      const ways = (await connectors.platforms()).flatMap(waysOf);
      const options = {
        title: words`Connect Chat Platform`,
        placeHolder: words`Agents answer there while it is on`,
      };
      const way = chosen(await choose(ways, options));
      if ('run' in way) await way.run();
    },
  };
}

type Way = Choice & { readonly run: () => Promise<void> };

function waysOf({ name, isOn, hasToken, start, stop, setToken }: ChatPlatform) {
  const ways: readonly Way[] = [
    isOn
      ? { label: iconText(t`Stop ${name}`, 'debug-stop'), run: stop }
      : {
          label: iconText(t`Start ${name}`, 'broadcast'),
          description: iconText(hasToken ? '' : t`asks for a token`),
          run: start,
        },
    ...(hasToken ? [{ label: iconText(t`Change Token of ${name}…`, 'key'), run: setToken }] : []),
  ];
  return [heading(iconText(name)), ...ways];
}
