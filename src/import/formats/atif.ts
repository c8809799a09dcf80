import { isObject } from '../../core/message.js';
import type { CallPlace } from '../../core/record.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
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
} from '../reading/fields.js';
import { most, type Sidecar, type TranscriptFormat } from '../transcriptFormat.js';
import { isTrajectory, nameOf } from '../shapes/atifArchive.js';
import { linkedPicture, chatMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import { usageOf } from '../shapes/usage.js';
import { ToldUsage } from '../shapes/wholeUsage.js';

const ROLES: Readonly<Record<string, string>> = { system: 'system', user: 'user', agent: 'assistant' };

/**
 * Harbor's Agent Trajectory Interchange Format, version 1: a trajectory or a list of them per file or line, or a step per
 * line. Trajectories in files beside it are read where it refers to them.
 */
export const atif: TranscriptFormat = {
  name: 'atif',
  of: 'Harbor',
  files: 'trajectories (ATIF 1.x), those of subagents inside or in files beside; archives of them (`.zip`)',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) => head.some(isWhole) || (head.length > 0 && most(head, isStep)),
  read(entries, sink, sidecars) {
    const values = sink
      .values(entries)
      .flatMap((value) => (isWhole(value) && Array.isArray(value) ? list(value) : [value]));
    const loose = values.filter((value) => !isTrajectory(value));
    const whole = values.filter(isTrajectory);
    const header = whole[0] && list(whole[0].steps).length === 0 ? whole.shift() : undefined;
    if (loose.length > 0 || header) whole.push({ ...header, steps: loose });
    const beside = trajectoriesOf(sidecars);
    for (const trajectory of whole) {
      const name = text(fields(trajectory.agent).name) ?? 'agent';
      const builder = sink.conversation(trajectory.session_id ?? trajectory.trajectory_id, name);
      const missing = new Trajectories(trajectory, builder).read(beside.splice(0));
      for (const path of missing) {
        sink.problem('warning', `A trajectory that this one refers to was not found: ${path}.`);
      }
    }
  },
};

/** Whether a value is a trajectory, or a list that begins with one. */
function isWhole(value: unknown): boolean {
  return isTrajectory(Array.isArray(value) ? value[0] : value);
}

/** The trajectories in files beside the one that is read, by their paths. */
function trajectoriesOf(sidecars: readonly Sidecar[]): Fields[] {
  return sidecars.flatMap(({ name, entries }) =>
    entries.flatMap(({ value }) =>
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
  /** The names of all trajectories seen, because a path means the same file even after that was read. */
  readonly #names = new Set<string>();
  readonly #missing = new Set<string>();
  readonly #told = new ToldUsage();
  /** Whether anything is read besides the steps of the one trajectory. */
  #hasOthers = false;

  constructor(root: Fields, builder: ConversationBuilder) {
    this.#root = root;
    this.#builder = builder;
  }

  /** Reads all of them, also those in the files `beside`; gives the paths to which no trajectory belongs. */
  read(beside: readonly Fields[]): readonly string[] {
    const { entry } = this.#builder;
    this.#names.add(text(this.#root.archive_path) ?? '');
    this.#await(beside);
    this.#readOne(this.#root, entry);
    for (const [id, rest] of this.#waiting) {
      this.#waiting.delete(id);
      this.#hasOthers = true;
      this.#readOne(rest, this.#builder.dispatch(entry, agentOf(rest), {}));
    }
    // A total includes what subagents cost, and steps that were copied or stand in another file.
    if (!this.#hasOthers)
      this.#told.recordWhole(this.#builder, entry, this.#root, modelOf(fields(this.#root.agent)));
    return [...this.#missing];
  }

  #await(children: readonly Fields[]): void {
    for (const child of children) {
      const id = text(child.trajectory_id) ?? `#${this.#waiting.size}`;
      this.#waiting.set(id, child);
      this.#names.add(id);
    }
  }

  #readOne(trajectory: Fields, place: CallPlace): void {
    const about = without(trajectory, 'steps', 'subagent_trajectories');
    this.#builder.keep(place, 'trajectory', about);
    this.#await(objects(trajectory.subagent_trajectories));
    const steps = objects(trajectory.steps);
    this.#hasOthers ||= steps.some((step) => step.is_copied_context === true);
    for (const step of list(trajectory.steps)) {
      if (isObject(step)) this.#readStep(step, place, trajectory);
      else this.#builder.keep(place, 'unknown', step);
    }
    // A long trajectory goes on in a further file, in the same call.
    const next = this.#take(
      fields({ trajectory_path: trajectory.continued_trajectory_ref }),
      pathOf(trajectory),
    );
    if (next) this.#readOne(next, place);
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
      if (path !== undefined) this.#missing.add(path);
      return undefined;
    }
    const child = this.#waiting.get(key);
    this.#waiting.delete(key);
    this.#hasOthers = true;
    return child;
  }

  #readStep(step: Fields, place: CallPlace, trajectory: Fields): void {
    const at = time(step.timestamp);
    const source = text(step.source) ?? '';
    const message = chatMessage(ROLES[source] ?? source, contentOf(step.message), {
      reasoning: text(step.reasoning_content),
      calls: objects(step.tool_calls).map((call) =>
        toolCall(call.tool_call_id, call.function_name, call.arguments),
      ),
    });
    const isModel = source === 'agent' && step.llm_call_count !== 0;
    this.#builder.message(place, message, {
      time: at,
      model: isModel ? (text(step.model_name) ?? modelOf(fields(trajectory.agent))) : undefined,
      // The usage of a step copied from another trajectory belongs to that one.
      usage: step.is_copied_context === true ? undefined : this.#told.add(usage(step.metrics)),
      source: without(step, 'message', 'tool_calls', 'observation', 'reasoning_content'),
    });
    const results = objects(fields(step.observation).results);
    const ids = answeredIds(step, results);
    for (const [index, result] of results.entries()) {
      this.#readResult(result, { place, at, id: ids[index], from: pathOf(trajectory) });
    }
  }

  #readResult(
    result: Fields,
    about: { place: CallPlace; at: number | undefined; id: string | undefined; from: string },
  ): void {
    const { place, at, id, from } = about;
    for (const ref of objects(result.subagent_trajectory_ref)) {
      const child = this.#take(ref, from);
      if (child)
        this.#readOne(child, this.#builder.dispatch(place, agentOf(child), { toolCallId: id, time: at }));
    }
    const message = toolMessage(id, contentOf(result.content) ?? '');
    const source = without(result, 'content');
    this.#builder.message(place, message, { time: at, source });
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
  return usageOf({ input, output, cached: number(cached_tokens), cost: cost_usd });
}

/** The model of an agent; `model` is not the format's own name for it, but is written. */
function modelOf({ model_name: named, model }: Fields): string | undefined {
  return text(named) ?? text(model);
}
