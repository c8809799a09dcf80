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
const MAX_USERS = 100;

/** What is known of a user among others, which `make` begins; beyond `MAX_USERS` all are the last one. */
export function entryOfUser<T extends TokenUser>(
  entries: T[],
  { agent, model }: TokenUser,
  make: () => T,
): T {
  const known = entries.find((entry) => entry.agent === agent && entry.model === model);
  if (known) return known;
  const last = entries.at(-1);
  if (last && entries.length >= MAX_USERS) return last;
  const entry = make();
  entries.push(entry);
  return entry;
}

/** The tokens that one call reports, by the agents and models that used them. */
export class CallTokens {
  readonly #reported: ReportedBy<Used[]> = {};

  /** Adds what a record of the call reports, if it reports anything. */
  add({ reporter, tokens, place }: Facts, model: string): void {
    if (!reporter || !tokens) return;
    const { agent = '' } = place;
    const users = (this.#reported[reporter] ??= []);
    const user = { agent, model };
    entryOfUser(users, user, () => ({ ...user, sum: new TokenSum() })).sum.add(tokens);
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
    return tokensOfCalls([this]);
  }
}

/** What calls report of tokens together; undefined where none reports any. */
export function tokensOfCalls(calls: Iterable<CallTokens>): TokenCount | undefined {
  const all = new TokenSum();
  for (const call of calls) call.each((_, tokens) => all.add(tokens));
  return all.tokens;
}
