import { textOf, type ChatMessage, type ToolCall } from '../core/message.js';
import type { ModelRequest, ToolSpec } from '../ports/model.js';
import { picturesAfter } from './wirePictures.js';

/** The JSON of each message, made once: a history is sent again with every request. */
const messageTexts = { plain: new WeakMap<ChatMessage, string>(), extra: new WeakMap<ChatMessage, string>() };
/** The JSON of the message that shows the pictures of tools, by the last of their answers; '' where there are none. */
const pictureTexts = new WeakMap<ChatMessage, string>();
const toolTexts = new WeakMap<readonly ToolSpec[], string>();

/** Keys that some endpoints refuse; a request is then made without them. */
export const optionalKeys = ['stream_options', 'reasoning_effort'] as const;
export type OptionalKey = (typeof optionalKeys)[number];

/** What of an endpoint's settings goes into the body. */
export interface BodyOptions {
  readonly model: string;
  /** Sent as they are, instead of our own of the same key. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  readonly without: ReadonlySet<OptionalKey>;
  /** Whether what came with a tool call is sent back with it; others than its provider may refuse it. */
  readonly withExtra?: boolean;
  /** Whether the model is shown pictures; true where left out. */
  readonly withPictures?: boolean;
}

/** The JSON body of a streaming chat completion; what was serialised before is not serialised again. */
export function bodyOf(
  request: ModelRequest,
  { model, extraBody, without, withExtra = false, withPictures = true }: BodyOptions,
): string {
  const keys = new Map<string, string>([
    ['model', JSON.stringify(model)],
    ['messages', `[${textOfMessages(request.messages, withExtra, withPictures)}]`],
    ['stream', 'true'],
    ['stream_options', '{"include_usage":true}'],
  ]);
  if (request.tools.length > 0) keys.set('tools', textOfTools(request.tools));
  if (request.effort !== undefined) keys.set('reasoning_effort', JSON.stringify(request.effort));
  for (const key of without) keys.delete(key);
  for (const [key, value] of Object.entries(extraBody ?? {})) {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined && key !== 'messages' && key !== 'stream') keys.set(key, text);
  }
  return `{${[...keys].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

function textOfMessages(messages: readonly ChatMessage[], withExtra: boolean, withPictures: boolean): string {
  const texts = withExtra ? messageTexts.extra : messageTexts.plain;
  const jsonOf = (message: ChatMessage): string => {
    if (!withPictures && Array.isArray(message.content)) {
      return JSON.stringify(wireMessage({ ...message, content: textOf(message.content) }, withExtra));
    }
    let text = texts.get(message);
    if (text === undefined) {
      text = JSON.stringify(wireMessage(message, withExtra));
      texts.set(message, text);
    }
    return text;
  };
  if (!withPictures) return messages.map(jsonOf).join(',');
  return messages.map((message, at) => jsonOf(message) + textOfPictures(messages, at)).join(',');
}

/** What follows the answers of tools that end here, with a comma in front: their pictures. */
function textOfPictures(messages: readonly ChatMessage[], at: number): string {
  const last = messages[at];
  if (last?.role !== 'tool' || messages[at + 1]?.role === 'tool') return '';
  let text = pictureTexts.get(last);
  if (text === undefined) {
    const first = messages.findLastIndex(({ role }, index) => index < at && role !== 'tool') + 1;
    const pictures = picturesAfter(messages.slice(first, at + 1));
    text = pictures ? `,${JSON.stringify(pictures)}` : '';
    pictureTexts.set(last, text);
  }
  return text;
}

/** A message with the keys that the protocol knows and nothing else. */
function wireMessage(message: ChatMessage, withExtra: boolean): unknown {
  const { role, content, name, tool_calls: calls, tool_call_id: id } = message;
  if (role === 'tool') return { role, tool_call_id: id, content: textOf(content) };
  return {
    role: role === 'developer' ? 'system' : role,
    content,
    ...(name !== undefined && { name }),
    ...(calls && role === 'assistant' && { tool_calls: calls.map((call) => wireCall(call, withExtra)) }),
  };
}

function wireCall(
  { id, function: { name, arguments: text }, extra_content: extra }: ToolCall,
  withExtra: boolean,
) {
  const call = { id, type: 'function', function: { name, arguments: text } };
  return withExtra && extra !== undefined ? { ...call, extra_content: extra } : call;
}

function textOfTools(tools: readonly ToolSpec[]): string {
  let text = toolTexts.get(tools);
  if (text === undefined) {
    text = JSON.stringify(
      tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    );
    toolTexts.set(tools, text);
  }
  return text;
}
