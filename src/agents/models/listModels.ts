import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { systemClock } from '../../core/clock.js';
import { isObject } from '../../core/message.js';
import { messageOf, preview } from '../../core/text.js';
import { systemTimers, type Timers } from '../../core/timers.js';
import type { ModelFailure } from '../../core/ports/model.js';
import { type Endpoint, headersFor, addressOf } from './endpoint.js';
import { HttpExchange, refusalIn } from './httpExchange.js';
import { httpLimitKinds, type HttpLimits } from './httpLimits.js';
import { statusFailure } from './modelFailure.js';
import { parsedBody } from './providerError.js';

/** The ports on which the usual servers listen unless told otherwise; llama.cpp and vLLM share theirs with many. */
const usualPorts: readonly { readonly name: string; readonly port: number }[] = [
  { name: 'Ollama', port: 11434 },
  { name: 'LM Studio', port: 1234 },
  { name: 'llama.cpp', port: 8080 },
  { name: 'vLLM', port: 8000 },
  { name: 'LiteLLM', port: 4000 },
  { name: 'Jan', port: 1337 },
];

/** A model server on this machine. */
export interface LocalServer {
  readonly endpoint: Endpoint;
  readonly models: readonly string[];
  /** True where the server requires a key to list its models. */
  readonly needsKey: boolean;
}

/** How long a port is waited for, in milliseconds; a local server answers sooner. */
const PROBE_MS = 1_000;

/** Asks the usual ports of this machine, all at once, for their models. To be used only when a person asks for it. */
export async function findLocalServers(
  options: Pick<ListModelsOptions, 'signal' | 'timers'> = {},
  ports: typeof usualPorts = usualPorts,
): Promise<readonly LocalServer[]> {
  checkOptions(options, { signal: 'object', timers: 'object' }, 'findLocalServers');
  const limits = { connectMs: PROBE_MS, firstByteMs: PROBE_MS, idleMs: PROBE_MS, totalMs: 2 * PROBE_MS };
  const answers = await Promise.all(
    ports.map(async ({ name, port }) => {
      const endpoint: Endpoint = { name, url: { base: `http://127.0.0.1:${port}/v1`, query: {} } };
      const models = await listModels(endpoint, { ...options, limits });
      if (!('code' in models)) return models.length > 0 ? { endpoint, models, needsKey: false } : undefined;
      return models.code === 'auth' ? { endpoint, models: [], needsKey: true } : undefined;
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}

/** More models than a person can choose from. */
const MAX_MODELS = 2_000;

/** How much of an answer that is no list is told, in code points. */
const SHOWN = 80;

const LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  idleMs: 5_000,
  totalMs: 20_000,
  bodyBytes: 8 * 1024 * 1024,
};

/** How an endpoint is asked for its models. */
export interface ListModelsOptions {
  readonly key?: string | undefined;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<HttpLimits>;
  readonly timers?: Timers;
}

const listOptionKinds: KnownOptions<ListModelsOptions> = {
  key: 'text',
  signal: 'object',
  limits: 'object',
  timers: 'object',
};

/**
 * The names of the models that an endpoint offers, in its order; or why they cannot be listed. Rejects only with a TypeError
 * for an unknown option.
 */
export async function listModels(
  endpoint: Endpoint,
  options: ListModelsOptions = {},
): Promise<readonly string[] | ModelFailure> {
  checkOptions(options, listOptionKinds, 'listModels');
  checkOptions(options.limits ?? {}, httpLimitKinds, 'limits');
  const { key, signal, limits, timers = systemTimers } = options;
  const exchange = new HttpExchange({ ...LIMITS, ...limits }, timers);
  try {
    const response = await exchange.fetch(addressOf(endpoint.url, '/models'), {
      headers: { accept: 'application/json', ...headersFor(endpoint, key) },
      ...(signal && { signal }),
    });
    if (response.ok) return namesIn(await response.text());
    return statusFailure(response.status, await refusalIn(response), response.headers, systemClock.now());
  } catch (error) {
    if (exchange.failure) return exchange.failure;
    return {
      code: 'badResponse',
      message: `The list of models cannot be read: ${messageOf(error)}`,
      retryable: false,
    };
  }
}

/** OpenAI's list has `data` with `id`, Ollama's own has `models` with `name`. */
function namesIn(body: string): readonly string[] | ModelFailure {
  const value = parsedBody(body);
  const lists = isObject(value) ? [value.data, value.models] : [value];
  const list: readonly unknown[] | undefined = lists.find((one) => Array.isArray(one));
  if (!list) return noList(body);
  const names = list
    .slice(0, MAX_MODELS)
    .map((entry) => (isObject(entry) ? (entry.id ?? entry.name) : entry));
  return [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))];
}

/** What answers, but with something else, such as the page of a web site. */
function noList(body: string): ModelFailure {
  const said = body.trim() === '' ? 'nothing' : `“${preview(body.trim(), SHOWN)}”`;
  return {
    code: 'badResponse',
    message: `The answer is no list of models: ${said}.`,
    retryable: false,
  };
}

/** A model that stands for an endpoint which does not answer, and of which no model is known. */
interface DeadEndpoint {
  readonly id: '';
  readonly label: string;
  readonly endpoint: string;
  readonly kind: 'http';
  readonly problem: string;
  readonly open: () => Promise<never>;
}

/**
 * Models with why their endpoints do not answer, where they do not; an endpoint of which no model is known stands there as one
 * without an id. Each endpoint is asked once.
 */
export async function withDeadEndpoints<M extends { readonly endpoint: string }>(
  models: readonly M[],
  endpoints: readonly Endpoint[],
  keyOf: (name: string) => PromiseLike<string | undefined>,
): Promise<readonly (M | DeadEndpoint)[]> {
  const asked = endpoints.map(async (endpoint) => {
    const answer = await listModels(endpoint, { key: await keyOf(endpoint.name) });
    return 'code' in answer && answer.code === 'network' ? [[endpoint.name, answer.message] as const] : [];
  });
  const dead = new Map((await Promise.all(asked)).flat());
  const known = new Set(models.map(({ endpoint }) => endpoint));
  const marked = models.map((model) => {
    const problem = dead.get(model.endpoint);
    return problem === undefined ? model : { ...model, problem };
  });
  const unknown = [...dead].filter(([endpoint]) => !known.has(endpoint));
  return [
    ...marked,
    ...unknown.map(([endpoint, problem]): DeadEndpoint => ({
      id: '',
      label: endpoint,
      endpoint,
      kind: 'http',
      problem,
      open: () => Promise.reject(new Error(problem)),
    })),
  ];
}
