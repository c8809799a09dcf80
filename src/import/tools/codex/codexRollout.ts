import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import { addUsage, type Usage, type UsageTerm } from '../../../core/usage.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import {
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
import { writtenRole } from '../../reading/roleWords.js';
import type { Entries, Entry } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { speakerOf, totalIn, turnOf, type RolloutAhead } from './rolloutAhead.js';
import { addFailure } from '../../messages/failures.js';
import { ResponseItems } from '../../messages/responseItems.js';
import { CallStates, endInItem } from './callStates.js';
import { RunningUsage } from '../../messages/runningUsage.js';
import { openAiUsage, tierIn, withTerms } from '../../messages/usage.js';

/** How soon no model answers, in milliseconds: a request goes over a network, is read, and answered word by word. */
const INSTANT_MS = 200;

/**
 * Knows which turns of a forked session are copies, however long copying took and whatever ids they have: in a copy every
 * answer stands at once behind what it answers, and the first that a model took its time for is the session's own, with
 * all that follow.
 */
class CopiedTurns {
  /** When the model was last sent something, in milliseconds since 1970. */
  #askedAt: number | undefined;
  #isOver = false;

  /** Sees each line, in order, which was written at a time. */
  see(line: Fields, at: number | undefined): void {
    const speaker = this.#isOver ? undefined : speakerIn(line);
    if (speaker === undefined) return;
    if (speaker === 'sent') this.#askedAt = at;
    else if (at === undefined || this.#askedAt === undefined || at - this.#askedAt > INSTANT_MS)
      this.#isOver = true;
  }

  /** Whether what was seen last is a copy. */
  get isGoingOn(): boolean {
    return !this.#isOver && this.#askedAt !== undefined;
  }
}

/** Whether a line is something that a model was sent, or that it said; undefined for neither. */
function speakerIn({ type, payload }: Fields): 'sent' | 'said' | undefined {
  const said = fields(payload);
  const kind = text(said.type) ?? '';
  if (type === 'event_msg') {
    if (kind === 'user_message') return 'sent';
    return /^(?:agent_\w+|token_count)$/.test(kind) ? 'said' : undefined;
  }
  if (type !== 'response_item') return undefined;
  if (kind === 'message') return writtenRole(said.role) === 'assistant' ? 'said' : 'sent';
  return kind.endsWith('_output') ? 'sent' : 'said';
}

/** The types of the envelopes around everything that Codex writes. */
export const ENVELOPES = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
]);

/** Events about the session rather than its messages. */
/** The events that tell how a call ended. */
const CALL_ENDS = /^(?:exec_command|mcp_tool_call|patch_apply|dynamic_tool_call)_end$/;

const KNOWN_EVENTS =
  /^(?:token_count|turn[._]\w+|task_\w+|turn_aborted|exec_command_\w+|mcp_\w+|patch_apply_\w+|item_\w+|collab_\w+|sub_agent_\w+|guardian_\w+|context_compacted|thread_\w+|error|stream_error|warning|agent_reasoning\w*|entered_\w+|exited_\w+|plan_\w+|web_search_\w+|image_generation_\w+|view_image_\w+|dynamic_tool_\w+|realtime_\w+|undo_\w+|hook_\w+|background_event|deprecation_notice|model_\w+|session_\w+|exec_approval_\w+|apply_patch_approval_\w+|elicitation_\w+|shutdown_complete|request_\w+|codex\/event\/\w+)$/;

/** Items of a model's history that say nothing: tools that were added, and where a context was shortened. */
const SILENT_ITEMS =
  /^(?:additional_tools|compaction|compaction_summary|compaction_trigger|context_compaction|ghost_snapshot)$/;

/** No turns. */
const NONE: ReadonlySet<string> = new Set();

/** What a rollout says about a subagent that it started. */
export interface Spawned {
  /** The draft that the subagent's messages follow, and when what it says was said, in milliseconds since 1970. */
  readonly behind: Draft;
  readonly time: number | undefined;
  readonly toolCallId: string | undefined;
  readonly agent: string | undefined;
  readonly task: string | undefined;
}

