import { ended, endedBy, endOfWord, type CallEnd } from '../../messages/callEnd.js';
import { ToldCost } from '../../../core/costTally.js';
import { isObject } from '../../../core/message.js';
import { formatMoney } from '../../../core/money.js';
import type { CallSite, ProviderIds } from '../../../core/record.js';
import { NO_USAGE, type Usage } from '../../../core/usage.js';
import { convertBlocks, mergeMessages } from '../../messages/anthropicBlocks.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import {
  between,
  asText,
  fields,
  list,
  number,
  objects,
  parsed,
  text,
  time,
  without,
  type Fields,
} from '../../reading/fields.js';
import { ClaudeDecisions } from './claudeDecisions.js';
import { promptText, workflowKey, type ClaudeAhead } from './claudeAhead.js';
import type { ClaudeLineage } from './claudeLineage.js';
import { claudeMark, withoutTrailer } from './claudeSpeakers.js';
import type { Entries } from '../../reading/entries.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import { DraftsByText, ValuesByText } from '../../spool/byText.js';
import { SeenValues } from '../../spool/seenValues.js';
import { looseMessage } from '../../messages/looseMessage.js';
import { addFailure } from '../../messages/failures.js';
import { knownFirst, SubagentCalls, type SubagentCall } from '../../messages/subagentCalls.js';
import { anthropicUsage, usageOf, withCost } from '../../messages/usage.js';

/** How many missing files are named. */
const MAX_NAMED = 3;

const SAME_ID = 'This line has the id of another and says something else; both are kept.';

/** What a line with the result of a call says of its end besides the result: how it was stopped, or that it only began. */
function endOfLine({ toolUseResult: given, toolDenialKind: kind }: Fields): CallEnd | undefined {
  if (kind === 'interrupted' || kind === 'cancelled') return 'cancelled';
  if (typeof given === 'string')
    return /^(?:Error: |InputValidationError)/.test(given) ? 'failed' : undefined;
  const { interrupted, timedOutAfterMs, isAsync, status } = fields(given);
  if (number(timedOutAfterMs) !== undefined) return 'timedOut';
  if (interrupted === true) return 'cancelled';
  return isAsync === true || status === 'async_launched' ? 'open' : undefined;
}

const NOTICE = /<task-notification>([^]*?)<\/task-notification>/g;

/** Calls whose agents or commands go on behind them, until a notification says how these ended. */
class BackgroundCalls {
  readonly #open = new Map<string, Draft>();

  /** Notes the result that only says that something began. */
  begun(id: string, draft: Draft): void {
    this.#open.set(id, draft);
  }

