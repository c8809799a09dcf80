import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../core/canonicalJson.js';
import type { Decider } from '../../../core/record.js';
import type { ApprovalAction } from '../../../core/ports/approvals.js';
import { approvalText } from '../approvalText.js';
import type { ToolContext, ToolResult } from '../../../core/ports/tool.js';
import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { readRule, writeRule } from './protectedPaths.js';
import { failure } from '../result.js';

/** A question for approval of one tool call. */
export interface AccessQuestion {
  readonly toolName: string;
  readonly title: string;
  /** Everything that will be done; invisible characters are made visible here. */
  readonly subject: string;
  /** Plain data that identifies this question when an answer is remembered. */
  readonly remembered: unknown;
  readonly askReason?: string | undefined;
  readonly allowReason?: string | undefined;
  /** What a rule may allow. */
  readonly action?: ApprovalAction;
}

/** What came of a question for approval. */
export type Approval =
  | { readonly approved: false; readonly refusal: ToolResult }
  /** `byPerson`: somebody has read the whole subject and approved it, now or earlier in this session. */
  | { readonly approved: true; readonly byPerson: boolean };

/** Asks for approval of one tool call. */
export async function askApproval(question: AccessQuestion, context: ToolContext): Promise<Approval> {
  const { toolName, title, subject, remembered, askReason, allowReason, action } = question;
  const decision = await context.approvals.decide({
    toolName,
    toolCallId: context.toolCallId,
    call: context.call,
    title: approvalText(title),
    subject: approvalText(subject),
    key: `${toolName}:${createHash('sha256').update(canonicalJson(remembered)).digest('hex')}`,
    ...(askReason !== undefined && { askReason: approvalText(askReason) }),
    ...(action && { action }),
    ...(allowReason !== undefined && askReason === undefined && { allowReason }),
    signal: context.signal,
  });
  if (context.signal.aborted) return refused(`${toolName} was cancelled.`);
  if (decision.approved) return { approved: true, byPerson: READ_BY_PERSON.has(decision.decidedBy) };
  const by = decision.decidedBy === 'policy' ? 'The settings do not allow this' : 'This was not allowed';
  return refused(`${by}${decision.reason ? `: ${decision.reason}` : '.'}`);
}

/** Whose approval means that a person has read the whole subject; a rule names what may be done, and nobody reads it. */
const READ_BY_PERSON: ReadonlySet<Decider> = new Set<Decider>(['user', 'remembered']);

const refused = (message: string): Approval => ({ approved: false, refusal: failure(message) });

/** Asks before reading a file whose name or links require it; all others are read without asking. */
export async function askToRead(
  toolName: string,
  place: GuardedPath,
  context: ToolContext,
): Promise<ToolResult | undefined> {
  const rule = readRule(place);
  if (rule?.decision === 'refuse') return failure(`'${place.relative}' ${rule.reason}.`);
  if (rule === undefined && place.names <= 1) return undefined;
  const approval = await askApproval(
    {
      toolName,
      title: `Read ${place.relative}`,
      subject: place.path,
      remembered: { path: place.path },
      askReason: `'${place.relative}' ${rule?.reason ?? namesReason(place)}.`,
    },
    context,
  );
  return approval.approved ? undefined : approval.refusal;
}

/** A write that a tool is about to do. */
export interface WriteQuestion {
  readonly toolName: string;
  readonly place: GuardedPath;
  /** The full change. */
  readonly change: string;
  readonly remembered: unknown;
  /** Whether a person's editor holds text of this file that is not on disk. */
  readonly unsaved: boolean;
}

/** Asks before a file is written. */
export async function askToWrite(question: WriteQuestion, context: ToolContext): Promise<Approval> {
  const { toolName, place, change, remembered, unsaved } = question;
  const rule = writeRule(place);
  if (rule?.decision === 'refuse') return refused(`'${place.relative}' ${rule.reason}.`);
  const reason =
    rule?.reason ??
    (place.names > 1 ? namesReason(place) : undefined) ??
    (unsaved ? 'has unsaved changes in an editor' : undefined);
  return askApproval(
    {
      toolName,
      title: `Write ${place.relative}`,
      subject: `${place.path}\n${change}`,
      remembered,
      askReason: reason && `'${place.relative}' ${reason}.`,
      action: { kind: 'write', path: place.relative },
    },
    context,
  );
}

/** The rest of a sentence about a file with several hard links. */
export const namesReason = ({ names }: Pick<GuardedPath, 'names'>): string =>
  `has ${names} names (hard links), and another of them may lie outside of the workspace`;
