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
import { linkedPicture, spokenMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import { usageOf } from '../shapes/usage.js';

const ROLES: Readonly<Record<string, string>> = { system: 'system', user: 'user', agent: 'assistant' };

/** Harbor's Agent Trajectory Interchange Format, version 1: a trajectory per file or line, or a step per line. */
export const atif: TranscriptFormat = {
  name: 'atif',
  detect: (head) => isTrajectory(head[0]) || (head.length > 0 && most(head, isStep)),
  read(entries, sink) {
    const values = sink.values(entries);
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

/** A trajectory with those of its subagents, each read once, where a result first refers to it. */
class Trajectories {
  readonly #builder: ConversationBuilder;
  readonly #root: Fields;
  readonly #waiting = new Map<string, Fields>();
  /** The names of all trajectories seen, because a path means the same file even after that was read. */
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
    const about = without(trajectory, 'steps', 'subagent_trajectories');
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
    const message = spokenMessage(ROLES[source] ?? source, contentOf(step.message), {
      reasoning: text(step.reasoning_content),
      calls: objects(step.tool_calls).map((call) =>
        toolCall(call.tool_call_id, call.function_name, call.arguments),
      ),
    });
    const isModel = source === 'agent' && step.llm_call_count !== 0;
    this.#builder.message(place, message, {
      time: at,
      model: isModel ? (text(step.model_name) ?? text(fields(trajectory.agent).model_name)) : undefined,
      // The usage of a step copied from another trajectory belongs to that one.
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
    const message = toolMessage(id, contentOf(result.content) ?? '');
    const source = without(result, 'content');
    this.#builder.message(place, message, { time: at, source });
  }
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
  const { prompt_tokens, completion_tokens, cached_tokens } = fields(metrics);
  const [input, output] = [number(prompt_tokens), number(completion_tokens)];
  if (input === undefined && output === undefined) return undefined;
  return usageOf({ input, output, cached: number(cached_tokens) });
}
