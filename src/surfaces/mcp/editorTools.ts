import { UserError } from '../../app/userError.js';
import { checkArguments } from './checkArguments.js';
import type { McpLibrary } from './library.js';
import {
  boolean,
  choice,
  text,
  whole,
  type ArgumentSchema,
  type ReadTool,
  type ToolArguments,
} from './readTool.js';
import { readTools } from './readTools.js';

/** A tool that an editor offers to its models: several of `readTools` in one, because an editor should offer few. */
export interface EditorTool {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
  /** The tool that answers a call. */
  readonly of: (args: ToolArguments) => ReadTool;
}

/** An answer may always take so many tokens, and never more than so many. */
export const MIN_TOKENS = 500;
const MAX_TOKENS = 100_000;

/** What `read_agent_session` may read. */
const PARTS = ['overview', 'messages', 'call'] as const;

const SESSION = text('The "session" of a result of search_agent_sessions.');
const ACTIVE = boolean('Also sessions that are going on; one of them may be this conversation.');

/** The tools that an editor offers; package.json contributes them. */
export const editorTools: readonly EditorTool[] = [
  {
    name: 'search_agent_sessions',
    description: `Finds recorded sessions of AI agents in this workspace. With a question, those in which it matches, with the first matches of each; without one, all of them, the newest first. ${toolOf('search_sessions').description.replace(/^[^.]*\. /, '')} Follow it up with read_agent_session.`,
    properties: {
      question: text('What is looked for, such as: is:error tool:Bash since:7d'),
      limit: whole('At most so many sessions.', 1, 50),
      include_active: ACTIVE,
      cursor: text('The "next_cursor" of the page before.'),
    },
    required: [],
    of: (args) => toolOf(args.text('question') === undefined ? 'list_sessions' : 'search_sessions'),
  },
  {
    name: 'read_agent_session',
    description:
      'Reads a recorded session of AI agents: as a whole (agents, tools with their failures, tokens, what went wrong first), its messages in order, or one tool call with its result. Long texts are cut, which is said. Read the overview first, then the messages around the positions that matter.',
    properties: {
      session: SESSION,
      part: choice('What is read; the overview where nothing else is said.', PARTS),
      from_position: whole('For messages: the "position" to begin with.', 0, Number.MAX_SAFE_INTEGER),
      limit: whole('For messages: at most so many.', 1, 100),
      cursor: text('For messages: the "next_cursor" of the page before.'),
      id: text('For call: the "id" of the tool call, as the messages tell it.'),
      offset: whole('For call: from which character on.', 0, Number.MAX_SAFE_INTEGER),
    },
    required: ['session'],
    of: (args) => toolOf(readerOf(args)),
  },
  {
    name: 'get_agent_session_cost',
    description: toolOf('get_cost').description,
    properties: { session: SESSION, include_active: ACTIVE },
    required: [],
    of: () => toolOf('get_cost'),
  },
];

/**
 * Answers a call of one of `editorTools`, as JSON of about so many tokens at most, and no less than `MIN_TOKENS`. Rejects with a UserError that a model
 * can act on.
 */
export async function runEditorTool(
  name: string,
  given: unknown,
  library: McpLibrary,
  maxTokens = 20_000,
): Promise<string> {
  const tool = editorTools.find((each) => each.name === name);
  if (!tool) throw new UserError(`There is no tool ${JSON.stringify(name)}.`);
  const args = checkArguments(tool, given);
  const chosen = tool.of(args);
  const passed = Object.entries(args.given).filter(([key]) => key in chosen.properties);
  const max_tokens = Math.max(MIN_TOKENS, Math.min(MAX_TOKENS, Math.floor(maxTokens)));
  const asked = checkArguments(chosen, { ...Object.fromEntries(passed), max_tokens });
  return JSON.stringify(library.clean(await chosen.run(library, asked)));
}

function readerOf(args: ToolArguments): string {
  const part = PARTS.find((each) => each === args.text('part'));
  if (part === 'call' || (part === undefined && args.text('id') !== undefined)) return 'get_tool_call';
  const isPaged = args.text('cursor') !== undefined || args.number('from_position') !== undefined;
  return part === 'messages' || (part === undefined && isPaged) ? 'get_messages' : 'get_session_overview';
}

function toolOf(name: string): ReadTool {
  const tool = readTools.find((each) => each.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
}
