/**
 * Facts about a transcript, asked of the query engine: how much was said, by whom, with which tools, and what does not
 * fit together. Numbers that stand in no question of the engine are counted over the messages that it gives.
 */

/** @typedef {import('../src/import/reading/importResult.js').ImportedConversation} Conversation */
/** @typedef {typeof import('../src/export/messageQuery.js').MessageQuery} MessageQuery */
/** @typedef {typeof import('../src/query/numbers/toolNames.js').ToolNames} ToolNames */
/** @typedef {Record<string, unknown>} Message */
/** @typedef {{ MessageQuery: MessageQuery, ToolNames: ToolNames }} Engine */

/** @param {Map<string, number>} counts @param {string} key */
const count = (counts, key, by = 1) => counts.set(key, (counts.get(key) ?? 0) + by);

/** Most frequent first, equal ones by name. @param {Map<string, number>} counts */
const sorted = (counts) =>
  Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : a > b ? 1 : 0)));

/** @param {Message} message @returns {Message[]} */
const callsOf = (message) => (Array.isArray(message.tool_calls) ? message.tool_calls : []);

/** @param {Message} message */
const answeredId = (message) =>
  String(
    message.tool_call_id ?? (Array.isArray(message.tool_call_ids) ? message.tool_call_ids[0] : '') ?? '',
  );

/** @param {Message} message */
function textOf({ content }) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => (part?.type === 'text' && typeof part.text === 'string' ? part.text : []))
    .join('');
}

/** How many code points a text has. @param {string} text */
function codePoints(text) {
  let length = 0;
  for (let i = 0; i < text.length; i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1) length++;
  return length;
}

/**
 * The facts of the conversations of one file.
 * @param {readonly Conversation[]} conversations
 * @param {Engine} engine
 */
export function factsOf(conversations, engine) {
  const facts = new Facts(engine);
  conversations.forEach(({ records }, index) => facts.add(records, index));
  return facts.result();
}

