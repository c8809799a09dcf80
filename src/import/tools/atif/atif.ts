import { lstat, readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { type Tool, headOf, MAX_SIDECARS } from '../tool.js';
import { isObject } from '../../../core/message.js';
import { dollars, inDollars, nanos, NO_MONEY } from '../../../core/money.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { parsedValues } from '../../reading/entries.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  text,
  time,
  without,
  type Fields,
} from '../../reading/fields.js';
import {
  most,
  type FormatReader,
  type SidecarEntries,
  type TranscriptFormat,
} from '../../building/transcriptFormat.js';
import { isTrajectory, nameOf } from './atifArchive.js';
import { linkedPicture, chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { usageOf } from '../../messages/usage.js';
import { ReportedUsage } from '../../messages/wholeUsage.js';

/** Within how many bytes a trajectory says its schema. */
const MAX_HEAD = 4096;

/** The longest trajectory that is searched for references, in bytes. */
const MAX_TRAJECTORY = 128 * 1024 * 1024;

/** The trajectories that one refers to by path, directly or indirectly, as far as they are files in its folder or below. */
async function trajectorySidecars(path: string): Promise<readonly string[]> {
  if (!path.endsWith('.json')) return [];
  const folder = dirname(path);
  const found = [path];
  for (const each of found) {
    if (found.length > MAX_SIDECARS) break;
    for (const named of await trajectoryPaths(each)) {
      const candidates = [join(dirname(each), named), join(folder, named)];
      for (const candidate of candidates) {
        const isInside =
          !relative(folder, candidate).startsWith('..') && !isAbsolute(relative(folder, candidate));
        if (!isInside || found.includes(candidate)) continue;
        const info = await lstat(candidate).catch(() => undefined);
        if (info?.isFile()) found.push(candidate);
      }
    }
  }
  return found.slice(1);
}

/** Trajectories of which one at a path may be a part by its name, as `trajectory.cook.json` is of `trajectory.json`. */
function trajectoriesOver(path: string): readonly string[] {
  const names = basename(path).split('.');
  if (names.length < 3 || names.at(-1) !== 'json') return [];
  return names.slice(1, -1).map((_, at) => join(dirname(path), `${names.slice(0, at + 1).join('.')}.json`));
}

/** The paths that a trajectory refers to; none for any other file, and for one that cannot be read. */
async function trajectoryPaths(path: string): Promise<readonly string[]> {
  if (!headOf(path, MAX_HEAD).includes('"ATIF-v')) return [];
  try {
    if ((await stat(path)).size > MAX_TRAJECTORY) return [];
    const whole = await readFile(path, 'utf8');
    const references = whole.matchAll(/"(?:trajectory_path|continued_trajectory_ref)"\s*:\s*"([^"\\]+)"/g);
    return Array.from(references, ([, named = '']) => named);
  } catch {
    return []; // An unreadable file refers to nothing; importing it reports why.
  }
}

const ROLES: Readonly<Record<string, string>> = { system: 'system', user: 'user', agent: 'assistant' };

/**
 * Harbor's Agent Trajectory Interchange Format, version 1: a trajectory or a list of them per file or line, or a step per
 * line. Trajectories in files beside it are read where it refers to them.
 */
const trajectories: TranscriptFormat = {
  name: 'atif',
  of: 'Harbor',
  files: 'trajectories (ATIF 1.x), those of subagents inside or in files beside; archives of them (`.zip`)',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) => head.some(isWhole) || (head.length > 0 && most(head, isStep)),
  begin: (sink, sidecars) => new AtifReader(sink, sidecars),
};

/** Harbor. */
export const atif: Tool = {
  formats: [trajectories],
  sidecarFiles: trajectorySidecars,
  sessionsOver: (path) => trajectoriesOver(path),
  // None beside a file of lines.
  placesBeside: () => Promise.resolve([]),
};

/** Reads trajectories one after another; steps outside of one are one of their own, whose header may stand before them. */
class AtifReader implements FormatReader {
  readonly #sink: ImportSink;
  /** The trajectories in files beside this one, until the first of this one is read. */
  readonly #beside: Fields[];
  #hasLoose = false;
  #loose: Trajectories | undefined;
  #isFirst = true;

