import { NOBODY, type ContextKind, type Named } from '../../../query/numbers/context/contextKinds.js';
import type { CallWindow } from '../../../query/numbers/context/contextUse.js';
import type { ContextWindow } from '../../../query/numbers/context/contextWindow.js';
import type { ContextRequest, SentRequests } from '../../../query/numbers/context/sentRequests.js';
import { clipName } from '../../../query/numbers/values.js';
import type {
  ContextAnswer,
  ContextBreak,
  ContextCache,
  ContextColumn,
  ContextCompaction,
  ContextDetail,
  ContextGroup,
  ContextShare,
} from '../../protocol/context.js';
import type { AgentHues } from '../rows/agentHues.js';

/** The most windows, parts of a request, compactions and broken prefixes in one answer. */
const MAX_WINDOWS = 200;
const MAX_SHARES = 60;
const MAX_MARKS = 200;

/** What a page wants to see of the windows of a transcript. */
export interface ContextPart {
  readonly window?: number;
  readonly request?: number;
  readonly by: ContextGroup;
  readonly columns: number;
}

/** The windows of a transcript as a page shows them: never more than a chart can draw and a person can read. */
export function contextView(
  windows: readonly CallWindow[],
  hues: AgentHues,
  part: ContextPart,
): Omit<ContextAnswer, 'looked' | 'records'> {
  const infos = windows.map(({ agent, depth, window }, number) => ({
    window: number,
    agent: clipName(agent),
    hue: hues.of(agent),
    depth,
    requests: window.sent.length,
    most: mostOf(window.sent),
    compactions: window.compactions.length,
  }));
  const largest = infos.toSorted((a, b) => b.most - a.most || a.window - b.window).slice(0, MAX_WINDOWS);
  const listed = largest.toSorted((a, b) => a.window - b.window);
  const shown = part.window !== undefined && windows[part.window] ? part.window : listed[0]?.window;
  const window = shown === undefined ? undefined : windows[shown]?.window;
  return {
    windows: listed,
    moreWindows: infos.length - listed.length,
    ...(shown !== undefined && { window: shown }),
    ...(window ? windowView(window, part) : NOTHING),
  };
}

const NOTHING = { columns: [], compactions: [], moreCompactions: 0, breaks: [], moreBreaks: 0 };

function mostOf(sent: SentRequests): number {
  let most = 0;
  for (let number = 0; number < sent.length; number++) most = Math.max(most, sent.totalAt(number));
  return most;
}

function windowView(window: ContextWindow, part: ContextPart) {
  const { sent, compactions } = window;
  const { broken } = sent;
  const last = sent.length - 1;
  const shown = Math.min(part.request ?? last, last);
  const request = sent.at(shown);
  return {
    columns: columnsOf(sent, part.columns),
    ...(request && { detail: detailOf(window, request, shown, part.by) }),
    compactions: compactions.slice(0, MAX_MARKS).map((each, number) => compactionOf(each, number)),
    moreCompactions: Math.max(0, compactions.length - MAX_MARKS),
    breaks: broken.slice(0, MAX_MARKS).flatMap((number) => breakOf(window, number)),
    moreBreaks: Math.max(0, broken.length - MAX_MARKS),
    ...cacheTotal(sent),
  };
}

function cacheTotal(sent: SentRequests): { readonly cache?: ContextCache } {
  const cache = { sent: 0, read: 0, written: 0, broken: 0, lost: 0 };
  let tells = false;
  for (let number = 0; number < sent.length; number++) {
    const read = sent.readAt(number);
    if (read === undefined) continue;
    tells = true;
    cache.sent += sent.totalAt(number);
    cache.read += read;
    cache.written += sent.writtenAt(number) ?? 0;
    const broken = sent.brokenAt(number);
    if (!broken) continue;
    cache.broken++;
    cache.lost += broken.held - broken.read;
  }
  return tells ? { cache } : {};
}

/** At most `columns` of the requests: where there are more, the largest of as many that follow each other. */
function columnsOf(sent: SentRequests, columns: number): ContextColumn[] {
  const each = Math.ceil(sent.length / columns);
  const shown: ContextColumn[] = [];
  for (let start = 0; start < sent.length; start += each) {
    const end = Math.min(start + each, sent.length);
    let largest = start;
    let isCompacted = false;
    let isBroken = false;
    for (let number = start; number < end; number++) {
      if (sent.totalAt(number) > sent.totalAt(largest)) largest = number;
      isCompacted ||= sent.compactionsAt(number) > 0;
      isBroken ||= sent.brokenAt(number) !== undefined;
    }
    const request = sent.at(largest);
    if (request) shown.push(columnOf(request, largest, end - start, isCompacted, isBroken));
  }
  return shown;
}

function columnOf(
  request: ContextRequest,
  number: number,
  requests: number,
  isCompacted: boolean,
  isBroken: boolean,
): ContextColumn {
  const { position, total, provenance, parts } = request;
  return {
    request: number,
    position,
    requests,
    total,
    provenance,
    parts,
    isCompacted,
    isBroken,
    ...cacheOf(request),
  };
}

