import * as vscode from 'vscode';
import { isObject } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import { parsedBody } from '../../models/providerError.js';
import { usageIn } from '../../models/wireUsage.js';

/** The reasoning in a part of an answer; '' for every other part. */
export function thoughtIn(part: unknown): string {
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
