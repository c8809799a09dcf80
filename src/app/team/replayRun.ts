import { onAbort } from '../../core/abort.js';
import type { AgentDefinition } from '../../core/agent.js';
import { findAgent } from '../../core/agentLookup.js';
import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { canonicalJson } from '../../core/canonicalJson.js';
import type { LibraryErrorCode } from '../../core/errorCode.js';
import { t } from '../../core/l10n.js';
import { isObject, type ChatMessage } from '../../core/message.js';
import type { Frontend } from '../../core/ports/frontend.js';
import { silentLog } from '../../core/ports/log.js';
import type { Model, ToolSpec } from '../../core/ports/model.js';
import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import type { Tool, ToolExecutor } from '../../core/ports/tool.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import type { Failure, LogRecord } from '../../core/record.js';
import { Recorder } from '../../core/record/recorder.js';
import { appendAll } from '../../core/lists.js';
import { forkPointOf, goingOnIn, readBefore, type OpenOrigin } from '../transcripts/forks.js';
import { AgentSession } from '../../agents/loop/agentSession.js';
import type { Limits } from '../../agents/loop/limits/limits.js';
import { ReplayTape, type TapeCall } from '../../agents/loop/replay/replayTape.js';
import type { RuntimeConfig } from '../../agents/loop/runtimeConfig.js';
import { SchemaValidator } from '../../agents/loop/toolCalls/schemaValidator.js';
import { UsageCollector } from '../../agents/loop/usageCollector.js';
import { PathGuard } from '../../agents/tools/paths/pathGuard.js';
import { SeenFiles } from '../../agents/tools/files/seenFiles.js';
import { DiskWorkspaceFiles } from '../../agents/tools/files/writeDiskText.js';
import { builtInTools } from '../../agents/tools/builtInTools.js';
import { UserError } from '../userError.js';
import { agentTools } from '../../agents/tools/agentTools.js';
import { SUBAGENT_DISPATCH } from '../../agents/tools/subagentDispatch.js';
import { ToolRegistry } from '../../agents/tools/toolRegistry.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import {
  departureOf,
  instructionsOf,
  limitChanges,
  pretty,
  recordedLimits,
  stepAt,
  stepsOf,
  type Clean,
  type RecordedRun,
  type ReplayChange,
  type Replayed,
} from './replayDeparture.js';
import { agentDefinition } from './teamAgent.js';

