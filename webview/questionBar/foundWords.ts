import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import type { MatchState } from '../../src/page/protocol/panelState.js';
import type { RowKind } from '../../src/query/language/syntax.js';
import { formatCount } from '../format.js';

/** How much was found of what was asked for, such as `12 of 340 messages`. */
export function foundWords({ rows, found, total }: Pick<MatchState, 'rows' | 'found' | 'total'>): string {
  const [some, all] = [formatCount(found), formatCount(Math.max(total, found))];
  switch (rows) {
    case 'records':
      return t`${some} of ${all} rows`;
    case 'messages':
      return t`${some} of ${all} messages`;
    case 'toolCalls':
      return t`${some} of ${all} tool calls`;
    case 'agentCalls':
      return t`${some} of ${all} calls of agents`;
    case 'runs':
      return t`${some} of ${all} runs`;
    case 'sessions':
      return t`${some} of ${all} sessions`;
  }
}

/** Of each kind that is not shown as a whole: what stands for it in the list. */
const SHOWN_AS: Partial<Record<RowKind, Message>> = {
  toolCalls: message`Each row is a tool call that was found. Show it among its neighbours for what was said around it.`,
  agentCalls: message`Of each call of an agent that was found: the card that started it, else its first and last message.`,
  runs: message`Of each run that was found: its first and its last message.`,
};

/** What stands in the list for what was found, where that is not the thing itself. */
export function shownAs(rows: RowKind): string | undefined {
  const words = SHOWN_AS[rows];
  return words && inLanguage(words);
}