  constructor(sink: ImportSink, sidecars: readonly SidecarEntries[]) {
    this.#sink = sink;
    this.#beside = trajectoriesOf(sidecars);
  }

  look({ value, raw }: Entry): void {
    if (raw === undefined) this.#hasLoose ||= trajectoriesIn(value).some((each) => !isTrajectory(each));
  }

  take({ value }: Entry): void {
    for (const each of trajectoriesIn(value)) {
      if (!isTrajectory(each)) {
        this.#loose ??= this.#begin({});
        this.#loose.readStep(each);
      } else if (this.#hasLoose && this.#isFirst && list(each.steps).length === 0)
        this.#loose = this.#begin(each);
      else this.#end(this.#begin(each));
    }
  }

  end(): void {
    if (this.#loose) this.#end(this.#loose);
  }

  #begin(trajectory: Fields): Trajectories {
    this.#isFirst = false;
    const name = text(fields(trajectory.agent).name) ?? 'agent';
    const builder = this.#sink.conversation(trajectory.session_id ?? trajectory.trajectory_id, name);
    return new Trajectories(trajectory, builder, this.#beside.splice(0));
  }

  #end(trajectories: Trajectories): void {
    for (const path of trajectories.end())
      this.#sink.problem('warning', `A trajectory that this one refers to was not found: ${path}.`);
  }
}

/** The trajectories of a list that begins with one; any other value as it is. */
function trajectoriesIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) && isWhole(value) ? value : [value];
}

/** Whether a value is a trajectory, or a list that begins with one. */
function isWhole(value: unknown): boolean {
  return isTrajectory(Array.isArray(value) ? value[0] : value);
}

/** The trajectories in files beside the one that is read, by their paths. */
function trajectoriesOf(sidecars: readonly SidecarEntries[]): Fields[] {
  return sidecars.flatMap(({ name, entries }) =>
    Array.from(parsedValues(entries)).flatMap((value) =>
      isTrajectory(value) ? [{ ...value, trajectory_id: name, archive_path: name }] : [],
    ),
  );
}

function isStep(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.step_id === 'number' &&
    typeof value.source === 'string' &&
    'message' in value
  );
}

/** A trajectory with those of its subagents, each read once, where a result first refers to it. */
class Trajectories {
  readonly #builder: ConversationBuilder;
  readonly #root: Fields;
  readonly #waiting = new Map<string, Fields>();
  /** The calls of the trajectories that others stand in, by the keys of these. */
  readonly #standsIn = new Map<string, CallSite>();
  /** The names of all trajectories seen, because a path means the same file even after that was read. */
  readonly #names = new Set<string>();
  /** The sessions of all trajectories seen. */
  readonly #sessions = new Set<string>();
  readonly #missing = new Set<string>();
  /** What is told of the cost of each trajectory, by the call that its steps are read into. */
  readonly #totals = new Map<string, TrajectoryTotal>();

  /** Begins with one; `beside` are those in other files. */
  constructor(root: Fields, builder: ConversationBuilder, beside: readonly Fields[]) {
    this.#root = root;
    this.#builder = builder;
    this.#names.add(text(root.archive_path) ?? '');
    this.#sessions.add(asText(root.session_id));
    this.#await(beside);
    this.#begin(root, builder.entry);
  }

  /** Reads a step of the first that does not stand in it. */
  readStep(step: unknown): void {
    this.#readAny(step, this.#builder.entry, this.#root);
  }

  /** Reads the steps of all; gives the paths, else the names, to which no trajectory belongs. */
  end(): readonly string[] {
    const { entry } = this.#builder;
    this.#finish(this.#root, entry);
    for (const [id, rest] of this.#waiting) {
      this.#waiting.delete(id);
      // What lies beside it may be another run.
      if (pathOf(rest) !== '') this.#totalOf(entry).isMixed = true;
      const parent = this.#standsIn.get(id) ?? entry;
      this.#readOne(rest, this.#builder.dispatch(parent, agentOf(rest), {}));
    }
    for (const total of this.#totals.values()) total.record(this.#builder);
    return [...this.#missing];
  }

  /** Waits for trajectories to be referred to; `place`: the call of the one that they stand in. */
  #await(children: readonly Fields[], callSite?: CallSite): void {
    for (const child of children) {
      const id = text(child.trajectory_id) ?? `#${this.#waiting.size}`;
      this.#waiting.set(id, child);
      if (callSite) this.#standsIn.set(id, callSite);
      this.#names.add(id);
      this.#sessions.add(asText(child.session_id));
    }
  }

  #readOne(trajectory: Fields, callSite: CallSite): void {
    this.#begin(trajectory, callSite);
    this.#finish(trajectory, callSite);
  }