interface RolloutParts {
  /** What has seen all lines of the rollout. */
  readonly ahead: RolloutAhead;
  readonly sink: ImportSink;
  readonly builder: ConversationBuilder;
  readonly place: CallSite;
  /** The rollout that this one was forked from and whose turns it may repeat. */
  readonly before?: CodexRollout;
}

/** Reads the lines of one rollout into a call of a conversation. */
export class CodexRollout {
  readonly place: CallSite;
  readonly thread: string;
  /** The subagents that it started, by thread id. */
  readonly spawned = new Map<string, Spawned>();
  #ahead: RolloutAhead;
  readonly #before: CodexRollout | undefined;
  readonly #sink: ImportSink;
  /** The conversation that it is read into. */
  readonly builder: ConversationBuilder;
  readonly #items: ResponseItems;
  readonly #states = new CallStates();
  /** The processes that calls wait for, by the call. */
  readonly #waiting = new Map<string, unknown>();
  #model: string | undefined;
  /** At which terms requests are made from here on, by the settings of the thread. */
  #tier: readonly UsageTerm[] = [];
  readonly #usage = new RunningUsage();
  /** The turn that began last, by its id. */
  #turn: string | undefined;
  #copied = new CopiedTurns();
  /** Whether what is read was said in a thread that this one was forked from. */
  #isInherited = false;
  /** Whether the next count of tokens is the first of a file that goes on from another. */
  #isFirstCount = false;
  /** Whether a request of that file was told before it. */
  #hasTold = false;
  /** The number of the record that is read, where it tells one. */
  #ordinal: number | undefined;
  /** The ids of the answers whose usage was told. */
  readonly #answers = new Set<string>();
  /** How many counts of tokens it repeats of the thread that it was forked from. */
  #repeatedCounts = 0;
  /** Of a subagent's rollout, how many lines were read, how many at its start repeat its parent's, and how many more were read. */
  #lines = 0;
  #repeated = 0;
  #own = 0;
  #isTold = false;

  constructor({ ahead, sink, builder, place: callSite, before }: RolloutParts) {
    this.place = callSite;
    this.thread = ahead.thread;
    this.#ahead = ahead;
    this.#isFirstCount = ahead.base !== undefined;
    this.#before = before;
    this.#sink = sink;
    this.builder = builder;
    this.#items = new ResponseItems(builder, callSite);
  }

  /** What is known of the file that is read. */
  get ahead(): RolloutAhead {
    return this.#ahead;
  }

  /**
   * Goes on with another file of the thread, or with one that it was forked from; `used` are the tokens of all before it, where
   * they are known.
   */
  continueWith(
    ahead: RolloutAhead,
    about: { readonly used?: Usage | undefined; readonly isInherited?: boolean },
  ): void {
    this.#ahead = ahead;
    this.#isInherited = about.isInherited === true;
    this.#copied = new CopiedTurns();
    this.#turn = undefined;
    this.#lines = this.#repeated = this.#own = 0;
    if (about.used) this.#usage.start(about.used);
    this.#isFirstCount = ahead.base !== undefined;
    this.#hasTold = false;
  }

