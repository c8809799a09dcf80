import { endIn, endOfCode, ended, type CallEnd } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import { NO_USAGE, type Usage } from '../../../core/usage.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { asText, fields, list, text, time, without, type Fields } from '../../reading/fields.js';
import { foundStepwise } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { chatMessages, wordsOf } from '../../messages/anyMessage.js';
import { chatMessage, linkedPicture, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { addFailure } from '../../messages/failures.js';
import { RunningUsage } from '../../messages/runningUsage.js';
import { openAiUsage } from '../../messages/usage.js';
import { accumulatedUsage, ReportedUsage } from '../../messages/wholeUsage.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/** Actions that are messages rather than tool calls. */
const WORDS = new Set(['message', 'finish', 'think']);

/** Actions and observations about the state of the session. */
const STATE = new Set(['change_agent_state', 'agent_state_changed', 'null', 'recall', 'system']);

/** OpenHands' events: actions, and observations that refer to the action they answer. */
export const openHands: TranscriptFormat = {
  name: 'openhands',
  of: 'OpenHands',
  files: 'events of a session or of its SDK, runs of an evaluation',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'thinking'],
  detect: (head) => {
    const events = head.length === 1 && Array.isArray(head[0]) ? (head[0] as unknown[]) : head;
    return (events.length > 0 && most(events, isEvent)) || (head.length > 0 && most(head, isRun));
  },
  *readLines(lines, sink) {
    if (yield* foundStepwise(lines, (value) => isRun(value) || undefined)) {
      for (const value of sink.each(lines)) {
        if (isRun(value)) readRun(fields(value), sink);
        yield;
      }
      return;
    }
    const builder = sink.conversation(undefined, 'OpenHands');
    const told = new ReportedEvents();
    for (const value of sink.each(lines)) {
      for (const event of Array.isArray(value) ? list(value) : [value]) addEvent(event, builder, told);
      yield;
    }
  },
};

/** Whether a value is a run of an evaluation: its events are in pairs, or one after another. */
function isRun(value: unknown): boolean {
  const history = list(fields(value).history).flat();
  return history.length > 0 && most(history, isEvent);
}

function readRun(run: Fields, sink: ImportSink): void {
  const builder = sink.conversation(run.instance_id, 'OpenHands');
  builder.keep(builder.entry, 'run', without(run, 'history'));
  const told = new ReportedEvents();
  for (const event of list(run.history).flat()) addEvent(event, builder, told);
  told.usage.recordWhole(builder, builder.entry, run, text(fields(fields(run.metadata).llm_config).model));
}

/** What the events of a session have told so far. */
class ReportedEvents {
  /** The tool call of each action, by the action's id. */
  readonly ids = new Map<unknown, string>();
  readonly usage = new ReportedUsage();
  readonly #running = new RunningUsage();
  #lastAnswer: unknown;

