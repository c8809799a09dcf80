import { t } from '../../../core/l10n.js';
import type { EndpointUrl } from '../../../agents/models/endpoint.js';
import type { ModelFailure } from '../../../core/ports/model.js';
import { showInformation } from '../ui/notices.js';
import { plain, words, type PlainText } from '../../../app/text/plainText.js';
import { askTextStep, BACK } from '../ui/textSteps.js';
import { changeSetting, setting } from '../settings.js';
import { chosen, UserError } from '../../../app/userError.js';
import type { EndpointSetting } from '../../../app/manifest.js';
import { formatCount } from '../../../app/text/format.js';
import { addressProblem, keyProblem } from '../../../app/models/endpointProblems.js';
import type { EndpointKeys } from '../../../app/models/endpointOptions.js';
import { features } from '../../../app/features/features.js';

/** What was answered so far; a person can go back and change each. */
interface Answers {
  url: string;
  key: string;
  models: string;
}

/** What the endpoint answered to the latest test. */
type Listed = readonly string[] | ModelFailure | undefined;

/** What is asked, and for which endpoint; one that is new has no name yet. */
interface Asking {
  readonly title: PlainText;
  readonly answers: Answers;
  readonly existing: EndpointSetting | undefined;
}

/**
 * Asks for an endpoint's address and key, and for the names of its models where it does not list them. Each is tested
 * when it is entered, and can be gone back to. Saves the endpoint in the settings, its key in the secret storage.
 */
export async function addEndpoint(keys: EndpointKeys): Promise<void> {
  const answers = { url: '', key: '', models: '' };
  await askForEndpoint(keys, { title: words`Add Endpoint`, answers, existing: undefined });
}

/** Asks the same for an endpoint of the settings, with what it has now to be changed; the rest of it stays. */
export async function editEndpoint(keys: EndpointKeys, name: string): Promise<void> {
  const existing = setting('endpoints').find((endpoint) => endpoint.name === name);
  if (!existing) throw new UserError(t`There is no endpoint named ${name} any more.`);
  const { url, models } = existing;
  const answers = {
    url: typeof url === 'string' ? url : '',
    key: (await keys.get(name)) ?? '',
    models: Array.isArray(models) ? models.join(', ') : '',
  };
  await askForEndpoint(keys, { title: words`Edit Endpoint ${name}`, answers, existing });
}

/** Asks for the key of an endpoint, and tries it there; a second Enter keeps one that is refused. */
export async function askForKey(name: string): Promise<string> {
  const { listModels, parseEndpoints } = await features.run();
  const existing = setting('endpoints').find((endpoint) => endpoint.name === name);
  const [endpoint] = existing ? parseEndpoints([existing]).endpoints : [];
  const answer = await askTextStep({
    title: words`API key of ${name}`,
    value: '',
    password: true,
    prompt: words`Tried at once; kept in the secret storage of VS Code, never in settings or transcripts`,
    test: async (text, signal) =>
      endpoint &&
      keyProblem(await listModels(endpoint, { signal, key: text === '' ? undefined : text }), text),
  });
  return chosen(answer === BACK ? undefined : answer);
}

