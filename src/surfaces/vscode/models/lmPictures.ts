import * as vscode from 'vscode';
import { isObject, type ImagePart } from '../../../core/message.js';
import { pictureIn } from '../../../core/picture.js';

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
export function toDataParts(pictures: readonly ImagePart[]): readonly DataPart[] {
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
