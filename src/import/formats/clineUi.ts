import { appendAll } from '../../core/lists.js';
import { isObject } from '../../core/message.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import { asText, fields, list, number, parsed, text, time, type Fields } from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { chatMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';
import { usageOf } from '../shapes/usage.js';

const FROM_USER = new Set(['task', 'user_feedback', 'user_feedback_diff']);
const FROM_ASSISTANT = new Set(['text', 'completion_result', 'followup', 'plan_mode_respond', 'new_task']);
const CALLS = new Set(['tool', 'command', 'use_mcp_server', 'browser_action_launch', 'browser_action']);
const RESULTS = new Set(['command_output', 'mcp_server_response', 'browser_action_result']);
/** The tools whose entries hold, as `content`, what they found; of all others it is what they write or where they read. */
const FINDING =
  /^(?:listFiles(?:TopLevel|Recursive)|listCodeDefinitionNames|searchFiles|codebaseSearch|webSearch|inspectSite)$/;
const KNOWN =
  /^(?:api_req_\w+|error\w*|checkpoint\w*|checkpoint_created|resume_\w+|completion_result|shell_integration_\w+|mcp_server_\w+|mistake_limit_reached|diff_error|condense\w*|reasoning|info|deleted_api_reqs|codebase_search_result|subtask_result|user_edit_todos)$/;

/** What Cline and Roo Code show of a task (`ui_messages.json`); their requests are read as Anthropic's messages. */
export const clineUi: TranscriptFormat = {
  name: 'cline-ui',
  of: 'Cline, Roo Code',
  files: '`ui_messages.json`',
  carries: ['messages', 'calls', 'times', 'usage', 'cost', 'thinking'],
  detect: ([first]) => Array.isArray(first) && first.length > 0 && most(first.slice(0, 20), isShown),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const task = new Task(sink.conversation(undefined, 'Cline'), sink);
      for (const shown of list(value)) task.add(fields(shown), shown);
      task.finish();
    }
  },
};

function isShown(value: unknown): boolean {
  return isObject(value) && typeof value.ts === 'number' && (value.type === 'say' || value.type === 'ask');
}

class Task {
  readonly #builder: ConversationBuilder;
  readonly #sink: ImportSink;
  #calls = 0;
  /** The reasoning that waits for the message it belongs to. */
  #thoughts: Fields[] = [];

  constructor(builder: ConversationBuilder, sink: ImportSink) {
    this.#builder = builder;
    this.#sink = sink;
  }

  add(shown: Fields, value: unknown): void {
    const kind = text(shown.type === 'ask' ? shown.ask : shown.say) ?? 'unknown';
    const said = text(shown.text) ?? '';
    const at = time(shown.ts);
    // In some versions the first text of a task has no kind of its own.
    const isFirst = this.#builder.length === 0 && kind === 'text';
    if (kind === 'reasoning') this.#think(shown);
    // Where an entry stayed partial, the task was interrupted within it.
    else if (shown.partial === true) this.#keep(kind, value, at);
    else if (FROM_USER.has(kind) || isFirst) this.#say('user', said, shown, at);
    else if (CALLS.has(kind)) this.#call(kind, said, shown, at);
    else if (RESULTS.has(kind)) this.#answer(said, shown, at);
    else if (FROM_ASSISTANT.has(kind) && said !== '') this.#say('assistant', wordsOf(said), shown, at);
    else {
      if (kind === 'api_req_started') this.#request(said, at);
      if (!KNOWN.test(kind)) this.#sink.unknown(`entries of kind ${kind}`);
      this.#keep(kind, value, at);
    }
  }

  /** Adds a message; the assistant's reasoning is attached to its next message. */
  #say(
    role: string,
    content: string | null,
    raw: Fields | undefined,
    at: number | undefined,
    calls: readonly Fields[] = [],
  ): void {
    const thoughts = role === 'assistant' ? this.#thoughts.splice(0) : [];
    const reasoning = thoughts.map((thought) => asText(thought.text)).join('\n');
    const message = chatMessage(role, content, { reasoning, calls });
    const draft = this.#builder.message(this.#builder.entry, message, { time: at, raw });
    appendAll(draft.raws, thoughts);
  }

  /** Notes reasoning; an entry that continues a partial one replaces it. */
  #think(shown: Fields): void {
    const last = this.#thoughts.at(-1);
    if (last?.partial === true && asText(shown.text).startsWith(asText(last.text))) this.#thoughts.pop();
    this.#thoughts.push(shown);
  }

  /** Turns reasoning that no message follows into a message of its own. */
  finish(): void {
    const [first] = this.#thoughts;
    if (first) this.#say('assistant', null, undefined, time(first.ts));
  }

  /** Adds a tool call; an ask is kept as well, because a person was asked for permission. */
  #call(kind: string, said: string, shown: Fields, at: number | undefined): void {
    const input = fields(parsed(said));
    const name = text(input.tool) ?? text(input.toolName) ?? kind;
    const calls = [toolCall(`ui-${++this.#calls}`, name, kind === 'command' ? { command: said } : said)];
    this.#say('assistant', null, shown, at, calls);
    if (shown.type === 'ask') this.#keep(`ask/${kind}`, shown, at);
    if (FINDING.test(name) && typeof input.content === 'string') this.#answer(input.content, shown, at);
  }

  #answer(content: string, raw: Fields, at: number | undefined): void {
    const message = toolMessage(`ui-${this.#calls}`, content);
    this.#builder.message(this.#builder.entry, message, { time: at, raw });
  }

  /** Adds a request's usage; its input tokens exclude those written to and read from the cache. */
  #request(said: string, at: number | undefined): void {
    const { tokensIn, tokensOut, cacheReads, cacheWrites, cost } = fields(parsed(said));
    if (number(tokensIn) === undefined) return;
    const cached = number(cacheReads) ?? 0;
    const written = number(cacheWrites) ?? 0;
    const input = (number(tokensIn) ?? 0) + cached + written;
    const usage = usageOf({ input, output: number(tokensOut), cached, written, cost });
    this.#builder.request(this.#builder.entry, usage, undefined, at);
  }

  #keep(kind: string, value: unknown, at: number | undefined): void {
    this.#builder.keep(this.#builder.entry, kind, value, at);
  }
}

/** The text of a question, which in newer versions is JSON with choices. */
function wordsOf(said: string): string {
  const { question, response } = fields(parsed(said));
  return asText(question ?? response ?? said);
}
