import { isObject } from '../../../core/message.js';
import { compactJson } from '../jsonText.js';
import { clipName } from '../values.js';
import { aboutTokens } from './aboutTokens.js';
import { namedTool, type Named } from './contextKinds.js';

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
