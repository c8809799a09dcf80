import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { problemsOf } from '../../src/query/language/question.js';
import { loosened } from '../../src/query/language/refine.js';
import type { RowKind } from '../../src/query/language/syntax.js';
import type { BarQuery } from '../../src/page/protocol/searchPage.js';
import { el, fill, type Child } from '../dom.js';
import type { SearchState } from './searchState.js';

/** Questions to begin with, and what each finds. */
const EXAMPLES: readonly { readonly words: Message; readonly text: string; readonly rows: RowKind }[] = [
  { words: message`What went wrong in the last seven days`, text: 'is:error since:7d', rows: 'messages' },
  { words: message`Commands that removed files`, text: 'command:rm -is:denied', rows: 'toolCalls' },
  { words: message`Tool calls that took more than half a minute`, text: 'duration:>30s', rows: 'toolCalls' },
  { words: message`What people asked today`, text: 'role:user since:today', rows: 'messages' },
  {
    words: message`Work of subagents that used many tokens`,
    text: 'depth:>0 tokens:>10k',
    rows: 'agentCalls',
  },
  { words: message`Sessions in which a call was denied`, text: 'approval:denied', rows: 'sessions' },
];

/** So many ways to find more are offered. */
const MAX_WAYS = 4;

/** What stands in place of results: what to do first, or next. */
export class EmptyState {
  readonly element = el('div', { class: 'nothing' });
  readonly #ask: (question: BarQuery) => void;
  #shown = '';

  constructor(ask: (question: BarQuery) => void) {
    this.#ask = ask;
  }

  update(state: SearchState): void {
    const { asked, conversations } = state;
    const kind = kindOf(state);
    this.element.hidden = kind === undefined;
    const key = JSON.stringify([kind, asked, conversations === 0, state.archiveProblem]);
    if (kind === undefined || key === this.#shown) return;
    this.#shown = key;
    fill(this.element, kind === 'examples' ? this.#examples(conversations) : this.#nothingFound(state));
  }

  #examples(conversations: number | undefined): Child[] {
    if (conversations === 0) {
      return [
        el('h2', {}, t`No conversations yet`),
        el(
          'p',
          {},
          t`Run an agent, or import transcripts of other tools in the Sessions view. Everything that is said in them can be found here.`,
        ),
      ];
    }
    return [
      el('h2', {}, t`Ask all conversations`),
      el(
        'p',
        {},
        t`Type a word, or name what you look for: agent:, tool:, is:error, since:7d. Some questions to begin with:`,
      ),
      el(
        'ul',
        { class: 'examples' },
        EXAMPLES.map(({ words, text, rows }) => this.#way(inLanguage(words), { text, rows })),
      ),
    ];
  }

  #nothingFound({ asked, unread, archiveProblem }: SearchState): Child[] {
    const question = asked ?? { text: '', rows: 'messages' };
    const ways = loosened(question.text)
      .filter(({ question: text }) => problemsOf({ ...question, text }).length === 0)
      .slice(0, MAX_WAYS);
    const { rows } = question;
    const isWider = rows !== 'records' && problemsOf({ ...question, rows: 'records' }).length === 0;
    return [
      el('h2', {}, t`Nothing found`),
      (unread.count > 0 || archiveProblem !== undefined) &&
        el('p', {}, t`It may be in what could not be read.`),
      (ways.length > 0 || isWider) && el('p', {}, t`More may be found:`),
      el(
        'ul',
        { class: 'examples' },
        ways.map(({ without, question: text }) => this.#way(t`Without ${without}`, { ...question, text })),
        isWider &&
          this.#way(t`In every record, not in ${inLanguage(ROWS[rows])} alone`, {
            ...question,
            rows: 'records',
          }),
      ),
    ];
  }

  #way(words: string, question: BarQuery): HTMLElement {
    return el(
      'li',
      {},
      el(
        'button',
        { class: 'example', attributes: { type: 'button' }, on: { click: () => this.#ask(question) } },
        el('span', { class: 'example-words' }, words),
        el('code', {}, question.text),
      ),
    );
  }
}

const ROWS: Readonly<Record<Exclude<RowKind, 'records'>, Message>> = {
  messages: message`messages`,
  toolCalls: message`tool calls`,
  agentCalls: message`agent calls`,
  runs: message`runs`,
  sessions: message`sessions`,
};

function kindOf({ state, groups, problems }: SearchState): 'examples' | 'nothing' | undefined {
  if (state === 'nothing') return 'examples';
  return state === 'done' && groups.length === 0 && problems.length === 0 ? 'nothing' : undefined;
}
