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
  user: TokenUser,
  make: (user: TokenUser) => T,
): T {
  const { agent, model } = user;
  const known = entries.find((entry) => entry.agent === agent && entry.model === model);
  if (known) return known;
  const last = entries.at(-1);
  if (last && entries.length >= MAX_USERS) return last;
  const entry = make(user);
  entries.push(entry);
  return entry;
}

function beginUsed({ agent, model }: TokenUser): Used {
  return { agent, model, sum: new TokenSum() };
}

/** The tokens that one call reports, by the agents and models that used them. */
export class CallTokens {
  readonly #reported: ReportedBy<Used[] | undefined> = {
    requests: undefined,
    messages: undefined,
    end: undefined,
  };

  /** Adds what a record of the call reports, if it reports anything. */
  add({ reporter, tokens, place }: Facts, model: string): void {
    if (!reporter || !tokens) return;
    const { agent = '' } = place;
    const user = { agent, model };
    const users = this.#reported[reporter];
    // A list of one takes a tenth of what one takes that was filled by `push`, and most have one.
    const used = users ? entryOfUser(users, user, beginUsed) : beginUsed(user);
    if (!users) this.#reported[reporter] = [used];
    used.sum.add(tokens);
  }

  /** Visits what each agent used of each model; `reporter` is the kind of record that counts, if any does. */
  each(visit: (user: TokenUser, tokens: TokenCount) => void, reporter = this.reporter): void {
    for (const used of (reporter && this.#reported[reporter]) ?? [])
      visit(used, used.sum.tokens ?? NO_TOKENS);
  }

  /** The kind of record whose tokens count; undefined where none reports any. */
  get reporter(): keyof ReportedBy<unknown> | undefined {
    const { requests, messages, end } = this.#reported;
    return reportedTokens<keyof ReportedBy<unknown> | undefined>({
      requests: requests && 'requests',
      messages: messages && 'messages',
      end: end && 'end',
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
