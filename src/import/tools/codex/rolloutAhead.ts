import { asText, fields, text, time, type Fields } from '../../reading/fields.js';

/** How long it takes at most to write down what a fork repeats, in milliseconds; no model answers so soon. */
const MAX_FORKING_MS = 1000;

/** What the lines of a rollout say of the whole, wherever they stand. */
export class RolloutAhead {
  /** The ids of its turns. */
  readonly turns = new Set<string>();
  /** The roles that speak in items; events that repeat their messages are skipped. */
  readonly speakers = new Set<string>();
  /** Those of which it is only assumed, and of which an event has told what no item has said yet. */
  readonly #assumed = new Set<string>();
  readonly #unconfirmed = new Set<string>();
  /** In which lines, counted from 0, turns begin. */
  readonly #begins: { readonly at: number; readonly turn: string }[] = [];
  #count = 0;
  #meta: Fields | undefined;
  /** The thread whose metadata follows its own: a rollout that repeats another one repeats that too. */
  #other: string | undefined;
  /** When its metadata was written, in milliseconds since 1970. */
  #began: number | undefined;
  #first: Fields | undefined;

  look(value: unknown): void {
    const line = fields(value);
    if (line.type === 'session_meta' && !this.#meta) {
      this.#meta = fields(line.payload);
      this.#began = time(line.timestamp);
    } else if (line.type === 'session_meta' && this.thread !== '') {
      const id = text(fields(line.payload).id);
      if (id !== this.thread) this.#other ??= id;
    }
    if (value !== undefined) this.#first ??= line;
    const role = line.type === 'response_item' ? text(fields(line.payload).role) : undefined;
    if (role !== undefined) {
      this.speakers.add(role);
      this.#assumed.delete(role);
    }
    const speaker = line.type === 'event_msg' ? speakerOf(fields(line.payload)) : undefined;
    if (speaker !== undefined && this.#assumed.has(speaker)) this.#unconfirmed.add(speaker);
    const turn = turnOf(line);
    if (turn !== undefined) {
      this.turns.add(turn);
      this.#begins.push({ at: this.#count, turn });
    }
    this.#count++;
  }

  /**
   * Assumes that everybody speaks in items, as in all versions that have subagents: of a rollout that is read while it is written
   * an event may be seen before the item that it repeats.
   */
  assumeItems(): void {
    for (const role of ['user', 'assistant'])
      if (!this.speakers.has(role)) {
        this.speakers.add(role);
        this.#assumed.add(role);
      }
  }

  /** Whether that was assumed of somebody of whom only events tell. */
  get isWronglyAssumed(): boolean {
    return [...this.#unconfirmed].some((role) => this.#assumed.has(role));
  }

  /** The first metadata of the rollout; in a fork the parent's own metadata follows later. */
  get meta(): Fields {
    if (this.#meta) return this.#meta;
    // The first versions have it without an envelope.
    const bare = this.#first ?? {};
    return typeof bare.id === 'string' && 'instructions' in bare && !('type' in bare) ? bare : {};
  }

  /** The id of the rollout's thread; '' where it has none. */
  get thread(): string {
    const { id, session_id } = this.meta;
    return asText(id ?? session_id);
  }

  /** The thread whose turns it repeats, as a fork does and many a subagent; undefined where it says of none. */
  get forkedFrom(): string | undefined {
    return text(this.meta.forked_from_id) ?? this.#other;
  }

  /**
   * Whether a line is one of those that a fork repeats, by when it was written and by the latest turn that began: a fork is
   * written down at once, and turns whose ids are older than the thread are not its own.
   */
  isRepeated(at: number | undefined, turn: string | undefined): boolean {
    if (this.forkedFrom === undefined) return false;
    const isEarly = at !== undefined && this.#began !== undefined && at <= this.#began + MAX_FORKING_MS;
    const [turnAt, threadAt] = [timeOfId(turn), timeOfId(this.thread)];
    return isEarly || (turnAt !== undefined && threadAt !== undefined && turnAt < threadAt);
  }

  /** All that decides how lines are read that stand before those which say it. */
  get readAssumptions(): string {
    const speakers = ['user', 'assistant'].filter((role) => this.speakers.has(role));
    return JSON.stringify([this.thread, this.forkedFrom, this.#began, this.meta.agent_nickname, speakers]);
  }

  /** The thread that started the rollout, according to its metadata, in newer or older form. */
  get parent(): string | undefined {
    const { parent_thread_id, source } = this.meta;
    return text(parent_thread_id) ?? text(spawnIn(source).parent_thread_id);
  }

  /** How many lines at the start repeat the parent's, which has these turns: up to the first turn of its own. */
  repeated(turns: ReadonlySet<string>): number {
    const last = this.#begins.findLastIndex(({ turn }) => turns.has(turn));
    return last < 0 ? 0 : (this.#begins[last + 1]?.at ?? this.#count);
  }
}

/** The time in a UUID of version 7 (RFC 9562), which Codex' threads and turns have; undefined for any other id. */
function timeOfId(id = ''): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id) ?? [];
  return high === undefined ? undefined : Number.parseInt(`${high}${low}`, 16);
}

function spawnIn(source: unknown): Fields {
  return fields(fields(fields(source).subagent).thread_spawn);
}

/** The name of the agent of a subagent's rollout. */
export function nameOf({ agent_nickname, agent_role, source }: Fields): string {
  const spawn = spawnIn(source);
  return (
    text(agent_nickname) ??
    text(spawn.agent_nickname) ??
    text(agent_role) ??
    text(spawn.agent_role) ??
    'agent'
  );
}

/** Who speaks in an event that repeats a message; undefined for any other. */
export function speakerOf({ type }: Fields): 'user' | 'assistant' | undefined {
  return type === 'user_message' ? 'user' : type === 'agent_message' ? 'assistant' : undefined;
}

/** The id of the turn that a line starts. */
export function turnOf(value: unknown): string | undefined {
  const { type, payload } = fields(value);
  const { turn_id, type: event } = fields(payload);
  const isTurn = type === 'turn_context' || (type === 'event_msg' && event === 'task_started');
  return isTurn ? text(turn_id) : undefined;
}
