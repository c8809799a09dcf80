import { NOBODY, type ContextKind } from '../analysis/context/contextKinds.js';
import { ContextUse, type CallWindow } from '../analysis/context/contextUse.js';
import type { ContextWindow, WindowCompaction } from '../analysis/context/contextWindow.js';
import type { Facts } from '../analysis/facts.js';
import { clipName } from '../analysis/values.js';

/** The most windows, parts of a request and compactions of a window that an export tells of; the rest is counted. */
const MAX_WINDOWS = 20;
const MAX_PARTS = 15;
const MAX_COMPACTIONS = 20;

/** What filled one agent's window, in words. */
export interface ContextSummary {
  /** Whose it is, and how large its largest request was. */
  readonly agent: string;
  readonly line: string;
  /** What that was made of, the largest first: what it is, its tokens, and its share of all. */
  readonly parts: readonly ContextPart[];
  readonly compactions: readonly string[];
}

/** A row of a table: cells that may hold any text. */
export type ContextPart = readonly [what: string, tokens: string, share: string];

/** What filled the windows of a conversation, for the end of an export for people. */
export interface ContextSection {
  readonly windows: readonly ContextSummary[];
  /** What is said of windows that are not listed; '' where all are. */
  readonly rest: string;
}

/** How the numbers of a section are known. */
export const HOW_KNOWN =
  'A whole is what the provider reported, or with ≈ our estimate; its parts are estimates that add up to it.';

/** What each kind of part is called, as in the panel; exports are in English. */
const KINDS: Readonly<Record<ContextKind, string>> = {
  unrecorded: 'Not recorded',
  system: 'System prompt',
  tools: 'Tool schemas',
  summary: 'Summaries',
  prompts: 'Prompts',
  answers: 'Answers',
  thinking: 'Thinking',
  calls: 'Tool calls',
  files: 'Files',
  results: 'Tool results',
  images: 'Images',
};

/** Gathers what filled the windows of what is exported: all of a transcript, in order. */
export class ContextSections {
  readonly #use = new ContextUse();

  add(facts: Facts, item: unknown): void {
    this.#use.addFacts(facts, () => item);
  }

  /**
   * What is known of it, the largest windows first; undefined where no provider told a whole and nothing was compacted.
   * `clean` takes secrets out of names.
   */
  section(clean: (text: string) => string): ContextSection | undefined {
    const known = this.#use.windows().filter(({ window: { sent, compactions } }) => {
      return compactions.length > 0 || sent.hasReported;
    });
    if (known.length === 0) return undefined;
    const sized = known.map((each) => ({ each, largest: largestOf(each) }));
    const largest = sized.toSorted((a, b) => b.largest.total - a.largest.total).slice(0, MAX_WINDOWS);
    const more = known.length - largest.length;
    return {
      windows: largest.map(({ each, largest: { at } }) => summaryOf(each, at, clean)),
      rest: more === 0 ? '' : `${number(more)} more ${more === 1 ? 'window' : 'windows'} of agents.`,
    };
  }
}

function largestOf({ window: { sent } }: CallWindow): { readonly at: number; readonly total: number } {
  let at = 0;
  for (let request = 1; request < sent.length; request++)
    if (sent.totalAt(request) > sent.totalAt(at)) at = request;
  return { at, total: sent.length === 0 ? 0 : sent.totalAt(at) };
}

function summaryOf(
  { agent, window }: CallWindow,
  at: number,
  clean: (text: string) => string,
): ContextSummary {
  const { sent, compactions } = window;
  const request = sent.at(at);
  const told = compactions.slice(0, MAX_COMPACTIONS).map(compactionWords);
  const more = compactions.length - told.length;
  const requests = `${number(sent.length)} ${sent.length === 1 ? 'request' : 'requests'}`;
  const mark = request?.provenance === 'estimated' ? '≈ ' : '';
  return {
    agent: clean(clipName(agent)) || 'agent',
    line: request
      ? `${requests}; the largest was sent ${mark}${number(request.total)} tokens.`
      : `${requests}.`,
    parts: request ? partsOf(window, at, request.total).map(([what, ...more]) => [clean(what), ...more]) : [],
    compactions: more === 0 ? told : [...told, `${number(more)} more compactions.`],
  };
}

/** What a request was made of, by kind, tool and file. */
function partsOf(window: ContextWindow, request: number, whole: number): ContextPart[] {
  const parts = new Map<string, { readonly what: string; tokens: number }>();
  window.eachSent(request, (kind, of = NOBODY, _position, tokens) => {
    const what = [KINDS[kind], of.tool, of.path].filter((word) => word !== '').join(' · ');
    const known = parts.get(what);
    if (known) known.tokens += tokens;
    else parts.set(what, { what, tokens });
  });
  const all = [...parts.values()].filter(({ tokens }) => tokens > 0).sort((a, b) => b.tokens - a.tokens);
  const rest = all.slice(MAX_PARTS);
  const left = {
    what: `${number(rest.length)} more`,
    tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0),
  };
  return [...all.slice(0, MAX_PARTS), ...(rest.length > 0 ? [left] : [])].map(({ what, tokens }) => [
    what,
    number(tokens),
    `${((100 * tokens) / whole).toFixed(1)} %`,
  ]);
}

function compactionWords({ requestsBefore, messages, tokens, trigger }: WindowCompaction): string {
  const how = trigger === 'auto' ? ' (automatic)' : trigger === 'manual' ? ' (asked for)' : '';
  const what = `${number(messages)} ${messages === 1 ? 'message' : 'messages'}`;
  const taken = messages === 0 ? 'no message that is known' : `${what}, about ${number(tokens)} tokens`;
  return `After request ${number(requestsBefore)} a compaction${how} took out ${taken}.`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
