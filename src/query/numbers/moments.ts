import type { CallNode } from './callTree.js';
import { GrowingColumn } from './growingColumn.js';

/** What a moment is. */
export type MomentKind = 'model' | 'answer' | 'tool' | 'dispatch' | 'approval' | 'error';

/** Something that took time within a call, or happened at a point of it. */
export interface Moment {
  readonly kind: MomentKind;
  readonly call: CallNode;
  /** Whose it is: the call's agent, or one that speaks in it. */
  readonly agent: string;
  readonly position: number;
  readonly start: number;
  readonly end: number;
  readonly state: 'done' | 'failed';
  readonly label: string;
}

/** Repeated values, each kept once and identified by a number. */
class Values<T> {
  readonly #all: T[] = [];
  readonly #numbers = new Map<T, number>();

  numberOf(value: T): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#all.push(value) - 1;
    this.#numbers.set(value, number);
    return number;
  }

  at(number: number): T | undefined {
    return this.#all[number];
  }
}

/** The moments of a transcript, in columns of numbers, because there is about one for each message. */
export class Moments {
  readonly #calls = new Values<CallNode>();
  readonly #kinds = new Values<MomentKind>();
  readonly #states = new Values<Moment['state']>();
  readonly #labels = new Values<string>();
  readonly #agents = new Values<string>();
  readonly #call = new GrowingColumn();
  readonly #kind = new GrowingColumn();
  readonly #state = new GrowingColumn();
  readonly #label = new GrowingColumn();
  readonly #agent = new GrowingColumn();
  readonly #position = new GrowingColumn();
  readonly #start = new GrowingColumn(1024, Float64Array);
  readonly #end = new GrowingColumn(1024, Float64Array);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add({ kind, call, agent, position, start, end, state, label }: Moment): void {
    const at = this.#length++;
    this.#call.set(at, this.#calls.numberOf(call));
    this.#kind.set(at, this.#kinds.numberOf(kind));
    this.#state.set(at, this.#states.numberOf(state));
    this.#label.set(at, this.#labels.numberOf(label));
    this.#agent.set(at, this.#agents.numberOf(agent));
    this.#position.set(at, position);
    this.#start.set(at, start);
    this.#end.set(at, end);
  }

  /**
   * A moment by its number; undefined where there is none, or where it is outside of these times. Where steps are counted,
   * it lasts one, at the position of its record.
   */
  within(at: number, from: number, to: number, countsSteps = false): Moment | undefined {
    const position = this.#position.get(at);
    const [start, end] = countsSteps ? [position, position + 1] : [this.#start.get(at), this.#end.get(at)];
    if (at >= this.#length || start > to || end < from) return undefined;
    const call = this.#calls.at(this.#call.get(at));
    const kind = this.#kinds.at(this.#kind.get(at));
    const state = this.#states.at(this.#state.get(at));
    const label = this.#labels.at(this.#label.get(at)) ?? '';
    const agent = this.#agents.at(this.#agent.get(at)) ?? '';
    return call && kind && state && { kind, call, agent, position, start, end, state, label };
  }
}
