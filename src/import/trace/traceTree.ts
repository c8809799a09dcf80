import { textOf, isObject } from '../../core/message.js';
import { objects, type Fields, parsed } from '../reading/fields.js';
import type { TraceSpan } from './traceSpan.js';

/** A span in its tree. */
export interface TraceNode {
  span: TraceSpan;
  readonly parent: TraceNode | undefined;
  /** In the order in which they began. */
  readonly children: TraceNode[];
  /** Whether requests lie below it. */
  hasRequests: boolean;
}

/**
 * The trees of a trace, oldest first. Spans that are each other's parents form a tree from the first of them on; of one
 * request that several instrumentations recorded, one remains a request, the others are spans of no known kind.
 */
export function traceTrees(spans: readonly TraceSpan[]): TraceNode[] {
  const roots = planted(withoutRepeats(spans));
  const nodes = [...inDepth(roots)];
  // Children come after their parents, so that going backwards tells of everything below.
  for (const node of nodes.toReversed()) {
    if (node.parent && (node.span.kind === 'request' || node.hasRequests)) node.parent.hasRequests = true;
  }
  for (const node of nodes) demoteWrapper(node);
  demoteTwins(nodes);
  return roots;
}

/** Every node of the trees, each before its children. */
export function* inDepth(roots: readonly TraceNode[]): Generator<TraceNode> {
  const stack = roots.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node;
    for (const child of node.children.toReversed()) stack.push(child);
  }
}

/**
 * A span that is exported again replaces what it said before: when it ends, and with a later end. One of the same id that began at
 * another time or is called otherwise is another span.
 */
function withoutRepeats(spans: readonly TraceSpan[]): TraceSpan[] {
  const byId = new Map<string, TraceSpan>();
  const nameless: TraceSpan[] = [];
  for (const span of spans) {
    const known = byId.get(span.id);
    if (span.id === '') nameless.push(span);
    else if (!known) byId.set(span.id, span);
    else if (JSON.stringify(known) === JSON.stringify(span)) continue;
    else if (!isSameSpan(known, span)) nameless.push({ ...span, id: '' });
    else {
      const isLater = known.end === undefined || (span.end !== undefined && span.end >= known.end);
      nameless.push(isLater ? saidBefore(known, span) : saidBefore(span, known));
      if (isLater) byId.set(span.id, span);
    }
  }
  return [...byId.values(), ...nameless];
}

function isSameSpan(known: TraceSpan, span: TraceSpan): boolean {
  if (known.end === undefined || span.end === undefined) return true;
  return known.name === span.name && known.start === span.start;
}

/** What a span said before it was sent again: it counts no more, and of what it said is kept what the later one does not say. */
function saidBefore(span: TraceSpan, later: TraceSpan): TraceSpan {
  const left = (of: 'input' | 'output') => {
    const said = later[of].map(({ content }) => textOf(content)).join('\n');
    const all = JSON.stringify(later[of]);
    return span[of].filter(
      ({ content, tool_calls: calls }) =>
        !said.includes(textOf(content)) || (calls !== undefined && !all.includes(JSON.stringify(calls))),
    );
  };
  const [input, output] = [left('input'), left('output')];
  return { ...span, id: '', kind: 'other', usage: undefined, tool: undefined, input, output };
}

function planted(spans: readonly TraceSpan[]): TraceNode[] {
  const order = [...spans].sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
  const below = new Map<string, TraceSpan[]>();
  const ids = new Set(order.map(({ id }) => id));
  for (const span of order) {
    const siblings = below.get(span.parent);
    if (siblings) siblings.push(span);
    else below.set(span.parent, [span]);
  }
  const taken = new Set<TraceSpan>();
  const roots: TraceNode[] = [];
  const isRoot = ({ parent }: TraceSpan) => parent === '' || !ids.has(parent);
  // Spans in a ring have no root; the first of them that no tree contains is taken for one.
  for (const span of [...order.filter(isRoot), ...order]) {
    if (taken.has(span)) continue;
    taken.add(span);
    const root: TraceNode = { span, parent: undefined, children: [], hasRequests: false };
    roots.push(root);
    grow(root, below, taken);
  }
  return roots.sort((a, b) => (a.span.start ?? 0) - (b.span.start ?? 0));
}

function grow(root: TraceNode, below: ReadonlyMap<string, TraceSpan[]>, taken: Set<TraceSpan>): void {
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.span.id === '') continue;
    for (const span of below.get(node.span.id) ?? []) {
      if (taken.has(span)) continue;
      taken.add(span);
      const child: TraceNode = { span, parent: node, children: [], hasRequests: false };
      node.children.push(child);
      waiting.push(child);
    }
  }
}