/** What a run is replayed with. What is left out is taken from the record. */
export interface ReplayOptions {
  /** The agents as their files have them now; those of the record that are not among them are taken from it. */
  readonly agents?: readonly AgentDefinition[] | undefined;
  /** The tools that there are now, of which nothing but what models are told is used. */
  readonly tools?: readonly Tool[] | undefined;
  /** The limits of now. Time is none of them: it stands still in a replay, and what it ended ends again. */
  readonly limits?: (Limits & { readonly maxDepth: number }) | undefined;
  /** By which a limit of costs counts. */
  readonly prices?: Prices | undefined;
  /** One run of the session, from 1; those before it are replayed for what it goes on from. All of them where nothing is said. */
  readonly run?: number | undefined;
  /** Opens a conversation that the session goes on from. */
  readonly openOrigin?: OpenOrigin | undefined;
  /** Leaves secrets out of what is quoted of the record in a sentence; left out: all stays. */
  readonly clean?: Clean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const replayKinds: KnownOptions<ReplayOptions> = {
  agents: 'list',
  tools: 'list',
  limits: 'object',
  prices: 'object',
  run: 'count',
  openOrigin: 'function',
  clean: 'function',
  signal: 'object',
};

/** What models are told of the built-in tools now. None of them can reach a file. */
export function describedTools(): readonly Tool[] {
  const nothing = { began: () => undefined, said: () => undefined, ended: () => undefined };
  const files = { guard: new PathGuard([]), files: new DiskWorkspaceFiles(), seen: new SeenFiles() };
  return builtInTools(files, { host: {}, watcher: nothing });
}

/** Why a session cannot be replayed. */
export class NotReplayable extends UserError {
  override readonly name = 'NotReplayable';
  readonly code: LibraryErrorCode = 'NOT_REPLAYABLE';
}

/**
 * Runs a recorded session again, with what was recorded as the answers of models, tools and people: nothing is asked of
 * anybody, nothing is executed. Ends with the first difference. Rejects with `NotReplayable` where the record does not hold
 * what that takes, and with the signal's reason.
 */
export async function replayRun(transcript: Transcript, options: ReplayOptions = {}): Promise<Replayed> {
  checkOptions(options, replayKinds, 'replayRun');
  return await replayRuns(transcript, await replayableRuns(transcript, options), options);
}

/** The runs of a session that are replayed, in order. Rejects as `replayRun` does. */
export async function replayableRuns(
  transcript: Transcript,
  options: ReplayOptions,
): Promise<readonly RecordedRun[]> {
  const { run } = options;
  const recorded = await recordedRuns(transcript, options);
  if (run !== undefined && (run < 1 || run > recorded.length))
    throw new NotReplayable(t`There is no run ${run} in this session; it has ${recorded.length}.`);
  const asked = recorded.slice(0, run);
  checkReplayable(transcript, asked);
  return asked;
}

/** Replays runs one after the other, up to the first difference. */
export async function replayRuns(
  transcript: Pick<Transcript, 'conversation'>,
  asked: readonly RecordedRun[],
  options: ReplayOptions,
): Promise<Replayed> {
  const { signal } = options;
  const sums = { answers: 0, results: 0 };
  const changes = new Map<string, ReplayChange>();
  const fromRecord = new Set<string>();
  let session: AgentSession | undefined;
  let last: Played | undefined;
  for (const [at, each] of asked.entries()) {
    signal?.throwIfAborted();
    const number = at + 1;
    // A run that was begun in another window went on from the record, others from what was said in theirs.
    let played = await play(each, session, options);
    if (played.tape.departure && played.tape.served.answers === 0 && session)
      played = await play(each, undefined, options);
    played = await stoppedWithin(each, played, options);
    ({ session } = played);
    last = played;
    sums.answers += played.tape.served.answers;
    sums.results += played.tape.served.results;
    for (const change of played.changes) {
      const key = canonicalJson([change.agent, change.what, change.name ?? '']);
      changes.set(key, changes.get(key) ?? change);
    }
    for (const name of played.fromRecord) fromRecord.add(name);
    if (played.tape.departure) {
      const steps = await stepsOf(each, signal);
      const told = [...changes.values()];
      return {
        ...resultOf(transcript, played, sums, told, fromRecord),
        exact: false,
        runs: number,
        departure: departureOf(each, played, number, steps, told, options.clean),
        unserved: [...played.tape.unserved].sort(bySeq).map((request) => ({
          run: number,
          step: stepAt(each, steps, request),
          agent: request.agent,
          seq: request.seq,
        })),
      };
    }
  }
  if (!last || sums.answers === 0)
    throw new NotReplayable(t`No model answered in this session, so there is nothing to replay.`);
  return {
    ...resultOf(transcript, last, sums, [...changes.values()], fromRecord),
    exact: true,
    runs: asked.length,
  };
}

function resultOf(
  { conversation }: Pick<Transcript, 'conversation'>,
  { tape, records }: Played,
  sums: { readonly answers: number; readonly results: number },
  changes: readonly ReplayChange[],
  fromRecord: ReadonlySet<string>,
) {
  return {
    conversation,
    ...sums,
    changes,
    fromRecord: [...fromRecord],
    isOpen: tape.isOpen,
    unserved: [],
    records,
  };
}

/** The runs of a session, in order. */
async function recordedRuns(
  transcript: Transcript,
  { openOrigin, signal }: ReplayOptions,
): Promise<readonly RecordedRun[]> {
  const runs = new Map<string, LogRecord[]>();
  const befores = new Map<string, ChatMessage[]>();
  const said: ChatMessage[] = [];
  for await (const record of restoredRecords(transcript, undefined, signal)) {
    if (!isOwn(record)) continue;
    const known = runs.get(record.run);
    if (known) known.push(record);
    else if (record.type === 'callStart' && record.depth === 0) {
      const from = runs.size === 0 ? forkPointOf(record) : undefined;
      if (from) appendAll(said, await readBefore(from, openOrigin ?? noOrigin));
      runs.set(record.run, [record]);
      befores.set(record.run, [...said]);
    }
    if (record.type === 'message' && record.depth === 0) said.push(record.message);
  }
  signal?.throwIfAborted();
  return [...runs].map(([run, records]) => ({ records, before: befores.get(run) ?? [] }));
}

function noOrigin(conversation: string): never {
  throw new NotReplayable(
    t`This session goes on from ${conversation}, which is not here: what was said before is not known.`,
  );
}

const OWN = new Set(['callStart', 'message', 'request', 'approval', 'dispatch', 'error', 'callEnd']);

function isOwn(record: ReadRecord): record is LogRecord {
  return OWN.has(record.type);
}

function checkReplayable({ damaged }: Transcript, runs: readonly RecordedRun[]): void {
  if (runs.length === 0)
    throw new NotReplayable(
      t`This session was recorded by another program: it holds what was said, and not what models were asked, so it cannot be replayed.`,
    );
  if (damaged.length > 0)
    throw new NotReplayable(
      t`The record is damaged in ${damaged.length} places, so what it would be held against is not known.`,
    );
  const requests = runs.flatMap(({ records }) => records.filter(({ type }) => type === 'request'));
  if (requests.some((record) => !('digest' in record)))
    throw new NotReplayable(
      t`This session was recorded before requests were: its requests were not recorded, so it cannot be replayed.`,
    );
}

interface Played {
  readonly tape: ReplayTape;
  readonly session: AgentSession;
  readonly records: readonly LogRecord[];
  readonly fromRecord: readonly string[];
  readonly changes: readonly ReplayChange[];
}

/** Stops a run that was stopped within a step there, where it departs otherwise: the record does not tell when in a step it was. */
async function stoppedWithin(run: RecordedRun, played: Played, options: ReplayOptions): Promise<Played> {
  const { departure, isStopped } = played.tape;
  if (!departure || departure.kind === 'request' || !isStopped) return played;
  const again = await play(run, undefined, options, true);
  return again.tape.departure ? played : again;
}

/** Replays one run. `session`: what it goes on from; left out, from what the record says of the runs before. */
async function play(
  { records, before }: RecordedRun,
  session: AgentSession | undefined,
  options: ReplayOptions,
  isStoppedWithin = false,
): Promise<Played> {
  const tape = new ReplayTape(records, isStoppedWithin);
  const [entry] = tape.calls;
  if (!entry) throw new NotReplayable(t`The run has no beginning.`);
  const replayed: LogRecord[] = [];
  const recorder = new Recorder({ conversation: entry.start.conversation, onListenerFailure: rethrow });
  let isLeft = false;
  recorder.onDidRecord((record) => {
    const { departure } = tape;
    // What departs is said, too; what ends the run then is not.
    if (!isLeft && !(departure && !departure.came)) replayed.push(record);
    isLeft ||= departure !== undefined;
  });
  const cast = new Cast(tape, before, options);
  const config = configOf(tape, cast, recorder, entry, options);
  const leave = onAbort(options.signal, () => tape.stop());
  try {
    const agent = cast.definition(entry.start.agent);
    const going = session ?? new AgentSession(recorder.conversation, agent, config);
    if (!session) going.update(before);
    const goingOn = goingOnIn(records, before);
    await tape.play(going.run(entry.start.task, { signal: tape.signal, config, goingOn }));
    options.signal?.throwIfAborted();
    const { fromRecord } = cast;
    const changes = [...limitChanges(entry, options.limits), ...cast.changes];
    return { tape, session: going, records: replayed, fromRecord, changes };
  } finally {
    leave();
    recorder.dispose();
  }
}

const bySeq = (a: LogRecord, b: LogRecord): number => a.seq - b.seq;

function rethrow(error: unknown): never {
  throw error;
}

function configOf(
  tape: ReplayTape,
  cast: Cast,
  recorder: Recorder,
  entry: TapeCall,
  { prices = NO_PRICES, limits }: ReplayOptions,
): RuntimeConfig {
  const messageLog = tape.log(recorder);
  const { maxDepth, ...most } = limits ?? recordedLimits(entry);
  const validator = new SchemaValidator();
  return {
    model: cast.modelOf(entry.start.agent),
    resolveModel: (agent) => Promise.resolve(cast.modelOrRefusal(agent.name)),
    agents: cast.agents,
    toolsFor: (agent, callable) => cast.toolsFor(agent, callable),
    executorFor: (tools) => new TapedTools(tape, new ToolRegistry(tools, validator)),
    approvals: tape.approver(messageLog),
    runApprovalPolicy: 'ask',
    maxDepth,
    limits: { ...most, runMs: Infinity, toolMs: Infinity },
    prices,
    scheduler: tape.scheduler,
    usage: new UsageCollector(),
    messageLog,
    onEvent: () => undefined,
    verbosity: 0,
    frontend: NOWHERE,
    childFrontend: NOWHERE,
    clock: { now: () => 0 },
    timers: tape.timers,
    log: silentLog,
  };
}

const NOWHERE: Frontend = {
  showDispatchStart: () => undefined,
  showDispatchResult: () => undefined,
  showDispatchFailure: () => undefined,
  showText: () => undefined,
  showToolActivity: () => undefined,
  showApproval: () => undefined,
};

/** Tools that say what they said. What a model wrote is checked as ever, so that what could not be run counts as such. */
class TapedTools implements ToolExecutor {
  readonly specs: readonly ToolSpec[];
  readonly #tape: ReplayTape;
  readonly #registry: ToolRegistry;