  /** Reads what the program says in a message; a call that is over is open no more. */
  heard(words: unknown): void {
    if (this.#open.size === 0 || typeof words !== 'string') return;
    for (const [, notice = ''] of words.matchAll(NOTICE)) {
      const id = /<tool-use-id>([^<]*)</.exec(notice)?.[1]?.trim() ?? '';
      const end = endOfWord(/<status>([^<]*)</.exec(notice)?.[1]?.trim());
      const draft = this.#open.get(id);
      if (!draft || end === undefined || end === 'open') continue;
      this.#open.delete(id);
      const { body } = draft;
      delete body.state;
      if (end === 'cancelled') body.state = end;
      if (end === 'failed') body.isError = true;
    }
  }

  /** Reads a line that may tell of the end of one. */
  line({ message, attachment, content }: Fields): void {
    if (this.#open.size === 0) return;
    const said = fields(message).content ?? fields(attachment).prompt ?? content;
    if (typeof said === 'string') this.heard(said);
    else for (const part of objects(said)) this.heard(part.text);
  }
}

/** Lines about the session rather than its messages. */
export const SESSION_LINES: ReadonlySet<string> = new Set(
  'summary system attachment progress file-history-snapshot queue-operation permission-mode mode custom-title ai-title last-prompt agent-name pr-link worktree-state relocated bridge-session tag result stream_event rate_limit_event cost-state tool_progress auth_status control_request control_response control_cancel_request keep_alive tool_use_summary'.split(
    ' ',
  ),
);

/** Types of lines that are a call or a result by themselves. */
const TOOL_LINES = /^tool_(?:use|result|call)$/;

/** Qwen Code's usage: in names of Anthropic's API, but what was read from a cache is contained in the input. */
function qwenUsage(value: unknown): Usage | undefined {
  const { input_tokens, output_tokens, cache_read_input_tokens } = fields(value);
  const [input, output] = [number(input_tokens), number(output_tokens)];
  if (input === undefined && output === undefined) return undefined;
  return usageOf({ input, output, cached: number(cache_read_input_tokens), told: fields(value) });
}

/** A subagent whose lines are in a file of its own. */
export interface SubagentFile {
  readonly agentId: string;
  /** What it is called; undefined where nothing says so. */
  readonly agent: string | undefined;
  /** The workflow that it worked for; undefined where it is none. */
  readonly workflow: string | undefined;
  readonly entries: Entries;
}

/** The call of a subagent, and the tool call that started it; undefined where that is unknown. */
interface BegunSubagent {
  readonly place: CallSite;
  readonly task: SubagentCall | undefined;
}

/** Reads the lines of a session and of its subagents into one conversation. */
export class ClaudeSession {
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  readonly #usageOf: (usage: unknown) => Usage | undefined;
  readonly #decisions: ClaudeDecisions;
  readonly #background = new BackgroundCalls();
  /** By message id the draft that has the usage of an assistant's message, which may span several lines. */
  readonly #messages: DraftsByText;
  /** The drafts of the same messages in other calls, by call and message id: side questions and background sessions repeat them. */
  readonly #copies: DraftsByText;
  /** Lines by uuid, because forks repeat lines. */
  readonly #seen = new SeenValues();
  readonly #starting: SubagentCalls;
  readonly #startingWorkflows = new SubagentCalls(/^Workflow$/);
  /** The calls that started workflows, by the ids of these. */
  readonly #workflows = new Map<string, SubagentCall | undefined>();
  /** The tool call that started each agent, according to its result. */
  readonly #startedBy: ReadonlyMap<string, string>;
  /** Subagents whose lines are among those of the session, by agent id or by the uuid of their lines. */
  readonly #sidechains = new ValuesByText<CallSite>();
  /** The subagents that were read, each with the tool call by which it was placed; undefined where that is unknown. */
  readonly #placed: { readonly agentId: string | undefined; readonly call: string | undefined }[] = [];
  /** The subagents whose files are being written. */
  readonly #growing = new Map<string, BegunSubagent>();
  /** When calls began that have no result yet, by call of an agent and id. */
  readonly #begunAt = new Map<string, number>();
  /** What Claude Code itself says that it cost. */
  readonly #told = new ToldCost();
  #hasAnswer = false;
  /** The last line of a stream, which tells what all of it cost; of a session that was asked again, so far. */
  #ended: { readonly line: Fields; readonly at: number | undefined } | undefined;
  #results = 0;
  /** The ids of the calls that ask a subagent. */
  readonly #agentCalls = new Set<string>();
  /** Whether messages tell themselves what they cost, or others than the session's own agent used any. */
  #isPaidElsewhere = false;
  readonly #tellsWhole: boolean;
  #requests = 0;
  readonly #lineage: ClaudeLineage;
  readonly #ahead: ClaudeAhead;
  /** What waits while the agent works. */
  readonly #queue: string[] = [];
  /** How many answers it repeats that belong to another session. */
  #copied = 0;
  /** Whether the file is a subagent's own, so that its lines are not a side chain of it. */
  readonly #isSubagentFile: boolean;

  /** `ahead` has seen all lines of the session. */
  constructor(sink: ImportSink, ahead: ClaudeAhead, lineage: ClaudeLineage) {
    this.#sink = sink;
    this.#ahead = ahead;
    this.#lineage = lineage;
    this.#messages = new DraftsByText(sink.drafts);
    this.#copies = new DraftsByText(sink.drafts);
    this.#builder = sink.conversation(ahead.id, ahead.agent ?? (ahead.isQwen ? 'Qwen' : 'Claude'));
    this.#usageOf = ahead.isQwen ? qwenUsage : anthropicUsage;
    this.#decisions = new ClaudeDecisions(this.#builder);
    this.#isSubagentFile = ahead.isSubagent;
    this.#tellsWhole = ahead.tellsWhole;
    this.#startedBy = ahead.startedBy;
    this.#starting = new SubagentCalls(/^(?:Task|Agent)$/, new Set(this.#startedBy.values()));
  }

  /** Whether a result says of a subagent that was read already that another call started it, or of its call another one. */
  get isMisplaced(): boolean {
    const agents = new Map(Array.from(this.#startedBy, ([agent, call]) => [call, agent]));
    return this.#placed.some(({ agentId, call }) => {
      const startedBy = agentId === undefined ? undefined : this.#startedBy.get(agentId);
      const started = call === undefined ? undefined : agents.get(call);
      return (
        (startedBy !== undefined && startedBy !== call) || (started !== undefined && started !== agentId)
      );
    });
  }

  set title(title: string | undefined) {
    this.#builder.title = title;
  }

  add(entry: Entry): void {
    const { value, line } = entry;
    if (!isObject(value)) {
      this.#keep('unknown', value);
      this.#sink.unknown('values that are no objects');
      return;
    }
    if (this.#isRepeated(value, entry)) {
      this.#sink.repeats(entry);
      this.#sink.problem('warning', 'This line stood here before; it was left out.', line);
      return;
    }
    const parent = text(value.parent_tool_use_id);
    const isChild = value.isSidechain === true && !this.#isSubagentFile;
    const callSite = parent === undefined ? undefined : this.#startedCall(parent, value);
    this.#addLine(value, callSite ?? (isChild ? this.#sidechainOf(value) : this.#builder.entry));
  }

  /** Keeps a value of a file beside the session. */
  keep(kind: string, value: unknown): void {
    this.#keep(kind, value, undefined, time(fields(value).timestamp));
  }

  /** To be called when all is added: tells what was left out. */
  finish(): void {
    this.#recordWhole();
    const { from } = this.#lineage;
    if (from !== undefined) this.#builder.facts.set('Forked from', from);
    const { total } = this.#told;
    if (total !== undefined) this.#builder.facts.set('Cost by Claude Code', formatMoney(total));
    this.#tellMissing();
    if (this.#copied === 0) return;
    const words = `This session repeats the beginning of ${from ?? 'another session'}, from which it was forked: what was said there is kept, what it cost is left out (answers: ${this.#copied}).`;
    this.#sink.problem('warning', words);
  }

  /** Tells once which subagents' files are not here. */
  #tellMissing(): void {
    const here = new Set(this.#placed.map(({ agentId }) => agentId));
    const missing = [...this.#startedBy.keys()].filter((id) => !id.includes(' ') && !here.has(id));
    const names = missing.slice(0, MAX_NAMED).map((id) => `agent-${id}.jsonl`);
    if (missing.length > 0)
      this.#sink.problem(
        'warning',
        `What subagents said is missing: ${missing.length} of their files are not beside this one (${names.join(', ')}${missing.length > names.length ? ', …' : ''}).`,
      );
  }

  /**
   * Records what a stream says at its end that all requests used and cost, by model; it counts in place of what the messages
   * tell, whose tokens are those of the moment in which they began.
   */
  #recordWhole(): void {
    if (!this.#ended || this.#isPaidElsewhere) return;
    const { line, at } = this.#ended;
    const models = Object.entries(fields(line.modelUsage)).map(([model, used]) => {
      const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = fields(used);
      const { webSearchRequests, costUSD: cost } = fields(used);
      const [cached, written] = [number(cacheReadInputTokens) ?? 0, number(cacheCreationInputTokens) ?? 0];
      const input = (number(inputTokens) ?? 0) + cached + written;
      const [output, searches] = [number(outputTokens), number(webSearchRequests)];
      return {
        model,
        usage: usageOf({ input, output, cached, written, searches, cost, told: fields(used) }),
      };
    });
    const whole = withCost(this.#results === 1 ? this.#usageOf(line.usage) : undefined, line.total_cost_usd);
    const told = models.length > 0 || !whole ? models : [{ model: undefined, usage: whole }];
    if (!told.some(({ usage }) => usage.cost !== undefined)) return;
    for (const { model, usage } of told) {
      const requests = told.length === 1 && this.#requests > 1 ? { requests: this.#requests } : {};
      this.#builder.request(this.#builder.entry, { ...usage, ...requests }, model, at);
    }
  }

  /** Adds the lines of subagents' own files, each after the call that started it, or the workflow that it worked for. */
  addSubagents(files: readonly SubagentFile[]): void {
    const isKnown = ({ workflow, entries, agentId }: SubagentFile) =>
      workflow !== undefined || this.#starting.has(promptOf(entries), this.#startedBy.get(agentId));
    for (const file of knownFirst(files, isKnown)) {
      const from = this.#builder.length;
      const { place: callSite, task } = this.#beginSubagent(file);
      this.#addLines(file.entries, callSite);
      if (task) this.#builder.moveBehind(task.draft, from);
    }
  }

  /** Adds what the file of a subagent has gained: after the call that started it, or at the end where `isLate`. */
  growSubagent(file: SubagentFile, isLate: boolean): void {
    const from = this.#builder.length;
    const begun = this.#growing.get(file.agentId) ?? this.#beginSubagent(file);
    this.#growing.set(file.agentId, begun);
    this.#addLines(file.entries, begun.place);
    if (begun.task && !isLate) this.#builder.moveBehind(begun.task.draft, from);
  }

  /** The call of a subagent whose lines are in a file, of which these are the first. */
  #beginSubagent({ agentId, agent, workflow, entries }: SubagentFile): BegunSubagent {
    for (const { raw } of entries) if (raw !== undefined) this.#keep('unreadable', raw);
    const prompt = promptOf(entries);
    const task =
      workflow === undefined
        ? this.#starting.take(prompt, this.#startedBy.get(agentId))
        : this.#startedWorkflow(workflow);
    const parent = task?.draft.place ?? this.#builder.entry;
    const callSite = this.#builder.dispatch(parent, agent ?? task?.agent ?? `agent-${agentId}`, {
      task: workflow === undefined ? task?.prompt : prompt?.trim(),
      toolCallId: task?.id,
      time: task?.draft.time,
    });
    if (workflow === undefined) this.#placed.push({ agentId, call: task?.id });
    return { place: callSite, task };
  }

  #addLines(entries: Entries, callSite: CallSite): void {
    for (const { value, raw } of this.#sink.taking(entries)) {
      if (raw !== undefined) continue;
      if (isObject(value)) for (const call of this.#ahead.lookBeside(value)) this.#starting.claim(call);
      if (isObject(value)) this.#addLine(value, callSite);
      else this.#builder.keep(callSite, 'unknown', value);
    }
  }

  /** The call that started a workflow, which may have any number of subagents. */
  #startedWorkflow(workflow: string): SubagentCall | undefined {
    if (!this.#workflows.has(workflow))
      this.#workflows.set(
        workflow,
        this.#startingWorkflows.take(undefined, this.#startedBy.get(workflowKey(workflow))),
      );
    return this.#workflows.get(workflow);
  }

