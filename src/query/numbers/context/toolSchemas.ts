import { isObject } from '../../../core/message.js';
import { compactJson } from '../jsonText.js';
import { clipName, numberOr } from '../values.js';
import { aboutTokens } from './aboutTokens.js';
import { namedTool, type Named } from './contextKinds.js';
import type { UntypedMessage } from '../transcriptItem.js';
import { compactionOf } from './compaction.js';

/** A tool that a window holds the schema of, and about how many tokens that is. */
export interface SizedTool {
  readonly of: Named;
  readonly estimate: number;
}

/** Where tools' schemas stand in what recordings of sessions hold besides messages. */
const KEYS = ['tools', 'tool_definitions', 'toolDefinitions', 'dynamic_tools', 'functions'] as const;
/** How deep they are looked for: in an event's payload, in the header of a trajectory, in the body of a request. */
const DEPTH = 3;

/** The tools of which a recorded value holds the schemas; undefined where it holds none. */
export function toolSchemasIn(value: unknown, depth = DEPTH): readonly SizedTool[] | undefined {
  if (!isObject(value)) return undefined;
  for (const key of KEYS) {
    const tools = Array.isArray(value[key]) ? value[key].flatMap(sizedTool) : [];
    if (tools.length > 0) return tools;
  }
  if (depth <= 1) return undefined;
  for (const inner of Object.values(value)) {
    const found = isObject(inner) ? toolSchemasIn(inner, depth - 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** A tool with its schema; a name alone is none, because what it takes in the window is not recorded. */
function sizedTool(tool: unknown): SizedTool[] {
  if (!isObject(tool)) return [];
  const spec = isObject(tool.function) ? tool.function : tool;
  const schema = spec.parameters ?? spec.input_schema ?? spec.inputSchema ?? spec.parametersJsonSchema;
  if (typeof spec.name !== 'string' || !isObject(schema)) return [];
  return [{ of: namedTool(clipName(spec.name)), estimate: aboutTokens(compactJson(spec)) }];
}

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
