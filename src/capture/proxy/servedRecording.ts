import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canonicalJson } from '../../core/canonicalJson.js';
import { addTo } from '../../core/lists.js';
import { isObject } from '../../core/message.js';
import { repeatedPartsOf, withRepeatedParts } from '../../core/repeatedParts.js';
import { firstCodePoints, messageOf } from '../../core/text.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { Redactor } from '../../export/secrets/redact.js';
import { requireLoopback } from '../servers/loopbackGuard.js';
import { LoopbackServer } from '../servers/loopbackServer.js';
import { Refusal } from '../servers/refusal.js';
import { BodyBudget, readBody } from '../servers/requestBody.js';
import { EchoedKeys, keysOf } from './echoedKeys.js';
import { MAX_COPY } from './exchanges.js';
import { refuseInJson } from './passOn.js';
import { ASKED } from './recordingProxy.js';
import { withoutKeys } from './withoutKeys.js';

/**
 * The version of the rules by which requests of programs are alike:
 *
 * 1. ids of calls and of earlier answers count by the order in which they come; the order of tools, marks for caches, names of users
 *    and of caches, Claude Code's block for billing, and the day in a line of instructions that tells the date do not count; keys
 *    that are not recorded are alike. Everything else counts.
 */
export const SERVED_RULES = 1;

/** What of a request says who asks, or is for a cache, and changes from request to request. */
const UNCOUNTED: ReadonlySet<string> = new Set([
  'cache_control',
  'client_request_id',
  'prompt_cache_key',
  'safety_identifier',
  'user_id',
]);
const IDS: ReadonlySet<string> = new Set([
  'id',
  'call_id',
  'item_id',
  'tool_call_id',
  'tool_use_id',
  'previous_response_id',
]);
const BILLING = 'x-anthropic-billing-header:';
const DAY = /(\bdate\b[^\n\d]{0,40})\d{4}-\d\d-\d\d/gi;

/** A recorded request with its answer. */
interface Exchange {
  readonly number: number;
  /** When it was sent, and which it was then. */
  readonly time: number;
  readonly name: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  status: number;
  /** JSON, or the text as it came; undefined where no answer was recorded. */
  response: unknown;
}

/** So many refusals are kept, in words; a program that asks for ever must not fill the memory. */
const MAX_REFUSED = 10_000;

/** What was served so far. */
export interface Served {
  readonly served: number;
  /** Why requests were refused, in words. */
  readonly refused: readonly string[];
  /** The numbers of the recorded requests that nobody has sent. */
  readonly unserved: readonly number[];
}

/** Answers requests as a recording has them, each answer once and in their order; every other request is refused. */
export class ServedRecording {
  readonly #exchanges: readonly Exchange[];
  readonly #waiting = new Map<string, Exchange[]>();
  readonly #budget = new BodyBudget(4 * MAX_COPY);
  readonly #refused: string[] = [];
  readonly #keys = new EchoedKeys();
  readonly #onRefused: (words: string) => void;
  #served = 0;
  #server: LoopbackServer | undefined;

