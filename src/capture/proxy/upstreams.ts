import { Refusal } from '../servers/refusal.js';

/** The wire formats that are recorded, each with where its requests go if nobody says otherwise. */
export const PROVIDERS = {
  openai: { variable: 'OPENAI_BASE_URL', usual: 'https://api.openai.com/v1' },
  anthropic: { variable: 'ANTHROPIC_BASE_URL', usual: 'https://api.anthropic.com' },
  ollama: { variable: 'OLLAMA_HOST', usual: 'http://127.0.0.1:11434' },
} as const;

/** A wire format, which is the first part of the path of what is sent to the proxy. */
export type ProviderName = keyof typeof PROVIDERS;

/** The base address of each wire format's model API. */
export type Upstreams = Readonly<Record<ProviderName, URL>>;

/** Variables of an environment, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where requests go: to the address that the person's own environment has, else to what their settings say, else to the
 * provider. Throws an `Error` for a person where one is no address of the web.
 */
export function upstreamsOf(
  environment: Environment,
  settings: Partial<Record<ProviderName, string>>,
): Upstreams {
  const of = (name: ProviderName): URL => {
    const { variable, usual } = PROVIDERS[name];
    const own = environment[variable] ?? '';
    const [told, from] = given(own)
      ? [own, variable]
      : [given(settings[name]) ? (settings[name] ?? '') : usual, `the setting for ${name}`];
    const said = name === 'ollama' ? ollamaAddress(told.trim()) : told;
    const address = URL.canParse(said) ? new URL(said) : undefined;
    // What holds a name and a password is not shown, as it may be in a log.
    if (address ? address.username !== '' || address.password !== '' : said.includes('@'))
      throw new Error(
        `The address in ${from} holds a user name or a password, which are not taken over. Leave them out: programs send their keys themselves.`,
      );
    if (!address || !['http:', 'https:'].includes(address.protocol))
      throw new Error(
        `${JSON.stringify(said.split(/[?#]/, 1)[0])} in ${from} is no address of a model API, like https://api.example.com/v1.`,
      );
    return address;
  };
  return { openai: of('openai'), anthropic: of('anthropic'), ollama: of('ollama') };
}

/** What Ollama is told with less than an address: a host, a port, or where its server listens. */
function ollamaAddress(said: string): string {
  if (/^\w+:\/\//.test(said)) return said;
  if (said === 'ollama.com') return `https://${said}`;
  const [, host = '', port = ':11434', path = ''] = /^(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)?$/.exec(said) ?? [
    '',
    said,
  ];
  const isAnywhere = host === '' || host === '0.0.0.0' || host === '[::]';
  return `http://${isAnywhere ? '127.0.0.1' : host}${port}${path}`;
}

function given(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}

/** The variables that send a program's requests through a proxy at this address. */
export function environmentFor(address: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(PROVIDERS).map(([name, { variable }]) => [variable, `${address}/${name}`]),
  );
}

/** Where a request goes on to. */
export interface Route {
  readonly provider: ProviderName;
  readonly target: URL;
}

/** Where a path of the proxy leads. Throws a `Refusal` for one that leads nowhere, or out of the provider's address. */
export function routeOf(path: string, upstreams: Upstreams): Route {
  const [, name = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(path) ?? [];
  if (!isProvider(name))
    throw new Refusal(
      404,
      `Nothing is recorded under this path. Use /${Object.keys(PROVIDERS).join(' or /')}.`,
    );
  const base = upstreams[name];
  const folder = base.pathname.replace(/\/+$/, '');
  const target = URL.canParse(`${base.origin}${folder}${rest}`)
    ? new URL(`${base.origin}${folder}${rest}`)
    : base;
  const isWithin = target.pathname === folder || target.pathname.startsWith(`${folder}/`);
  if (target.origin !== base.origin || !isWithin)
    throw new Refusal(400, 'The path leads out of the address that it belongs to.');
  // What the address asks of every request, such as the version of an API.
  for (const [key, value] of base.searchParams)
    if (!target.searchParams.has(key)) target.searchParams.append(key, value);
  return { provider: name, target };
}

function isProvider(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}
