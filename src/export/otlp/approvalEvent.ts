import { createHash } from 'node:crypto';
import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';
import type { OtlpEvent } from './otlpSpan.js';

/** A decision about a tool call as an event of its span; the conventions have no word for one. */
export function approvalEvent(record: UntypedMessage, time: number): OtlpEvent {
  const { decision, decidedBy, rule, reason, subject, toolName } = record;
  const said = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  return {
    name: 'agent_logbook.approval',
    time,
    attributes: {
      decision: said(decision),
      by: said(decidedBy),
      rule: said(rule),
      reason: said(reason),
      tool: said(toolName),
      args_sha256:
        typeof subject === 'string' ? createHash('sha256').update(subject).digest('hex') : undefined,
    },
  };
}
