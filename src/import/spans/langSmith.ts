import { appendAll } from '../../core/lists.js';
import { isObject } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  parsed,
  text,
  time,
  without,
  type Fields,
} from '../reading/fields.js';
import type { ImportSink } from '../building/importSink.js';
import { messagesIn } from '../messages/anyMessage.js';
import { openAiUsage, usageOf } from '../messages/usage.js';
import { failure, spanBy, type SpanTable } from './spanTable.js';
import { Groups } from '../trace/groups.js';
import { answersIn, saidIn } from '../trace/spanMessages.js';
import { TraceReader } from '../trace/traceReader.js';
import type { SpanKind, TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

/**
 * LangSmith's and LangChain's runs: alone, in lists, as trees with `child_runs`, or as the batches that are sent to the
 * service. Traces of one thread are one conversation.
 */
export const langSmith: TranscriptFormat = {
  name: 'langsmith',
  isOfTraces: true,
  of: 'LangSmith, LangChain',
  files: 'runs: lists of them, trees with their child runs, batches that were sent',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => head.length > 0 && most(head, (value) => runsOf(value).length > 0),
  *readLines(lines, sink) {
    const runs = new Groups<unknown>(lines, sink);
    for (const value of runs.values(lines)) {
      const found = runsOf(value);
      if (found.length === 0) {
        sink.unknown('values without runs');
        runs.addSingle(value);
      }
      for (const run of found) runs.add(idOf(run), run);
      const beside = besideRuns(value);
      if (beside) runs.addSingle(beside);
      yield;
    }
    const traces = yield* runs.all().joining((parts) => traceOf(wholeRun(parts)));
    let isFirst = true;
    for (const session of yield* traces.joining((trace) => sessionOf(trace.map(wholeRun)))) {
      readSession(
        session.map((trace) => trace.map(wholeRun)),
        isFirst ? runs.singles() : [],
        sink,
      );
      isFirst = false;
      yield;
    }
  },
};

/** A run that is sent again when it ends completes its beginning. */
function wholeRun(parts: readonly unknown[]): Fields {
  return parts.reduce<Fields | undefined>((known, run) => merged(known, fields(run)), undefined) ?? {};
}

/** What of a run is told under names of its own. */
const CHILDREN = 'child_runs';

/** The runs in a value, children after the runs that they lie in. */
function runsOf(value: unknown): Fields[] {
  if (Array.isArray(value)) return most(value, isRun) ? objects(value).flatMap(flat) : [];
  const about = fields(value);
  if (isRun(about)) return flat(about);
  if (Array.isArray(about.runs)) return runsOf(about.runs);
  // A patch has no kind: its run was posted before.
  const posted = about.post === undefined ? [] : runsOf(about.post);
  return posted.length > 0 ? [...posted, ...objects(about.patch)] : [];
}

/** What an envelope says besides its runs, if it says anything. */
function besideRuns(value: unknown): Fields | undefined {
  if (!isObject(value) || isRun(value)) return undefined;
  const rest = without(value, 'runs', 'post', 'patch');
  return runsOf(value).length > 0 && Object.keys(rest).length > 0 ? rest : undefined;
}

function isRun(value: unknown): boolean {
  if (!isObject(value) || typeof value.run_type !== 'string') return false;
  return 'inputs' in value || 'outputs' in value || 'start_time' in value;
}

/** A run and the runs below it; those know their parent. Deep trees do not recurse. */
function flat(root: Fields): Fields[] {
  const found: Fields[] = [];
  const waiting = [root];
  for (let run = waiting.pop(); run; run = waiting.pop()) {
    const parent = run;
    found.push(parent);
    const trace = parent.trace_id ?? parent.id;
    const children = objects(parent[CHILDREN]).map((child, index): Fields => ({
      parent_run_id: parent.id,
      trace_id: trace,
      ...child,
      id: text(child.id) ?? `${asText(parent.id)}.${index + 1}`,
    }));
    appendAll(waiting, children.reverse());
  }
  return found;
}

/** A run's id; a patch names it in the last part of its order only. */
function idOf(run: Fields): string {
  return text(run.id) ?? text(run.run_id) ?? asText(run.dotted_order).slice(-UUID_LENGTH);
}

const UUID_LENGTH = 36;

function merged(known: Fields | undefined, run: Fields): Fields {
  if (!known) return run;
  const told = Object.entries(run).filter(([, value]) => value !== undefined && value !== null);
  return { ...known, ...Object.fromEntries(told) };
}

const metadataOf = (run: Fields) => ({ ...fields(run.metadata), ...fields(fields(run.extra).metadata) });

/** The thread that the runs of a trace name, else their trace. */
function sessionOf(runs: readonly Fields[]): string {
  for (const run of runs) {
    const thread = threadOf(run);
    if (thread !== undefined) return thread;
  }
  return traceOf(runs[0] ?? {});
}

function threadOf(run: Fields): string | undefined {
  const { thread_id, session_id, conversation_id } = metadataOf(run) as Fields;
  return text(thread_id) ?? text(session_id) ?? text(conversation_id);
}

function traceOf(run: Fields): string {
  return text(run.trace_id) ?? idOf(run);
}

function readSession(
  traces: readonly (readonly Fields[])[],
  strange: Iterable<unknown>,
  sink: ImportSink,
): void {
  const begin = (trace: readonly Fields[]) => timeOf(trace[0]?.start_time) ?? 0;
  const ordered = [...traces].sort((a, b) => begin(a) - begin(b));
  const [first = []] = ordered;
  const root = rootOf(first);
  const id = threadOf(root) ?? traceOf(root);
  const isAlone = kindOf(root, true) === 'request';
  const builder = sink.conversation(id, isAlone ? 'assistant' : (text(root.name) ?? 'agent'));
  for (const value of strange) builder.keep(builder.entry, 'unknown', value);
  const reader = new TraceReader(builder);
  for (const trace of ordered) reader.read(spansOf(trace));
}

/** The run that all others of a trace lie in: the first whose parent is not there. */
function rootOf(runs: readonly Fields[]): Fields {
  const ids = new Set(runs.map(idOf));
  return runs.find((run) => !ids.has(parentOf(run))) ?? runs[0] ?? {};
}

function parentOf(run: Fields): string {
  return text(run.parent_run_id) ?? '';
}

function spansOf(runs: readonly Fields[]): TraceSpan[] {
  const root = rootOf(runs);
  const spans = runs.map((run) => spanOf(run, run === root));
  if (spans.some(({ kind }) => kind === 'request')) return spans;
  // Nothing but the root tells what was asked and answered.
  return spans.map((span, index) =>
    runs[index] === root && span.kind !== 'tool' ? { ...span, ...plainWords(root) } : span,
  );
}

const KINDS: Readonly<Record<string, SpanKind>> = {
  llm: 'request',
  chat_model: 'request',
  tool: 'tool',
  agent: 'agent',
};

/** The names under which LangChain runs agents, where no run says that it is one. */
const AGENTS = /^(?:AgentExecutor|LangGraph)$/;

function kindOf(run: Fields, isRoot: boolean): SpanKind {
  const known = Object.hasOwn(KINDS, asText(run.run_type)) ? KINDS[asText(run.run_type)] : undefined;
  if (known) return known;
  const name = text(run.name);
  const isNamed = name !== undefined && name === metadataOf(run).lc_agent_name;
  return isNamed || (!isRoot && AGENTS.test(name ?? '')) ? 'agent' : 'other';
}

const RUNS: SpanTable = {
  id: [idOf],
  parent: ['parent_run_id'],
  name: ['name'],
  kind: ['run_type'],
  kinds: KINDS,
  start: [({ start_time }) => timeOf(start_time)],
  end: [({ end_time }) => timeOf(end_time)],
  firstToken: [({ first_token_time }) => timeOf(first_token_time)],
  model: [modelOf],
  endpoint: [(run) => metadataOf(run).ls_provider],
  usage: spentIn,
  error: ({ error }) => failure(text(error)),
};

function spanOf(run: Fields, isRoot: boolean): TraceSpan {
  const kind = kindOf(run, isRoot);
  const span = spanBy(RUNS, run, kind);
  const isSaid = kind === 'request' || kind === 'agent' || isRoot;
  const { input, output } = isSaid && kind !== 'tool' ? wordsOf(run) : { input: [], output: [] };
  return {
    ...span,
    input,
    output,
    model: kind === 'request' ? span.model : undefined,
    tool: kind === 'tool' ? toolOf(run, span.name) : undefined,
    source: without(run, CHILDREN),
  };
}

/** A time; LangSmith writes those of Python without their zone, which is UTC. */
function timeOf(value: unknown): number | undefined {
  const isBare = typeof value === 'string' && /T[\d:.]+$/.test(value);
  return time(isBare ? `${value}Z` : value);
}

function wordsOf(run: Fields): Pick<TraceSpan, 'input' | 'output'> {
  const inputs = fields(run.inputs);
  const prompts = list(inputs.prompts);
  const input =
    prompts.length > 0 ? prompts.flatMap((prompt) => saidIn(prompt, 'user')) : messagesIn(run.inputs);
  const outputs = fields(run.outputs);
  const answered = answersIn(outputs);
  const only = answered.length > 0 ? answered : answersIn(outputs.output ?? outputs.message);
  // A chain gives back all messages of its state, those that it was given too: the history knows these.
  return { input, output: only.length > 0 ? only : messagesIn(outputs) };
}

/** What a run was asked and answered where these are no messages: the only text in it, or everything as JSON. */
function plainWords(run: Fields): Pick<TraceSpan, 'input' | 'output'> {
  const { input, output } = wordsOf(run);
  const said = (value: unknown, role: string): Fields[] => {
    const values = Object.values(fields(value));
    if (values.length === 0) return [];
    const [only] = values;
    return [{ role, content: values.length === 1 && typeof only === 'string' ? only : asText(value) }];
  };
  return {
    input: input.length > 0 ? input : said(run.inputs, 'user'),
    output: output.length > 0 ? output : said(run.outputs, 'assistant'),
  };
}

function modelOf(run: Fields): string | undefined {
  const outputs = fields(run.outputs);
  const invoked = fields(fields(run.extra).invocation_params);
  const { response_metadata: about } = fields(generationOf(outputs).message);
  const told = [
    outputs.model,
    fields(outputs.llm_output).model_name,
    fields(about).model_name,
    metadataOf(run).ls_model_name,
    invoked.model,
    invoked.model_name,
    fields(run.inputs).model,
  ];
  return told.map((each) => text(each)).find((model) => model !== undefined);
}

/** The first answer of a model in LangChain's shape, its message as plain fields. */
function generationOf(outputs: Fields): Fields {
  const [first] = objects([outputs.generations].flat(3));
  const message = fields(first?.message);
  return { ...first, message: isObject(message.kwargs) ? message.kwargs : message };
}

function spentIn(run: Fields): Usage | undefined {
  const outputs = fields(run.outputs);
  const { message } = generationOf(outputs);
  const said = fields(outputs.output ?? outputs.message);
  const described = [
    outputs.usage_metadata,
    fields(message).usage_metadata,
    fields(said.kwargs ?? said).usage_metadata,
    metadataOf(run).usage_metadata,
  ].find(isObject);
  if (described) return langChainUsage(described);
  const counted = openAiUsage(outputs.usage ?? fields(outputs.llm_output).token_usage);
  // The service counts itself what a run does not say.
  return counted ?? (number(run.prompt_tokens) ? openAiUsage(run) : undefined);
}

/** LangChain's usage, whose input contains what was read from and written to the cache. */
function langChainUsage(usage: Fields): Usage | undefined {
  const input = number(usage.input_tokens);
  const output = number(usage.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  const details = fields(usage.input_token_details);
  return usageOf({
    input,
    output,
    cached: number(details.cache_read),
    written: number(details.cache_creation),
    reasoning: number(fields(usage.output_token_details).reasoning),
    told: usage,
  });
}

function toolOf(run: Fields, name: string): TraceSpan['tool'] {
  const inputs = fields(run.inputs);
  const { input } = inputs;
  const isWrapped = Object.keys(inputs).length === 1 && input !== undefined;
  const outputs = run.outputs ?? undefined;
  const { output } = fields(outputs);
  const answer = fields(parsed(output ?? outputs));
  const message = fields(answer.kwargs ?? answer.data ?? answer);
  const isMessage = message.tool_call_id !== undefined;
  const id = text(message.tool_call_id) ?? text(fields(run.extra).tool_call_id);
  const isOnly = output !== undefined && Object.keys(fields(outputs)).length === 1;
  return {
    name,
    id,
    input: asText(isWrapped ? input : (run.inputs ?? {})),
    output: isMessage ? message.content : isOnly ? output : outputs,
  };
}
