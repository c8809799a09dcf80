import type { ApprovalLogEntry } from '../query/numbers/approvalLog.js';
import { cell } from './csvExport.js';
import { timestampOf } from './metadata.js';
import { SharingGate } from './sharing/sharingGate.js';
import type { SharingRules } from './sharing/sharingPolicy.js';

/** The decisions of a conversation. */
export interface ConversationApprovalLog {
  readonly conversation: string;
  readonly title: string;
  /** The tool that it was imported from; absent for our own runs. */
  readonly importedFrom?: string | undefined;
  readonly entries: readonly ApprovalLogEntry[];
}

/** A text made of decisions. */
export interface ApprovalLogText {
  readonly text: string;
  readonly decisions: number;
  /** How many secrets were left out. */
  readonly redacted: number;
  /** How many stay, because a person decided that. */
  readonly leftIn: number;
}

const COLUMNS = [
  'conversation',
  'title',
  'imported_from',
  'position',
  'time',
  'agent',
  'call',
  'tool',
  'tool_call_id',
  'decision',
  'decided_by',
  'rule',
  'reason',
  'waited_ms',
  'subject',
  'outcome',
  'took_ms',
] as const;

type ApprovalLogRow = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

/**
 * A gate that has looked through the decisions of conversations. What it replaces has no number, because nothing else of the
 * conversations was looked through.
 */
export function approvalLogGate(
  approvalLogs: readonly ConversationApprovalLog[],
  rules?: SharingRules,
): SharingGate {
  const gate = new SharingGate(rules, { isNumbered: false });
  for (const { conversation, title, entries } of approvalLogs)
    for (const { position, agent, call, tool, toolCallId, rule, reason, subject } of entries)
      gate.look({ conversation, title, agent, call, tool, toolCallId, rule, reason, subject }, position);
  return gate;
}

/**
 * The decisions of conversations as CSV or JSON, each once, through a gate, by default one that leaves all secrets out; null: through
 * none. Throws a NotCleanError where something would stand in it that is to be left out.
 */
export function approvalLogText(
  approvalLogs: readonly ConversationApprovalLog[],
  format: 'csv' | 'json',
  gate: SharingGate | null = approvalLogGate(approvalLogs),
): ApprovalLogText {
  const redactor = gate?.redactor();
  const clean = (text: string): string => redactor?.text(text) ?? text;
  const rows = approvalLogs.flatMap((approvalLog) =>
    approvalLog.entries.map((entry) => rowOf(approvalLog, entry, clean)),
  );
  const text = format === 'json' ? jsonOf(rows) : csvOf(rows);
  const check = gate?.check();
  check?.given(() => rows.map(givenBy));
  check?.next(text);
  return { text, decisions: rows.length, redacted: redactor?.count ?? 0, leftIn: redactor?.kept ?? 0 };
}

function rowOf(
  { conversation, title, importedFrom }: ConversationApprovalLog,
  entry: ApprovalLogEntry,
  clean: (text: string) => string,
): ApprovalLogRow {
  return {
    conversation: clean(conversation),
    title: clean(title),
    imported_from: importedFrom ?? null,
    position: entry.position,
    time: entry.time === 0 ? null : (timestampOf(entry.time) ?? null),
    agent: clean(entry.agent),
    call: clean(entry.call),
    tool: clean(entry.tool),
    tool_call_id: clean(entry.toolCallId),
    decision: entry.isApproved ? 'approved' : 'denied',
    decided_by: entry.decidedBy,
    rule: clean(entry.rule),
    reason: clean(entry.reason),
    waited_ms: entry.waitedMs,
    subject: clean(entry.subject),
    outcome: entry.outcome,
    took_ms: entry.tookMs ?? null,
  };
}

/** What a row has of records. */
function givenBy({
  conversation,
  title,
  agent,
  call,
  tool,
  tool_call_id,
  rule,
  reason,
  subject,
}: ApprovalLogRow) {
  return [conversation, title, agent, call, tool, tool_call_id, rule, reason, subject];
}

function csvOf(rows: readonly ApprovalLogRow[]): string {
  const lines = rows.map((row) => COLUMNS.map((name) => cell(String(row[name] ?? ''))).join(','));
  return [COLUMNS.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

function jsonOf(rows: readonly ApprovalLogRow[]): string {
  return `${JSON.stringify({ format: 'agent-logbook-approvals', version: 1, decisions: rows }, null, 2)}\n`;
}
