import type { EndpointUrl } from '../../models/endpointUrl.js';
import type { ModelFailure } from '../../ports/model.js';
import { showInformation } from '../surfaces/notices.js';
import { plain, words } from '../../app/text/plainText.js';
import { askTextStep, BACK } from '../surfaces/textSteps.js';
import { changeSetting, setting } from '../settings.js';
import { chosen } from '../../app/userError.js';
import { formatCount } from '../../app/text/format.js';
import { addressProblem, keyProblem } from '../../app/models/endpointProblems.js';
import type { EndpointKeys } from '../../app/models/endpointKeys.js';

const TITLE = words`Add Endpoint`;

/** What was answered so far; a person can go back and change each. */
interface Answers {
  url: string;
  key: string;
  models: string;
}

/** What the endpoint answered to the latest test. */
type Listed = readonly string[] | ModelFailure | undefined;

/**
 * Asks for an endpoint's address and key, and for the names of its models where it does not list them. Each is tested
 * when it is entered, and can be gone back to. Saves the endpoint in the settings, its key in the secret storage.
 */
export async function addEndpoint(keys: EndpointKeys): Promise<void> {
  const [{ parseEndpointUrl }, { listModels }] = await Promise.all([
    import('../../models/endpointUrl.js'),
    import('../../models/listModels.js'),
  ]);
  const answers: Answers = { url: '', key: '', models: '' };
  let listed: Listed;
  const list = async (key: string, signal: AbortSignal) => {
    const url = parseEndpointUrl(answers.url);
    if (typeof url === 'string') return undefined;
    listed = await listModels({ name: newName(url), url }, { signal, key: key === '' ? undefined : key });
    return listed;
  };
  const steps = [
    () =>
      askTextStep({
        ...{ title: TITLE, step: 1, totalSteps: 3, value: answers.url },
        prompt: words`Address of a server that speaks the OpenAI chat-completions format`,
        placeHolder: words`https://api.openai.com/v1`,
        validate: (text) => {
          const parsed = parseEndpointUrl(text);
          return typeof parsed === 'string' ? plain(parsed) : undefined;
        },
        test: async (text, signal) => {
          answers.url = text;
          return addressProblem(await list('', signal));
        },
      }),
    () =>
      askTextStep({
        ...{ title: TITLE, step: 2, totalSteps: 3, value: answers.key, password: true },
        prompt: words`API key of ${nameAt(answers.url)}, kept in the secret storage of VS Code; empty: it needs none`,
        test: async (text, signal) => keyProblem(await list(text, signal), text),
      }),
    () => askForModels(answers.models, listed),
  ];
  const fields = ['url', 'key', 'models'] as const;
  for (let at = 0; at < steps.length;) {
    const field = fields[at];
    if (field === 'models' && Array.isArray(listed) && listed.length > 0) break;
    const answer = chosen(await steps[at]?.());
    if (answer === BACK) at--;
    else if (field !== undefined) {
      answers[field] = answer;
      at++;
    }
  }
  await save(keys, answers, parseEndpointUrl(answers.url), listed);
}

async function save(
  keys: EndpointKeys,
  { url: typed, key, models: named }: Answers,
  url: EndpointUrl | string,
  listed: Listed,
): Promise<void> {
  if (typeof url === 'string') return;
  const name = newName(url);
  const known = Array.isArray(listed) ? (listed as readonly string[]) : [];
  const models = known.length > 0 ? undefined : namesIn(named);
  if (key !== '') await keys.set(name, key);
  await changeSetting('endpoints', [
    ...setting('endpoints'),
    { name, url: typed, ...(models && { models }) },
  ]);
  void showInformation(words`${name} is added with ${formatCount((models ?? known).length, 'model')}.`);
}

async function askForModels(value: string, listed: Listed) {
  const why = listed && 'code' in listed ? `: ${listed.message}` : '.';
  return askTextStep({
    ...{ title: TITLE, step: 3, totalSteps: 3, value },
    prompt: words`Names of its models, with commas between them. The server does not list them${why}`,
    placeHolder: words`gpt-5, gpt-5-mini`,
    validate: (text) => (namesIn(text).length === 0 ? words`Name at least one model.` : undefined),
  });
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The name that the endpoint at an address will have. */
function nameAt(address: string): string {
  return URL.canParse(address) ? newName({ base: address }) : address;
}

/** An unused name derived from the server's, like `openai` for api.openai.com. */
function newName({ base }: Pick<EndpointUrl, 'base'>): string {
  const host = new URL(base).hostname;
  const labels = host.split('.').filter((label) => !/^(www|api|\d+)$/.test(label));
  const name = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,50}$/u.exec(labels[0] ?? '')?.[0] ?? 'local';
  const taken = new Set(setting('endpoints').map((endpoint) => String(endpoint.name).toLowerCase()));
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if (!taken.has(candidate.toLowerCase())) return candidate;
  }
}
