import { appendAll } from '../../core/lists.js';
import type { CallNode } from './callTree.js';
import { IdleTime } from './idleTime.js';
import { RepeatedCalls, type Loop } from './repeatedCalls.js';
import { RereadFiles } from './rereadFiles.js';
import type { Reading } from './transcriptReader.js';
import { clipName } from './values.js';

/**
 * What cost time or money and brought nothing, as far as the record proves it. `retry`: a request that repeats one of the
 * same call which failed, before its model has answered. `idle`: a stretch of a run in which nothing ran and nobody was
 * waited for, see `IdleTime`. `loop`: the same tool calls again and again, see `RepeatedCalls`. `reread`: an unchanged file
 * that was read again, see `RereadFiles`. `person`: a wait for a person's approval, which is counted apart; `compaction`: what
 * was said before is no longer sent, see `CompactionSign`.
 */
export type DetourKind = 'retry' | 'idle' | 'loop' | 'reread' | 'compaction' | 'person';

/** What a timeline marks: waits for a person stand there as such. */
export type MarkKind = Exclude<DetourKind, 'person'>;

/** One detour, as a timeline marks it; times in milliseconds since 1970. */
export interface Detour {
  readonly kind: MarkKind;
  readonly call: CallNode;
  readonly agent: string;
  /** The position of the record that proves it; of a loop, where it begins. */
  readonly position: number;
  readonly start: number;
  readonly end: number;
  /** The tool or the model; '' for none. */
  readonly label: string;
}

/** All detours of one kind. */
export interface DetourTotal {
  readonly kind: DetourKind;
  readonly count: number;
  /** How long they took together, in milliseconds; 0 where that is unknown. */
  readonly ms: number;
  /** The position of the first. */
  readonly first: number;
}

/** How many of each kind are marked; all are counted. */
const MAX_MARKS = 2_000;

interface Tally {
  count: number;
  ms: number;
  readonly first: number;
  readonly marks: Detour[];
}

/** Finds the detours of a transcript, item by item. */
export class Detours {
  readonly #tallies = new Map<DetourKind, Tally>();
  readonly #idle = new IdleTime();
  readonly #repeated = new RepeatedCalls();
  readonly #reread = new RereadFiles();
  /** A loop is as long as its last tool call says. */
  readonly #loops: Loop[] = [];
  /** The indexes of the calls whose latest request failed and whose model has not answered since. */
  readonly #failing = new Set<number>();

  add(reading: Reading): void {
    this.#idle.add(reading);
    const { facts, call } = reading;
    if (facts.type === 'request') {
      if (this.#failing.has(call.index))
        this.#note('retry', reading, facts.model || call.model, facts.durationMs ?? 0);
      if (facts.isFailure) this.#failing.add(call.index);
      else this.#failing.delete(call.index);
    } else if (facts.role === 'user' || facts.role === 'assistant') this.#failing.delete(call.index);
    const waitedMs = facts.type === 'approval' ? (facts.event?.waitedMs ?? 0) : 0;
    if (waitedMs > 0) this.#note('person', reading, facts.toolName, waitedMs);
    appendAll(this.#loops, this.#repeated.add(reading));
    const { result, isCompaction } = reading;
    if (this.#reread.add(reading)) this.#note('reread', reading, result?.tool ?? '', result?.tookMs ?? 0);
    if (isCompaction) this.#note('compaction', reading, '', 0);
  }

  /** What a timeline marks. */
  get marks(): readonly Detour[] {
    const marksOf = (kind: MarkKind) => this.#tallies.get(kind)?.marks ?? [];
    const idle = this.#idle.list().slice(0, MAX_MARKS);
    return [
      ...marksOf('retry'),
      ...idle.map(({ call, position, start, end }) => {
        return { kind: 'idle' as const, call, agent: call.agent, position, start, end, label: '' };
      }),
      ...this.#loops.slice(0, MAX_MARKS).map(({ call, agent, tool, first: { position, time }, end }) => {
        return {
          kind: 'loop' as const,
          call,
          agent,
          position,
          start: time || end,
          end,
          label: clipName(tool),
        };
      }),
      ...marksOf('reread'),
      ...marksOf('compaction'),
    ];
  }

  /** The kinds that occur, each with its number. */
  totals(): DetourTotal[] {
    const stretches = (kind: 'idle' | 'loop', all: readonly Pick<Detour, 'start' | 'end' | 'position'>[]) => {
      const [first] = all;
      const ms = all.reduce((sum, { start, end }) => sum + Math.max(0, end - start), 0);
      return first ? [{ kind, count: all.length, ms, first: first.position }] : [];
    };
    const loops = this.#loops.map(({ first, end }) => ({ start: first.time, end, position: first.position }));
    return [
      ...[...this.#tallies].map(([kind, tally]) => ({
        kind,
        count: tally.count,
        ms: tally.ms,
        first: tally.first,
      })),
      ...stretches('loop', loops),
      ...stretches('idle', this.#idle.list()),
    ];
  }

  #note(kind: DetourKind, { facts, call, position }: Reading, label: string, ms: number): void {
    const known = this.#tallies.get(kind) ?? { count: 0, ms: 0, first: position, marks: [] };
    this.#tallies.set(kind, known);
    known.count++;
    known.ms += ms;
    if (kind === 'person' || known.marks.length >= MAX_MARKS) return;
    const end = facts.time;
    const agent = facts.place.agent ?? call.agent;
    known.marks.push({ kind, call, agent, position, start: end - ms, end, label: clipName(label) });
  }
}
