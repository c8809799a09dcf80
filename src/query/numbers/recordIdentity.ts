import { isObject, textOf } from '../../core/message.js';
import { compactJson } from './jsonText.js';
import { reportIn } from './tokens.js';
import { idOf, messageIn, type UntypedMessage } from './transcriptItem.js';
import { knownTime, textOr } from './values.js';

/** By which numbers a record is known again wherever else it is told; each undefined where nothing makes it unmistakable. */
export interface RecordIdentity {
  /** Of what it says. */
  readonly row: number | undefined;
  /** Of the request whose usage it tells. */
  readonly request: number | undefined;
}

/** The tool that recorded a session, and the id that it gave it. */
export interface SessionOrigin {
  readonly tool: string;
  readonly session: string;
}

const NO_IDENTITY: RecordIdentity = { row: undefined, request: undefined };

/**
 * Tells by what the records of one session are known again in another file, session or copy: by the ids of the provider or
 * of the tool, else by the thread that they are of, their time and what they say. Every record must be given, in order.
 */
export class RecordIdentities {
  readonly #origin: SessionOrigin;
  /** The threads that calls say to be of, by call: a parent's file holds those of the agents that it started. */
  readonly #threads = new Map<string, string>();

  constructor(origin: SessionOrigin) {
    this.#origin = origin;
  }

  of(record: unknown): RecordIdentity {
    if (!isObject(record)) return NO_IDENTITY;
    const { tool, session } = this.#origin;
    const call = textOr(record.call);
    const own = threadIn(record);
    if (own !== '') this.#threads.set(call, own);
    const source = isObject(record.source) ? record.source : undefined;
    const time = knownTime(record.time) ?? 0;
    const uuid = textOr(source?.uuid);
    const provider = providerOf(record);
    if (uuid === '' && provider === '' && time === 0) return NO_IDENTITY;
    const from = uuid === '' ? `t ${this.#threads.get(call) ?? session}` : `u ${uuid}`;
    const origin = `${tool}\n${provider === '' ? `${from}\n${time}` : `p ${provider}`}`;
    const report = reportIn(record);
    const request = report
      ? identityOf(provider === '' ? `${origin}\n${report.reporter}\n${compactJson(report.usage)}` : origin)
      : undefined;
    return { row: identityOf(`${origin}\n${wordsOf(record)}`), request };
  }
}

/** The ids by which the provider knows an answer; '' for none. */
function providerOf({ provider }: UntypedMessage): string {
  if (!isObject(provider)) return '';
  const ids = [idOf(provider.message), idOf(provider.request)];
  return ids.every((id) => id === '') ? '' : ids.join(' ');
}

/** The thread of Codex that the head of a rollout names. */
function threadIn({ type, kind, value }: UntypedMessage): string {
  if (type !== 'imported' || kind !== 'session_meta' || !isObject(value)) return '';
  return isObject(value.payload) ? textOr(value.payload.id) : '';
}

/** Header, place and usage are others where a record is told again. */
const OF_ITS_PLACE: ReadonlySet<string> = new Set([
  'seq',
  'id',
  'time',
  'conversation',
  'run',
  'call',
  'parentCall',
  'agent',
  'depth',
  'usage',
  'source',
  'inherited',
]);

function wordsOf(record: UntypedMessage): string {
  const message = isObject(record.message) ? messageIn(record) : undefined;
  if (!message)
    return compactJson(Object.fromEntries(Object.entries(record).filter(([key]) => !OF_ITS_PLACE.has(key))));
  const { role, content, tool_calls: calls, tool_call_id: answers, reasoning_content: reasoning } = message;
  const words = typeof content === 'string' ? textOf(content) : compactJson(content);
  return `${textOr(role)}\n${idOf(answers)}\n${calls === undefined ? '' : compactJson(calls)}\n${textOr(reasoning)}\n${words}`;
}

/** Two halves of 32 and 21 bits, mixed as in MurmurHash3: among a million texts no two are likely to have the same. */
function identityOf(text: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 2 ** 32 * (high & 0x1fffff) + (low >>> 0);
}