function cacheOf({ read, written }: ContextRequest): { readonly read?: number; readonly written?: number } {
  return { ...(read !== undefined && { read }), ...(written !== undefined && { written }) };
}

function detailOf(
  window: ContextWindow,
  request: ContextRequest,
  number: number,
  by: ContextGroup,
): ContextDetail {
  const all = sharesOf(window, number, by);
  const shares = all.slice(0, MAX_SHARES);
  const rest = all.slice(MAX_SHARES);
  const { position, model, time, total, provenance, parts } = request;
  return {
    request: number,
    position,
    model,
    time,
    total,
    provenance,
    parts,
    shares,
    ...cacheOf(request),
    more: { shares: rest.length, tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0) },
  };
}

interface Group {
  readonly named: GroupName;
  tokens: number;
  position: number | undefined;
  /** The tokens of the largest piece of it. */
  most: number;
  /** The position of the last piece, and how many there were: pieces of a message follow each other. */
  last: number;
  messages: number;
}

/** What was sent with a request, grouped, the largest first: all of it, whatever it is grouped by. */
function sharesOf(window: ContextWindow, request: number, by: ContextGroup): ContextShare[] {
  const groups = new Map<string, Group>();
  // What was sent is of few tools and files, which need not be written as a key each time.
  const known = new Map<Named | undefined, Map<ContextKind, Group>>();
  window.eachSent(request, (kind, of, position, tokens) => {
    let ofKinds = known.get(of);
    if (!ofKinds) known.set(of, (ofKinds = new Map<ContextKind, Group>()));
    let group = ofKinds.get(kind);
    if (!group) {
      group = groupOf(groups, kind, of ?? NOBODY, by);
      ofKinds.set(kind, group);
    }
    group.tokens += tokens;
    if (position < 0) return;
    if (position !== group.last) group.messages++;
    group.last = position;
    if (tokens <= group.most) return;
    group.most = tokens;
    group.position = position;
  });
  return [...groups.values()]
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .map(({ named, tokens, messages, position }) => ({
      ...named,
      tokens,
      messages,
      ...(position !== undefined && { position }),
    }));
}

function groupOf(groups: Map<string, Group>, kind: ContextKind, of: Named, by: ContextGroup): Group {
  const key = keyOf(kind, of, by);
  const found = groups.get(key);
  if (found) return found;
  const named = nameOf(kind, of, by);
  const group = { named, tokens: 0, position: undefined, most: -1, last: -1, messages: 0 };
  groups.set(key, group);
  return group;
}

/** What pieces of one group have in common. */
function keyOf(kind: ContextKind, { tool, server, path }: Named, by: ContextGroup): string {
  switch (by) {
    case 'each':
      return tool === '' && path === '' ? kind : JSON.stringify([kind, tool, server, path]);
    case 'role':
      return roleOf(kind, tool);
    case 'tool':
      return tool === '' ? kind : JSON.stringify([tool, server]);
    case 'file':
      return path === '' ? kind : JSON.stringify([path]);
    case 'server':
      return server === '' ? kind : JSON.stringify([server]);
  }
}

type GroupName = Pick<ContextShare, 'kind' | 'role' | 'tool' | 'server' | 'path'>;

/** By what a piece is grouped; what is of no tool, file or server is by its kind then. */
function nameOf(kind: ContextKind, { tool, server, path }: Named, by: ContextGroup): GroupName {
  switch (by) {
    case 'each':
      return {
        kind,
        ...(tool !== '' && { tool }),
        ...(server !== '' && { server }),
        ...(path !== '' && { path }),
      };
    case 'role':
      return { role: roleOf(kind, tool) };
    case 'tool':
      return tool === '' ? { kind } : { tool, ...(server !== '' && { server }) };
    case 'file':
      return path === '' ? { kind } : { path };
    case 'server':
      return server === '' ? { kind } : { server };
  }
}

/** Who said what is of a kind; '' where that is not recorded. */
function roleOf(kind: ContextKind, tool: string): string {
  switch (kind) {
    case 'unrecorded':
      return '';
    case 'system':
    case 'tools':
      return 'system';
    case 'images':
      return tool === '' ? 'user' : 'tool';
    case 'prompts':
    case 'summary':
      return 'user';
    case 'answers':
    case 'thinking':
    case 'calls':
      return 'assistant';
    case 'files':
    case 'results':
      return 'tool';
  }
}

function compactionOf(each: ContextWindow['compactions'][number], compaction: number): ContextCompaction {
  const { position, time, trigger, before, after, messages, tokens, dropped, requestsBefore } = each;
  return {
    compaction,
    position,
    time,
    request: requestsBefore,
    messages,
    tokens,
    isKnown: dropped.what !== 'unknown',
    ...(trigger !== undefined && { trigger }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

function breakOf(window: ContextWindow, number: number): ContextBreak[] {
  const request = window.sent.at(number);
  if (!request?.broken) return [];
  const { held, read, reasons, idleMs } = request.broken;
  const at = window.positionAt(number, read);
  return [
    {
      request: number,
      position: request.position,
      held,
      read,
      reasons,
      ...(at !== undefined && { at }),
      ...(idleMs !== undefined && { idleMs }),
    },
  ];
}
