import { isObject, textOf } from '../../core/message.js';
import type { UnknownRecord } from '../../core/record.js';
import type { ReadRecord } from '../../ports/transcript.js';
import type { Criteria } from '../../protocol/criteria.js';
import { envelopeOf, messageIn } from '../../query/queryItem.js';
import { callsOf, rawArgumentsOf, resultNameOf } from '../../query/toolCalls.js';
import { textOr } from '../rows/messageParts.js';
import { textMatcher } from './textMatcher.js';

/** Says of a record whether it matches; `calledTool` is the tool whose call it answers, where that is known. */
export type RecordMatcher = (record: ReadRecord, calledTool?: string) => boolean;

/** Makes criteria ready to be asked of many records. Throws with words for a person where they cannot be used. */
export function recordMatcher(criteria: Criteria): RecordMatcher {
  const text = textMatcher(criteria);
  const roles: ReadonlySet<unknown> = new Set(criteria.roles);
  const agents = new Set(criteria.agents);
  const { tools, errorsOnly } = criteria;
  return (read, calledTool) => {
    const record = read as UnknownRecord;
    if (agents.size > 0 && !agents.has(record.agent)) return false;
    if (roles.size > 0 && !(record.type === 'message' && roles.has(messageIn(record)?.role))) return false;
    if (errorsOnly && !isFailure(record)) return false;
    if (tools.length > 0 && !tools.some((tool) => concernsTool(record, tool, calledTool))) return false;
    return !text || textsOf(record).some((each) => text.matches(each));
  };
}

/** All texts of a record that a person reads. */
export function textsOf(record: UnknownRecord): string[] {
  const message = record.type === 'message' ? messageIn(record) : undefined;
  if (message) {
    const calls = callsOf(message).flatMap(({ name, input }) => [name, rawArgumentsOf(input)]);
    return [textOf(message.content), textOr(message.reasoning_content), textOr(message.refusal), ...calls];
  }
  const error = isObject(record.error) ? textOr(record.error.message) : '';
  const { task, target, refused, reason, subject, title } = record;
  return [error, ...[task, target, refused, reason, subject, title].map((each) => textOr(each))];
}

function isFailure(record: UnknownRecord): boolean {
  switch (record.type) {
    case 'error':
      return true;
    case 'message':
      return record.isError === true || record.partial === 'error';
    case 'request':
      return record.error !== undefined;
    case 'dispatch':
      return record.refused !== undefined;
    case 'callEnd':
      return record.outcome === 'failed' || record.outcome === 'limited';
    default:
      return false;
  }
}

function concernsTool(record: UnknownRecord, tool: string, calledTool: string | undefined): boolean {
  const message = record.type === 'message' ? messageIn(record) : undefined;
  if (!message) return (record.type === 'approval' || record.type === 'error') && record.toolName === tool;
  if (message.role !== 'tool') return callsOf(message).some(({ name }) => name === tool);
  return calledTool === tool || resultNameOf(message, envelopeOf(record)) === tool;
}