async function askForEndpoint(keys: EndpointKeys, { title, answers, existing }: Asking): Promise<void> {
  const { listModels, parseEndpoints, parseEndpointUrl } = await features.run();
  // A key is never shown to a server that it was not entered for.
  let keyIsFor = answers.url;
  const [known] = existing ? parseEndpoints([existing]).endpoints : [];
  let listed: Listed;
  const list = async (key: string, signal: AbortSignal) => {
    const url = parseEndpointUrl(answers.url);
    if (typeof url === 'string') return undefined;
    const endpoint = { ...known, name: known?.name ?? newName(url), url };
    listed = await listModels(endpoint, { signal, key: key === '' ? undefined : key });
    return listed;
  };
  const steps = [
    () =>
      askTextStep({
        title,
        step: 1,
        totalSteps: 3,
        value: answers.url,
        prompt: words`Address of a server that speaks the OpenAI chat-completions format`,
        placeHolder: words`https://api.openai.com/v1`,
        validate: (text) => {
          const parsed = parseEndpointUrl(text);
          return typeof parsed === 'string' ? plain(parsed) : undefined;
        },
        test: async (text, signal) => {
          answers.url = text;
          if (!isSameServer(text, keyIsFor)) answers.key = '';
          const twin = existing ? undefined : endpointAt(text, parseEndpointUrl);
          if (twin !== undefined)
            return words`${twin} has this address already: Edit Endpoint… changes it. Press Enter again to add it twice.`;
          return addressProblem(await list('', signal), baseOf(parseEndpointUrl(text)));
        },
      }),
    () =>
      askTextStep({
        title,
        step: 2,
        totalSteps: 3,
        value: answers.key,
        password: true,
        prompt: words`API key of ${nameOf(existing) ?? nameAt(answers.url)}, kept in the secret storage of VS Code; empty: it needs none`,
        test: async (text, signal) => keyProblem(await list(text, signal), text),
      }),
    () => askForModels(title, answers.models, listed),
  ];
  const fields = ['url', 'key', 'models'] as const;
  for (let at = 0; at < steps.length;) {
    const field = fields[at];
    if (field === 'models' && Array.isArray(listed) && listed.length > 0 && answers.models === '') break;
    const answer = chosen(await steps[at]?.());
    if (answer === BACK) at--;
    else if (field !== undefined) {
      answers[field] = answer;
      if (field === 'key') keyIsFor = answers.url;
      at++;
    }
  }
  await save(keys, { title, answers, existing }, parseEndpointUrl(answers.url), listed);
}

async function save(
  keys: EndpointKeys,
  { answers, existing }: Asking,
  url: EndpointUrl | string,
  listed: Listed,
): Promise<void> {
  if (typeof url === 'string') return;
  const name = nameOf(existing) ?? newName(url);
  const known = Array.isArray(listed) ? (listed as readonly string[]) : [];
  const named = namesIn(answers.models);
  const endpoint: Record<string, unknown> = { ...existing, name, url: answers.url, models: named };
  if (named.length === 0) delete endpoint.models;
  if (answers.key !== '') await keys.set(name, answers.key);
  else if (existing) await keys.remove(name);
  const others = setting('endpoints');
  const kept = existing
    ? others.map((other) => (other.name === name ? endpoint : other))
    : [...others, endpoint];
  await changeSetting('endpoints', kept);
  const count = formatCount((named.length > 0 ? named : known).length, 'model');
  void showInformation(words`${name} is ${existing ? 'changed' : 'added'}, with ${count}.`);
}

/** The name of the endpoint of the settings that has this address; undefined where none has it. */
function endpointAt(address: string, parse: (text: string) => EndpointUrl | string): string | undefined {
  const base = baseOf(parse(address));
  const twin = setting('endpoints').find(({ url }) => typeof url === 'string' && baseOf(parse(url)) === base);
  return nameOf(twin);
}

function nameOf(endpoint: EndpointSetting | undefined): string | undefined {
  return typeof endpoint?.name === 'string' ? endpoint.name : undefined;
}

/** The base of an address; '' where it is none. */
function baseOf(url: EndpointUrl | string): string {
  return typeof url === 'string' ? '' : url.base;
}

function isSameServer(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

async function askForModels(title: PlainText, value: string, listed: Listed) {
  const why = listed && 'code' in listed ? `: ${listed.message}` : '.';
  const isListed = Array.isArray(listed) && listed.length > 0;
  const names = words`Names of its models, with commas between them`;
  return askTextStep({
    title,
    step: 3,
    totalSteps: 3,
    value,
    prompt: isListed
      ? words`${names}; empty: all that the server lists`
      : words`${names}. The server does not list them${why}`,
    placeHolder: words`gpt-5, gpt-5-mini`,
    validate: (text) =>
      !isListed && namesIn(text).length === 0 ? words`Name at least one model.` : undefined,
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
