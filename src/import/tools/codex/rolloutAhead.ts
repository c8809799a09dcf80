import { isObject } from '../../../core/message.js';
import type { Usage } from '../../../core/usage.js';
import { openAiUsage } from '../../messages/usage.js';
import { asText, fields, number, text, time, type Fields } from '../../reading/fields.js';
import { writtenRole } from '../../reading/roleWords.js';

/** How long it takes at most to write down what a fork repeats, in milliseconds; no model answers so soon. */
const MAX_FORKING_MS = 1000;

/** Where a rollout goes on from: its own records begin behind those of another that were numbered before `end`. */
export interface HistoryBase {
  /** The id of the other file, which is that of its thread for the first one of it. */
  readonly rollout: string;
  /** Infinity where it is not told. */
  readonly end: number;
}

/** What the lines of a rollout say of the whole, wherever they stand; and which of them are its own. */
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
  /** The running totals of tokens, by the number of the record that tells each. */
  readonly #totals: { readonly ordinal: number; readonly total: Usage }[] = [];
  /** The number of the next record, where it does not tell its own. */
  #next = 0;
  /** How many lines at its start are copies by their numbers. */
  #copies = 0;

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
    const role = line.type === 'response_item' ? writtenRole(fields(line.payload).role) : undefined;
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
    this.#number(line);
  }

  #number(line: Fields): void {
    const ordinal =
      this.ordinalOf(line) ?? Math.max(this.#next, this.#count === 1 ? (this.base?.end ?? 0) : 0);
    if (this.ownFrom !== undefined && ordinal < this.ownFrom) this.#copies = this.#count;
    this.#next = Number.isFinite(ordinal) ? ordinal + 1 : this.#count;
    const total = totalIn(fields(line.payload));
    if (total) this.#totals.push({ ordinal, total });
  }

  /** How many records there are up to its end, with those of the files before it. */
  get records(): number {
    return this.#next;
  }

  /** The number of a record; undefined where it tells none. */
  ordinalOf(value: unknown): number | undefined {
    return number(fields(value).ordinal);
  }

  /** The tokens that were used up to a record, exclusive, as this file tells it. */
  totalBefore(end: number): Usage | undefined {
    return this.#totals.findLast(({ ordinal }) => ordinal < end)?.total;
  }

  /** Where it goes on from, if it does; undefined for one that begins by itself, or with copies. */
  get base(): HistoryBase | undefined {
    const { history_base } = this.meta;
    if (!isObject(history_base)) return undefined;
    const rollout = text(history_base.thread_id);
    const end = number(history_base.end_ordinal_exclusive) ?? Number.POSITIVE_INFINITY;
    return rollout === undefined ? undefined : { rollout, end };
  }

  /** The number of the first record that is no copy, of a subagent's rollout that tells it. */
  get ownFrom(): number | undefined {
    return number(this.meta.subagent_history_start_ordinal);
  }

  /** When its metadata was written, in milliseconds since 1970; undefined where that is not told. */
  get began(): number | undefined {
    return this.#began;
  }

  /** Whether copies of another rollout may stand in it: one of newer versions holds its own records only. */
  get hasCopies(): boolean {
    if (this.base) return false;
    return (
      this.#other !== undefined || (this.forkedFrom !== undefined && this.meta.history_mode !== 'paginated')
    );
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
    if (!this.hasCopies) return false;
    const isEarly = at !== undefined && this.#began !== undefined && at <= this.#began + MAX_FORKING_MS;
    const [turnAt, threadAt] = [timeOfId(turn), timeOfId(this.thread)];
    return isEarly || (turnAt !== undefined && threadAt !== undefined && turnAt < threadAt);
  }

  /** All that decides how lines are read that stand before those which say it. */
  get readAssumptions(): string {
    const speakers = ['user', 'assistant'].filter((role) => this.speakers.has(role));
    return JSON.stringify([
      this.thread,
      this.forkedFrom,
      this.base?.rollout,
      this.#began,
      this.meta.agent_nickname,
      speakers,
    ]);
  }

  /** The thread that started the rollout, according to its metadata, in newer or older form. */
  get parent(): string | undefined {
    const { parent_thread_id, source } = this.meta;
    return text(parent_thread_id) ?? text(spawnIn(source).parent_thread_id);
  }

  /** How many lines at the start repeat the parent's, which has these turns: up to the first turn of its own. */
  repeated(turns: ReadonlySet<string>): number {
    const last = this.#begins.findLastIndex(({ turn }) => turns.has(turn));
    const byTurns = last < 0 ? 0 : (this.#begins[last + 1]?.at ?? this.#count);
    return Math.max(byTurns, this.#copies);
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

/** The running total of tokens in an event; undefined where it tells none. */
export function totalIn(event: Fields): Usage | undefined {
  return openAiUsage(fields(event.info).total_token_usage);
}
