import { AtifTrajectory } from './atifTrajectory.js';
import { callOf, type AboutTranscript, type BridgeWriter } from './bridge.js';
import type { TakenRecord } from './takenRecord.js';

/** The version of the format that is written. */
const VERSION = '"schema_version":"ATIF-v1.8"';

/** A call that was dispatched. */
interface Dispatched {
  readonly call: string;
  /** Whether a step of its caller refers to it. */
  isReferred: boolean;
}

/**
 * Harbor's Agent Trajectory Interchange Format: one trajectory, and in each those of the calls that were dispatched from it. Where
 * validators differ, what all of them accept is written: results stand in the step of their call, and only in agents' steps.
 */
export class AtifWriter implements BridgeWriter {
  readonly #about: AboutTranscript;
  readonly #root: AtifTrajectory;
  readonly #children = new Map<string, { readonly trajectory: AtifTrajectory; readonly parent: string }>();
  /** By the call and the id of the tool call that dispatched it. */
  readonly #dispatched = new Map<string, Dispatched>();
  /** The calls that refer to others, by these. */
  readonly #referring = new Map<string, string>();
  #hasBegun = false;

  constructor(about: AboutTranscript) {
    this.#about = about;
    this.#root = new AtifTrajectory(about.loses);
  }

  add(record: TakenRecord): string {
    const call = callOf(record.record);
    if (record.type === 'dispatch') this.#noteDispatch(record, call);
    if (!record.isMessage) return '';
    const trajectory = this.#trajectory(call, record);
    const steps = trajectory.add(record, (toolCallId) => this.#refer(call, toolCallId));
    if (trajectory === this.#root) return steps === '' ? '' : this.#begin() + steps;
    trajectory.hold(steps);
    return '';
  }

  end(): string {
    this.#countUnreferred();
    // A trajectory has a step: of nothing, nothing is written.
    if (this.#root.isEmpty && [...this.#children.values()].every(({ trajectory }) => trajectory.isEmpty))
      return '';
    const below = new Map<string, string[]>();
    for (const [call, { trajectory }] of this.#children) {
      if (trajectory.isEmpty) continue;
      const by = this.#parentOf(call);
      const beside = below.get(by);
      if (beside) beside.push(call);
      else below.set(by, [call]);
    }
    const left = new Set([...below.values()].flat());
    const root = this.#rootOf(below, left);
    const steps = this.#begin() + root.trajectory.rest();
    const inRoot = this.#written([...root.below, ...(below.get('') ?? [])], below, left);
    // Calls that are said to have dispatched each other are in none that is written; what a step refers to stays in its own.
    const first = [...left].filter((call) => !this.#referring.has(call));
    return `${steps}],${root.trajectory.head()}${subagents([...inRoot, ...this.#written(first, below, left)])}}\n`;
  }

  /** The trajectory in which all others stand, and those that it has dispatched: one has steps, so where the entry agent has none, the first call's. */
  #rootOf(
    below: ReadonlyMap<string, readonly string[]>,
    left: Set<string>,
  ): { readonly trajectory: AtifTrajectory; readonly below: readonly string[] } {
    const none = { trajectory: this.#root, below: [] };
    if (!this.#root.isEmpty) return none;
    const call = below.get('')?.[0] ?? [...left].find((each) => !this.#referring.has(each)) ?? '';
    const trajectory = this.#children.get(call)?.trajectory;
    if (!trajectory || !left.delete(call)) return none;
    // It is read as the entry agent, and the calls beside it as its own.
    this.#about.loses('parentCall', Math.max(1, below.get('')?.length ?? 0));
    return { trajectory, below: below.get(call) ?? [] };
  }

  /** The trajectories of those of some calls that are `left`, each with those that it has dispatched: `below` it. */
  #written(
    calls: readonly string[],
    below: ReadonlyMap<string, readonly string[]>,
    left: Set<string>,
  ): string[] {
    return calls.flatMap((call) => {
      const trajectory = this.#children.get(call)?.trajectory;
      if (!trajectory || !left.delete(call)) return [];
      const head = `${VERSION},"trajectory_id":${JSON.stringify(call)},${trajectory.head()}`;
      const embedded = subagents(this.#written(below.get(call) ?? [], below, left));
      return [`{${head},"steps":[${trajectory.rest()}]${embedded}}`];
    });
  }

  /** The call whose steps refer to another, or that is said to have dispatched it, as far as it is written; else ''. */
  #parentOf(call: string): string {
    const by = this.#referring.get(call) ?? this.#children.get(call)?.parent ?? '';
    return this.#children.get(by)?.trajectory.isEmpty === false ? by : '';
  }

  /** Whether a call is another, or is written within it. */
  #isWithin(call: string, outer: string): boolean {
    const seen = new Set<string>();
    for (let at = call; at !== '' && !seen.has(at); at = this.#parentOf(at)) {
      if (at === outer) return true;
      seen.add(at);
    }
    return false;
  }

  #begin(): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    const { conversation, session } = this.#about;
    const ids = `"session_id":${JSON.stringify(conversation)},"trajectory_id":${JSON.stringify(session.id)}`;
    return `{${VERSION},${ids},"steps":[`;
  }

  #trajectory(call: string, { record: { parentCall, depth } }: TakenRecord): AtifTrajectory {
    if (call === '') return this.#root;
    const known = this.#children.get(call);
    if (known) return known.trajectory;
    const trajectory = new AtifTrajectory(this.#about.loses);
    this.#children.set(call, { trajectory, parent: depth === 1 ? '' : String(parentCall) });
    return trajectory;
  }

  #noteDispatch(record: TakenRecord, call: string): void {
    const { childCall, toolCallId } = record.record;
    if (typeof childCall !== 'string' || typeof toolCallId !== 'string') return;
    this.#dispatched.set(`${call} ${toolCallId}`, { call: childCall, isReferred: false });
    // The trajectory of the agent that was asked names it.
    for (const field of ['childCall', 'toolCallId', 'target']) record.take([field]);
  }

  /** The call that a tool call dispatched, from whose result it is referred to; only where there is anything of it. */
  #refer(call: string, toolCallId: string): string | undefined {
    const dispatched = this.#dispatched.get(`${call} ${toolCallId}`);
    if (this.#children.get(dispatched?.call ?? '')?.trajectory.isEmpty !== false || !dispatched)
      return undefined;
    // Embedded in one trajectory only, and in none that it embeds itself.
    const by = this.#referring.get(dispatched.call) ?? call;
    if (by !== call || this.#isWithin(call, dispatched.call)) return undefined;
    this.#referring.set(dispatched.call, call);
    dispatched.isReferred = true;
    return dispatched.call;
  }

  /** Counts the calls that nothing refers to: whoever reads them takes them for those of the entry agent. */
  #countUnreferred(): void {
    const referred = new Set<string>();
    for (const { call, isReferred } of this.#dispatched.values()) {
      if (isReferred) referred.add(call);
      else this.#about.loses(this.#children.has(call) ? 'toolCallId' : 'childCall');
    }
    for (const [call, { parent }] of this.#children)
      if (parent !== '' && !referred.has(call)) this.#about.loses('parentCall');
  }
}

function subagents(trajectories: readonly string[]): string {
  return trajectories.length > 0 ? `,"subagent_trajectories":[${trajectories.join(',')}]` : '';
}