  /**
   * Reads the next lines of a subagent's rollout, which `ahead` has seen; false where they say of earlier ones that they repeat
   * the parent's. `isLeftOut` hears of each that does.
   */
  readOn(entries: Entries, isLeftOut: (entry: Entry) => void): boolean {
    const repeated = this.ahead.repeated(this.#before?.ahead.turns ?? NONE);
    if (repeated > this.#repeated && this.#own > 0) return false;
    this.#repeated = repeated;
    for (const entry of this.#sink.taking(entries)) {
      const at = this.#lines++;
      const isRepeated = at < repeated;
      if (isRepeated) this.#startUsage(entry.value);
      if (isRepeated && at > 0) {
        isLeftOut(entry);
        continue;
      }
      if (at > 0) this.#own++;
      this.addEntry(entry);
    }
    return true;
  }

  /** Tells reasoning that no message has followed, and what was left out so far; gives whether there was such reasoning. */
  settle(): boolean {
    const hasThought = this.#items.finish();
    this.#tellRepeated();
    return hasThought;
  }

  #tellRepeated(): void {
    if (this.#isTold || this.#repeated + this.#repeatedCounts === 0) return;
    this.#isTold = true;
    if (this.#repeated > 1) {
      const words = `A subagent's rollout repeats ${this.#repeated - 1} lines of its parent; they were left out.`;
      this.#sink.problem('warning', words);
    }
    if (this.#repeatedCounts === 0) return;
    const from = this.ahead.forkedFrom ?? 'another session';
    const words = `This session repeats the beginning of ${from}, from which it was forked: what was said there is kept, what it cost is left out (token counts: ${this.#repeatedCounts}).`;
    this.#sink.problem('warning', words);
  }

  /** Tokens that the parent had used before are not its own. */
  #startUsage(value: unknown): void {
    const total = totalIn(fields(fields(value).payload));
    if (total) this.#usage.start(total);
  }

  /** Reads a line of a file of the thread. */
  addEntry({ value, raw }: Entry): void {
    if (raw === undefined) this.add(value);
    else this.#sink.keepUnreadable(raw);
  }

  add(value: unknown): void {
    const line = fields(value);
    const at = time(line.timestamp);
    const payload = isObject(line.payload) ? line.payload : line;
    const type = text(line.type);
    this.#turn = turnOf(line) ?? this.#turn;
    this.#copied.see(line, at);
    this.#ordinal = this.ahead.ordinalOf(line);
    this.builder.isInherited =
      this.#isInherited || (this.#isNumberedCopy ?? this.ahead.isRepeated(at, this.#turn));
    if (type === 'event_msg') this.#addEvent(payload, line, at);
    else if (type === 'turn_context') {
      this.#model = text(payload.model) ?? this.#model;
      this.#noteTier(payload);
      this.#keep(type, line, at);
    } else if (type === 'history_mutation') this.#addItems(payload, at, line);
    else if (type === 'token_usage_record') {
      this.#keep(type, line, at);
      this.#addUsage(payload, at);
    } else if (payload.type === 'agent_message' || type === 'inter_agent_communication')
      this.#addReport(payload, line, at);
    else if (type !== undefined && type !== 'response_item' && ENVELOPES.has(type))
      this.#keep(type, line, at);
    else if (SILENT_ITEMS.test(asText(payload.type))) this.#keep(asText(payload.type), line, at);
    else if (!this.#addItem(payload, at, line)) {
      this.#keep(type ?? 'unknown', value, at);
      if (type === undefined && ('instructions' in line || 'record_type' in line)) return;
      this.#sink.unknown(`lines of type ${text(payload.type) ?? type ?? '(none)'}`);
    }
  }

  /** Several items on one line, as Trae's rollouts have them. */
  #addItems(payload: Fields, at: number | undefined, line: Fields): void {
    for (const item of objects(payload.items)) {
      if (!this.#addItem(item, at, item)) this.#keep(asText(item.type), item, at);
    }
    this.#keep('history_mutation', { ...line, payload: without(payload, 'items') }, at);
  }

  /** Each settings hold until the next ones; those that name no tier are at the usual one. */
  #noteTier(settings: Fields): void {
    if ('service_tier' in settings) this.#tier = tierIn(settings.service_tier);
  }

  #addItem(item: Fields, at: number | undefined, raw: Fields): boolean {
    // A result that names a thread belongs to the call that started it.
    if (item.type === 'function_call_output') {
      const { last: behind, lastTime } = this.#items;
      this.#noteSpawn(text(fields(parsed(item.output)).agent_id), item, behind, lastTime);
    }
    const isAdded = this.#items.add(item, {
      time: at,
      raw,
      model: writtenRole(item.role) === 'user' ? undefined : this.#model,
    });
    this.#noteState(item);
    return isAdded;
  }

  #noteState(item: Fields): void {
    const id = asText(item.call_id);
    const { last } = this.#items;
    if (item.name === 'write_stdin') this.#waiting.set(id, fields(parsed(item.arguments)).session_id);
    if (!asText(item.type).endsWith('_output') || !last) return;
    this.#states.answered(item, last);
    if (this.#waiting.has(id)) this.#states.waits(this.#waiting.get(id), item);
  }

  /** What one agent told another: the agent that is asked gets its task so, whoever asked it gets its reports. */
  #addReport({ author, recipient, content }: Fields, line: Fields, at: number | undefined): void {
    const parts = objects(content).map((part) => asText(part.text));
    const words = typeof content === 'string' ? content : parts.filter((part) => part !== '').join('\n');
    if (words === '') {
      this.#keep('agent_message', line, at);
      return;
    }
    const isTask = asText(recipient).startsWith(`${asText(author)}/`);
    const agent = asText(author).replace(/^.*\//, '');
    const message = { role: isTask ? 'user' : 'assistant', content: words };
    const isNamed = !isTask && agent !== '' && agent !== 'root';
    this.builder.message(this.place, message, { time: at, raw: line, ...(isNamed && { agent }) });
  }

  #noteSpawn(
    thread: string | undefined,
    about: Fields,
    behind: Draft | undefined,
    at: number | undefined,
  ): void {
    if (thread === undefined || !behind || this.#isInherited || this.spawned.has(thread)) return;
    const agent = text(about.new_agent_nickname) ?? text(about.new_agent_role);
    this.spawned.set(thread, {
      behind,
      time: at,
      toolCallId: text(about.call_id),
      agent,
      task: text(about.prompt),
    });
  }

  #addEvent(event: Fields, line: Fields, at: number | undefined): void {
    const type = text(event.type) ?? '';
    const speaker = speakerOf(event);
    if (speaker !== undefined && !this.ahead.speakers.has(speaker)) {
      this.#addItem({ role: speaker, content: asText(event.message) }, at, line);
      return;
    }
    if ((type === 'error' || type === 'stream_error') && !this.#isInherited) {
      const kind = type === 'error' ? 'error' : 'request';
      const error = { message: event.message, code: event.codex_error_info };
      addFailure(this.builder, this.place, { kind, error, model: this.#model, time: at, raw: line });
      return;
    }
    if (speaker === undefined && !KNOWN_EVENTS.test(type)) this.#sink.unknown(`events of type ${type}`);
    const kept = this.#keep(`event_msg/${type}`, line, at);
    if (CALL_ENDS.test(type)) this.#states.ended(text(event.call_id), endInItem(event));
    if (type === 'item_completed') {
      const item = fields(event.item);
      this.#states.ended(text(item.id), endInItem(item));
    }
    if (type === 'thread_settings_applied')
      this.#noteTier({ service_tier: null, ...fields(event.thread_settings) });
    if (type === 'guardian_assessment') this.#decide(event, at);
    if (type === 'collab_agent_spawn_end') this.#noteSpawn(text(event.new_thread_id), event, kept, at);
    if (type === 'thread_name_updated' && this.place.depth === 0)
      this.builder.title = text(event.thread_name) ?? this.builder.title;
    this.#addUsage(event, at);
  }

  /** What the model decided that reviews in place of a person; one that goes on or was broken off decides nothing. */
  #decide(event: Fields, at: number | undefined): void {
    const { status, started_at_ms: started, completed_at_ms: completed } = event;
    if (this.#isInherited || (status !== 'approved' && status !== 'denied')) return;
    const action = fields(event.action);
    const argv = list(action.argv).map(asText);
    const files = list(action.files).map(asText).join(', ');
    const subject = [
      asText(action.command),
      [asText(action.program), ...argv].join(' '),
      files,
      asText(action.target),
    ];
    const [begin, end] = [number(started), number(completed)];
    this.builder.decide(
      this.place,
      {
        toolCallId: text(event.target_item_id) ?? '',
        toolName: text(action.tool_name) ?? text(action.tool) ?? text(action.type) ?? '',
        subject: subject.find((words) => words !== '') ?? '',
        isApproved: status === 'approved',
        decidedBy: 'policy',
        rule: text(event.decision_source) ?? 'guardian',
        reason: text(event.rationale) ?? '',
        waitedMs: begin !== undefined && end !== undefined && begin > 0 ? Math.max(0, end - begin) : 0,
      },
      at,
    );
  }

  /**
   * Token counts are running totals: the usage of a request is their increase. Newer rollouts tell it of each request as
   * well, beside the same total: whichever comes first counts.
   */
  #addUsage(event: Fields, at: number | undefined): void {
    if (this.#isInherited || this.#isKnownAnswer(event)) return;
    const isOfRequest = event.type === 'turn.completed' || 'response_id' in event;
    const turn = isOfRequest ? openAiUsage(event.usage) : undefined;
    this.#startCounting(event, turn !== undefined);
    const total = totalIn(event) ?? (turn && this.#totalAfter(turn, event));
    if ((turn ?? total) && this.#isRepeated(at)) {
      if (total) this.#usage.start(total);
      this.#repeatedCounts++;
      return;
    }
    const growth = total && this.#usage.growth(total);
    const cost = turn && (growth ?? !total) ? turn : growth;
    if (cost && (cost.inputTokens + cost.outputTokens > 0 || cost.terms?.includes('implausible'))) {
      const draft = this.builder.request(this.place, withTerms(cost, this.#tier), this.#model, at);
      const message = turn && text(event.response_id);
      if (message !== undefined) draft.body.provider = { message };
    }
  }

  /** Whether the usage of an answer was told before. */
  #isKnownAnswer({ response_id }: Fields): boolean {
    const id = text(response_id);
    if (id === undefined) return false;
    const isKnown = this.#answers.has(id);
    this.#answers.add(id);
    return isKnown;
  }

  /**
   * The first total of a file that goes on from another contains what was used there; one that began anew does not. The request
   * that it tells last is the file's own, unless nothing was used since, or a line before it has told that one.
   */
  #startCounting(event: Fields, isOfRequest: boolean): void {
    if (!this.#isFirstCount) return;
    const total = totalIn(event);
    const last = openAiUsage(fields(event.info).last_token_usage);
    this.#hasTold ||= isOfRequest;
    if (!total) return;
    this.#isFirstCount = false;
    if (isSame(total, this.#usage.total)) return;
    if (this.#hasTold) this.#usage.start(total);
    else if (last) this.#usage.startBefore(total, last);
  }

  /** The total with a request, where the rollout counts its requests one by one; undefined where it only counts turns. */
  #totalAfter(turn: Usage, event: Fields): Usage | undefined {
    if (!('response_id' in event)) return undefined;
    return openAiUsage(event.thread_token_usage) ?? addUsage(this.#usage.total, turn);
  }

  /** Whether a count of tokens is one of the thread that this one was forked from. */
  #isRepeated(at: number | undefined): boolean {
    const isCopied = this.ahead.hasCopies && this.#copied.isGoingOn;
    return this.#isNumberedCopy ?? (isCopied || this.ahead.isRepeated(at, this.#turn));
  }

  /** Whether the record is a copy of another rollout's by its number; undefined where that does not tell. */
  get #isNumberedCopy(): boolean | undefined {
    const { ownFrom } = this.ahead;
    return ownFrom === undefined || this.#ordinal === undefined ? undefined : this.#ordinal < ownFrom;
  }

  #keep(kind: string, value: unknown, at: number | undefined): Draft {
    return this.builder.keep(this.place, kind, value, at);
  }
}

function isSame(a: Usage, b: Usage): boolean {
  return a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;
}
