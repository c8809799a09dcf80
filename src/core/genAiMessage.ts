import { isObject } from './message.js';
import { pictureIn } from './picture.js';

/** An object as JSON has it. */
type Fields = Readonly<Record<string, unknown>>;

/** A message as OpenTelemetry's conventions for generative AI have it: who speaks, and parts of kinds that they name. */
export interface GenAiMessage {
  readonly role: string;
  readonly parts: readonly Fields[];
  readonly name?: string;
  /** Of an answer; deprecated in later versions of the conventions. */
  readonly finish_reason?: string;
}

/** How deep values are compared. */
const MAX_DEPTH = 200;

/** A chat message in the form of the conventions. What they have no form for is written as it is; nothing throws. */
export function genAiMessageOf(message: Fields): GenAiMessage {
  const { role, name, content } = message;
  return {
    role: typeof role === 'string' ? role : 'unknown',
    parts:
      role === 'tool'
        ? [responsePart(message)]
        : [...thoughts(message), ...said(content), ...called(message)],
    ...(typeof name === 'string' && { name }),
  };
}

/** A chat message from the form of the conventions; `isList`: its content is a list also where that is one text. */
export function chatMessageOf({ role, parts, name }: GenAiMessage, isList = false): Fields {
  const named = typeof name === 'string' ? { name } : {};
  const response = parts.find(({ type }) => type === 'tool_call_response');
  if (role === 'tool' && response)
    return { role, ...named, tool_call_id: response.id, content: response.response };
  const content = parts.filter(({ type }) => type !== 'reasoning' && type !== 'tool_call').map(contentPart);
  const thought = parts.find(({ type }) => type === 'reasoning');
  const calls = parts.filter(({ type }) => type === 'tool_call').map(toolCall);
  return {
    role,
    ...named,
    content: isList ? content : textOnly(content),
    ...(thought && { reasoning_content: thought.content }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** How a message differs from what is read of its other form: fields to set, and fields that it has not. */
export interface MessageDifference {
  readonly set?: Fields;
  readonly without?: readonly string[];
}

/** What has to be kept beside the other form of a message so that the message can be read of it exactly; undefined: nothing. */
export function differenceOf(message: Fields, read: Fields): MessageDifference | undefined {
  const set = Object.entries(message).filter(
    ([key, value]) => value !== undefined && !(Object.hasOwn(read, key) && isSame(value, read[key], 0)),
  );
  const without = Object.keys(read).filter(
    (key) => read[key] !== undefined && (!Object.hasOwn(message, key) || message[key] === undefined),
  );
  if (set.length + without.length === 0) return undefined;
  return {
    ...(set.length > 0 && { set: Object.fromEntries(set) }),
    ...(without.length > 0 && { without }),
  };
}

/** A message with what was kept beside it. */
export function withDifference(read: Fields, { set, without = [] }: MessageDifference): Fields {
  const kept = Object.entries(read).filter(([key]) => !without.includes(key));
  return { ...Object.fromEntries(kept), ...set };
}

/** Arguments as an object where that is written as they are, else the text. */
export function argumentsValue(written: unknown): unknown {
  if (typeof written !== 'string') return written;
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) && JSON.stringify(value) === written ? value : written;
  } catch {
    // Models do write arguments that are not JSON.
    return written;
  }
}

function responsePart({ tool_call_id: id, content }: Fields): Fields {
  return { type: 'tool_call_response', ...(typeof id === 'string' && { id }), response: content ?? null };
}

function thoughts({ reasoning_content: content }: Fields): readonly Fields[] {
  return typeof content === 'string' && content !== '' ? [{ type: 'reasoning', content }] : [];
}

function said(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }];
  if (!Array.isArray(content)) return [];
  return (content as unknown[]).filter(isObject).map((part) => {
    if (part.type === 'text' && typeof part.text === 'string') {
      const { text, ...rest } = part;
      return { ...rest, content: text };
    }
    const picture = pictureIn(part);
    if (picture && Object.keys(part).length === 2 && Object.keys(part.image_url as object).length === 1)
      return { type: 'blob', mime_type: picture.mimeType, modality: 'image', content: picture.base64 };
    const { image_url: image } = part;
    const { url } = isObject(image) ? image : {};
    const isLink = typeof url === 'string' && /^https?:/i.test(url);
    if (part.type === 'image_url' && isLink && isObject(image) && Object.keys(part).length === 2)
      return { ...image, url: undefined, type: 'uri', modality: 'image', uri: url };
    return typeof part.type === 'string' ? part : { type: 'unknown', ...part };
  });
}

function contentPart(part: Fields): Fields {
  if (part.type === 'text' && 'content' in part) {
    const { content, ...rest } = part;
    return { ...rest, text: content };
  }
  if (part.type === 'blob' && part.modality === 'image' && typeof part.mime_type === 'string')
    return {
      type: 'image_url',
      image_url: { url: `data:${part.mime_type};base64,${String(part.content)}` },
    };
  if (part.type === 'uri' && part.modality === 'image') {
    const image = Object.entries(part).filter(([key]) => !['type', 'modality', 'uri'].includes(key));
    return { type: 'image_url', image_url: { url: part.uri, ...Object.fromEntries(image) } };
  }
  return part;
}

function textOnly(content: readonly Fields[]): unknown {
  const [only, ...others] = content;
  if (!only) return null;
  const isText = others.length === 0 && only.type === 'text' && Object.keys(only).length === 2;
  return isText ? only.text : content;
}

function called({ tool_calls: calls }: Fields): readonly Fields[] {
  if (!Array.isArray(calls)) return [];
  return (calls as unknown[]).filter(isObject).map(({ id, function: about, ...rest }) => {
    const { name, arguments: written } = isObject(about) ? about : ({} as Fields);
    return {
      ...rest,
      type: 'tool_call',
      ...(id !== undefined && { id }),
      name: typeof name === 'string' ? name : '',
      ...(written !== undefined && { arguments: argumentsValue(written) }),
    };
  });
}

function toolCall({ id, name, arguments: given, ...more }: Fields): Fields {
  const written = typeof given === 'string' || given === undefined ? given : JSON.stringify(given);
  return {
    ...more,
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name, ...(written !== undefined && { arguments: written }) },
  };
}

function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at], depth + 1));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = definedKeys(a);
  return (
    keys.length === definedKeys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key], depth + 1))
  );
}

const definedKeys = (value: Fields) => Object.keys(value).filter((key) => value[key] !== undefined);