  #begin(trajectory: Fields, callSite: CallSite): void {
    const about = without(trajectory, 'steps', 'subagent_trajectories');
    this.#builder.keep(callSite, 'trajectory', about);
    const known = this.#totals.get(callSite.call);
    // A trajectory that goes on in another file has a total in each.
    if (known) known.isMixed = true;
    else this.#totalOf(callSite, trajectory);
    this.#await(objects(trajectory.subagent_trajectories), callSite);
  }

  #totalOf(callSite: CallSite, trajectory: Fields = this.#root): TrajectoryTotal {
    const known = this.#totals.get(callSite.call);
    if (known) return known;
    const total = new TrajectoryTotal(callSite, trajectory);
    this.#totals.get(callSite.parentCall ?? '')?.children.push(total);
    this.#totals.set(callSite.call, total);
    return total;
  }

  #readAny(step: unknown, callSite: CallSite, trajectory: Fields): void {
    if (isObject(step)) this.#readStep(step, callSite, trajectory);
    else this.#builder.keep(callSite, 'unknown', step);
  }

  #finish(trajectory: Fields, callSite: CallSite): void {
    for (const step of list(trajectory.steps)) this.#readAny(step, callSite, trajectory);
    // A long trajectory goes on in a further file, in the same call.
    const next = this.#take(
      fields({ trajectory_path: trajectory.continued_trajectory_ref }),
      pathOf(trajectory),
    );
    if (next) this.#readOne(next, callSite);
  }

  /** The trajectory that a reference means, if it was not read yet; one that is nowhere is noted as missing. */
  #take({ trajectory_id, trajectory_path, session_id }: Fields, from: string): Fields | undefined {
    const [named, session] = [text(trajectory_id), text(session_id)];
    const path = text(trajectory_path);
    const isKnown = named !== undefined && this.#waiting.has(named);
    const bySession = [...this.#waiting].find(
      ([, child]) => session !== undefined && child.session_id === session,
    );
    const key = (isKnown ? named : nameOf(path, [...this.#names], from)) ?? bySession?.[0];
    if (key === undefined) {
      const isSeen =
        (named !== undefined && this.#names.has(named)) ||
        (session !== undefined && this.#sessions.has(session));
      const called = path ?? named ?? session;
      if (called !== undefined && !isSeen) this.#missing.add(called);
      return undefined;
    }
    const child = this.#waiting.get(key);
    this.#waiting.delete(key);
    return child;
  }

  #readStep(step: Fields, callSite: CallSite, trajectory: Fields): void {
    const total = this.#totalOf(callSite, trajectory);
    total.isMixed ||= step.is_copied_context === true;
    const at = time(step.timestamp);
    const source = text(step.source) ?? '';
    const message = chatMessage(ROLES[source] ?? source, contentOf(step.message), {
      reasoning: text(step.reasoning_content),
      calls: objects(step.tool_calls).map((call) =>
        toolCall(call.tool_call_id, call.function_name, call.arguments),
      ),
    });
    const isModel = source === 'agent' && step.llm_call_count !== 0;
    this.#builder.message(callSite, message, {
      time: at,
      model: isModel ? (text(step.model_name) ?? modelOf(fields(trajectory.agent))) : undefined,
      // The usage of a step copied from another trajectory belongs to that one.
      usage: step.is_copied_context === true ? undefined : total.told.add(usage(step.metrics)),
      source: without(step, 'message', 'tool_calls', 'observation', 'reasoning_content'),
    });
    const results = objects(fields(step.observation).results);
    const ids = answeredIds(step, results);
    for (const [index, result] of results.entries()) {
      this.#readResult(result, { place: callSite, at, id: ids[index], from: pathOf(trajectory) });
    }
  }

  #readResult(
    result: Fields,
    about: { place: CallSite; at: number | undefined; id: string | undefined; from: string },
  ): void {
    const { place: callSite, at, id, from } = about;
    for (const ref of objects(result.subagent_trajectory_ref)) {
      const child = this.#take(ref, from);
      if (child)
        this.#readOne(child, this.#builder.dispatch(callSite, agentOf(child), { toolCallId: id, time: at }));
    }
    const message = toolMessage(id, contentOf(result.content) ?? '');
    const source = without(result, 'content');
    this.#builder.message(callSite, message, { time: at, source });
  }
}

