import { isObject } from '../../../core/message.js';
import { NO_USAGE } from '../../../core/usage.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../../reading/fields.js';
import { foundStepwise } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { chatMessages } from '../../messages/anyMessage.js';
import { geminiUsage } from '../../general/exchange.js';
import { addFailure } from '../../messages/failures.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * Google's Agent Development Kit: a session with its events, a list of events, or the cases of an evaluation set. Agents
 * speak under their own names.
 */
export const googleAdk: TranscriptFormat = {
  name: 'google-adk',
  of: 'Google ADK',
  files: 'sessions, lists of events, evaluation sets',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) =>
    head.length > 0 && most(head, (value) => eventsOf(value).length > 0 || casesOf(value).length > 0),
  *readLines(lines, sink) {
    const agent = yield* foundStepwise(lines, (value) =>
      isEvent(value) ? agentOf(fields(value)) : undefined,
    );
    let loose: ConversationBuilder | undefined;
    for (const value of sink.each(lines)) {
      const cases = casesOf(value);
      if (isEvent(value)) {
        loose ??= sink.conversation(undefined, agent ?? 'agent');
        readEvent(fields(value), loose);
      } else if (cases.length > 0) readCases(fields(value), cases, sink);
      else readSession(fields(value), eventsOf(value), sink);
      yield;
    }
  },
};

/** The events of a session or a list of events; an event alone is a list of one. */
function eventsOf(value: unknown): Fields[] {
  if (isEvent(value)) return [fields(value)];
  const events = Array.isArray(value) ? value : list(fields(value).events);
  return events.length > 0 && most(events, isEvent) ? objects(events) : [];
}

function isEvent(value: unknown): boolean {
  if (!isObject(value) || typeof value.author !== 'string') return false;
  return 'invocationId' in value || 'invocation_id' in value;
}

function casesOf(value: unknown): Fields[] {
  const about = fields(value);
  return objects(about.eval_cases ?? about.evalCases).filter((each) => Array.isArray(each.conversation));
}

function readSession(session: Fields, events: readonly Fields[], sink: ImportSink): void {
  const [first] = events.flatMap((event) => agentOf(event) ?? []);
  const name = first ?? text(session.appName ?? session.app_name) ?? 'agent';
  const builder = sink.conversation(session.id, name);
  const about = Array.isArray(session.events) ? without(session, 'events') : {};
  if (Object.keys(about).length > 0) builder.keep(builder.entry, 'session', about);
  for (const event of events) readEvent(event, builder);
}

/** The agent that speaks in an event; undefined for a person. */
function agentOf({ author }: Fields): string | undefined {
  return author === 'user' ? undefined : asText(author);
}

function readEvent(event: Fields, builder: ConversationBuilder): void {
  const at = time(event.timestamp);
  const author = asText(event.author);
  const content = fields(event.content);
  const model = text(event.modelVersion ?? event.model_version);
  const said =
    list(content.parts).length > 0
      ? chatMessages({ role: author === 'user' ? 'user' : 'model', parts: content.parts })
      : [];
  const [first] = said;
  const last = said.findLast(({ role }) => role === 'assistant');
  const used = geminiUsage(fields(event.usageMetadata ?? event.usage_metadata));
  const failure = text(event.errorMessage ?? event.error_message);
  if (failure !== undefined) {
    const error = { code: event.errorCode ?? event.error_code, message: failure };
    addFailure(builder, builder.entry, { kind: 'error', error, model, time: at, raw: event });
  } else if (!first) builder.keep(builder.entry, 'event', event, at);
  for (const message of said) {
    builder.message(builder.entry, message, {
      time: at,
      agent: author === 'user' || author === builder.entry.agent ? undefined : author,
      model: message.role === 'assistant' ? model : undefined,
      // The tokens of all that one request was answered stand at the end of it.
      usage: message.role !== 'assistant' ? undefined : message === last ? used : used && NO_USAGE,
      toolName: message.role === 'tool' ? text(message.name) : undefined,
      raw: message === first ? event : undefined,
    });
  }
}

/** The cases of an evaluation set; what the set says of itself stands with the first of them. */
function readCases(set: Fields, cases: readonly Fields[], sink: ImportSink): void {
  const about = without(set, 'eval_cases', 'evalCases');
  const others = list(set.eval_cases ?? set.evalCases).filter((each) => !cases.includes(fields(each)));
  for (const [index, each] of cases.entries()) {
    const builder = readCase(each, sink);
    if (index > 0) continue;
    if (Object.keys(about).length > 0) builder.keep(builder.entry, 'evaluation set', about);
    for (const other of others) builder.keep(builder.entry, 'case', other);
  }
}

/** A case of an evaluation set: what was asked, which tools were used, and what was answered. */
function readCase(about: Fields, sink: ImportSink): ConversationBuilder {
  const session = fields(about.session_input ?? about.sessionInput);
  const name = text(session.app_name ?? session.appName) ?? 'agent';
  const builder = sink.conversation(about.eval_id ?? about.evalId, name);
  builder.keep(builder.entry, 'case', without(about, 'conversation'));
  for (const turn of objects(about.conversation)) {
    const at = time(turn.creation_timestamp ?? turn.creationTimestamp);
    const data = fields(turn.intermediate_data ?? turn.intermediateData);
    const uses = objects(data.tool_uses ?? data.toolUses).map((functionCall) => ({ functionCall }));
    const answers = objects(data.tool_responses ?? data.toolResponses).map((functionResponse) => ({
      functionResponse,
    }));
    const contents = [
      { role: 'user', parts: fields(turn.user_content ?? turn.userContent).parts },
      { role: 'model', parts: uses },
      { role: 'user', parts: answers },
      { role: 'model', parts: fields(turn.final_response ?? turn.finalResponse).parts },
    ];
    const said = contents
      .filter(({ parts }) => list(parts).length > 0)
      .flatMap((content) => chatMessages(content));
    for (const [index, message] of said.entries()) {
      builder.message(builder.entry, message, { time: at, raw: index === 0 ? turn : undefined });
    }
  }
  return builder;
}
