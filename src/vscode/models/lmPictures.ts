import * as vscode from 'vscode';
import { isObject, type ImagePart } from '../../core/message.js';
import { pictureIn } from '../../core/picture.js';

/** A part of data as VS Code takes it in a message; opaque, for the types of the oldest VS Code know none. */
type DataPart = object;

/** Each picture in VS Code's form, made once: a history is sent again with every request. */
const known = new WeakMap<ImagePart, DataPart>();

/** Whether a model says that it sees pictures, and VS Code can pass them on. */
export function seesPictures(chat: vscode.LanguageModelChat): boolean {
  const capabilities: unknown = 'capabilities' in chat ? chat.capabilities : undefined;
  return isObject(capabilities) && capabilities.supportsImageToText === true && makeImage() !== undefined;
}

/** Pictures in VS Code's form; those that cannot be had in it are left out. */
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

/** VS Code's own maker of pictures. It is there since 1.104, whose types do not tell of it. */
function makeImage(): ((data: Uint8Array, mimeType: string) => DataPart) | undefined {
  const type: unknown = Reflect.get(vscode, 'LanguageModelDataPart');
  if (typeof type !== 'function' || !('image' in type) || typeof type.image !== 'function') return undefined;
  const { image } = type;
  return (data, mimeType) => {
    const part: unknown = Reflect.apply(image, type, [data, mimeType]);
    return isObject(part) ? part : {};
  };
}
