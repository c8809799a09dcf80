import type { CallNode } from './callTree.js';
import { hasBadEnd } from './failures.js';
import type { Facts } from './facts.js';
import { beginsTurn } from './transcriptItem.js';
import type { Reading } from './transcriptReader.js';
import { clipName } from './values.js';

/**
 * What a trouble is. `tool`: a tool call failed. `provider`: a request to a model failed, or an answer broke off. `dispatch`:
 * another agent was not asked, because that was refused. `limit`: a call reached one of its limits. `other`: whatever else is
 * recorded as an error.
 */
export type TroubleKind = 'tool' | 'provider' | 'dispatch' | 'limit' | 'other';

/** The first thing that went wrong in a run that failed. */
export interface FirstTrouble {
  readonly kind: TroubleKind;
  /** The position of the record that tells of it. */
  readonly position: number;
  readonly agent: string;
  /** The agent that had asked this one; absent for the agent that a person asked. */
  readonly askedBy?: string;
  /** The tool or the model; '' where the record names none. */
  readonly what: string;
  /** How many more failures the run had, see `isFailedRecord`. */
  readonly more: number;
}

/**
 * Finds the first thing that went wrong since a person last asked, where that failed: its entry call has ended as failed or
 * limited or, where no end is recorded (as in sessions of other tools), its model has failed and not answered since. It is
 * the first failure that counts as one (`Reading#isNewFailure`), of the entry agent or of any that
 * it dispatched, whichever is recorded first. Whether it caused the end is not in the record, and not said.
 */
export class WhereItWentWrong {
  #entry: CallNode | undefined;
  #first: Omit<FirstTrouble, 'more'> | undefined;
  #failures = 0;
  #isEnded = false;
  #hasFailed = false;

  /** Adds the next reading. */
  add(reading: Reading): void {
    const { facts, call } = reading;
    if (call.parent === undefined && (beginsTurn(facts) || call.run > (this.#entry?.run ?? 0)))
      this.#begin(call);
    if (call.run !== this.#entry?.run) return;
    if (reading.isNewFailure) {
      this.#failures++;
      this.#first ??= troubleOf(reading, ...kindOf(reading));
    }
    if (facts.type === 'callEnd' && call === this.#entry) {
      this.#isEnded = true;
      this.#hasFailed = hasBadEnd(facts.event?.outcome);
    }
  }

  /** See the class; undefined where the last run has not failed. */
  get first(): FirstTrouble | undefined {
    const first = this.#first;
    const hasFailed = this.#isEnded ? this.#hasFailed : this.#entry?.failingSince !== undefined;
    if (!first || !hasFailed) return undefined;
    return { ...first, more: this.#failures - 1 };
  }

  #begin(entry: CallNode): void {
    this.#entry = entry;
    this.#first = undefined;
    this.#failures = 0;
    this.#isEnded = false;
    this.#hasFailed = false;
  }
}

function troubleOf(
  { position, facts, call }: Reading,
  kind: TroubleKind,
  what: string,
): Omit<FirstTrouble, 'more'> {
  const agent = clipName(facts.place.agent ?? call.agent);
  const askedBy = call.parent && clipName(call.parent.agent);
  return { kind, position, agent, what: clipName(what), ...(askedBy !== undefined && { askedBy }) };
}

function kindOf({ facts, result, call }: Reading): readonly [kind: TroubleKind, what: string] {
  const { role, type, event } = facts;
  if (role === 'tool') return ['tool', result?.tool ?? ''];
  if (role === 'assistant') return ['provider', modelOf(facts, call)];
  if (role !== undefined) return ['other', ''];
  switch (type) {
    case 'request':
      return ['provider', modelOf(facts, call)];
    case 'dispatch':
      return ['dispatch', ''];
    case 'callEnd':
      return [event?.outcome === 'limited' ? 'limit' : 'other', ''];
    default:
      return ['other', ''];
  }
}

function modelOf({ model }: Facts, call: CallNode): string {
  return model === '' ? call.model : model;
}
