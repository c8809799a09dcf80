import { endOfWord, ended } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import {
  asText,
  fields,
  number,
  objects,
  parsed,
  text,
  time,
  without,
  type Fields,
} from '../../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { addFailure } from '../../messages/failures.js';
import { SubagentCalls } from '../../messages/subagentCalls.js';
import { usageOf } from '../../messages/usage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** Cursor's own chats, as they are read from its database: what a chat is, and its messages, which Cursor calls bubbles. */
export const cursorChat: TranscriptFormat = {
  name: 'cursor-chat',
  of: 'Cursor',
  files: 'chats in `state.vscdb`, with those of their subagents',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'thinking'],
  detect: (head) => head.some(isChat),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const chat = fields(value);
      const builder = sink.conversation(chat.composerId, 'Cursor');
      builder.title = text(fields(chat.composer).name);
      new CursorChat(builder, sink).add(chat, builder.entry);
    }
  },
};

function isChat(value: unknown): boolean {
  const { composerId, composer, bubbles } = fields(value);
  return typeof composerId === 'string' && isObject(composer) && Array.isArray(bubbles);
}

/** How Cursor numbers who speaks. */
const USER = 1;
const ASSISTANT = 2;

class CursorChat {
  readonly #builder: ConversationBuilder;
  readonly #sink: ImportSink;

  constructor(builder: ConversationBuilder, sink: ImportSink) {
    this.#builder = builder;
    this.#sink = sink;
  }

  add(chat: Fields, callSite: CallSite): void {
    const { composer, bubbles, children } = chat;
    const about = without(fields(composer), 'conversation');
    this.#builder.keep(callSite, 'chat', about, time(about.createdAt));
    const starting = new SubagentCalls(/^(?:task|sub_?agent)/i);
    const model = text(fields(about.modelConfig).modelName);
    for (const bubble of objects(bubbles)) {
      if (bubble.isLeftOut === true) this.#builder.keep(callSite, 'left out', without(bubble, 'isLeftOut'));
      else this.#addBubble(bubble, callSite, model, starting);
    }
    for (const child of objects(children)) this.#addChild(child, callSite, starting);
  }

  #addChild(child: Fields, parent: CallSite, starting: SubagentCalls): void {
    const builder = this.#builder;
    const { subagentTypeName, toolCallId } = fields(fields(child.composer).subagentInfo);
    const asked = objects(child.bubbles).find(({ type }) => type === USER);
    const task = starting.take(text(asked?.text)?.trim(), text(toolCallId));
    const from = builder.length;
    const callSite = builder.dispatch(parent, text(subagentTypeName) ?? task?.agent ?? 'subagent', {
      task: task?.prompt ?? text(asked?.text),
      toolCallId: task?.id ?? text(toolCallId),
      time: task?.draft.time,
    });
    this.add(child, callSite);
    if (task) builder.moveBehind(task.draft, from);
  }

  #addBubble(
    bubble: Fields,
    callSite: CallSite,
    chatModel: string | undefined,
    starting: SubagentCalls,
  ): void {
    const { type, toolFormerData, thinking, tokenCount, modelInfo } = bubble;
    const builder = this.#builder;
    const at = time(bubble.createdAt) ?? time(fields(bubble.timingInfo).clientRpcSendTime);
    if (type !== USER && type !== ASSISTANT) {
      this.#sink.unknown(`messages of type ${asText(type)}`);
      builder.keep(callSite, 'message', bubble, at);
      return;
    }
    const call = fields(parsed(toolFormerData));
    const hasCall = type === ASSISTANT && text(call.name ?? call.tool) !== undefined;
    const reasoning = text(fields(parsed(thinking)).text);
    const said = text(bubble.text) ?? text(bubble.richText);
    if (said === undefined && reasoning === undefined && !hasCall) {
      builder.keep(callSite, 'message', bubble, at);
      return;
    }
    const id = text(call.toolCallId) ?? text(bubble.bubbleId);
    const input = parsed(call.rawArgs ?? call.params ?? {});
    const message = chatMessage(type === USER ? 'user' : 'assistant', said ?? (hasCall ? null : ''), {
      reasoning,
      calls: hasCall ? [toolCall(id, text(call.name) ?? asText(call.tool), input)] : [],
    });
    const tokens = fields(tokenCount);
    const [read, written] = [number(tokens.inputTokens) ?? 0, number(tokens.outputTokens) ?? 0];
    const draft = builder.message(callSite, message, {
      time: at,
      model: type === ASSISTANT ? (text(fields(modelInfo).modelName) ?? chatModel) : undefined,
      usage: read + written > 0 ? usageOf({ input: read, output: written, told: tokens }) : undefined,
      raw: bubble,
    });
    starting.note(draft, message);
    if (hasCall) this.#addResult(call, id, bubble, callSite, at);
    if (bubble.errorDetails !== undefined && bubble.errorDetails !== null)
      addFailure(builder, callSite, { kind: 'error', error: bubble.errorDetails, time: at, raw: undefined });
  }

  #addResult(
    call: Fields,
    id: string | undefined,
    bubble: Fields,
    callSite: CallSite,
    at: number | undefined,
  ): void {
    const builder = this.#builder;
    const toolName = text(call.name);
    const status = text(call.status);
    const decided = text(call.userDecision);
    if (id !== undefined && (decided === 'accepted' || decided === 'rejected'))
      builder.decide(
        callSite,
        {
          toolCallId: id,
          isApproved: decided === 'accepted',
          decidedBy: 'user',
          ...(toolName && { toolName }),
        },
        at,
      );
    const result = call.result ?? call.error;
    if (result === undefined && (status === undefined || /^(?:loading|pending|running)/.test(status))) return;
    builder.message(callSite, toolMessage(id, result === undefined ? (status ?? '') : asText(result)), {
      time: at,
      toolName,
      ...ended(endOfWord(status), decided === 'rejected' ? 'denied' : undefined),
      raw: bubble,
    });
  }
}
