import type { ContextKind } from '../../analysis/context/contextKinds.js';
import type { CallWindow } from '../../analysis/context/contextUse.js';
import type { ContextRequest, ContextWindow, SentPiece } from '../../analysis/context/contextWindow.js';
import { clipName } from '../../analysis/values.js';
import { greatestOf } from '../../core/lists.js';
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
    ...{ window: number, agent: clipName(agent), hue: hues.of(agent), depth },
    requests: window.requests.length,
    most: greatestOf(
      window.requests.map(({ total }) => total),
      0,
    ),
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

function windowView(window: ContextWindow, part: ContextPart) {
  const { requests, compactions } = window;
  const last = requests.length - 1;
  const broken = requests.flatMap((request, number) => (request.broken ? [number] : []));
  const shown = Math.min(part.request ?? last, last);
  const request = requests[shown];
  return {
    columns: columnsOf(requests, part.columns),
    ...(request && { detail: detailOf(window, request, shown, part.by) }),
    compactions: compactions.slice(0, MAX_MARKS).map((each, number) => compactionOf(each, number)),
    moreCompactions: Math.max(0, compactions.length - MAX_MARKS),
    breaks: broken.slice(0, MAX_MARKS).flatMap((number) => breakOf(window, number)),
    moreBreaks: Math.max(0, broken.length - MAX_MARKS),
    ...cacheTotal(requests),
  };
}

function cacheTotal(requests: readonly ContextRequest[]): { readonly cache?: ContextCache } {
  const cache = { sent: 0, read: 0, written: 0, broken: 0, lost: 0 };
  let tells = false;
  for (const { total, read, written, broken } of requests) {
    if (read === undefined) continue;
    tells = true;
    cache.sent += total;
    cache.read += read;
    cache.written += written ?? 0;
    if (!broken) continue;
    cache.broken++;
    cache.lost += broken.held - broken.read;
  }
  return tells ? { cache } : {};
}

/** At most `columns` of the requests: where there are more, the largest of as many that follow each other. */
function columnsOf(requests: readonly ContextRequest[], columns: number): ContextColumn[] {
  const each = Math.ceil(requests.length / columns);
  const shown: ContextColumn[] = [];
  for (let start = 0; start < requests.length; start += each) {
    const end = Math.min(start + each, requests.length);
    let largest = start;
    let isCompacted = false;
    let isBroken = false;
    for (let number = start; number < end; number++) {
      const request = requests[number];
      if ((request?.total ?? 0) > (requests[largest]?.total ?? 0)) largest = number;
      isCompacted ||= (request?.compactions ?? 0) > 0;
      isBroken ||= request?.broken !== undefined;
    }
    const request = requests[largest];
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
    ...{ request: number, position, requests, total, provenance, parts, isCompacted, isBroken },
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
  const all = sharesOf(window.sentWith(number), by);
  const shares = all.slice(0, MAX_SHARES);
  const rest = all.slice(MAX_SHARES);
  const { position, model, time, total, provenance, parts } = request;
  return {
    ...{ request: number, position, model, time, total, provenance, parts, shares },
    ...cacheOf(request),
    more: { shares: rest.length, tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0) },
  };
}

interface Group {
  share: ContextShare;
  /** The tokens of the largest piece of it. */
  most: number;
  readonly places: Set<number>;
}

/** What was sent, grouped, the largest first: all of it, whatever it is grouped by. */
export function sharesOf(sent: readonly SentPiece[], by: ContextGroup): ContextShare[] {
  const groups = new Map<string, Group>();
  for (const { piece, position, tokens } of sent) {
    const named = nameOf(piece, by);
    const key = JSON.stringify(named);
    let group = groups.get(key);
    if (!group) {
      group = { share: { ...named, tokens: 0, messages: 0 }, most: -1, places: new Set() };
      groups.set(key, group);
    }
    const isMost = position >= 0 && tokens > group.most;
    if (position >= 0) group.places.add(position);
    if (isMost) group.most = tokens;
    group.share = {
      ...group.share,
      tokens: group.share.tokens + tokens,
      ...(isMost && { position }),
    };
  }
  return [...groups.values()]
    .map(({ share, places }) => ({ ...share, messages: places.size }))
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens);
}

type Named = Pick<ContextShare, 'kind' | 'role' | 'tool' | 'server' | 'path'>;

/** By what a piece is grouped; what is of no tool, file or server is by its kind then. */
function nameOf(piece: SentPiece['piece'], by: ContextGroup): Named {
  const { kind = 'unrecorded', tool = '', server = '', path = '' } = piece ?? {};
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
    ...{ compaction, position, time, request: requestsBefore, messages, tokens },
    isKnown: dropped.what !== 'unknown',
    ...(trigger !== undefined && { trigger }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

function breakOf(window: ContextWindow, number: number): ContextBreak[] {
  const request = window.requests[number];
  if (!request?.broken) return [];
  const { held, read, reasons, idleMs } = request.broken;
  const at = window.positionAt(number, read);
  return [
    {
      ...{ request: number, position: request.position, held, read, reasons },
      ...(at !== undefined && { at }),
      ...(idleMs !== undefined && { idleMs }),
    },
  ];
}
