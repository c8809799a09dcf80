import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { systemClock } from '../../core/clock.js';
import { isObject } from '../../core/message.js';
import { messageOf, preview } from '../../core/text.js';
import { systemTimers, type Timers } from '../../core/timers.js';
import type { ModelFailure } from '../../core/ports/model.js';
import type { Endpoint } from './endpoint.js';
import { headersFor } from './endpointHeaders.js';
import { addressOf } from './endpointUrl.js';
import { HttpExchange, refusalIn } from './httpExchange.js';
import { httpLimitKinds, type HttpLimits } from './httpLimits.js';
import { statusFailure } from './modelFailure.js';
import { parsedBody } from './providerError.js';

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
