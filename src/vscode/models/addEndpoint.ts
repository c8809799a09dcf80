import type { EndpointUrl } from '../../models/endpointUrl.js';
import { showInformation } from '../surfaces/notices.js';
import { askForText } from '../surfaces/pickers.js';
import { plain, words } from '../surfaces/plainText.js';
import { withProgress } from '../surfaces/progress.js';
import { changeSetting, setting } from '../settings.js';
import { chosen } from '../userError.js';
import { formatCount } from '../views/format.js';
import type { EndpointKeys } from './endpointKeys.js';

const TITLE = words`Add Endpoint`;

/**
 * Asks for an endpoint's address and key, and for the names of its models where it does not list them. Saves it in the
 * settings, and its key in the secret storage.
 */
export async function addEndpoint(keys: EndpointKeys): Promise<void> {
  const [{ parseEndpointUrl }, { listModels }] = await Promise.all([
    import('../../models/endpointUrl.js'),
    import('../../models/listModels.js'),
  ]);
  const typed = chosen(
    await askForText({
      title: TITLE,
      prompt: words`Address of a server that speaks the OpenAI chat-completions format`,
      placeHolder: words`https://api.openai.com/v1`,
      ignoreFocusOut: true,
      validateInput: (text) => {
        const parsed = parseEndpointUrl(text.trim());
        return typeof parsed === 'string' ? plain(parsed) : undefined;
      },
    }),
  ).trim();
  const url = parseEndpointUrl(typed);
  if (typeof url === 'string') return;
  const name = newName(url);
  const key = chosen(
    await askForText({
      title: TITLE,
      prompt: words`API key of ${name}, kept in the secret storage of VS Code; empty: it needs none`,
      password: true,
      ignoreFocusOut: true,
    }),
  ).trim();
  const list = await withProgress(words`Asking ${name} for its models`, (signal) =>
    listModels({ name, url }, { signal, key: key === '' ? undefined : key }),
  );
  const models = 'code' in list ? await askForModels(name, list.message) : undefined;
  if (key !== '') await keys.set(name, key);
  await changeSetting('endpoints', [
    ...setting('endpoints'),
    { name, url: typed, ...(models && { models }) },
  ]);
  void showInformation(
    words`${name} is added with ${formatCount((models ?? (list as readonly string[])).length, 'model')}.`,
  );
}

async function askForModels(name: string, problem: string): Promise<readonly string[]> {
  const typed = chosen(
    await askForText({
      title: TITLE,
      prompt: words`Names of its models, with commas between them. ${name} does not list them: ${problem}`,
      placeHolder: words`gpt-5, gpt-5-mini`,
      ignoreFocusOut: true,
      validateInput: (text) => (namesIn(text).length === 0 ? words`Name at least one model.` : undefined),
    }),
  );
  return namesIn(typed);
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** An unused name derived from the server's, like `openai` for api.openai.com. */
function newName({ base }: EndpointUrl): string {
  const host = new URL(base).hostname;
  const labels = host.split('.').filter((label) => !/^(www|api|\d+)$/.test(label));
  const name = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,50}$/u.exec(labels[0] ?? '')?.[0] ?? 'local';
  const taken = new Set(setting('endpoints').map((endpoint) => String(endpoint.name).toLowerCase()));
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if (!taken.has(candidate.toLowerCase())) return candidate;
  }
}
