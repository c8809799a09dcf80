import type { Approval } from '../../query/numbers/approvals.js';
import { choosesApproval, approvalLogFacets } from '../../query/numbers/approvalLog.js';
import { callsOf } from '../../query/numbers/toolCalls.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import { clipName, textOr } from '../../query/numbers/values.js';
import type { UnknownRecord } from '../../core/record.js';
import { firstCodePoints, singleLine } from '../../core/text.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { MAX_APPROVAL_LOG_ROWS, type ApprovalLogRow } from '../protocol/approvals.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import type { TranscriptProjection } from './projection/transcriptProjection.js';
import { deedOf } from '../../query/numbers/deed.js';

/** How much of what was asked a row shows, in code points. */
const MAX_SUBJECT = 300;

/** Answers what a page asks about the decisions of its transcript. */
export function answerApprovals(
  handlers: RequestHandlers,
  projection: TranscriptProjection,
  transcript: Pick<Transcript, 'read'>,
): void {
  handlers.add('approvals', async ({ filter, start, count }) => {
    const { approvals, hues } = projection;
    const all = approvals.slice(0, approvals.length);
    const matching = all.filter((approval) => choosesApproval(filter, approval));
    const rows: ApprovalLogRow[] = [];
    for (const approval of matching.slice(start, start + Math.min(count, MAX_APPROVAL_LOG_ROWS))) {
      const { agent, tool, decidedBy, rule } = approval;
      rows.push({
        ...approval,

        agent: clipName(agent),
        tool: clipName(tool),
        decidedBy: clipName(decidedBy),
        rule: clipName(rule),
        ...(await textsOf(approval, transcript)),
        hue: hues.of(agent),
      });
    }
    const { approved, denied, waitedMs } = approvals.totals();
    return {
      approved,
      denied,
      waitedMs,
      matching: matching.length,
      facets: approvalLogFacets(all, filter),
      rows,
    };
  });
}

async function textsOf(
  { position, askedAt, toolCallId }: Approval,
  transcript: Pick<Transcript, 'read'>,
): Promise<Pick<ApprovalLogRow, 'subject' | 'reason'>> {
  const [record] = (await transcript.read(position, position + 1)) as readonly UnknownRecord[];
  const reason = clipName(textOr(record?.reason));
  const subject = textOr(record?.subject);
  if (subject !== '') return { subject: short(subject), reason };
  const [asking] = askedAt === undefined ? [] : await transcript.read(askedAt, askedAt + 1);
  const call = callsOf(messageIn(asking) ?? {}).find(({ id }) => id === toolCallId);
  return { subject: call ? deedOf(call.name, call.input).headline : '', reason };
}

function short(text: string): string {
  return firstCodePoints(singleLine(firstCodePoints(text, MAX_SUBJECT * 4)), MAX_SUBJECT);
}
