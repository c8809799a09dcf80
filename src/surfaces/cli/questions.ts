import { UserError } from '../../app/userError.js';
import type { NamedSession } from '../../app/stores/namedSessions.js';
import { messageOf } from '../../core/text.js';
import { isTimeZone } from '../../query/language/amounts.js';
import { planQuery, type QueryPlan } from '../../query/language/plan.js';
import { problemWords } from '../../query/language/problemWords.js';
import type { RowKind } from '../../query/language/syntax.js';
import { Asking, type QueriedSession } from '../../search/asking.js';
import type { MarkedPrices } from '../../search/columns/readSession.js';
import { markedPrices } from '../../search/markedPrices.js';
import { LEFT_OUT } from '../../app/sources/sources.js';
import { mayHaveTexts } from '../../search/pruning.js';
import type { Call } from './call.js';
import { WrongUse } from './terminal.js';

/** In how many sessions a pattern may take too long before nothing more is asked. */
const MAX_SLOW_SESSIONS = 3;

/** A question of a person, made ready to be asked of the sessions that were named. */
export class Questions {
  readonly plan: QueryPlan;
  readonly #call: Call;
  readonly #asking: Asking;
  readonly #prices: MarkedPrices;
  #slow = 0;

  private constructor(call: Call, plan: QueryPlan, prices: MarkedPrices) {
    this.#call = call;
    this.plan = plan;
    this.#prices = prices;
    this.#asking = new Asking(plan, prices, 'told');
  }

  /** Throws `WrongUse` with the place of what is wrong in the question. */
  static async of(call: Call, text: string, rows: RowKind): Promise<Questions> {
    const { timeZone } = call;
    if (!isTimeZone(timeZone))
      throw new WrongUse(`There is no time zone ${timeZone}; write one such as Europe/Berlin.`);
    const planned = planQuery(text, { rows, now: call.terminal.now(), timeZone });
    if (!planned.ok) throw new WrongUse(problemWords(text, planned.problems));
    await call.sources.narrow(planned.plan);
    return new Questions(call, planned.plan, await markedPrices(call.ownPrices));
  }

  /**
   * Reads what is asked of a session, where that is kept and was not yet; tells where nothing in it can match by its texts.
   * Rejects where it cannot be read.
   */
  async readAhead({ session }: NamedSession): Promise<typeof LEFT_OUT | undefined> {
    const texts = await session.knownTexts?.();
    if (texts) return mayHaveTexts(this.plan, texts) ? undefined : LEFT_OUT;
    // At which prices is asked of those alone in which something is found.
    if (!(await session.known(this.#prices, false))) await session.read(this.#prices, this.#call.signal);
    return undefined;
  }

  /**
   * Asks a session; undefined where nothing in it matches. One that cannot be read, or of which only a part can, is told
   * and makes the run end with 1. Throws `WrongUse` where the question itself takes too long.
   */
  async ask(named: NamedSession): Promise<QueriedSession | undefined> {
    const call = this.#call;
    let answer: QueriedSession | undefined;
    try {
      answer = await this.#asking.ask(named.session, call.signal);
    } catch (error) {
      call.signal.throwIfAborted();
      call.fail();
      await call.out.note(`${named.id} was not looked through: ${messageOf(error)}`);
      return undefined;
    }
    if (!answer) return undefined;
    if (answer.problem) {
      if (++this.#slow >= MAX_SLOW_SESSIONS) throw new UserError(answer.problem.message);
      call.fail();
      await call.out.note(`${named.id} was not looked through: ${answer.problem.message}`);
      return undefined;
    }
    // What is wrong with a file is told line by line when it is opened.
    if (answer.damaged > 0 && named.kind === 'stored') {
      call.fail();
      await call.out.note(`${named.id} has ${answer.damaged} damaged places, in which nothing is found.`);
    }
    return answer.indexes.length > 0 ? answer : undefined;
  }

  /** Tells what was found in a session; that it cannot be read, as where its file is gone since, hides no other. */
  async tell({ id }: NamedSession, tell: () => Promise<void>): Promise<void> {
    try {
      await tell();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#call.fail();
      await this.#call.out.note(`${id} is not shown: ${error.message}`);
    }
  }

  /** Tells of large texts that were looked for in a session and are not there any more. */
  async tellMissing({ asked }: QueriedSession, { id }: NamedSession): Promise<void> {
    if (asked.missingTexts === 0) return;
    this.#call.fail();
    await this.#call.out.note(
      `${id}: ${asked.missingTexts} large texts are not there any more; only their beginnings were looked through.`,
    );
  }
}
