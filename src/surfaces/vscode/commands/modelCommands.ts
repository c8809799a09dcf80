import { message, t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import type { EndpointEntry, ModelCatalog } from '../../../app/models/modelCatalog.js';
import { commandName } from '../../../app/manifest.js';
import { confirm, showInformation } from '../ui/notices.js';
import { askForText, choose } from '../ui/pickers.js';
import { formatCount } from '../../../app/text/format.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';

/** The commands about models and the keys of their endpoints. */
export function modelCommands(models: ModelCatalog) {
  const chooseEntry = async (title: string) => chooseAmong(title, await models.endpointEntries());
  const chooseEndpoint = async (title: string): Promise<string> => {
    const valid = (await models.endpointEntries()).filter(({ problem }) => problem === '');
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
      const typed =
        typeof given.key === 'string'
          ? given.key
          : chosen(
              await askForText({
                title: words`API key of ${endpoint}`,
                prompt: words`Kept in the secret storage of VS Code, never in settings or transcripts`,
                password: true,
                ignoreFocusOut: true,
              }),
            );
      await models.keys.set(endpoint, typed.trim());
      void showInformation(words`The key of ${endpoint} is kept.`);
    },

    async removeEndpoint(argument?: unknown) {
      const given = isObject(argument) ? argument.endpoint : undefined;
      if (typeof given === 'string') {
        await models.removeEndpoint(given);
        void showInformation(words`${given} is removed.`);
        return;
      }
      const entry = await chooseEntry(t`Remove Endpoint`);
      const question = words`Remove the endpoint ${entry.name}?`;
      const detail = words`Its address goes from the settings and its key from the secret storage. What is recorded stays.`;
      if (!(await confirm(question, detail, t`Remove`))) return;
      await models.removeEntry(entry);
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
      const { length } = await models.endpointEntries();
      const title = words`Manage Endpoints`;
      const placeHolder = words`${formatCount(length, 'endpoint')} set up`;
      await chosen(await choose(length > 0 ? ways : ways.slice(0, 1), { title, placeHolder })).run();
    },
  };
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
