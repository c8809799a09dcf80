import * as vscode from 'vscode';
import { isObject, textOf, type ChatMessage, type ImagePart } from '../../../core/message.js';
import { picturesOf, pictureIn } from '../../../core/picture.js';
import type { Usage } from '../../../core/usage.js';
import { parsedBody } from '../../../agents/models/providerError.js';
import { usageIn } from '../../../agents/models/wireUsage.js';

/** A VS Code data part; opaque, because the types of the oldest supported VS Code do not declare it. */
type DataPart = object;

/** Converted pictures, cached because a history is sent again with every request. */
const known = new WeakMap<ImagePart, DataPart>();

/** Whether a model declares vision, and VS Code can pass pictures on. */
export function seesPictures(chat: vscode.LanguageModelChat): boolean {
  const capabilities: unknown = 'capabilities' in chat ? chat.capabilities : undefined;
  return isObject(capabilities) && capabilities.supportsImageToText === true && makeImage() !== undefined;
}

/** Pictures in VS Code's form; those that cannot be converted are left out. */
function toDataParts(pictures: readonly ImagePart[]): readonly DataPart[] {
  return pictures.flatMap((part) => {
    const made = known.get(part) ?? toDataPart(part);
    if (made) known.set(part, made);
    return made ?? [];
  });
}

function toDataPart(part: ImagePart): DataPart | undefined {
  const picture = pictureIn(part);
  if (!picture) return undefined;
  return makeImage()?.(Buffer.from(picture.base64, 'base64'), picture.mimeType);
}

/** VS Code's own factory for pictures, which exists since 1.104 but is not declared in its types. */
function makeImage(): ((data: Uint8Array, mimeType: string) => DataPart) | undefined {
  const type: unknown = Reflect.get(vscode, 'LanguageModelDataPart');
  if (typeof type !== 'function' || !('image' in type) || typeof type.image !== 'function') return undefined;
  const { image } = type;
  return (data, mimeType) => {
    const part: unknown = Reflect.apply(image, type, [data, mimeType]);
    return isObject(part) ? part : {};
  };
}

/**
 * Converts chat-completions messages to VS Code's form. VS Code has no system role, so system prompts become user
 * messages; tool results go into user messages, with their pictures if the model has vision.
 */
export function toLmMessages(
  messages: readonly ChatMessage[],
  withPictures: boolean,
): vscode.LanguageModelChatMessage[] {
  return messages.map((message) => toLmMessage(message, withPictures));
}

function toLmMessage(message: ChatMessage, withPictures: boolean): vscode.LanguageModelChatMessage {
  const text = textOf(message.content);
  if (message.role === 'tool') {
    const pictures = withPictures ? toDataParts(picturesOf(message.content)) : [];
    const content = [new vscode.LanguageModelTextPart(text), ...pictures];
    const result = new vscode.LanguageModelToolResultPart(message.tool_call_id ?? '', content);
    return vscode.LanguageModelChatMessage.User([result]);
  }
  if (message.role !== 'assistant') return vscode.LanguageModelChatMessage.User(text);
  const calls = (message.tool_calls ?? []).map(
    (call) =>
      new vscode.LanguageModelToolCallPart(call.id, call.function.name, inputOf(call.function.arguments)),
  );
  const said = text === '' && calls.length > 0 ? [] : [new vscode.LanguageModelTextPart(text)];
  return vscode.LanguageModelChatMessage.Assistant([...said, ...calls]);
}

/** The arguments of a call as an object; invalid ones, which were answered with an error, become an empty one. */
function inputOf(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The reasoning in a part of an answer; '' for every other part. */
export function thinkingIn(part: unknown): string {
  // VS Code has had this class since 1.104, but its types do not declare it yet.
  const type: unknown = Reflect.get(vscode, 'LanguageModelThinkingPart');
  if (typeof type !== 'function' || !(part instanceof type) || !isObject(part)) return '';
  const { value } = part;
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string').join('');
  return typeof value === 'string' ? value : '';
}

/** The usage in a data part, which Copilot and some others send at the end of an answer; undefined for other parts. */
export function usageInPart(part: unknown): Usage | undefined {
  if (!isObject(part) || part.mimeType !== 'usage' || !(part.data instanceof Uint8Array)) return undefined;
  return usageIn(parsedBody(new TextDecoder().decode(part.data)));
}