/**
 * What is told of the cost of one trajectory. Its total includes that of its subagents, so its own part of it is what is left
 * when theirs is known.
 */
class TrajectoryTotal {
  readonly told = new ReportedUsage();
  readonly children: TrajectoryTotal[] = [];
  /** Whether its total may be of other steps, too, than those that are read into its call. */
  isMixed = false;
  readonly #callSite: CallSite;
  readonly #trajectory: Fields;

  constructor(callSite: CallSite, trajectory: Fields) {
    this.#callSite = callSite;
    this.#trajectory = trajectory;
  }

  /** Records what the total says that the steps do not, where what it is a total of is known. */
  record(builder: ConversationBuilder): void {
    const below = this.#belowNanos();
    if (this.isMixed || below === undefined) return;
    const total = this.#totalNanos();
    // A smaller one does not include them, whatever it is of.
    if (total !== undefined && total < below) return;
    const final = { ...fields(this.#trajectory.final_metrics) };
    if (total !== undefined) final.total_cost_usd = inDollars(nanos(total - below) ?? NO_MONEY);
    const about = below === 0 ? this.#trajectory : { ...this.#trajectory, final_metrics: final };
    this.told.recordWhole(builder, this.#callSite, about, modelOf(fields(this.#trajectory.agent)));
  }

  #totalNanos(): number | undefined {
    const total = dollars(fields(this.#trajectory.final_metrics).total_cost_usd);
    return total === 0 ? undefined : total;
  }

  /** What all of its subagents cost, theirs included; undefined where that of any is unknown. */
  #belowNanos(): number | undefined {
    let sum = 0;
    for (const child of this.children) {
      const cost = child.#wholeNanos();
      if (cost === undefined) return undefined;
      sum += cost;
    }
    return sum;
  }

  #wholeNanos(): number | undefined {
    const total = this.isMixed ? undefined : this.#totalNanos();
    if (total !== undefined) return total;
    const [own, below] = [this.told.cost, this.#belowNanos()];
    return own === undefined || below === undefined ? undefined : own + below;
  }
}

function pathOf(trajectory: Fields): string {
  return text(trajectory.archive_path) ?? '';
}

/**
 * The id of the call that each result of a step answers. Those that name none answer the calls that no other answers: one
 * each, or a single result, which tells the state after all of them, the last one.
 */
function answeredIds(step: Fields, results: readonly Fields[]): (string | undefined)[] {
  const named = new Set(results.map(({ source_call_id: id }) => text(id)));
  const open = objects(step.tool_calls).flatMap(({ tool_call_id: id }) => {
    const call = text(id);
    return call === undefined || named.has(call) ? [] : [call];
  });
  const nameless = results.filter(({ source_call_id: id }) => text(id) === undefined).length;
  if (nameless === 1) open.splice(0, open.length - 1);
  const isClear = nameless === open.length;
  return results.map(({ source_call_id: id }) => text(id) ?? (isClear ? open.shift() : undefined));
}

function agentOf(trajectory: Fields): string {
  return text(fields(trajectory.agent).name) ?? 'agent';
}

/** Converts pictures to chat-completions parts; other parts are kept. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content === undefined ? null : asText(content);
  return objects(content).map((part) =>
    part.type === 'image' ? linkedPicture(asText(fields(part.source).path)) : part,
  );
}

function usage(metrics: unknown) {
  const { prompt_tokens, completion_tokens, cached_tokens, cost_usd } = fields(metrics);
  const [input, output] = [number(prompt_tokens), number(completion_tokens)];
  if (input === undefined && output === undefined) return undefined;
  return usageOf({
    input,
    output,
    cached: number(cached_tokens),
    cost: cost_usd,
    told: { prompt_tokens, completion_tokens, cached_tokens },
  });
}

/** The model of an agent; `model` is not the format's own name for it, but is written. */
function modelOf({ model_name: named, model }: Fields): string | undefined {
  return text(named) ?? text(model);
}
