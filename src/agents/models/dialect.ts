import type { ModelFailure } from '../../core/ports/model.js';
import type { HistoryOptions } from './wireHistory.js';
import { optionalKeys, type OptionalKey } from './wireRequest.js';

/** An endpoint's refusal: the failure's status and message. */
type Refusal = Pick<ModelFailure, 'status' | 'message'>;

/** Hosts that expect back what comes with their answers, from the first request on, as it may be from an earlier run. */
const WANTS_EXTRA = /(?:^|\.)(?:googleapis\.com|openrouter\.ai)$/;

/** Hosts whose reasoning models require their reasoning to be sent back. */
const WANTS_THOUGHTS = /(?:^|\.)(?:deepseek\.com|moonshot\.(?:ai|cn))$/;

/**
 * Refusals of tool call ids: Mistral requires nine letters or digits, Anthropic allows no dots and colons. Local servers
 * refuse them with other statuses, from the model's prompt template.
 */
const REFUSES_IDS = /tool[_ ]?(?:call|use)[_ .]?id\b.*(?:length of 9|pattern|alphanumeric)/is;

/**
 * The dialect of one endpoint. It starts with what every endpoint accepts, and is learned from what this one sends and
 * refuses: what some require (their models' reasoning, Google's signatures), others answer with an error.
 */
export class Dialect {
  readonly without = new Set<OptionalKey>();
  readonly #extra: Habit;
  readonly #reasoning: Habit;
  #plainIds = false;
  #age = 0;

  constructor(hostname: string) {
    this.#extra = new Habit(WANTS_EXTRA.test(hostname));
    this.#reasoning = new Habit(WANTS_THOUGHTS.test(hostname));
  }

  /** How the history is written. */
  get history(): Omit<HistoryOptions, 'withPictures'> {
    return {
      withExtra: this.#extra.isOn,
      withReasoning: this.#reasoning.isOn,
      withPlainIds: this.#plainIds,
    };
  }

  /** To be called when the endpoint sends data that it expects back with its answers. */
  noticeExtra(): void {
    this.#extra.begin();
  }

  /** The number of changes because of a refusal. */
  get age(): number {
    return this.#age;
  }

  /**
   * Whether there is another way to send what was refused; it is then used from now on. A request sent at an earlier `age`
   * is to be repeated in the current way: of concurrent requests, only the first one's refusal is news.
   */
  learn(refusal: Refusal, age: number): boolean {
    const refusesIds = (refusal.status ?? 0) >= 400 && REFUSES_IDS.test(refusal.message);
    if (!refusesIds && refusal.status !== 400 && refusal.status !== 422) return false;
    if (age !== this.#age) return true;
    const isChanged = refusesIds && !this.#plainIds ? (this.#plainIds = true) : this.#change(refusal.message);
    if (isChanged) this.#age++;
    return isChanged;
  }

  #change(message: string): boolean {
    if (/reasoning_content/i.test(message)) return this.#reasoning.change();
    if (/thought_?signature|thought signature|extra_content|reasoning_details/i.test(message)) {
      return this.#extra.change();
    }
    const said = plain(message);
    const refused = optionalKeys.find((key) => !this.without.has(key) && said.includes(plain(key)));
    if (refused !== undefined) this.without.add(refused);
    return refused !== undefined;
  }
}

/** Something that is done or not: it is toggled when refused, and given up when that is refused too. */
class Habit {
  isOn: boolean;
  #isGivenUp = false;

  constructor(isOn: boolean) {
    this.isOn = isOn;
  }

  begin(): void {
    this.isOn = !this.#isGivenUp;
  }

  /** Whether it was changed. */
  change(): boolean {
    if (this.#isGivenUp) return false;
    this.#isGivenUp = this.isOn;
    this.isOn = !this.isOn;
    return true;
  }
}

/** Some refusals say `reasoningEffort` where the key is `reasoning_effort`. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('_', '');
}
