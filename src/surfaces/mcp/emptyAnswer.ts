import { planQuery } from '../../query/language/plan.js';
import type { RowKind } from '../../query/language/syntax.js';
import { Asking } from '../../search/asking.js';
import { markedPrices } from '../../search/markedPrices.js';
import type { McpLibrary } from './library.js';
import { NotRead } from './notRead.js';
import { shownName } from './shown.js';

/** What is said of sessions that are not looked at, and of nothing found. */
export function emptyHint(found: number, { active }: NotRead, plan?: string): object {
  const left =
    active === 0
      ? []
      : [
          `${active} ${active === 1 ? 'session' : 'sessions'} active in the last 10 minutes ${active === 1 ? 'was' : 'were'} left out; "include_active": true looks at them, too.`,
        ];
  const tried = found === 0 && plan !== undefined ? [plan] : [];
  return left.length + tried.length === 0 ? {} : { left_out_because: [...left, ...tried].join(' ') };
}

/** How many terms of a question that finds nothing are asked one by one. */
const MAX_TRIED = 6;

/** What to try where nothing holds all of a question: how many sessions each of its terms finds alone. */
export async function whatEachFinds(
  library: McpLibrary,
  question: string,
  rows: RowKind,
  includeActive: boolean,
): Promise<string> {
  const terms = question.match(/"[^"]*"|[^\s"()]+/g) ?? [];
  if (terms.length < 2 || terms.length > MAX_TRIED || /[()]|\b(?:OR|after|before)\b/.test(question))
    return 'Nothing matches. Try fewer or other words, or "rows": "sessions", in which each term may hold anywhere.';
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const prices = await markedPrices('');
  const counts: string[] = [];
  for (const term of terms) {
    const planned = planQuery(term, { rows, now: library.now(), timeZone });
    if (!planned.ok) return 'Nothing matches.';
    const asking = new Asking(planned.plan, prices, 'not told');
    let count = 0;
    const unread = new NotRead();
    for await (const { session } of library.sessions(includeActive, unread)) {
      const answer = await library.attempt(unread, session.id, async () =>
        asking.ask(session.session, library.signal),
      );
      if (answer && answer.indexes.length > 0) count++;
    }
    counts.push(`${shownName(term)} (${count})`);
  }
  return `Nothing holds all of it. Sessions in which each term matches alone: ${counts.join(', ')}. Try those that match, or "rows": "sessions", in which each may hold anywhere.`;
}
