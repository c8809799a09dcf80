import { NOBODY, type ContextKind, type Named } from '../query/numbers/context/contextKinds.js';
import { ContextUse, type CallWindow } from '../query/numbers/context/contextUse.js';
import type { ContextWindow, WindowCompaction } from '../query/numbers/context/contextWindow.js';
import type { ContextRequest } from '../query/numbers/context/sentRequests.js';
import type { Facts } from '../query/numbers/facts.js';
import { clipName } from '../query/numbers/values.js';

/** The most windows, parts of a request and compactions of a window that an export tells of; the rest is counted. */
const MAX_WINDOWS = 20;
const MAX_PARTS = 15;
const MAX_COMPACTIONS = 20;

/** What filled the windows of a conversation, for the end of an export. Plain data; no name in it holds a secret. */
export interface ContextSection {
  /** The largest first. */
  readonly windows: readonly ExportedWindow[];
  /** How many windows are not listed. */
  readonly moreWindows: number;
}

/** What filled one agent's window. */
export interface ExportedWindow {
  readonly agent: string;
  /** The id of the agent's call; of an entry agent the first one of the conversation. */
  readonly call: string;
  /** How many requests were made of it. */
  readonly requests: number;
  /** Undefined where there was no request. */
  readonly largest: LargestRequest | undefined;
  readonly compactions: readonly WindowCompaction[];
  /** How many compactions are not listed. */
  readonly moreCompactions: number;
}

/** The largest request of a window; its parts, the largest first, and those that are not listed add up to the whole. */
export interface LargestRequest extends Pick<ContextRequest, 'total' | 'provenance'> {
  readonly parts: readonly ExportedPart[];
  readonly moreParts: { readonly parts: number; readonly tokens: number };
}

/** What a request was sent of one kind, tool and file. */
export interface ExportedPart extends Pick<Named, 'tool' | 'path'> {
  readonly kind: ContextKind;
  readonly tokens: number;
}

/** Gathers what filled the windows of what is exported: all of a transcript, in order. */
export class ContextSections {
  readonly #use = new ContextUse();

  add(facts: Facts, item: unknown): void {
    this.#use.addFacts(facts, () => item);
  }

  /**
   * What is known of it; undefined where no provider told a whole and nothing was compacted. `clean` takes secrets out of
   * names.
   */
  section(clean: (text: string) => string): ContextSection | undefined {
    const known = this.#use.windows().filter(({ window: { sent, compactions } }) => {
      return compactions.length > 0 || sent.hasReported;
    });
    if (known.length === 0) return undefined;
    const sized = known.map((each) => ({ each, largest: largestOf(each) }));
    const listed = sized.toSorted((a, b) => b.largest.total - a.largest.total).slice(0, MAX_WINDOWS);
    return {
      windows: listed.map(({ each, largest: { at } }) => windowOf(each, at, clean)),
      moreWindows: known.length - listed.length,
    };
  }
}

function largestOf({ window: { sent } }: CallWindow): { readonly at: number; readonly total: number } {
  let at = 0;
  for (let request = 1; request < sent.length; request++)
    if (sent.totalAt(request) > sent.totalAt(at)) at = request;
  return { at, total: sent.length === 0 ? 0 : sent.totalAt(at) };
}

function windowOf(
  { agent, call, window }: CallWindow,
  at: number,
  clean: (text: string) => string,
): ExportedWindow {
  const { sent, compactions } = window;
  const request = sent.at(at);
  return {
    agent: clean(clipName(agent)) || 'agent',
    call: clean(call),
    requests: sent.length,
    largest: request && {
      total: request.total,
      provenance: request.provenance,
      ...partsOf(window, at, clean),
    },
    compactions: compactions.slice(0, MAX_COMPACTIONS),
    moreCompactions: Math.max(0, compactions.length - MAX_COMPACTIONS),
  };
}

/** What a request was made of, by kind, tool and file. */
function partsOf(
  window: ContextWindow,
  request: number,
  clean: (text: string) => string,
): Pick<LargestRequest, 'parts' | 'moreParts'> {
  const parts = new Map<string, { -readonly [Key in keyof ExportedPart]: ExportedPart[Key] }>();
  window.eachSent(request, (kind, { tool, path } = NOBODY, _position, tokens) => {
    const key = JSON.stringify([kind, tool, path]);
    const known = parts.get(key);
    if (known) known.tokens += tokens;
    else parts.set(key, { kind, tool, path, tokens });
  });
  const all = [...parts.values()].filter(({ tokens }) => tokens > 0).sort((a, b) => b.tokens - a.tokens);
  const rest = all.slice(MAX_PARTS);
  return {
    parts: all
      .slice(0, MAX_PARTS)
      .map(({ tool, path, ...part }) => ({ ...part, tool: clean(tool), path: clean(path) })),
    moreParts: { parts: rest.length, tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0) },
  };
}
