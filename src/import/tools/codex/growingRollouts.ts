import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { Entries } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { CodexRollout, type Spawned } from './codexRollout.js';
import { nameOf, RolloutAhead } from './rolloutAhead.js';

/** The id of a thread in the name of its rollout. */
const THREAD = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** A subagent's rollout that is being written. */
interface Growing {
  readonly ahead: RolloutAhead;
  readonly rollout: CodexRollout;
  /** What its parent said of its start when it was begun. */
  readonly spawned: Spawned | undefined;
  hasSettled: boolean;
}

/** The call of a subagent's rollout in that of the one which started it. */
export function dispatchOf(
  builder: ConversationBuilder,
  parent: CodexRollout,
  ahead: RolloutAhead,
  spawned = parent.spawned.get(ahead.thread),
) {
  return builder.dispatch(parent.place, spawned?.agent ?? nameOf(ahead.meta), {
    task: spawned?.task,
    toolCallId: spawned?.toolCallId,
    time: spawned?.time,
  });
}

/** The rollouts of a session's subagents while they are written: each is read on from where it was read. */
export class GrowingRollouts {
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  /** Those that were begun, that of the session itself first. */
  readonly #begun: CodexRollout[];
  /** By the names of their files. */
  readonly #growing = new Map<string, Growing>();
  #isVoid = false;

  constructor(root: CodexRollout, sink: ImportSink) {
    this.#begun = [root];
    this.#sink = sink;
    this.#builder = root.builder;
  }

  /** Whether what was read of them stands elsewhere, or says something else, now that more is known. */
  get isVoid(): boolean {
    this.#isVoid ||= [...this.#growing.values()].some(
      ({ ahead, spawned }) => !spawned && this.#begun.some((each) => each.spawned.has(ahead.thread)),
    );
    return this.#isVoid;
  }

  /** Whether nobody has said yet which call started a subagent, by the name of its rollout. */
  awaits(name: string): boolean {
    const [, thread = ''] = THREAD.exec(name) ?? [];
    return !this.#growing.has(name) && !this.#begun.some(({ spawned }) => spawned.has(thread));
  }

  /**
   * Reads what a rollout has gained: behind the call that started it, or at the end where others were given that stand behind
   * that.
   */
  take(name: string, entries: Entries, isGiven: boolean): void {
    const known = this.#growing.get(name);
    const readAssumptions = known?.ahead.readAssumptions;
    const ahead = known?.ahead ?? new RolloutAhead();
    for (const { value } of entries) ahead.look(value);
    if (!known && isGiven) ahead.assumeItems();
    const from = this.#builder.length;
    const growing = known ?? this.#begin(ahead);
    this.#isVoid ||=
      !growing ||
      growing.hasSettled ||
      (readAssumptions !== undefined && readAssumptions !== ahead.readAssumptions);
    if (!growing || this.#isVoid) return;
    this.#growing.set(name, growing);
    this.#isVoid ||= !growing.rollout.readOn(entries, (entry) => this.#sink.repeats(entry));
    this.#place(growing, from, isGiven);
  }

  /** Tells what waited in them for more. */
  settle(isGiven: boolean): void {
    for (const growing of this.#growing.values()) {
      const from = this.#builder.length;
      growing.hasSettled ||= growing.rollout.settle();
      this.#isVoid ||= growing.ahead.isWronglyAssumed;
      this.#place(growing, from, isGiven);
    }
  }

  #place({ spawned }: Growing, from: number, isGiven: boolean): void {
    if (spawned && !isGiven) this.#builder.moveBehind(spawned.behind, from);
  }

  /** Undefined where it has no place: nobody who was begun started it, or it was begun under another name. */
  #begin(ahead: RolloutAhead): Growing | undefined {
    const { thread, parent: startedBy } = ahead;
    const parent = this.#begun.find((each) => startedBy === each.thread || each.spawned.has(thread));
    const isKnown = thread !== '' && this.#begun.some((each) => each.thread === thread);
    if (!parent || isKnown) return undefined;
    const spawned = parent.spawned.get(thread);
    const callSite = dispatchOf(this.#builder, parent, ahead, spawned);
    const parts = { sink: this.#sink, builder: this.#builder };
    const rollout = new CodexRollout({ ahead, ...parts, place: callSite, before: parent });
    this.#begun.push(rollout);
    return { ahead, rollout, spawned, hasSettled: false };
  }
}