  constructor(tape: ReplayTape, registry: ToolRegistry) {
    this.specs = registry.specs;
    this.#tape = tape;
    this.#registry = registry;
  }

  find(name: string): Tool | undefined {
    return this.#registry.find(name);
  }

  async execute(...[name, args, context]: Parameters<ToolExecutor['execute']>) {
    const result = await this.#registry.execute(name, args, context);
    if (result.notRun !== true) return result;
    const said = this.#tape.resultOf(context);
    return said?.isError === true ? { ...said, notRun: true } : result;
  }
}

/** Who plays: agents and tools as they are now, and those of the record where there are none. */
class Cast {
  readonly agents: readonly AgentDefinition[];
  readonly fromRecord: readonly string[];
  readonly #tape: ReplayTape;
  readonly #options: ReplayOptions;
  readonly #before: readonly ChatMessage[];
  readonly #changes: ReplayChange[] = [];

  constructor(tape: ReplayTape, before: readonly ChatMessage[], options: ReplayOptions) {
    this.#tape = tape;
    this.#options = options;
    this.#before = before;
    const { agents: now = [] } = options;
    const names = new Set([...tape.calls.flatMap(({ tools }) => callableIn(tools)), ...tape.agents]);
    this.fromRecord = [...names].filter((name) => !findAgent(now, name));
    const recorded = this.fromRecord.map((name) => this.#recorded(name));
    // Models are asked for by name, so that each gets the one that answered.
    this.agents = [...now, ...recorded].map((agent) => ({ ...agent, models: ['recorded'] }));
    for (const { start } of tape.calls) this.#compareAgent(start.agent);
  }

  /** What is different now, as far as agents began. */
  get changes(): readonly ReplayChange[] {
    return this.#changes;
  }

  definition(name: string): AgentDefinition {
    const found = findAgent(this.agents, name);
    if (!found) throw new NotReplayable(t`The record does not tell of the agent ${name}.`);
    return found;
  }

  modelOf(name: string): Model {
    const call = this.#callOf(name) ?? this.#tape.calls[0];
    const id = call?.start.model ?? '';
    const kind = call?.start.scripted === true ? 'scripted' : 'http';
    return this.#tape.model({ id, label: id, kind, endpoint: call?.requests[0]?.endpoint ?? '' });
  }

  /** The model of a call, or why it had none. */
  modelOrRefusal(name: string): Model | Failure {
    const call = this.#callOf(name);
    if (!call) {
      const refused = this.#tape.refusalOf(name);
      return refused === undefined ? this.modelOf(name) : { code: 'noModel', message: refused };
    }
    const [error] = call.spoken.flatMap((record) =>
      record.type === 'error' && record.where === 'runtime' ? [record.error] : [],
    );
    return call.requests.length === 0 && error ? error : this.modelOf(name);
  }

  toolsFor(agent: AgentDefinition, callable: readonly AgentDefinition[]): readonly Tool[] {
    const recorded = [...(this.#callOf(agent.name)?.tools ?? [])].flatMap(([, text]) =>
      text === '' ? [] : [this.#tool(JSON.parse(text) as ToolSpec & { readonly parallel?: boolean })],
    );
    const { tools: now } = this.#options;
    if (!now || this.fromRecord.includes(agent.name)) return recorded;
    const others = recorded.filter(
      ({ name }) => name !== SUBAGENT_DISPATCH && now.every((tool) => tool.name !== name),
    );
    const all = [...now.map((tool) => this.#tool(tool)), ...(agent.tools ? others : [])];
    const given = agentTools(all, agent, callable).map((tool) => this.#tool(tool));
    if (this.#callOf(agent.name)) this.#compare(agent.name, recorded, given);
    return given;
  }

  #compare(agent: string, recorded: readonly Tool[], now: readonly Tool[]): void {
    const told = (tools: readonly Tool[], name: string) => {
      const tool = tools.find((each) => each.name === name);
      return tool ? pretty({ description: tool.description, parameters: tool.parameters }) : '';
    };
    for (const name of new Set([...recorded, ...now].map((tool) => tool.name))) {
      const [before, after] = [told(recorded, name), told(now, name)];
      this.#note({ agent, what: 'tool', name, recorded: before, now: after });
    }
  }

  #compareAgent(name: string): void {
    const call = this.#callOf(name);
    const now = findAgent(this.#options.agents ?? [], name);
    if (!call || !now) return;
    const { effort = '', maxTurns = '' } = call.start.settings ?? {};
    const recorded = instructionsOf(call, this.#before);
    this.#note({ agent: name, what: 'systemPrompt', recorded, now: now.instructions });
    this.#note({ agent: name, what: 'effort', recorded: effort, now: now.effort ?? '' });
    const turns = { recorded: String(maxTurns), now: String(now.maxTurns ?? '') };
    this.#note({ agent: name, what: 'maxTurns', ...turns });
  }

  /** Notes a change where it is one, once. */
  #note(change: ReplayChange): void {
    const isKnown = this.#changes.some(
      ({ agent, what, name }) => agent === change.agent && what === change.what && name === change.name,
    );
    if (!isKnown && change.recorded !== change.now) this.#changes.push(change);
  }

  /** A tool of which everything is as it is, but that it does nothing. */
  #tool({
    name,
    description,
    parameters,
    parallel = false,
  }: ToolSpec & { readonly parallel?: boolean }): Tool {
    return {
      name,
      description,
      parameters,
      effect: 'dispatch',
      parallel,
      execute: (_args, context) => this.#tape.tool(context, name === SUBAGENT_DISPATCH),
    };
  }

  #recorded(name: string): AgentDefinition {
    const call = this.#callOf(name);
    const { effort, maxTurns } = call?.start.settings ?? {};
    return agentDefinition({
      name,
      instructions: call ? instructionsOf(call, this.#before) : '',
      ...(effort !== undefined && { effort }),
      ...(maxTurns !== undefined && { maxTurns }),
    });
  }

  #callOf(name: string): TapeCall | undefined {
    return this.#tape.calls.find(({ start }) => start.agent === name);
  }
}

/** The agents that a call may dispatch to, as its tool tells its model. */
function callableIn(tools: TapeCall['tools']): readonly string[] {
  const text = tools.get(SUBAGENT_DISPATCH) ?? '';
  if (text === '') return [];
  const { parameters } = JSON.parse(text) as ToolSpec;
  const { properties } = parameters;
  const agent = isObject(properties) ? properties.agent_id : undefined;
  const names: unknown = isObject(agent) ? agent.enum : undefined;
  return Array.isArray(names) ? names.filter((each) => typeof each === 'string') : [];
}