  /** Which model an action is from, and what the request used that it came of: once, though several may come of one. */
  of(event: Fields): { readonly model: string | undefined; readonly usage: Usage | undefined } {
    const answer = fields(fields(event.tool_call_metadata).model_response);
    const isSame = answer.id !== undefined && answer.id === this.#lastAnswer;
    this.#lastAnswer = answer.id;
    // What was used up to this event, by all requests.
    const total = accumulatedUsage(event.llm_metrics);
    const usage = total
      ? (this.#running.growth(total) ?? NO_USAGE)
      : isSame
        ? undefined
        : openAiUsage(answer.usage);
    return { model: text(answer.model), usage: this.usage.add(usage) };
  }
}

function isEvent(value: unknown): boolean {
  return (
    isObject(value) && 'source' in value && ('action' in value || 'observation' in value || isSdkEvent(value))
  );
}

/** Whether an event is one of OpenHands' SDK, which names its kind. */
function isSdkEvent({ kind }: Fields): boolean {
  return typeof kind === 'string' && /^\w+(?:Event|Observation)$/.test(kind);
}

/** Adds an event of the SDK, whose calls and results name each other by the id of the call. */
function addSdkEvent(event: Fields, builder: ConversationBuilder): void {
  const at = time(event.timestamp);
  const { entry } = builder;
  const id = text(event.tool_call_id);
  const details = { time: at, raw: event };
  const observation = fields(event.observation);
  if (event.kind === 'MessageEvent') {
    const said = fields(event.llm_message);
    const content = Array.isArray(said.content) ? said.content.flatMap(pictureParts) : said.content;
    for (const message of chatMessages({ ...said, content })) builder.message(entry, message, details);
  } else if (event.kind === 'SystemPromptEvent') {
    builder.message(entry, { role: 'system', content: wordsOf(event.system_prompt) }, details);
  } else if (event.kind === 'ActionEvent') {
    const called = fields(fields(event.tool_call).function ?? event.tool_call);
    const input = called.arguments ?? without(fields(event.action), 'kind');
    const message = chatMessage('assistant', text(wordsOf(event.thought ?? '')) ?? null, {
      reasoning: text(event.reasoning_content),
      calls: [toolCall(id ?? asText(event.id), asText(event.tool_name), input)],
    });
    builder.message(entry, message, details);
  } else if (event.kind === 'ConversationErrorEvent') {
    const error = { code: event.code, message: event.detail };
    addFailure(builder, entry, { kind: 'error', error, time: at, raw: event });
  } else if (id !== undefined && event.kind === 'UserRejectObservation') {
    const reason = asText(event.rejection_reason ?? '');
    builder.decide(entry, { toolCallId: id, isApproved: false, decidedBy: 'user', reason }, at);
    const about = { ...details, toolName: text(event.tool_name), ...ended('denied') };
    builder.message(entry, toolMessage(id, reason), about);
  } else if (id !== undefined && (event.observation !== undefined || event.error !== undefined)) {
    const given = list(observation.content).flatMap(pictureParts);
    const hasPicture = given.some((part) => fields(part).type === 'image_url');
    const words = wordsOf(observation.content ?? observation.output ?? event.error ?? observation);
    const content = hasPicture ? given : words;
    const end = ended(
      endIn(observation),
      endOfCommand(fields(observation.metadata).exit_code),
      event.error === undefined ? undefined : 'failed',
    );
    builder.message(entry, toolMessage(id, content), {
      ...details,
      toolName: text(event.tool_name),
      ...end,
    });
  } else builder.keep(entry, asText(event.kind), event, at);
}

/** The pictures that a part of the SDK holds by their addresses; any other part is given back as it is. */
function pictureParts(part: unknown): readonly unknown[] {
  const { type, image_urls: urls } = fields(part);
  const links = list(urls).filter((each) => typeof each === 'string');
  return type === 'image' && links.length > 0 ? links.map((each) => linkedPicture(asText(each))) : [part];
}

/** The end of a command: one that goes on behind its limit of time has the exit code -1. */
function endOfCommand(code: unknown): CallEnd | undefined {
  return Number(code) === -1 ? 'timedOut' : endOfCode(Number(code ?? 0));
}

/** Adds one event. */
function addEvent(value: unknown, builder: ConversationBuilder, told: ReportedEvents): void {
  const event = fields(value);
  if (isSdkEvent(event)) {
    addSdkEvent(event, builder);
    return;
  }
  const at = time(event.timestamp);
  const kind = text(event.action) ?? text(event.observation) ?? 'unknown';
  if (STATE.has(kind) || kind === 'unknown') builder.keep(builder.entry, kind, value, at);
  else if (event.action === undefined) {
    const id = told.ids.get(event.cause) ?? asText(fields(event.tool_call_metadata).tool_call_id);
    const content = text(event.content) ?? asText(event.message);
    const { exit_code: code, metadata } = fields(event.extras);
    const end = ended(
      kind === 'error' ? 'failed' : kind === 'user_rejected' ? 'denied' : undefined,
      endOfCommand(fields(metadata).exit_code ?? code),
    );
    builder.message(builder.entry, toolMessage(id === '' ? undefined : id, content), {
      time: at,
      toolName: kind,
      ...end,
      raw: event,
    });
  } else if (WORDS.has(kind)) {
    const { content, thought, final_thought } = fields(event.args);
    const said = text(content) ?? text(final_thought) ?? text(thought) ?? asText(event.message);
    const role = event.source === 'user' ? 'user' : 'assistant';
    const spent = role === 'assistant' ? told.of(event) : {};
    builder.message(builder.entry, { role, content: said }, { time: at, ...spent, raw: event });
  } else addAction(event, kind, builder, told, at);
}

function addAction(
  event: Fields,
  kind: string,
  builder: ConversationBuilder,
  told: ReportedEvents,
  at: number | undefined,
): void {
  const { tool_call_id, function_name } = fields(event.tool_call_metadata);
  const id = text(tool_call_id) ?? `action-${asText(event.id)}`;
  told.ids.set(event.id, id);
  const { thought, ...input } = fields(event.args);
  const calls = [toolCall(id, text(function_name) ?? kind, input)];
  const message = chatMessage('assistant', text(thought) ?? null, { calls });
  builder.message(builder.entry, message, { time: at, ...told.of(event), raw: event });
}
