import type { Facts } from './facts.js';
import { NO_TOKENS, reportedTokens, TokenSum, type ReportedBy, type TokenCount } from './tokens.js';

/** Who used tokens. */
export interface TokenUser {
  readonly agent: string;
  readonly model: string;
}

interface Used extends TokenUser {
  readonly sum: TokenSum;
}

/** How many speakers and models of one call are told apart; a hostile transcript may have any number. */
export const MAX_USERS = 100;

/** The tokens that one call reports, by the agents and models that used them. */
export class CallTokens {
  readonly #reported: ReportedBy<Used[]> = {};

  /** Adds what a record of the call reports, if it reports anything. */
  add({ reporter, tokens, place }: Facts, model: string): void {
    if (!reporter || !tokens) return;
    const { agent = '' } = place;
    const users = (this.#reported[reporter] ??= []);
    const isSame = (used: TokenUser) => used.agent === agent && used.model === model;
    let used = users.find(isSame) ?? (users.length < MAX_USERS ? undefined : users.at(-1));
    if (!used) users.push((used = { agent, model, sum: new TokenSum() }));
    used.sum.add(tokens);
  }

  /** Visits what each agent used of each model. */
  each(visit: (user: TokenUser, tokens: TokenCount) => void): void {
    for (const { sum, ...user } of reportedTokens(this.#reported) ?? []) visit(user, sum.tokens ?? NO_TOKENS);
  }

  /** The kind of record whose tokens count; undefined where none reports any. */
  get reporter(): keyof ReportedBy<unknown> | undefined {
    return reportedTokens<keyof ReportedBy<unknown>>({
      ...(this.#reported.requests && { requests: 'requests' }),
      ...(this.#reported.messages && { messages: 'messages' }),
      ...(this.#reported.end && { end: 'end' }),
    });
  }

  /** All of them; undefined where nothing was reported. */
  get tokens(): TokenCount | undefined {
    const all = new TokenSum();
    this.each((_, tokens) => all.add(tokens));
    return all.tokens;
  }
}
