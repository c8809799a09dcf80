import { isObject } from '../../core/message.js';
import { compactJson } from '../jsonText.js';
import { clipName } from '../values.js';
import { aboutTokens } from './aboutTokens.js';
import { toolPiece, type Piece } from './contextPieces.js';

/** Where tools' schemas stand in what recordings of sessions hold besides messages. */
const KEYS = ['tools', 'tool_definitions', 'toolDefinitions', 'dynamic_tools', 'functions'] as const;
/** How deep they are looked for: in an event's payload, in the header of a trajectory, in the body of a request. */
const DEPTH = 3;

/** The schemas of tools that a recorded value holds, each as a piece; undefined where it holds none. */
export function toolSchemasIn(value: unknown, depth = DEPTH): readonly Piece[] | undefined {
  if (!isObject(value)) return undefined;
  for (const key of KEYS) {
    const pieces = Array.isArray(value[key]) ? value[key].flatMap(schemaPiece) : [];
    if (pieces.length > 0) return pieces;
  }
  if (depth <= 1) return undefined;
  for (const inner of Object.values(value)) {
    const found = isObject(inner) ? toolSchemasIn(inner, depth - 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** A tool with its schema; a name alone is none, because what it takes in the window is not recorded. */
function schemaPiece(tool: unknown): Piece[] {
  if (!isObject(tool)) return [];
  const spec = isObject(tool.function) ? tool.function : tool;
  const schema = spec.parameters ?? spec.input_schema ?? spec.inputSchema ?? spec.parametersJsonSchema;
  if (typeof spec.name !== 'string' || !isObject(schema)) return [];
  const called = { tool: clipName(spec.name), path: '' };
  return [toolPiece('tools', called, aboutTokens(compactJson(spec)))];
}