  #keep(kind: string, value: unknown, callSite = this.#builder.entry, at?: number): void {
    this.#builder.keep(callSite, kind, value, at);
  }

  #noteCalls(draft: Draft, message: Fields): void {
    for (const call of objects(message.tool_calls))
      if (/^(?:Task|Agent)$/.test(asText(fields(call.function).name))) this.#agentCalls.add(asText(call.id));
    this.#starting.note(draft, message);
    this.#startingWorkflows.note(draft, message);
  }

  #isRepeated(line: Fields, entry: Entry): boolean {
    if (typeof line.uuid !== 'string') return false;
    const before = this.#seen.put(line.uuid, entry, this.#sink.source);
    if (before === undefined) return false;
    // A branch has each line twice: once with the place that it was copied from.
    const known = fields(before());
    if (JSON.stringify(without(known, 'forkedFrom')) !== JSON.stringify(without(line, 'forkedFrom'))) {
      this.#sink.problem('warning', SAME_ID, entry.line);
      return false;
    }
    if (line.forkedFrom !== undefined) this.#uncharge(line);
    return true;
  }

  /** Takes back what a message cost that turns out to be a copy. */
  #uncharge({ message }: Fields): void {
    const id = text(fields(message).id);
    const draft = id === undefined ? undefined : this.#messages.get(id);
    if (!draft || draft.body.usage === NO_USAGE) return;
    draft.body.usage = NO_USAGE;
    this.#copied++;
  }

  #addLine(line: Fields, callSite: CallSite): void {
    this.#background.line(line);
    const at = time(line.timestamp);
    const type = text(line.type);
    // A message in no shape that is known is kept as it is, where it is found.
    const isSaid = isObject(line.message) && ('content' in line.message || 'usage' in line.message);
    if ((type === 'user' || type === 'assistant') && isSaid && isObject(line.message)) {
      this.#addMessage(line, line.message, type, callSite, at);
      return;
    }
    if (type === 'system' && line.subtype === 'api_error') {
      const { error, retryAttempt: attempt } = line;
      addFailure(this.#builder, callSite, { kind: 'request', error, attempt, time: at, raw: line });
      return;
    }
    if (type !== undefined && TOOL_LINES.test(type) && this.#addToolLine(line, callSite, at)) return;
    if (type === 'result' && !this.#hasAnswer && this.#addAnswer(line, callSite, at)) return;
    if (type === 'attachment' && this.#addQueued(line, callSite, at)) return;
    if (type === 'attachment' && this.#addMailbox(line, callSite, at)) return;
    if (type === 'queue-operation' && this.#addAbsorbed(line, callSite, at)) return;
    if (type === 'system' && this.#addTold(line, callSite, at)) return;
    if (type === 'attachment') this.#decisions.addHook(fields(line.attachment), callSite, at);
    if (type?.startsWith('control_')) this.#decisions.addControl(line, callSite, at);
    if (type === 'result') {
      this.#addEnd(line, callSite, at);
      this.#ended = { line, at };
      this.#results++;
    }
    if (type === undefined || !SESSION_LINES.has(type))
      this.#sink.unknown(`lines of type ${type ?? '(none)'}`);
    this.#keep(type ?? 'unknown', line, callSite, at);
    this.#told.add({ kind: type, value: line });
  }

  /** What a person or a program said while the agent worked, which it was given with a result. */
  #addQueued(line: Fields, callSite: CallSite, at: number | undefined): boolean {
    const attachment = fields(line.attachment);
    const { type, prompt, commandMode } = attachment;
    if (type !== 'queued_command') return false;
    const { message } = convertBlocks('user', prompt);
    const isNotice = commandMode === 'task-notification';
    const marks = claudeMark(attachment) ?? (isNotice ? ({ kind: 'notification' } as const) : undefined);
    if (message) this.#builder.message(callSite, message, { time: at, marks, absorbed: true, raw: line });
    return message !== undefined;
  }

  /** What other members of its team wrote to an agent: each under its name, and what their programs tell as notices. */
  #addMailbox(line: Fields, callSite: CallSite, at: number | undefined): boolean {
    const { messages, ...attachment } = fields(line.attachment);
    const letters = attachment.type === 'teammate_mailbox' ? objects(messages) : [];
    for (const [index, letter] of letters.entries()) {
      const content = asText(letter.text);
      const kind = isObject(parsed(content)) ? 'notification' : 'agent';
      const raw = index === 0 ? { ...line, attachment: { ...attachment, messages: [letter] } } : letter;
      const details = { time: time(letter.timestamp) ?? at, absorbed: true, raw };
      const marks = { kind, by: text(letter.from) } as const;
      this.#builder.message(callSite, { role: 'user', content }, { ...details, marks });
    }
    return letters.length > 0;
  }

  /** What was typed while the agent worked and taken in without a line of its own. */
  #addAbsorbed(line: Fields, callSite: CallSite, at: number | undefined): boolean {
    const { operation, content } = line;
    if (operation === 'enqueue') this.#queue.push(asText(content).trim());
    else if (operation === 'dequeue') this.#queue.shift();
    else if (operation === 'popAll') this.#queue.length = 0;
    const prompt = this.#ahead.queue.take(line, this.#queue);
    if (prompt === undefined) return false;
    this.#builder.message(
      callSite,
      { role: 'user', content: prompt },
      { time: at, absorbed: true, raw: line },
    );
    return true;
  }

  /** What the program says of its own accord: a recap of what was done, a local command and what it printed. */
  #addTold(line: Fields, callSite: CallSite, at: number | undefined): boolean {
    const content = text(line.content);
    const isRecap = line.subtype === 'away_summary';
    if (content === undefined || (!isRecap && line.subtype !== 'local_command')) return false;
    const marks = isRecap ? ({ kind: 'summary' } as const) : undefined;
    this.#builder.message(callSite, { role: 'user', content }, { time: at, marks, raw: line });
    return true;
  }

  /** What the last line of a stream tells of calls that were denied, and of how the run ended. */
  #addEnd(line: Fields, callSite: CallSite, at: number | undefined): void {
    this.#decisions.addDenials(line, callSite, at);
    const ended = text(line.subtype);
    if (ended?.startsWith('error') !== true) return;
    const said = list(line.errors).map((each) => asText(each));
    const error = { code: ended, message: said.length > 0 ? said.join('\n') : ended };
    addFailure(this.#builder, callSite, { kind: 'error', error, time: at, raw: undefined });
  }

  /** A call or a result on a line of its own, as some versions and their converters write them. */
  #addToolLine(line: Fields, callSite: CallSite, at: number | undefined): boolean {
    const said = looseMessage(line);
    if (!said) return false;
    for (const message of said.messages) {
      const draft = this.#builder.message(callSite, message, { time: at, raw: line });
      this.#noteCalls(draft, message);
    }
    for (const { message, end } of said.results)
      this.#builder.message(callSite, message, { time: at, ...ended(end), raw: line });
    return said.messages.length + said.results.length > 0;
  }

  /** The answer that the last line of a stream repeats, where that line is all there is. */
  #addAnswer(line: Fields, callSite: CallSite, at: number | undefined): boolean {
    const answer = text(line.result);
    if (answer === undefined) return false;
    const details = {
      time: at,
      usage: withCost(this.#usageOf(line.usage), line.total_cost_usd),
      isError: line.is_error === true || undefined,
    };
    this.#builder.message(callSite, { role: 'assistant', content: answer }, { ...details, raw: line });
    return true;
  }

  #addMessage(line: Fields, said: Fields, type: string, callSite: CallSite, at: number | undefined): void {
    const builder = this.#builder;
    const { message, results } = convertBlocks(text(said.role) ?? type, said.content);
    this.#decisions.addResults(line, callSite, at);
    for (const result of results) {
      const callId = asText(result.message.tool_call_id);
      const answer = this.#agentCalls.has(callId) ? withoutTrailer(result.message) : result.message;
      const ends = endedBy([...result.ends, endOfLine(line)]);
      const durationMs = this.#tookOf(callSite, callId, at);
      const draft = builder.message(callSite, answer, { time: at, durationMs, ...ends, raw: line });
      if (ends.state === 'open') this.#background.begun(callId, draft);
    }
    if (!message) return;
    if (type === 'assistant') this.#hasAnswer = true;
    const isCopied = type === 'assistant' && this.#lineage.isCopied(line);
    const own = type === 'assistant' ? withCost(this.#usageOf(said.usage), line.costUSD) : undefined;
    const isChild = callSite.call !== builder.entry.call;
    this.#isPaidElsewhere ||= own?.cost !== undefined || (isChild && !this.#tellsWhole);
    const usage = isCopied || (isChild && this.#tellsWhole) ? own && NO_USAGE : own;
    const id = type === 'assistant' && typeof said.id === 'string' ? said.id : undefined;
    const known = id === undefined ? undefined : this.#messageOf(id, callSite);
    if (isCopied && own && !known) this.#copied++;
    if (type === 'assistant' && !known) this.#requests++;
    if (known) {
      this.#noteBegin(callSite, message, at);
      mergeMessages(fields(known.body.message), message);
      known.raws.push(line);
      // Each line repeats the usage of the whole request; the one with the most output is final.
      const before = known.body.usage as Usage | undefined;
      if (usage && usage.outputTokens >= (before?.outputTokens ?? 0)) known.body.usage = usage;
    }
    const isError = line.isApiErrorMessage === true || undefined;
    const provider = type === 'assistant' ? providerIds(said, line) : undefined;
    const marks = type === 'user' ? claudeMark(line) : undefined;
    const about = { time: at, model: text(said.model), usage, isError, marks, provider };
    const draft = known ?? builder.message(callSite, message, { ...about, raw: line });
    if (id !== undefined) this.#chargeOnce(id, draft);
    this.#noteCalls(draft, message);
  }

  /** A call begins with the line that makes it, and not with the first line of its message, whose time the message has. */
  #noteBegin({ call }: CallSite, message: Fields, at: number | undefined): void {
    if (at === undefined) return;
    for (const { id } of objects(message.tool_calls)) this.#begunAt.set(`${call} ${asText(id)}`, at);
  }

  /** How long a call took whose line is not the first of its message; others tell it by the times of call and result. */
  #tookOf({ call }: CallSite, id: string, at: number | undefined): number | undefined {
    const key = `${call} ${id}`;
    const begun = this.#begunAt.get(key);
    this.#begunAt.delete(key);
    return between(begun, at);
  }

  /** The draft of a message in a call; undefined where no line of it has been read there. */
  #messageOf(id: string, { call }: CallSite): Draft | undefined {
    const charged = this.#messages.get(id);
    return charged?.place.call === call ? charged : this.#copies.get(`${call} ${id}`);
  }

  /** A message that several calls have was asked for once: by the session itself, else by the first that has it. */
  #chargeOnce(id: string, draft: Draft): void {
    const charged = this.#messages.get(id) ?? draft;
    const isOwn = draft.place.call === this.#builder.entry.call;
    const [payer, copy] = isOwn ? [draft, charged] : [charged, draft];
    this.#messages.set(id, payer);
    if (copy.index === payer.index) return;
    this.#copies.set(`${copy.place.call} ${id}`, copy);
    copy.body.usage = NO_USAGE;
  }

  /** The call of a subagent whose lines are among those of the session, connected by agent id or parent. */
  #sidechainOf(line: Fields): CallSite {
    const keys = [line.agentId, line.parentUuid, line.uuid].filter((key) => typeof key === 'string');
    const known = keys.map((key) => this.#sidechains.get(key)).find((callSite) => callSite !== undefined);
    const callSite = known ?? this.#newSidechain(line);
    for (const key of [line.agentId, line.uuid])
      if (typeof key === 'string') this.#sidechains.set(key, callSite);
    return callSite;
  }

  /** The call that a tool call started, whose id the lines of its subagent have; none where that is unknown. */
  #startedCall(toolCallId: string, line: Fields): CallSite {
    const known = this.#sidechains.get(toolCallId) ?? this.#newSidechain(line, toolCallId);
    this.#sidechains.set(toolCallId, known);
    return known;
  }

  #newSidechain(line: Fields, toolCallId = this.#startedBy.get(asText(line.agentId))): CallSite {
    const task = this.#starting.take(text(promptIn(line)), toolCallId);
    const placed = line.agentId === undefined ? undefined : asText(line.agentId);
    if (placed !== undefined) this.#placed.push({ agentId: placed, call: task?.id ?? toolCallId });
    return this.#builder.dispatch(task?.draft.place ?? this.#builder.entry, task?.agent ?? 'subagent', {
      task: task?.prompt,
      toolCallId: task?.id ?? toolCallId,
      time: time(line.timestamp),
    });
  }
}

/** The ids by which the provider knows an answer; undefined where the line has none. */
function providerIds(said: Fields, line: Fields): ProviderIds | undefined {
  const message = text(said.id);
  const request = text(line.requestId);
  if (message === undefined && request === undefined) return undefined;
  return { ...(message !== undefined && { message }), ...(request !== undefined && { request }) };
}

/** What the first line of a person says. */
function promptOf(entries: Entries): string | undefined {
  for (const { value, raw } of entries) {
    const prompt = raw === undefined ? promptIn(value) : undefined;
    if (prompt !== undefined) return prompt;
  }
  return undefined;
}

/** What a line of a person says; undefined for any other line. */
function promptIn(line: unknown): string | undefined {
  const { type, message } = fields(line);
  return type === 'user' ? promptText(fields(message).content) : undefined;
}