  private constructor(exchanges: readonly Exchange[], onRefused: (words: string) => void) {
    this.#onRefused = onRefused;
    this.#exchanges = exchanges;
    for (const exchange of exchanges) addTo(this.#waiting, exchange.key, exchange);
  }

  /**
   * Serves recordings, each the text of a file. Rejects with words where they hold no request with an answer, or the port
   * cannot be had. `onRefused` hears, in words, why a request was refused.
   */
  static async listen(
    recordings: readonly string[],
    port = 0,
    onRefused: (words: string) => void = () => undefined,
  ): Promise<ServedRecording> {
    const exchanges = recordings
      .flatMap((text) => exchangesIn(text.split('\n')))
      .sort((a, b) => a.time - b.time || Number(a.name) - Number(b.name))
      .map((exchange, at) => ({ ...exchange, number: at + 1 }));
    if (exchanges.length === 0) throw new Error('There is no request with an answer in this recording.');
    const serving = new ServedRecording(exchanges, onRefused);
    serving.#server = await LoopbackServer.listen({
      port,
      maxConnections: 64,
      answer: (request, response) => serving.#answer(request, response),
      onError: (error) => serving.#refuse(messageOf(error)),
    });
    return serving;
  }

  /** Where it answers, without a path. */
  get address(): string {
    return this.#server?.address ?? '';
  }

  get state(): Served {
    const unserved = [...this.#waiting.values()].flat().map(({ number }) => number);
    return {
      served: this.#served,
      refused: this.#refused,
      unserved: unserved.sort((a, b) => a - b),
    };
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      requireLoopback(request);
      const exchange = await this.#found(request);
      await answerWith(response, exchange);
      this.#served++;
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(422, messageOf(error));
      this.#refuse(refusal.message);
      if (response.headersSent) response.destroy();
      else
        refuseInJson(request, response, {
          status: refusal.status,
          message: refusal.message,
          // Clients would send it again, and again.
          headers: { ...refusal.headers, 'x-should-retry': 'false' },
        });
    }
  }

  #refuse(words: string): void {
    if (this.#refused.length < MAX_REFUSED) this.#refused.push(words);
    this.#onRefused(words);
  }

  async #found(request: IncomingMessage): Promise<Exchange> {
    const path = pathOf(request.url ?? '');
    if (path === undefined)
      throw new Refusal(404, `${request.url ?? ''} asks no model; only what was recorded is answered.`);
    const sent = await readBody(request, { maxBytes: MAX_COPY, budget: this.#budget });
    let body: unknown;
    try {
      // As it was recorded: its own key may stand in what a program asks.
      this.#keys.add(keysOf(request.headers, request.url ?? ''));
      body = this.#keys.withoutOwn(withoutKeys(JSON.parse(sent.bytes.toString('utf8'))).value).value;
    } catch {
      throw new Refusal(400, 'The request is no JSON.');
    } finally {
      sent.free();
    }
    if (!isObject(body)) throw new Refusal(400, 'The request is no JSON object.');
    const key = keyOf(path, body);
    const queue = this.#waiting.get(key) ?? [];
    const exchange = queue.shift();
    if (queue.length === 0) this.#waiting.delete(key);
    if (exchange) return exchange;
    throw new Refusal(422, this.#difference(path, body, key));
  }

  /** Why a request is not in the recording: what it is nearest to, and where it is another. */
  #difference(path: string, body: Readonly<Record<string, unknown>>, key: string): string {
    const again = this.#exchanges.find((each) => each.key === key);
    if (again)
      return `Request ${again.number} of the recording was sent once more than it was recorded; its answers are all given.`;
    const asked = normalised(body);
    let nearest: { readonly number: number; readonly recorded: unknown; readonly alike: number } | undefined;
    for (const { number, path: of, body: sent } of [...this.#waiting.values()].flat()) {
      if (of !== path) continue;
      const recorded = normalised(sent);
      const alike = alikeAtStart(recorded, asked);
      if (!nearest || alike > nearest.alike) nearest = { number, recorded, alike };
    }
    if (!nearest) return `Nothing that is left in the recording was asked at ${path}.`;
    const at = firstDifference('', nearest.recorded, asked) ?? '';
    return `This is not in the recording. Request ${nearest.number} is nearest to it; ${at}`;
  }
}

function pathOf(url: string): string | undefined {
  const [path = ''] = url.split('?');
  return ASKED.exec(path)?.[0].replace(/\/+$/, '');
}

function keyOf(path: string, body: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(canonicalJson({ rules: SERVED_RULES, path, body: normalised(body) }))
    .digest('hex');
}

/** A request without what does not count, see `SERVED_RULES`. */
function normalised(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const ids = new Map<string, string>();
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return (value as unknown[]).filter((each) => !isBilling(each)).map(visit);
    if (!isObject(value)) return typeof value === 'string' ? value.replace(DAY, '$1<date>') : value;
    const clean: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(value)) {
      if (UNCOUNTED.has(name) || name === '__proto__') continue;
      if (IDS.has(name) && typeof each === 'string') {
        const mark = ids.get(each) ?? `#${ids.size + 1}`;
        ids.set(each, mark);
        clean[name] = mark;
      } else clean[name] = name === 'arguments' ? each : visit(each);
    }
    return clean;
  };
  const clean = visit(body) as Record<string, unknown>;
  if (Array.isArray(clean.tools))
    clean.tools = clean.tools
      .map((tool) => canonicalJson(tool))
      .sort()
      .map((text) => JSON.parse(text) as unknown);
  return clean;
}

