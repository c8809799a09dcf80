import { text } from '../reading/fields.js';
import { KnownTexts } from '../spool/knownTexts.js';
import type { RawSpan } from './rawSpans.js';
import type { SpanLog } from './spanLogs.js';

const RESPONSE = 'gen_ai.response.id';

/**
 * Which records of a file are its requests, where several tell of the same ones, as in the files of Copilot: the spans of
 * requests, else the log records of requests, else those of an agent's turns. Never two of them for one trace or one
 * response; what belongs to no trace belongs to all of them.
 */
export class RequestSources {
  readonly #known = new KnownTexts();

  /** Notes a span of the file. */
  noteSpan({ trace, name, attributes }: RawSpan): void {
    if (attributes['gen_ai.operation.name'] === 'chat' || name.startsWith('chat '))
      this.#note('span', trace, attributes[RESPONSE]);
  }

  /** Notes a log record of the file. */
  noteLog(log: SpanLog): void {
    const source = sourceOf(log);
    if (source) this.#note(source, log.trace, log.event.attributes[RESPONSE]);
  }

  /** Whether a log record is the only one to tell of its request; for those of other kinds, too. Asked after all is noted. */
  isOnly(log: SpanLog): boolean {
    const source = sourceOf(log);
    const better = source === undefined ? [] : SOURCES.slice(0, SOURCES.indexOf(source));
    return !better.some((each) => this.#isNoted(each, log));
  }

  #note(source: Source, trace: string, response: unknown): void {
    for (const key of keysOf(source, trace, response)) this.#known.add(key);
    this.#known.add(source);
  }

  #isNoted(source: Source, { trace, event }: SpanLog): boolean {
    const keys = keysOf(source, trace, event.attributes[RESPONSE]);
    return [...keys, ...(trace === '' ? [source] : keysOf(source, '', undefined))].some(
      (key) => this.#known.numberOf(key) >= 0,
    );
  }
}

const SOURCES = ['span', 'request', 'turn'] as const;
type Source = (typeof SOURCES)[number];

/** Whether a log record tells of one whole request, or one turn of an agent, and what it used. */
export function tellsOfRequest(log: SpanLog): boolean {
  return sourceOf(log) !== undefined;
}

function sourceOf({ event }: SpanLog): Source | undefined {
  if (event.name === 'gen_ai.client.inference.operation.details') return 'request';
  return /^(?:copilot_chat|github\.copilot)\.agent\.turn$/.test(event.name) ? 'turn' : undefined;
}

function keysOf(source: Source, trace: string, response: unknown): string[] {
  const id = text(response);
  return [`${source} in ${trace}`, ...(id === undefined ? [] : [`${source} of ${id}`])];
}
