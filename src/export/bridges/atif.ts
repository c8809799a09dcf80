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
 * Harbor's Agent Trajectory Interchange Format: one trajectory, with those of the calls that were dispatched embedded in it. Where
 * validators differ, what all of them accept is written: results stand in the step of their call, and only in agents' steps.
 */
export class AtifWriter implements BridgeWriter {
  readonly #about: AboutTranscript;
  readonly #root: AtifTrajectory;
  readonly #children = new Map<string, { readonly trajectory: AtifTrajectory; readonly parent: string }>();
  /** By the call and the id of the tool call that dispatched it. */
  readonly #dispatched = new Map<string, Dispatched>();
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
    const steps = this.#begin() + this.#root.rest();
    const children = [...this.#children].map(
      ([call, { trajectory }]) =>
        `{${VERSION},"trajectory_id":${JSON.stringify(call)},${trajectory.head()},"steps":[${trajectory.rest()}]}`,
    );
    const embedded = children.length > 0 ? `,"subagent_trajectories":[${children.join(',')}]` : '';
    return `${steps}],${this.#root.head()}${embedded}}\n`;
  }

  #begin(): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    return `{${VERSION},"session_id":${JSON.stringify(this.#about.conversation)},"steps":[`;
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
    if (!dispatched || !this.#children.has(dispatched.call)) return undefined;
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
