import { isObject } from '../../core/message.js';
import { fields, list, type Fields } from './fields.js';

/** A file that belongs to a session and says little without it. */
interface Fragment {
  /** What it is and which file to import, as a sentence. */
  readonly look: string;
  readonly is: (value: Fields) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** Files that tools write beside their transcripts, by the keys that only they have. */
const FRAGMENTS: readonly Fragment[] = [
  {
    look: 'This says which agent a subagent of Claude Code was (agent-….meta.json); import the session, the .jsonl beside the folder that it is in.',
    is: ({ agentType }) => isText(agentType),
  },
  {
    look: 'This is about a workflow of Claude Code; import the session, the .jsonl beside the folder that it is in.',
    is: ({ runId, workflowName, workflowProgress }) =>
      isText(runId) && (isText(workflowName) || Array.isArray(workflowProgress)),
  },
  {
    look: 'This is the journal of a workflow of Claude Code; import the session, the .jsonl beside the folder that it is in.',
    is: ({ type, key, agentId }) =>
      /^(?:started|result)$/.test(String(type)) && isText(key) && isText(agentId),
  },
  {
    look: "This is Claude Code's list of prompts (history.jsonl); the sessions are in ~/.claude/projects.",
    is: ({ display, project }) => isText(display) && isText(project),
  },
  {
    look: "This is Codex's list of prompts (history.jsonl); the sessions are in ~/.codex/sessions.",
    is: ({ session_id, ts, text }) => isText(session_id) && ts !== undefined && isText(text),
  },
  {
    look: "This is one part of an OpenCode message; import the session's export (opencode export).",
    is: ({ messageID, sessionID, type }) => isText(messageID) && isText(sessionID) && isText(type),
  },
  {
    look: "This is one OpenCode message without its parts; import the session's export (opencode export).",
    is: ({ sessionID, role, id }) => isText(sessionID) && isText(role) && isText(id),
  },
  {
    look: "This is about an OpenCode session, without its messages; import the session's export (opencode export).",
    is: ({ projectID, directory }) => isText(projectID) && isText(directory),
  },
  {
    look: 'This lists the files of a task of Cline or Roo Code; import api_conversation_history.json or ui_messages.json beside it.',
    is: ({ files_in_context }) => Array.isArray(files_in_context),
  },
  {
    look: 'This is a line of the list of tasks of Cline or Roo Code; import api_conversation_history.json or ui_messages.json in the folder of the task.',
    is: ({ task, tokensIn, ts }) => isText(task) && tokensIn !== undefined && ts !== undefined,
  },
  {
    look: "This lists Continue's sessions; import the file of the session itself, which is beside it.",
    is: ({ sessionId, title, dateCreated }) =>
      isText(sessionId) && isText(title) && dateCreated !== undefined,
  },
  {
    look: 'These are the logs of prompts of Gemini CLI or Qwen Code (logs.json); the sessions are in the folder chats beside it.',
    is: ({ sessionId, messageId, message }) =>
      isText(sessionId) && typeof messageId === 'number' && isText(message),
  },
  {
    look: 'This is about a session of fx, without its turns; import checkpoint.json beside it.',
    is: ({ storage_format, history_len }) => isText(storage_format) && typeof history_len === 'number',
  },
  {
    look: 'This is the tree of a conversation of Posit Assistant, without its words; import lm-messages.jsonl beside it.',
    is: ({ schemaVersion, root, messages }) =>
      isText(schemaVersion) &&
      isObject(root) &&
      list(messages).some((each) => Array.isArray(fields(each).lmMessageIds)),
  },
  {
    look: 'This says what a request to OpenRouter cost, not what was said in it; import the requests themselves.',
    is: ({ data }) => isText(fields(data).id) && fields(data).native_tokens_prompt !== undefined,
  },
  {
    look: 'This is about a session of Mistral Vibe, without its messages; import messages.jsonl beside it.',
    is: ({ session_id, start_time, environment, messages }) =>
      isText(session_id) && isText(start_time) && isObject(environment) && messages === undefined,
  },
  {
    look: 'This is the list of models of a Copilot debug log; import main.jsonl beside it.',
    is: ({ capabilities, vendor, model_picker_enabled }) =>
      isObject(capabilities) && (isText(vendor) || model_picker_enabled !== undefined),
  },
];

/** How many of the keys of an unknown file are named. */
const MAX_KEYS = 8;

/** Whether values are those of a file that belongs to a session, so that they are not read as one. */
export function isFragment(values: readonly unknown[]): boolean {
  return fragmentOf(objectsIn(values)) !== undefined;
}

function objectsIn(values: readonly unknown[]): Fields[] {
  return values.flatMap((value) => (Array.isArray(value) ? list(value) : [value])).filter(isObject);
}

function fragmentOf(objects: readonly Fields[]): string | undefined {
  return FRAGMENTS.find(({ is }) => objects.some(is))?.look;
}

/** What to do where a file holds nothing that could be a message. */
const WAY_ON = 'Name the file in which a tool keeps the session.';

/** What is said of JSON in which nothing is an object, such as `null`, and of what is no JSON at all. */
export const NO_OBJECT = `It is JSON without any object, and messages are objects. ${WAY_ON}`;
export const NO_JSON = `It is neither JSON nor lines of JSON. ${WAY_ON}`;

/** What a file is told that has nothing but line feeds and other blanks in it. */
export const ONLY_BLANK = 'It is empty: nothing but blanks and line feeds stand in it.';

/** Whether a byte says nothing: NUL, a space, a tab, the end of a line. */
export function isBlank(byte: number): boolean {
  return byte === 0 || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** What a file that no format recognises looks like, and what to import instead, for a person. */
export function lookOf(values: readonly unknown[]): string {
  const objects = objectsIn(values);
  const look = fragmentOf(objects);
  if (look !== undefined) return look;
  const [first] = objects;
  if (!first) return NO_OBJECT;
  const keys = Object.keys(fields(first));
  if (keys.length === 0) return `Nothing stands in it: its objects are empty. ${WAY_ON}`;
  const named = keys.slice(0, MAX_KEYS).join(', ') + (keys.length > MAX_KEYS ? ', …' : '');
  const what = objects.length > 1 ? `${objects.length} objects, the first with` : 'one object with';
  return `This is no format that is known here: it holds ${what} the keys ${named}.`;
}
