import type { UnknownRecord } from '../../core/record.js';
import { isFailedRecord } from '../../analysis/failures.js';
import { Moments, type Moment } from './moments.js';
import { numberOr } from '../../analysis/values.js';
import type { Step } from './step.js';
import { messageIn, roleOf } from '../../analysis/transcriptItem.js';
import { clipName } from '../rows/rowPlace.js';
import { isOutput } from './messageSize.js';

/** Collects what a timeline shows within calls, record by record, in the order of the ends. */
export class TimelineFold {
  readonly moments = new Moments();

  add({ record: read, position, call, answered, tookMs }: Step): void {
    const record = read as UnknownRecord;
    const end = record.time;
    const add = (kind: Moment['kind'], took: number, failed: boolean, label: string) =>
      this.moments.add({
        kind,
        call,
        agent: record.agent,
        position,
        start: Math.min(end, Math.max(end - took, call.start)),
        end,
        state: failed ? 'failed' : 'done',
        label,
      });
    switch (record.type) {
      case 'message': {
        if (isOutput(roleOf(messageIn(record) ?? {}))) add('answer', 0, false, clipName(record.agent));
        if (!answered) return;
        const kind = answered.isDispatch ? 'dispatch' : 'tool';
        add(kind, tookMs ?? 0, isFailedRecord(record), clipName(answered.tool));
        break;
      }
      case 'request':
        add('model', numberOr(record.durationMs) ?? 0, isFailedRecord(record), clipName(record.model));
        break;
      case 'approval':
        if ((numberOr(record.waitedMs) ?? 0) > 0) {
          add(
            'approval',
            numberOr(record.waitedMs) ?? 0,
            record.decision !== 'approved',
            clipName(record.toolName),
          );
        }
        break;
      case 'error':
        add('error', 0, true, 'error');
        break;
      default:
    }
  }
}
