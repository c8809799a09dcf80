import { isObject } from '../../../core/message.js';
import type { UntypedMessage } from '../transcriptItem.js';
import { clipName, numberOr } from '../values.js';
import { aboutTokens } from './aboutTokens.js';
import { compactionOf } from './compaction.js';
import { namedTool } from './contextKinds.js';
import { toolSchemasIn, type SizedTool } from './toolSchemas.js';

/**
 * Whether a record without a message tells by itself what fills a window, and has to be read for that: a compaction,
 * instructions, schemas of tools. All other records do by their facts. Never throws.
 */
export function describesWindow(record: UntypedMessage): boolean {
  if (record.type === 'callStart') return givenTools(record) !== undefined;
  if (record.type !== 'imported') return record.type === 'error' && compactionOf(record) !== undefined;
  const isCompaction = compactionOf(record) !== undefined;
  return isCompaction || recordedInstructions(record) > 0 || toolSchemasIn(record.value) !== undefined;
}

/** The tools that an agent of our own is given when it begins; undefined where their sizes are not recorded. */
export function givenTools({ tools, toolTokens }: UntypedMessage): readonly SizedTool[] | undefined {
  if (!Array.isArray(tools) || !Array.isArray(toolTokens)) return undefined;
  return (tools as unknown[]).map((tool, at) => ({
    of: namedTool(clipName(tool)),
    estimate: numberOr((toolTokens as unknown[])[at]) ?? 0,
  }));
}

/** About how many tokens of instructions the header of a session of Codex records. */
export function recordedInstructions({ kind, value }: UntypedMessage): number {
  if (kind !== 'session_meta') return 0;
  const payload = isObject(value) && isObject(value.payload) ? value.payload : undefined;
  const base = payload?.base_instructions ?? payload?.instructions;
  const text = isObject(base) ? base.text : base;
  return typeof text === 'string' ? aboutTokens(text) : 0;
}
