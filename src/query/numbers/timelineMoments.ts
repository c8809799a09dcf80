import type { Reading } from './transcriptReader.js';
import { UNKNOWN_ROLE } from './transcriptItem.js';
import { clipName } from './values.js';
import { isOutput } from './messageSize.js';
import { Moments, type MomentKind } from './moments.js';

/** Collects what a timeline shows within calls, record by record, in the order of the ends. */
export class TimelineMoments {
  readonly moments = new Moments();

  add(reading: Reading): void {
    const { facts, result, countedAt } = reading;
    if (!facts.isRecord) return;
    const { role, place, isFailure, durationMs, event } = facts;
    if (role !== undefined) {
      if (isOutput(role ?? UNKNOWN_ROLE)) this.#add(reading, 'answer', 0, false, place.agent ?? '');
      if (!result || result.kind === 'orphan') return;
      const kind = result.made?.isDispatch ? 'dispatch' : 'tool';
      this.#add(reading, kind, result.tookMs, isFailure, result.tool);
      return;
    }
    switch (facts.type) {
      case 'request':
        this.#add(reading, 'model', durationMs, isFailure, facts.model);
        break;
      case 'approval':
        if (event && event.waitedMs > 0)
          this.#add(reading, 'approval', event.waitedMs, isFailure, facts.toolName);
        break;
      case 'error':
        // Where the request that failed stands there already, its error is no second one.
        if (countedAt === undefined) this.#add(reading, 'error', 0, isFailure, 'error');
        break;
      default:
    }
  }

  #add(
    { facts: { time: end, place }, position, call }: Reading,
    kind: MomentKind,
    took: number | undefined,
    failed: boolean,
    label: string,
  ): void {
    this.moments.add({
      kind,
      call,
      position,
      end,
      agent: place.agent ?? '',
      start: Math.min(end, Math.max(end - (took ?? 0), call.start)),
      state: failed ? 'failed' : 'done',
      label: clipName(label),
    });
  }
}
