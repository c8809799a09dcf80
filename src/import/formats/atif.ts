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
import { most, type TranscriptFormat } from '../transcriptFormat.js';
import { isTrajectory, nameOf } from '../shapes/atifArchive.js';
import { usageOf } from '../shapes/usage.js';

const ROLES: Readonly<Record<string, string>> = { system: 'system', user: 'user', agent: 'assistant' };

/** Harbor's Agent Trajectory Interchange Format, version 1: a trajectory a file or line, or one of its steps a line. */
export const atif: TranscriptFormat = {
  name: 'atif',
  detect: (head) => isTrajectory(head[0]) || (head.length > 0 && most(head, isStep)),
  read(entries, sink) {
    const values = Array.from(sink.readable(entries), ({ value }) => value);
    const loose = values.filter((value) => !isTrajectory(value));
    const whole = values.filter(isTrajectory);
    const header = whole[0] && list(whole[0].steps).length === 0 ? whole.shift() : undefined;
    if (loose.length > 0 || header) whole.push({ ...header, steps: loose });
    for (const trajectory of whole) {
      const name = text(fields(trajectory.agent).name) ?? 'agent';
      const builder = sink.conversation(trajectory.session_id ?? trajectory.trajectory_id, name);
      new Trajectories(trajectory, builder).read();
    }
  },
};

function isStep(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.step_id === 'number' &&
    typeof value.source === 'string' &&
    'message' in value
  );
}

/** A trajectory with those of its subagents, each of which is read once, where a result first refers to it. */
class Trajectories {
  readonly #builder: ConversationBuilder;
  readonly #root: Fields;
  readonly #waiting = new Map<string, Fields>();
  /** What the root and all that were ever waiting are called: a path means the same file after that was read. */
  readonly #names = new Set<string>();

  constructor(root: Fields, builder: ConversationBuilder) {
    this.#root = root;
    this.#builder = builder;
  }

  read(): void {
    const { entry } = this.#builder;
    this.#names.add(text(this.#root.archive_path) ?? '');
    this.#readOne(this.#root, entry);
    for (const [id, rest] of this.#waiting) {
      this.#waiting.delete(id);
      this.#readOne(rest, this.#builder.dispatch(entry, agentOf(rest), {}));
    }
  }

  #readOne(trajectory: Fields, place: CallPlace): void {
    const about = without(trajectory, 'steps', 'subagent_trajectories', 'archive_path');
    this.#builder.keep(place, 'trajectory', about);
    for (const child of objects(trajectory.subagent_trajectories)) {
      const id = text(child.trajectory_id) ?? `#${this.#waiting.size}`;
      this.#waiting.set(id, child);
      this.#names.add(id);
    }
    for (const step of list(trajectory.steps)) {
      if (isObject(step)) this.#readStep(step, place, trajectory);
      else this.#builder.keep(place, 'unknown', step);
    }
  }

  #readStep(step: Fields, place: CallPlace, trajectory: Fields): void {
    const at = time(step.timestamp);
    const source = text(step.source) ?? '';
    const calls = objects(step.tool_calls).map(toolCall);
    const reasoning = text(step.reasoning_content);
    const message = {
      role: ROLES[source] ?? source,
      content: contentOf(step.message),
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const isModel = source === 'agent' && step.llm_call_count !== 0;
    this.#builder.message(place, message, {
      time: at,
      model: isModel ? (text(step.model_name) ?? text(fields(trajectory.agent).model_name)) : undefined,
      // What was copied from another trajectory was paid for there.
      usage: step.is_copied_context === true ? undefined : usage(step.metrics),
      source: without(step, 'message', 'tool_calls', 'observation', 'reasoning_content'),
    });
    for (const result of objects(fields(step.observation).results)) {
      this.#readResult(result, place, at, text(trajectory.archive_path) ?? '');
    }
  }

  #readResult(result: Fields, place: CallPlace, at: number | undefined, from: string): void {
    const id = text(result.source_call_id);
    for (const { trajectory_id, trajectory_path } of objects(result.subagent_trajectory_ref)) {
      const named = text(trajectory_id);
      const isKnown = named !== undefined && this.#waiting.has(named);
      const key = isKnown ? named : nameOf(text(trajectory_path), [...this.#names], from);
      const child = this.#waiting.get(key ?? '');
      if (key === undefined || !child) continue;
      this.#waiting.delete(key);
      this.#readOne(child, this.#builder.dispatch(place, agentOf(child), { toolCallId: id, time: at }));
    }
    const message = {
      role: 'tool',
      ...(id !== undefined && { tool_call_id: id }),
      content: contentOf(result.content) ?? '',
    };
    const source = without(result, 'content');
    this.#builder.message(place, message, { time: at, source });
  }
}

function agentOf(trajectory: Fields): string {
  return text(fields(trajectory.agent).name) ?? 'agent';
}

function toolCall({ tool_call_id, function_name, arguments: input }: Fields): Fields {
  return {
    id: tool_call_id,
    type: 'function',
    function: { name: function_name, arguments: asText(input ?? {}) },
  };
}

/** Parts keep their kind; a picture becomes what chat completions call one. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content === undefined ? null : asText(content);
  return objects(content).map((part) =>
    part.type === 'image'
      ? { type: 'image_url', image_url: { url: asText(fields(part.source).path) } }
      : part,
  );
}

function usage(metrics: unknown) {
  const { prompt_tokens, completion_tokens, cached_tokens } = fields(metrics);
  const [input, output] = [number(prompt_tokens), number(completion_tokens)];
  if (input === undefined && output === undefined) return undefined;
  return usageOf({ input, output, cached: number(cached_tokens) });
}
