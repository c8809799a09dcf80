import { posix } from 'node:path';
import { resolveToolName } from '../../agents/definitions/toolAliases.js';
import type { DecidedCall } from '../../query/numbers/approvalLog.js';
import { argumentsOf } from '../../query/numbers/toolCalls.js';
import type { ApprovalAction } from '../../core/ports/approvals.js';
import type { PastCall } from '../../agents/tools/rules/suggestRules.js';
import type { ReadApprovalLogOf } from './approvalLogs.js';

/** The built-in tools that ask; all others of these names only look, or ask agents. */
const ASKING = new Set(['run_command', 'write_file', 'edit_file']);

/** The name by which rules know a tool; undefined for one that asks nobody, and for a name that stands for several. */
function ruledTool(tool: string): string | undefined {
  const [name, ...more] = resolveToolName(tool);
  if (name === undefined) return undefined;
  if (name === tool && !ASKING.has(tool)) return isBuiltIn(tool) ? undefined : tool;
  return more.length === 0 && ASKING.has(name) ? name : undefined;
}

const LOOKING = new Set(['read_file', 'list_files', 'search_text', 'subagent_dispatch']);
const isBuiltIn = (tool: string): boolean => LOOKING.has(tool);

/** Whether rules can be about a tool. */
export function isRuled(tool: string): boolean {
  return ruledTool(tool) !== undefined;
}

/**
 * The calls of conversations as rules see them, the oldest conversation first as they are given. Those of imports count only
 * where `imported` is set: anybody can write a file that is imported.
 */
export function pastCalls(approvalLogs: readonly ReadApprovalLogOf[], imported: boolean): PastCall[] {
  return approvalLogs.flatMap((approvalLog) => {
    if (approvalLog.importedFrom !== undefined && !imported) return [];
    return approvalLog.calls.flatMap((call): PastCall[] => {
      const tool = ruledTool(call.tool);
      const action = tool === undefined ? undefined : actionOf(tool, call.input);
      return tool === undefined || !action ? [] : [{ tool, action, how: howOf(call) }];
    });
  });
}

/** A question that always asks names why, and no rule can answer it: it counts like one that nobody was asked. */
function howOf({ approval }: DecidedCall): PastCall['how'] {
  if (approval?.decidedBy !== 'user') return 'other';
  if (!approval.isApproved) return 'denied';
  return approval.rule === '' ? 'asked' : 'other';
}

/** What a rule may name of a call; undefined where its arguments do not say it. */
function actionOf(tool: string, input: string): ApprovalAction | undefined {
  if (!ASKING.has(tool)) return { kind: 'call' };
  const args = argumentsOf(input);
  if (tool === 'run_command')
    return typeof args.command === 'string' ? { kind: 'command', line: args.command } : undefined;
  const path = [args.path, args.file_path, args.filePath].find((each) => typeof each === 'string');
  if (path === undefined || path === '') return undefined;
  const below = posix.normalize(path).replace(/^\.\//, '');
  return below.startsWith('/') || below.startsWith('..') || below.includes('\\')
    ? undefined
    : { kind: 'write', path: below };
}
