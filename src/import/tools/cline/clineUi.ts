import { appendAll } from '../../../core/lists.js';
import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  parsed,
  text,
  time,
  type Fields,
} from '../../reading/fields.js';
import type { ImportSink } from '../../building/importSink.js';
import { chatMessage, linkedPicture, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { addFailure } from '../../messages/failures.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';
import { usageOf } from '../../messages/usage.js';
import type { Usage } from '../../../core/usage.js';

const FROM_USER = new Set(['task', 'user_feedback', 'user_feedback_diff']);
const FROM_ASSISTANT = new Set([
  'text',
  'completion_result',
  'followup',
  'plan_mode_respond',
  'act_mode_respond',
  'new_task',
]);
const CALLS = new Set([
  'tool',
  'command',
  'use_mcp_server',
  'browser_action_launch',
  'browser_action',
  'use_subagents',
]);
const RESULTS = new Set([
  'command_output',
  'mcp_server_response',
  'browser_action_result',
  'subtask_result',
  'codebase_search_result',
]);
/** What tells of tokens: of a request, of those that went with a deleted part of the task, and of subagents. */
const SPENDING = new Set(['api_req_started', 'api_req_finished', 'deleted_api_reqs', 'subagent_usage']);
/** What both show as an error. */
const ERRORS = /^(?:error|diff_error|condense_context_error|mistake_limit_reached)$/;
/** What Cline puts behind the words of a result where files have changed since the task began. */
const CHANGES_FLAG = /HAS_CHANGES$/;
/**
 * When Roo Code 3.29.5 came out, which writes the whole prompt as `tokensIn`. Before, that of Anthropic's API was what the
 * cache did not hold, as it still is in Cline; the entries tell no version.
 */
const WHOLE_PROMPTS_SINCE = Date.UTC(2025, 10, 1);
/** The tools whose entries hold, as `content`, what they found; of all others it is what they write or where they read. */
const FINDING =
  /^(?:listFiles(?:TopLevel|Recursive)|listCodeDefinitionNames|searchFiles|codebaseSearch|webSearch|inspectSite)$/;
const KNOWN = new RegExp(
  `^(?:${[
    'api_req_\\w+',
    'error\\w*',
    'checkpoint\\w*',
    'resume_\\w+',
    'completion_result',
    'shell_integration_\\w+',

    'mcp_\\w+',
    'mistake_limit_reached',
    'diff_error',
    'condense\\w*',
    'reasoning',
    'info',
    'deleted_api_reqs',

    'user_edit_todos',
    'task_progress',
    'hook_\\w+',
    'subagent',
    'subagent_usage',
    'command_permission_denied',
    '(?:cline|roo|kilo)ignore_error',
    'load_mcp_documentation',
    'generate_explanation',
    'summarize_task',
    'conditional_rules_applied',
    'sliding_window_truncation',
    'auto_approval_max_req_reached',
    'image',

    'browser_session_status',
    'report_bug',
    'payment_required_prompt',
    'commit_changes',
    'inspect_site_result',
  ].join('|')})$`,
);

/** What Cline and Roo Code show of a task (`ui_messages.json`); their requests are read as Anthropic's messages. */
export const clineUi: TranscriptFormat = {
  name: 'cline-ui',
  of: 'Cline, Roo Code',
  files: '`ui_messages.json`',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
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
    else if (FROM_USER.has(kind) || isFirst) this.#say('user', withPictures(said, shown.images), shown, at);
    else if (CALLS.has(kind)) this.#call(kind, said, shown, at);
    else if (RESULTS.has(kind)) this.#answer(resultIn(kind, said), shown, at);
    else if (FROM_ASSISTANT.has(kind) && said !== '')
      this.#say('assistant', withPictures(wordsOf(said), shown.images), shown, at);
    else this.#note(kind, said, shown, value);
  }

  /** Keeps what is no message; what it tells of requests, errors and subagents counts. */
  #note(kind: string, said: string, shown: Fields, value: unknown): void {
    const at = time(shown.ts);
    const failure = failureIn(kind, said);
    const usage = usageIn(kind, said, shown);
    if (failure) {
      // What tells of a failure is the record of it; a further one would show it twice.
      const about = { ...failure, model: modelOf(shown), time: at, raw: shown };
      const draft = addFailure(this.#builder, this.#builder.entry, about);
      if (usage) draft.body.usage = usage;
      return;
    }
    const model = kind === 'subagent_usage' ? undefined : modelOf(shown);
    if (usage) this.#builder.request(this.#builder.entry, usage, model, at);
    if (kind === 'subagent') this.#subagents(fields(parsed(said)), at);
    if (!KNOWN.test(kind)) this.#sink.unknown(`entries of kind ${kind}`);
    this.#keep(kind, value, at);
  }

  /** Adds a message; the assistant's reasoning is attached to its next message. */
  #say(
    role: string,
    content: unknown,
    raw: Fields | undefined,
    at: number | undefined,
    calls: readonly Fields[] = [],
  ): void {
    const thoughts = role === 'assistant' ? this.#thoughts.splice(0) : [];
    const thought = thoughts.map((each) => asText(each.text));
    const own = role === 'assistant' ? text(raw?.reasoning) : undefined;
    const reasoning = [...thought, ...(own === undefined ? [] : [own])].join('\n');
    const message = chatMessage(role, content, { reasoning, calls });
    const model = role === 'assistant' ? modelOf(raw) : undefined;
    const draft = this.#builder.message(this.#builder.entry, message, { time: at, model, raw });
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

  #answer(content: unknown, raw: Fields, at: number | undefined): void {
    const message = toolMessage(`ui-${this.#calls}`, content);
    this.#builder.message(this.#builder.entry, message, { time: at, raw });
  }

  /** Adds the subagents of a call, whose answers come in one entry once all have ended. */
  #subagents({ status, items }: Fields, at: number | undefined): void {
    if (status === 'running') return;
    for (const { index, prompt, result, error } of objects(items)) {
      const builder = this.#builder;
      const callSite = builder.dispatch(builder.entry, `subagent ${(number(index) ?? 0) + 1}`, {
        task: text(prompt),
        toolCallId: `ui-${this.#calls}`,
        time: at,
      });
      if (typeof result === 'string')
        builder.message(callSite, { role: 'assistant', content: result }, { time: at });
      if (error !== undefined)
        addFailure(builder, callSite, { kind: 'error', error, time: at, raw: undefined });
    }
  }

  #keep(kind: string, value: unknown, at: number | undefined): void {
    this.#builder.keep(this.#builder.entry, kind, value, at);
  }
}

