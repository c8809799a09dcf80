import { compactJson } from '../../query/numbers/jsonText.js';
import { answeredIdOf } from '../../query/numbers/transcriptItem.js';
import { isObject } from '../../core/message.js';
import { inDollars, nanos } from '../../core/money.js';
import { isoTime, type Loses } from './bridge.js';
import { addressOf, knownParts, takeAnsweredId, takeCalls, type KnownPart } from './messageParts.js';
import type { TakenRecord } from './takenRecord.js';

/** How many steps wait at most for results of earlier ones. */
const MAX_WAITING = 1_000;

/** Who speaks in a step, by the roles of messages. */
const SOURCES: ReadonlyMap<unknown, string> = new Map([
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'agent'],
]);

/** A step while results of its calls may follow. */
interface Step {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly time: unknown;
  /** The ids of its calls that have no result yet. */
  readonly open: Set<string>;
  readonly results: Readonly<Record<string, unknown>>[];
}

/** The steps of one call as ATIF has them: those behind one whose results are still to come wait for these. */
export class AtifTrajectory {
  readonly #loses: Loses;
  #agent: string | undefined;
  #count = 0;
  #held = '';
  #waiting: Step[] = [];

  constructor(loses: Loses) {
    this.#loses = loses;
  }

  /**
   * Takes the next message; gives the steps that nothing can be added to any more. `refer` gives the trajectory that the
   * result of a tool call refers to, where there is one.
   */
  add(record: TakenRecord, refer: (toolCallId: string) => string | undefined): string {
    if (record.get(['message', 'role']) === 'tool') {
      if (!this.#addResult(record, refer)) return '';
    } else this.#waiting.push(stepOf(record, (id) => !this.#waiting.some(({ open }) => open.has(id))));
    this.#takeAgent(record);
    return this.#ended();
  }

  /** Whether it has no step. */
  get isEmpty(): boolean {
    return this.#count === 0 && this.#waiting.length === 0;
  }

  /** Keeps steps until all of it is written. */
  hold(steps: string): void {
    this.#held += steps;
  }

  /** What was held, and the steps that still wait. */
  rest(): string {
    for (const { open } of this.#waiting) open.clear();
    return this.#held + this.#ended();
  }

  /** What a trajectory says of its agent; a record knows no version of one. */
  head(): string {
    return `"agent":${JSON.stringify({ name: this.#agent ?? 'agent', version: 'unknown' })}`;
  }

  /** A trajectory has one agent; that another one speaks in it for a while is not told. */
  #takeAgent(record: TakenRecord): void {
    const agent = record.get(['agent']);
    if (typeof agent === 'string' && agent !== '') this.#agent ??= agent;
    if (agent === this.#agent) record.take(['agent']);
  }

  #addResult(record: TakenRecord, refer: (toolCallId: string) => string | undefined): boolean {
    const message = record.get(['message']);
    const id = isObject(message) ? answeredIdOf(message) : '';
    const step = this.#waiting.find(({ open }) => open.has(id));
    if (!step) return false;
    // It is read as directly behind its call, and of the same time.
    if (step !== this.#waiting.at(-1)) this.#loses('order of messages');
    if (record.take(['time']) !== step.time) this.#loses('time');
    step.open.delete(id);
    record.take(['message', 'role']);
    takeAnsweredId(record);
    const child = refer(id);
    step.results.push({
      source_call_id: id,
      content: contentOf(record),
      ...(child !== undefined && { subagent_trajectory_ref: [{ trajectory_id: child }] }),
    });
    return true;
  }

  #ended(): string {
    let text = '';
    while (this.#waiting[0]?.open.size === 0 || this.#waiting.length > MAX_WAITING) {
      const [{ fields, results } = { fields: {}, results: [] }] = this.#waiting.splice(0, 1);
      const observation = results.length > 0 ? { observation: { results } } : {};
      text += this.#count === 0 ? '' : ',';
      text += compactJson({ step_id: ++this.#count, ...fields, ...observation });
    }
    return text;
  }
}

function stepOf(record: TakenRecord, isFree: (id: string) => boolean): Step {
  record.take(['type']);
  const role = record.get(['message', 'role']);
  const known = SOURCES.get(role);
  if (known !== undefined) record.take(['message', 'role']);
  const source = known ?? 'system';
  const time = record.take(['time']);
  const said = { ...isoTime(time), source, message: contentOf(record) };
  if (source !== 'agent') return { fields: said, time, open: new Set(), results: [] };
  const calls = takeCalls(record, isFree);
  const model = record.take(['model']);
  const thoughts = record.take(['message', 'reasoning_content']);
  const fields = {
    ...said,
    ...(typeof model === 'string' && model !== '' && { model_name: model }),
    ...(typeof thoughts === 'string' && thoughts !== '' && { reasoning_content: thoughts }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        tool_call_id: id,
        function_name: name,
        arguments: input ?? {},
      })),
    }),
    ...metricsOf(record),
  };
  return { fields, time, open: new Set(calls.map(({ id }) => id)), results: [] };
}

/** The content of a message, taken: a text, or parts. */
function contentOf(record: TakenRecord): string | readonly object[] {
  const parts: object[] = [];
  for (const [part, at] of knownParts(record)) {
    const written = partOf(part);
    if (!written) continue;
    record.take(at);
    if (at.length === 2) return part.kind === 'text' ? part.text : '';
    parts.push(written);
  }
  return parts.length > 0 ? parts : '';
}

function partOf(part: KnownPart): object | undefined {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'picture':
      return image(part.picture.mimeType, addressOf(part));
    case 'linkedPicture': {
      const [, ending = ''] = /\.(\w+)$/.exec(new URL(part.url).pathname) ?? [];
      const type = PICTURE_TYPES.get(ending.toLowerCase());
      return type === undefined ? undefined : image(type, part.url);
    }
  }
}

/** The types of pictures that the format has, by the endings of their addresses. */
const PICTURE_TYPES: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);

const image = (type: string, path: string) => ({ type: 'image', source: { media_type: type, path } });

/** What a request used, as far as the format has a word for it. */
function metricsOf(record: TakenRecord): { readonly metrics?: object } {
  const input = record.get(['usage', 'inputTokens']);
  const output = record.get(['usage', 'outputTokens']);
  if (typeof input !== 'number' || typeof output !== 'number') return {};
  record.take(['usage', 'inputTokens']);
  record.take(['usage', 'outputTokens']);
  const cached = record.take(['usage', 'cachedInputTokens']);
  const cost = nanos(record.take(['usage', 'cost']));
  return {
    metrics: {
      prompt_tokens: input,
      completion_tokens: output,
      ...(typeof cached === 'number' && { cached_tokens: cached }),
      ...(cost !== undefined && { cost_usd: inDollars(cost) }),
    },
  };
}