function isBilling(value: unknown): boolean {
  return isObject(value) && typeof value.text === 'string' && value.text.startsWith(BILLING);
}

/** How many messages two requests begin with together. */
function alikeAtStart(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
): number {
  const [a, b] = [messagesOf(left), messagesOf(right)];
  let count = 0;
  while (count < Math.min(a.length, b.length) && canonicalJson(a[count]) === canonicalJson(b[count])) count++;
  return count;
}

function messagesOf({ messages, input, contents }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [messages, input, contents].find((each): each is unknown[] => Array.isArray(each)) ?? [];
}

/** Where two values differ first, and how; undefined where they do not. */
function firstDifference(path: string, recorded: unknown, asked: unknown): string | undefined {
  if (canonicalJson([recorded]) === canonicalJson([asked])) return undefined;
  const [left, right] = [entriesOf(recorded), entriesOf(asked)];
  if (!left || !right || Array.isArray(recorded) !== Array.isArray(asked))
    return `${path} was ${shown(recorded)}, and is ${shown(asked)}.`;
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const at = Array.isArray(recorded) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const found = firstDifference(at, left.get(name), right.get(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

/** The beginning of a value, without its secrets: they are left out before it is cut, as half a key is known by nobody. */
function shown(value: unknown): string {
  return value === undefined
    ? 'not there'
    : firstCodePoints(JSON.stringify(new Redactor().value(value)), 200);
}

/** The requests of a recording that were answered, with all that they repeat. */
function exchangesIn(lines: readonly string[]): readonly Exchange[] {
  const bodies = new Map<string, Readonly<Record<string, unknown>>>();
  const exchanges = new Map<string, Exchange>();
  for (const line of lines) {
    const value = parsed(line);
    if (!isObject(value) || typeof value.exchange !== 'string') continue;
    const { exchange: name, url, request, startTime, status, response } = value;
    if (isObject(request) && typeof url === 'string') {
      const repeats = repeatedPartsOf(value.repeats);
      const before = repeats && bodies.get(repeats.exchange);
      const body = repeats ? before && withRepeatedParts(request, repeats, before) : request;
      const path = URL.canParse(url) ? pathOf(new URL(url).pathname) : undefined;
      if (!body || path === undefined) continue;
      bodies.set(name, body);
      const time = typeof startTime === 'string' ? Date.parse(startTime) : 0;
      const asked = { number: 0, time, name, path, body, key: keyOf(path, body) };
      exchanges.set(name, { ...asked, status: 0, response: undefined });
      continue;
    }
    const exchange = exchanges.get(name);
    if (!exchange || !('response' in value) || typeof status !== 'number') continue;
    exchange.status = status;
    exchange.response = response;
  }
  return [...exchanges.values()].filter(({ status, response }) => status > 0 && response !== undefined);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A line that was cut is no exchange; what was to be answered by it is refused.
    return undefined;
  }
}

/** Sends an answer as it came: of a stream, event by event. */
async function answerWith(response: ServerResponse, { status, response: said }: Exchange): Promise<void> {
  if (typeof said !== 'string') {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    return;
  }
  const isEvents = /^\s*(?:event|data|id|retry|):/.test(said);
  const type = isEvents ? 'text/event-stream' : said.startsWith('{') ? 'application/x-ndjson' : 'text/plain';
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` });
  for (const piece of said.split(isEvents ? /(?<=\r?\n\r?\n)/ : /(?<=\n)/)) {
    response.write(piece);
    await yieldToEventLoop();
  }
  response.end();
}