/** The text of a question, which in newer versions is JSON with choices. */
function wordsOf(said: string): string {
  const { question, response, context } = fields(parsed(said));
  return asText(question ?? response ?? context ?? said.replace(CHANGES_FLAG, ''));
}

/** The model that Cline says wrote an entry. */
function modelOf(shown: Fields | undefined): string | undefined {
  return text(fields(shown?.modelInfo).modelId);
}

/** Words with the pictures beside them, which are `data:` URLs. */
function withPictures(said: string, images: unknown): unknown {
  const pictures = list(images).filter((each) => typeof each === 'string' && each.startsWith('data:'));
  if (pictures.length === 0) return said;
  return [{ type: 'text', text: said }, ...pictures.map((each) => linkedPicture(asText(each)))];
}

/** What a tool gave; a browser gives a picture of the page and what its console says. */
function resultIn(kind: string, said: string): unknown {
  if (kind !== 'browser_action_result') return said;
  const { screenshot, logs } = fields(parsed(said));
  return typeof screenshot === 'string' ? withPictures(asText(logs ?? ''), [screenshot]) : said;
}

/** The failure that an entry tells of; what a person stopped is none. */
function failureIn(kind: string, said: string): { kind: 'request' | 'error'; error: unknown } | undefined {
  if (kind === 'api_req_failed') return { kind: 'request', error: said };
  if (ERRORS.test(kind)) return said === '' ? undefined : { kind: 'error', error: said };
  if (kind !== 'api_req_started') return undefined;
  const { cancelReason, streamingFailedMessage: why } = fields(parsed(said));
  if (cancelReason === 'user_cancelled' || typeof why !== 'string') return undefined;
  return { kind: 'request', error: parsed(why) };
}

/** What an entry tells of tokens and money; undefined where it tells of neither. */
function usageIn(kind: string, said: string, shown: Fields): Usage | undefined {
  if (SPENDING.has(kind)) return spent(fields(parsed(said)), time(shown.ts));
  // Of the request for the summary that takes the place of the conversation so far, only the price is told.
  const { cost } = fields(kind === 'condense_context' ? shown.contextCondense : undefined);
  return (number(cost) ?? 0) > 0 ? usageOf({ input: undefined, output: undefined, cost }) : undefined;
}

/** What a request used; undefined where it tells neither tokens nor money. */
function spent(about: Fields, at: number | undefined): Usage | undefined {
  const { tokensIn, tokensOut, cacheReads, cacheWrites, cost, apiProtocol } = about;
  const told = number(tokensIn);
  if (told === undefined && number(tokensOut) === undefined && number(cost) === undefined) return undefined;
  const cached = number(cacheReads) ?? 0;
  const written = number(cacheWrites) ?? 0;
  // Only Roo Code and those made of it name the protocol.
  const isWhole =
    apiProtocol !== undefined &&
    (told ?? 0) >= cached + written &&
    (apiProtocol !== 'anthropic' || (at ?? 0) >= WHOLE_PROMPTS_SINCE);
  const input = (told ?? 0) + (isWhole ? 0 : cached + written);
  return usageOf({
    input,
    output: number(tokensOut),
    cached,
    written,
    cost,
    told: { tokensIn, tokensOut, cacheReads, cacheWrites },
  });
}
