import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import { textOf } from '../../../core/message.js';
import type { ApprovalBody, UnknownRecord } from '../../../core/record.js';
import type { DispatchRow, RowChange, RowNote, StepState, ToolRow } from '../../protocol/row.js';
import { messageIn, idOf } from '../../../query/numbers/transcriptItem.js';
import {
  callsOf,
  rawArgumentsOf,
  argumentsOf,
  MAX_READ_ARGUMENTS,
} from '../../../query/numbers/toolCalls.js';
import { deedOf, outcomeOf, restOfArguments, type Deed, type DeedEdit } from '../../../query/numbers/deed.js';
import { compactJson } from '../../../query/numbers/jsonText.js';
import { diffOfLines, linesOfBoth } from '../../../query/numbers/lineDiff.js';
import type { Prices } from '../../../core/ports/prices.js';
import { ownCostOf, wholeCostOf } from '../../../query/numbers/treeCosts.js';
import type { CallNode } from '../../../query/numbers/callTree.js';
import { dispatchAnswer } from './dispatchAnswer.js';
import { stateIn } from '../../../query/numbers/failures.js';
import { toolDuration } from '../../../query/numbers/requestPairing.js';
import { clipName, numberOr, textOr } from '../../../query/numbers/values.js';
import { cutField, fieldOf } from './rowFields.js';
import { imagesOf } from './rowImages.js';
import { MAX_BODY, MAX_FIELD, requestFacts, rowPosition } from './rowPosition.js';
import type { RowSources } from './rowSources.js';
import { namedPaths } from '../../../query/numbers/namedPaths.js';

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
  const tool = clipName(call?.name);
  const deed = deedOf(tool, call?.input);
  const step = stepOf(sources, context);
  const { text = '', spill } = sources.result ? fieldOf(sources, 'result') : {};
  const came =
    step.state === 'running' || step.result === undefined
      ? ''
      : outcomeOf(deed.kind, text, { bytes: spill?.bytes, wentWell: step.state === 'done' });
  return {
    kind: 'tool',
    ...rowPosition(sources),
    ...step,
    ...requestFacts(sources, context),
    toolCallId: clipName(idOf(call?.id)),
    tool,
    summary: deed.headline,
    ...(deed.name !== tool && { name: deed.name }),
    ...(deed.about !== undefined && { about: deed.about }),
    ...(came !== '' && { came }),
    ...bodyOf(deed, call?.input),
    arguments: cutField(fieldOf(sources, 'arguments'), MAX_FIELD),
    ...(images.length > 0 && { images }),
    files: filesIn(args).map(({ path, line }) => ({ label: line === undefined ? path : `${path}:${line}` })),
  };
}

/** How many lines of diffs a row has room for, and how many UTF-16 code units. */
const MAX_DIFF_LINES = 200;
const MAX_DIFF_TEXT = 12_000;
/** Longer texts are not compared for a row, in UTF-16 code units. */
const MAX_COMPARED = 200_000;

/** What a card shows of a deed when it is open, and the arguments beside it. */
function bodyOf(deed: Deed, input: unknown): Partial<ToolRow> {
  const { script, edits = [], plan } = deed;
  if (script === undefined && edits.length === 0 && !plan) return {};
  if (script !== undefined && script.length > MAX_FIELD) return {};
  const rest = restOfArguments(deed, input);
  const beside = Object.keys(rest).length === 0 ? '' : compactJson(rest);
  return {
    ...(script !== undefined && { script }),
    ...(edits.length > 0 && { changes: changesOf(edits) }),
    ...(plan && { plan }),
    ...(beside.length <= MAX_FIELD && { beside }),
  };
}

function changesOf(edits: readonly DeedEdit[]): RowChange[] {
  let [lines, room] = [MAX_DIFF_LINES, MAX_DIFF_TEXT];
  return edits.map(({ path, before, after }) => {
    if (before.length + after.length > MAX_COMPARED) return { path, lines: [], rest: 1 };
    const all = diffOfLines(...linesOfBoth(before, after));
    let kept = 0;
    for (const line of all) {
      room -= line.kind === 'skipped' ? 1 : line.parts.reduce((sum, { text }) => sum + text.length, 1);
      if (lines-- <= 0 || room < 0) break;
      kept++;
    }
    return { path, lines: all.slice(0, kept), rest: all.length - kept };
  });
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
  const state = stateOf(sources, context);
  return {
    state,
    ...(durationMs !== undefined && { durationMs }),
    ...(waitedMs !== undefined && waitedMs > 0 && { waitedMs }),
    ...(result && { result: cutField(fieldOf(sources, 'result'), child ? MAX_BODY : MAX_FIELD) }),
    ...(!approval && state === 'denied' && { approval: { approved: false, text: deniedWords(sources) } }),
    ...(approval && { approval: { approved: approval.decision === 'approved', text: decisionOf(approval) } }),
  };
}

/** By whom a call was denied of which the result alone tells. */
function deniedWords(sources: RowSources): string {
  return /\buser\b/i.test(fieldOf(sources, 'result').text.slice(0, MAX_FIELD)) ? t`You denied it` : t`Denied`;
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
  if (decision !== 'approved' && decidedBy === 'user')
    return textOr(reason) === '' ? t`You denied it` : t`You denied it: ${clipName(reason)}`;
  const verb = decision === 'approved' ? t`Approved` : t`Denied`;
  const which = textOr(rule) === '' ? '' : ` · ${clipName(rule)}`;
  const why = textOr(reason) === '' ? '' : `: ${clipName(reason)}`;
  const by = DECIDED_BY.get(decidedBy);
  return `${verb}${by ? ` ${inLanguage(by)}` : ''}${why}${which}`;
}

const LINE_KEYS = ['line', 'lineNumber', 'line_number', 'startLine', 'start_line'];
const MAX_FILES = 5;

/** A file that arguments name; the path is as untrusted as the arguments are. */
export interface NamedFile {
  readonly path: string;
  readonly line?: number;
}

/** The files that arguments name, by the names that tools commonly give such arguments. */
export function filesIn(text: string): NamedFile[] {
  if (text.length > MAX_READ_ARGUMENTS) return [];
  const args = argumentsOf(text);
  const lines = LINE_KEYS.map((key) => args[key]).filter(
    (value) => Number.isSafeInteger(value) && Number(value) > 0,
  );
  const line = lines[0] as number | undefined;
  return namedPaths(args)
    .filter((path) => path.length < 1_000)
    .slice(0, MAX_FILES)
    .map((path) => ({ path, ...(line !== undefined && { line }) }));
}
