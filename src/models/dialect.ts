import type { ModelFailure } from '../ports/model.js';
import type { HistoryOptions } from './wireHistory.js';
import { optionalKeys, type OptionalKey } from './wireRequest.js';

/** What an endpoint says that it refuses: the failure's status and words. */
type Refusal = Pick<ModelFailure, 'status' | 'message'>;

/** Places that want back what comes with their answers, from the first request on: it may be of an earlier run. */
const WANTS_EXTRA = /(?:^|\.)(?:googleapis\.com|openrouter\.ai)$/;

/** Places whose thinking models demand their thoughts back. */
const WANTS_THOUGHTS = /(?:^|\.)(?:deepseek\.com|moonshot\.(?:ai|cn))$/;

/**
 * How ids of tool calls must not look: Mistral's have nine letters or digits, Anthropic's no dots and colons. Local
 * servers say so with other statuses, from the template of the model's prompt.
 */
const REFUSES_IDS = /tool[_ ]?(?:call|use)[_ .]?id\b.*(?:length of 9|pattern|alphanumeric)/is;

/**
 * How one endpoint wants to be spoken to. It begins with what all take, and is learned from what the endpoint sends
 * and refuses: what some demand (their model's thoughts, Google's signatures), others answer with an error.
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

  /** The endpoint sends things that belong to its answers. */
  noticeExtra(): void {
    this.#extra.begin();
  }

  /** How often it was changed by a refusal. */
  get age(): number {
    return this.#age;
  }

  /**
   * Whether there is another way to say what was refused; it is then taken, from now on. What was said at an earlier
   * `age` is to be said again as it is said now: of requests at the same time only the first one's refusal is news.
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

/** Something that is done or not: it is changed when it is refused, and given up when that is refused too. */
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

/** Some say `reasoningEffort` where the key is `reasoning_effort`. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('_', '');
}
