import { writtenRole } from '../reading/roleWords.js';
import { endedBy } from '../messages/callEnd.js';
import { appendAll } from '../../core/lists.js';
import { isObject } from '../../core/message.js';
import { NO_USAGE } from '../../core/usage.js';
import { convertBlocks, messagesOfBlocks } from '../messages/anthropicBlocks.js';
import type { ConversationBuilder } from '../building/conversationBuilder.js';
import { asText, fields, list, objects, text, timeIn, without, type Fields } from '../reading/fields.js';
import type { TranscriptFormat } from '../building/transcriptFormat.js';
import { looseUsage } from '../messages/looseWords.js';
import { anthropicUsage, withCost } from '../messages/usage.js';

/** The types of blocks that occur only in Anthropic's messages. */
const BLOCKS = /^(?:(?:server_|mcp_)?tool_use|(?:\w+_)?tool_result|thinking|redacted_thinking)$/;

/** Anthropic's Messages API: a request with its history, a list of messages, or one response. */
export const anthropicMessages: TranscriptFormat = {
  name: 'anthropic-messages',
  of: 'Anthropic',
  files:
    "Messages API: a response, a request, a list of messages; Cline's `api_conversation_history.json` and the `.messages.json` of its command line",
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) =>
    head.some(isOwn) && head.every((value) => isOwn(value) || (isObject(value) && isOfTwo(value))),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const about = fields(value);
      const metadata = fields(about.metadata);
      const builder = sink.conversation(about.id ?? metadata.id ?? about.sessionId, agentOf(about));
      builder.title = text(about.title) ?? text(metadata.title);
      if (isResponse(value)) {
        readMessage(about, builder);
        continue;
      }
      const rest = without(about, 'messages', 'system', 'system_prompt');
      if (Object.keys(rest).length > 0 && !Array.isArray(value))
        builder.keep(builder.entry, 'conversation', rest);
      const system = about.system ?? about.system_prompt;
      const { message } = convertBlocks('system', system);
      if (system !== undefined && message) builder.message(builder.entry, message);
      const named = text(about.model) ?? text(metadata.model);
      let thoughts: Fields[] = [];
      for (const each of messagesOf(value)) {
        if (isThought(each)) thoughts.push(each);
        else if (isObject(each)) {
          readMessage(each, builder, { named, thoughts: isAnswer(each) ? thoughts : [] });
          if (isAnswer(each)) thoughts = [];
        } else builder.keep(builder.entry, 'unknown', each);
      }
      for (const thought of thoughts) builder.keep(builder.entry, 'reasoning', thought, timeIn(thought));
    }
  },
};

/** Whether a value has what only this API has. */
function isOwn(value: unknown): boolean {
  return isResponse(value) || isRequest(value) || isOfCline(value) || hasBlocks(messagesOf(value));
}

/** Whether nobody else speaks in a value than a person and a model, as in every request to this API. */
function isOfTwo({ messages }: Fields): boolean {
  const roles = objects(messages).map(({ role }) => writtenRole(role));
  return roles.length > 0 && roles.every((role) => role === 'user' || role === 'assistant');
}

/** Who answers: other companies' servers speak Anthropic's API too, and name their models. */
function agentOf(about: Fields): string {
  const { model, metadata } = about;
  if (isOfCline(about)) return 'Cline';
  const named = text(model) ?? text(fields(metadata).model);
  return named === undefined || /claude|anthropic/i.test(named) ? 'Claude' : 'assistant';
}

/** Whether a session is of Cline's command line, which tells of each answer which model gave it, and of which provider. */
function isOfCline(value: unknown): boolean {
  return objects(fields(value).messages).some(
    ({ modelInfo }) => text(fields(modelInfo).provider) !== undefined,
  );
}

function isResponse(value: unknown): boolean {
  return isObject(value) && value.type === 'message' && isAnswer(value) && Array.isArray(value.content);
}

/**
 * Whether a value is a request with a system prompt beside its messages, which no other API has. Without a model it is one where
 * nobody else speaks in it than there.
 */
function isRequest(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isSystem = typeof value.system === 'string' || Array.isArray(value.system);
  if (!isSystem) return false;
  return isOfTwo(value) || (typeof value.model === 'string' && objects(value.messages).some(isOfPerson));
}

const isOfPerson = ({ role }: Fields): boolean => writtenRole(role) === 'user';
const isAnswer = ({ role }: Fields): boolean => writtenRole(role) === 'assistant';

function messagesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : list(fields(value).messages);
}

function hasBlocks(messages: readonly unknown[]): boolean {
  return messages.some((message) =>
    objects(fields(message).content).some(({ type }) => typeof type === 'string' && BLOCKS.test(type)),
  );
}

/** Reasoning that stands before its answer in an entry of its own, as Roo keeps that of OpenAI's models. */
function isThought(value: unknown): value is Fields {
  const { type, role } = fields(value);
  return type === 'reasoning' && role === undefined;
}

/** What is known of an answer besides itself. */
interface AnswerExtras {
  /** The model that the whole names for its answers. */
  readonly named?: string | undefined;
  readonly thoughts?: readonly Fields[];
}

function readMessage(
  message: Fields,
  builder: ConversationBuilder,
  { named, thoughts = [] }: AnswerExtras = {},
): void {
  const { content, model, usage, modelInfo, metrics } = message;
  const role = writtenRole(message.role) ?? 'user';
  const isSaid = role === 'assistant';
  const by =
    text(model) ?? (isSaid ? (text(fields(modelInfo).modelId ?? fields(modelInfo).id) ?? named) : undefined);
  // Cline tells the price of an answer beside its tokens.
  const used = withCost(anthropicUsage(usage) ?? looseUsage(message), fields(metrics).cost);
  const thought = thoughts.flatMap(({ summary }) => objects(summary).map((part) => asText(part.text)));
  const all = messagesOfBlocks(role, content);
  const first = all.find(({ isResult }) => !isResult);
  const last = all.findLast(({ isResult }) => !isResult);
  for (const each of all) {
    const about = { time: timeIn(message), raw: message };
    if (each.isResult) {
      builder.message(builder.entry, each.message, { ...about, ...endedBy(each.ends) });
      continue;
    }
    const isFirst = each === first;
    const said = [...(isFirst ? thought : []), asText(each.message.reasoning_content)].filter(
      (it) => it !== '',
    );
    const reasoned = said.length > 0 ? { reasoning_content: said.join('\n') } : {};
    // The tokens of all that one request was answered stand at the end of it.
    const own = each === last ? used : used && NO_USAGE;
    const draft = builder.message(
      builder.entry,
      { ...each.message, ...reasoned },
      { ...about, model: by, usage: own },
    );
    if (isFirst) appendAll(draft.raws, thoughts);
  }
}