class Facts {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.byRole = new Map();
    this.byTool = new Map();
    this.usingTool = new Map();
    this.errorsByRole = new Map();
    this.errorsByTool = new Map();
    this.emptyByRole = new Map();
    /** @type {number[]} */
    this.lengths = [];
    this.longest = { chars: -1, conversation: 0, message: 0, role: '' };
    this.sums = {
      user_turns: 0,
      user_runs: 0,
      tool_calls: 0,
      messages_with_parallel_calls: 0,
      max_calls_in_one_message: 0,
      messages_containing_error: 0,
      conversations_with_an_error_message: 0,
      messages_containing_word_error: 0,
      total_chars: 0,
      total_chars_utf16: 0,
      total_bytes_utf8: 0,
      tool_call_argument_chars: 0,
      messages_with_null_or_absent_content: 0,
      reused_call_ids: 0,
      calls_without_result: 0,
      results_without_call: 0,
      calls_without_next_result: 0,
    };
    this.usage = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 };
    this.failed = 0;
  }

  /** @param {readonly unknown[]} records @param {number} conversation */
  add(records, conversation) {
    const query = new this.engine.MessageQuery(records);
    const stats = query.stats();
    this.lengths.push(stats.totalMessages);
    for (const [role, messages] of Object.entries(stats.messagesByRole)) count(this.byRole, role, messages);
    this.usage.input_tokens += stats.usage.inputTokens;
    this.usage.output_tokens += stats.usage.outputTokens;
    this.usage.cached_input_tokens += stats.usage.cachedInputTokens ?? 0;
    for (const { toolName, callCount } of query.toolSummary()) {
      if (callCount > 0) count(this.byTool, toolName, callCount);
      if (callCount > 0) count(this.usingTool, toolName);
      this.sums.tool_calls += callCount;
    }
    // As the tool has it, which calls failed what was denied or stopped, too.
    for (const record of records) if (isFailedResult(record)) this.failed++;
    this.addErrors(query, records);
    const messages = query.all().map((item) => /** @type {{ message: Message }} */ (item).message);
    messages.forEach((message, index) => this.addMessage(message, conversation, index, messages[index - 1]));
    this.addIds(messages);
  }

  /** @param {InstanceType<MessageQuery>} query @param {readonly unknown[]} records */
  addErrors(query, records) {
    const errors = query.filter({ content: 'error' });
    this.sums.messages_containing_error += errors.length;
    this.sums.messages_containing_word_error += query.filter({ content: /\berror\b/i }).length;
    if (errors.length > 0) this.sums.conversations_with_an_error_message++;
    const names = new this.engine.ToolNames();
    const wrong = new Set(errors);
    for (const item of records) {
      const called = names.next(item);
      if (!wrong.has(item)) continue;
      const { role, name } = /** @type {{ message: Message }} */ (item).message;
      count(this.errorsByRole, String(role));
      if (role === 'tool' && (name ?? called) !== undefined) count(this.errorsByTool, String(name ?? called));
    }
  }

  /** @param {Message} message @param {number} conversation @param {number} index @param {Message | undefined} before */
  addMessage(message, conversation, index, before) {
    const { sums } = this;
    const role = String(message.role);
    const text = textOf(message);
    const chars = codePoints(text);
    const calls = callsOf(message);
    if (role === 'user') sums.user_turns++;
    if (role === 'user' && before?.role !== 'user') sums.user_runs++;
    if (calls.length > 1) sums.messages_with_parallel_calls++;
    sums.max_calls_in_one_message = Math.max(sums.max_calls_in_one_message, calls.length);
    sums.total_chars += chars;
    sums.total_chars_utf16 += text.length;
    sums.total_bytes_utf8 += Buffer.byteLength(text);
    for (const call of calls) {
      const { arguments: input } = /** @type {Message} */ (call.function ?? call);
      sums.tool_call_argument_chars += codePoints(typeof input === 'string' ? input : '');
    }
    if (text === '') count(this.emptyByRole, role);
    if (message.content === null || message.content === undefined)
      sums.messages_with_null_or_absent_content++;
    if (chars > this.longest.chars) this.longest = { chars, conversation, message: index, role };
  }

  /** @param {readonly Message[]} messages */
  addIds(messages) {
    const called = new Map();
    const answered = new Set();
    /** Calls whose result has not come before the next call of their id. @type {Map<string, number>} */
    const open = new Map();
    for (const message of messages) {
      for (const { id } of callsOf(message)) {
        count(called, String(id));
        this.sums.calls_without_next_result += open.get(String(id)) ?? 0;
        open.set(String(id), 1);
      }
      if (message.role !== 'tool') continue;
      const id = answeredId(message);
      answered.add(id);
      open.delete(id);
      if (!called.has(id)) this.sums.results_without_call++;
    }
    for (const left of open.values()) this.sums.calls_without_next_result += left;
    for (const [id, times] of called) {
      if (times > 1) this.sums.reused_call_ids++;
      if (!answered.has(id)) this.sums.calls_without_result += times;
    }
  }

  result() {
    const { sums, lengths } = this;
    const min = lengths.reduce((a, b) => Math.min(a, b), lengths[0] ?? 0);
    const max = lengths.reduce((a, b) => Math.max(a, b), 0);
    return {
      conversations: lengths.length,
      messages: lengths.reduce((a, b) => a + b, 0),
      messages_by_role: sorted(this.byRole),
      tool_calls_by_name: sorted(this.byTool),
      conversations_using_tool: sorted(this.usingTool),
      messages_containing_error_by_role: sorted(this.errorsByRole),
      tool_results_containing_error_by_tool: sorted(this.errorsByTool),
      messages_with_empty_text_by_role: sorted(this.emptyByRole),
      ...sums,
      failed_tool_results: this.failed,
      usage: this.usage,
      longest: this.longest.chars < 0 ? null : this.longest,
      messages_per_conversation: {
        min,
        max,
        argmax_first: Math.max(0, lengths.indexOf(max)),
        first10: lengths.slice(0, 10),
      },
    };
  }
}

/** @param {unknown} record */
function isFailedResult(record) {
  const { type, isError, message } =
    /** @type {{ type?: string; isError?: boolean; message?: { role?: string } }} */ (record);
  return type === 'message' && isError === true && message?.role === 'tool';
}
