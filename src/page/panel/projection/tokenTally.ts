import { clipName } from '../../../query/numbers/values.js';
import type { Disposable } from '../../../core/event.js';
import type { UnknownRecord } from '../../../core/record.js';
import type { Log } from '../../../core/ports/log.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { messageIn, roleOf } from '../../../query/numbers/transcriptItem.js';
import type { CountTokens } from '../ports.js';
import { charactersOf, isOutput } from '../../../query/numbers/messageSize.js';
import type { CountedTokens, Tallied } from '../../../query/numbers/usageTotals.js';
import { tokensOf } from '../../../query/numbers/tokens.js';

/** How many records are counted at a time, and how many roles are distinguished. */
const RECORDS_PER_COUNT = 400;
const MAX_ROLES = 1_000;

/**
 * Counts the tokens of texts by role, of those that no provider reported, slice by slice on another thread, as far as requested. Where counting
 * fails, it ends, and the numbers stay estimates.
 */
export class TokenTally implements CountedTokens, Disposable {
  readonly #transcript: Transcript;
  readonly #count: CountTokens;
  readonly #log: Log;
  readonly #roles = new Map<string, Tallied>();
  #counted = 0;
  #wanted = 0;
  #broken = false;
  #work: AbortController | undefined;

  constructor(transcript: Transcript, count: CountTokens, log: Log) {
    this.#transcript = transcript;
    this.#count = count;
    this.#log = log;
  }

  /** Whether requested records are still to be counted. */
  get isCounting(): boolean {
    return this.#work !== undefined;
  }

  /** The count for one role; undefined where there is none. */
  of(role: string): Readonly<Tallied> | undefined {
    return this.#roles.get(role);
  }

  /** Requests the first `records` records of the transcript; returns at once. */
  want(records: number): void {
    this.#wanted = Math.max(this.#wanted, records);
    if (!this.#work && !this.#broken && this.#counted < this.#wanted) void this.#run();
  }

  /** Stops counting until the next request. */
  dispose(): void {
    this.#work?.abort();
    this.#work = undefined;
  }

  async #run(): Promise<void> {
    const work = new AbortController();
    this.#work = work;
    try {
      while (this.#counted < this.#wanted && !work.signal.aborted) await this.#slice(work.signal);
    } catch (error) {
      if (!work.signal.aborted) {
        this.#broken = true;
        this.#log.warn('Tokens stay estimates.', error);
      }
    }
    if (this.#work === work) this.#work = undefined;
  }

  async #slice(signal: AbortSignal): Promise<void> {
    const end = Math.min(this.#wanted, this.#counted + RECORDS_PER_COUNT);
    const counted = await this.#count(this.#transcript, this.#counted, end, signal);
    if (signal.aborted) return;
    this.#counted = end;
    for (const { record, tokens } of counted) this.#take(record as UnknownRecord, tokens);
  }

  #take(record: UnknownRecord, tokens: number): void {
    const message = messageIn(record);
    if (!message || tokensOf(record.usage)) return;
    const role = roleOf(message);
    const name = clipName(role);
    const none = () => ({ characters: 0, tokens: 0 });
    const sum = this.#roles.get(name) ?? { messages: 0, input: none(), output: none() };
    if (sum.messages === 0 && this.#roles.size >= MAX_ROLES) return;
    this.#roles.set(name, sum);
    sum.messages++;
    const side = isOutput(role) ? sum.output : sum.input;
    side.characters += charactersOf(message);
    side.tokens += tokens;
  }
}
