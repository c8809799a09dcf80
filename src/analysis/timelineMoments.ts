import type { Reading } from './transcriptReader.js';
import { UNKNOWN_ROLE } from './transcriptItem.js';
import { clipName } from './values.js';
import { isOutput } from './messageSize.js';
import { Moments, type MomentKind } from './moments.js';

/** Collects what a timeline shows within calls, record by record, in the order of the ends. */
export class TimelineMoments {
  readonly moments = new Moments();

  add({ facts, position, call, result, countedAt }: Reading): void {
    if (!facts.isRecord) return;
    const { role, time: end, place, isFailure, durationMs, event } = facts;
    const { agent = '' } = place;
    const add = (kind: MomentKind, took: number | undefined, failed: boolean, label: string) =>
      this.moments.add({
        kind,
        call,
        position,
        end,
        agent,
        start: Math.min(end, Math.max(end - (took ?? 0), call.start)),
        state: failed ? 'failed' : 'done',
        label: clipName(label),
      });
    if (role !== undefined) {
      if (isOutput(role ?? UNKNOWN_ROLE)) add('answer', 0, false, agent);
      if (!result || result.kind === 'orphan') return;
      add(result.made?.isDispatch ? 'dispatch' : 'tool', result.tookMs, isFailure, result.tool);
      return;
    }
    switch (facts.type) {
      case 'request':
        add('model', durationMs, isFailure, facts.model);
        break;
      case 'approval':
        if (event && event.waitedMs > 0) add('approval', event.waitedMs, isFailure, facts.toolName);
        break;
      case 'error':
        // Where the request that failed stands there already, its error is no second one.
        if (countedAt === undefined) add('error', 0, isFailure, 'error');
        break;
      default:
    }
  }
}
