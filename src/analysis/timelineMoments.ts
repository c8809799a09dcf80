import type { Reading } from './transcriptReader.js';
import { roleOf } from './transcriptItem.js';
import { clipName, knownTime, numberOr, textOr } from './values.js';
import { isOutput } from './messageSize.js';
import { Moments, type MomentKind } from './moments.js';

/** Collects what a timeline shows within calls, record by record, in the order of the ends. */
export class TimelineMoments {
  readonly moments = new Moments();

  add({ record, message, position, call, result, isFailure }: Reading): void {
    if (!record) return;
    const end = knownTime(record.time) ?? 0;
    const add = (kind: MomentKind, took: unknown, failed: boolean, label: unknown) =>
      this.moments.add({
        kind,
        call,
        position,
        end,
        agent: textOr(record.agent),
        start: Math.min(end, Math.max(end - (numberOr(took) ?? 0), call.start)),
        state: failed ? 'failed' : 'done',
        label: clipName(label),
      });
    if (message) {
      if (isOutput(roleOf(message))) add('answer', 0, false, record.agent);
      if (!result || result.kind === 'orphan') return;
      add(result.made?.isDispatch ? 'dispatch' : 'tool', result.tookMs, isFailure, result.tool);
      return;
    }
    switch (record.type) {
      case 'request':
        add('model', record.durationMs, isFailure, record.model);
        break;
      case 'approval':
        if ((numberOr(record.waitedMs) ?? 0) > 0)
          add('approval', record.waitedMs, record.decision !== 'approved', record.toolName);
        break;
      case 'error':
        add('error', 0, true, 'error');
        break;
      default:
    }
  }
}
