import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import { textOf } from '../../../core/message.js';
import type { ApprovalBody, UnknownRecord } from '../../../core/record.js';
import type { DispatchRow, RowNote, StepState, ToolRow } from '../../protocol/row.js';
import { messageIn, idOf } from '../../../query/numbers/transcriptItem.js';
import { callsOf, rawArgumentsOf } from '../../../query/numbers/toolCalls.js';
import { filesIn, summarizeArguments } from './argumentSummary.js';
import type { Prices } from '../../../core/ports/prices.js';
import { ownCostOf, wholeCostOf } from '../../../query/numbers/treeCosts.js';
import type { CallNode } from '../../../query/numbers/callTree.js';
import { dispatchAnswer } from './dispatchAnswer.js';
import { stateIn } from '../../../query/numbers/failures.js';
import { toolDuration } from '../../../query/numbers/durations.js';
import { clipName, numberOr, textOr } from '../../../query/numbers/values.js';
import { cutField, fieldOf } from './rowFields.js';
import { imagesOf } from './rowImages.js';
import { MAX_BODY, MAX_FIELD, requestFacts, rowPosition } from './rowPosition.js';
import type { RowSources } from './rowSources.js';

/** What a row depends on besides its records. */
export interface RowContext {
  readonly prices: Prices;
  hueOf(agent: string): number;
  isExpanded(row: number): boolean;
  /** Whether the conversation is running, so that an unanswered call may still get its answer. */
  readonly running: boolean;
  /** What a person has noted about a row; left out, nothing is. */
  readonly notesOf?: (sources: RowSources) => readonly RowNote[];
}

/** The card of a tool call and its result. */
export function toolRow(sources: RowSources, context: RowContext): ToolRow {
  const call = callsOf(messageIn(sources.record) ?? {})[sources.sub];
  const args = rawArgumentsOf(call?.input);
  const images = sources.result ? imagesOf(sources.result) : [];
  return {
    kind: 'tool',
    ...rowPosition(sources),
    ...stepOf(sources, context),
    ...requestFacts(sources, context),
    toolCallId: clipName(idOf(call?.id)),
    tool: clipName(call?.name),
    summary: summarizeArguments(args),
    arguments: cutField(fieldOf(sources, 'arguments'), MAX_FIELD),
    ...(images.length > 0 && { images }),
    files: filesIn(args).map(({ path, line }) => ({ label: line === undefined ? path : `${path}:${line}` })),
  };
}

/** The card of a dispatch, its answer, and the totals of the call that it started. */
export function dispatchRow(sources: RowSources, context: RowContext): DispatchRow {
  const { dispatch, child } = sources;
  const target = clipName(dispatch?.target);
  const refused = textOr(dispatch?.refused);
  const { session } = dispatchAnswer(textOf(messageIn(sources.result ?? {})?.content));
  return {
    kind: 'dispatch',
    ...rowPosition(sources),
    ...stepOf(sources, context),
    ...requestFacts(sources, context),
    toolCallId: clipName(dispatch?.toolCallId),
    target,
    targetHue: context.hueOf(child?.agent ?? target),
    task: cutField(fieldOf(sources, 'task'), MAX_FIELD),
    ...(refused !== '' && { refused: refused.slice(0, MAX_FIELD) }),
    ...(child && { child: childOf(child, sources.childRows) }),
    ...(session !== undefined && { session: clipName(session) }),
    expanded: context.isExpanded(sources.row),
  };
}

function stepOf(sources: RowSources, context: RowContext) {
  const { record, result, child, approval } = sources;
  // A decision that is told of after the result held nobody up before it.
  const waitedMs = approval && result && approval.seq < result.seq ? numberOr(approval.waitedMs) : undefined;
  const durationMs = result
    ? toolDuration({
        durationMs: result.durationMs,
        calledAt: record.time,
        answeredAt: result.time,
        waitedMs,
      })
    : child?.durationMs;
  return {
    state: stateOf(sources, context),
    ...(durationMs !== undefined && { durationMs }),
    ...(waitedMs !== undefined && waitedMs > 0 && { waitedMs }),
    ...(result && { result: cutField(fieldOf(sources, 'result'), child ? MAX_BODY : MAX_FIELD) }),
    ...(approval && { approval: { approved: approval.decision === 'approved', text: decisionOf(approval) } }),
  };
}

function stateOf(
  { result, dispatch, child, call, approval }: RowSources,
  { running }: RowContext,
): StepState {
  const denied = approval?.decision === 'denied' && (approval.decidedBy === 'cancel' ? 'stopped' : 'denied');
  if (result) {
    const state = stateIn(result);
    if (state === 'failed' && denied) return denied;
    return state === '' ? 'done' : state === 'cancelled' ? 'stopped' : state;
  }
  if (denied) return denied;
  if (dispatch?.refused !== undefined) return 'failed';
  if (child?.outcome === 'cancelled') return 'stopped';
  if (child?.outcome !== undefined) return child.outcome === 'done' ? 'done' : 'failed';
  return running && call.outcome === undefined ? 'running' : 'unanswered';
}

function childOf(child: CallNode, rows: number): NonNullable<DispatchRow['child']> {
  const { tokens } = child.tokens;
  return {
    rows,
    messages: child.messages,
    toolCalls: child.toolCalls,
    errors: child.errors,
    cost: ownCostOf(child),
    wholeCost: wholeCostOf(child),
    ...(tokens && { tokens }),
  };
}

const DECIDED_BY: ReadonlyMap<unknown, Message> = new Map<ApprovalBody['decidedBy'], Message>([
  ['user', message`by you`],
  ['policy', message`by the settings`],
  ['remembered', message`as remembered`],
  ['rule', message`by your rule`],
  ['hook', message`by a hook`],
  ['cancel', message`because the run was stopped`],
]);

/** How a tool call was approved or denied, for a person. */
export function decisionOf({ decision, decidedBy, rule, reason }: UnknownRecord): string {
  const verb = decision === 'approved' ? t`Approved` : t`Denied`;
  const which = textOr(rule) === '' ? '' : ` · ${clipName(rule)}`;
  const why = textOr(reason) === '' ? '' : `: ${clipName(reason)}`;
  const by = DECIDED_BY.get(decidedBy);
  return `${verb}${by ? ` ${inLanguage(by)}` : ''}${why}${which}`;
}