/**
 * A request around other requests is a wrapper, whose usage theirs add up to. Where the only request below tells no
 * messages, the wrapper is what tells them, and stays the request.
 */
function demoteWrapper(node: TraceNode): void {
  const { span } = node;
  if (span.kind !== 'request' || !node.hasRequests) return;
  const inner = requestsBelow(node);
  const [only] = inner;
  const isSilent = only && only.span.input.length + only.span.output.length === 0;
  if (inner.length === 1 && isSilent && span.input.length + span.output.length > 0) {
    const { model, usage, endpoint, finishReason } = { ...only.span, ...defined(span) };
    node.span = { ...span, model, usage, endpoint, finishReason };
    only.span = { ...only.span, kind: 'other' };
    node.hasRequests = false;
  }
}

/** The requests below a node that contain no other, at most two: more are not asked for. */
function requestsBelow(node: TraceNode): TraceNode[] {
  const found: TraceNode[] = [];
  for (const each of inDepth(node.children)) {
    if (each.span.kind === 'request' && !each.hasRequests) found.push(each);
    if (found.length === 2) break;
  }
  return found;
}

function defined(span: TraceSpan): Partial<TraceSpan> {
  return Object.fromEntries(Object.entries(span).filter(([, value]) => value !== undefined));
}

/** Of requests with one answer, each within the other in time, the most detailed one remains a request. */
function demoteTwins(nodes: readonly TraceNode[]): void {
  const groups = new Map<string, TraceNode[]>();
  for (const node of nodes) {
    const { span, hasRequests } = node;
    if (span.kind !== 'request' || hasRequests || span.start === undefined || span.end === undefined)
      continue;
    const key = answerKey(span);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  for (const group of groups.values()) {
    if (group.length > 1) demoteWithin(group);
  }
}

function demoteWithin(group: TraceNode[]): void {
  group.sort((a, b) => (a.span.start ?? 0) - (b.span.start ?? 0) || (b.span.end ?? 0) - (a.span.end ?? 0));
  let outer: TraceNode | undefined;
  for (const node of group) {
    if (!outer || (node.span.end ?? 0) > (outer.span.end ?? 0) || isAlike(node.span, outer.span)) {
      outer = node;
      continue;
    }
    const [kept, left]: [TraceNode, TraceNode] =
      detailOf(node.span) >= detailOf(outer.span) ? [node, outer] : [outer, node];
    kept.span = { ...left.span, ...defined(kept.span), agent: kept.span.agent };
    left.span = { ...left.span, kind: 'other', input: [], output: [], source: whole(left.span, kept.span) };
    outer = kept;
  }
}

/** What a twin says besides; its messages only where the other one's differ. */
function whole({ source, input, output }: TraceSpan, kept: TraceSpan): Fields {
  const isTold = comparable([input, output]) === comparable([kept.input, kept.output]);
  return isTold ? source : { ...source, input, output };
}

/** Whether one instrumentation wrote both: then they are two requests, however alike their answers are. */
function isAlike(a: TraceSpan, b: TraceSpan): boolean {
  return a.name === b.name && idsIn(a) === idsIn(b) && a.source.scope === b.source.scope;
}

/** What was answered, without ids; the usage where the answer was not recorded; undefined where there is neither. */
function answerKey({ output, usage, input }: TraceSpan): string | undefined {
  const asked = textOf(input.at(-1)?.content).trim();
  if (output.length > 0) return JSON.stringify(['a', asked, ...output.map(wordsOf)]);
  return usage && usage.outputTokens > 0
    ? JSON.stringify(['u', usage.inputTokens, usage.outputTokens])
    : undefined;
}

function wordsOf(message: Fields): unknown[] {
  const calls = objects(message.tool_calls).map((call) => comparable(call.function));
  return [textOf(message.content).trim(), ...calls];
}

function idsIn({ output }: TraceSpan): number {
  return output
    .flatMap((message) => objects(message.tool_calls))
    .filter(({ id }) => id !== undefined && id !== '').length;
}

/** How much a span tells of its request: ids of calls count most, then usage, then messages. */
function detailOf(span: TraceSpan): number {
  return 1e6 * idsIn(span) + (span.usage ? 1e5 : 0) + Math.min(1e4, span.input.length + span.output.length);
}

/** A value as text by which two instrumentations' copies of it are compared: JSON in strings is parsed, keys sorted. */
export function comparable(value: unknown): string {
  return JSON.stringify(sorted(parsed(value)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(parsed(each))] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
