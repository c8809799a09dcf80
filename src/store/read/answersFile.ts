import { isObject } from '../../core/message.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { loadChecked, saveChecked } from './checkedFile.js';
import type { LineIndex } from './lineIndex.js';

/** The version of the file: JSON with a checksum behind it. */
const VERSION = 4;

/** What the answers are of, and who made them. */
interface Head {
  readonly version: typeof VERSION;
  /** Of whom: the program that worked them out, and what it counted with. */
  readonly by: string;
  /** Of how many records, and a number made of their lines, see `LineIndex.markOf`. */
  readonly length: number;
  readonly mark: number;
}

/**
 * Stores answers about a whole conversation beside its journal, of which the index knows all lines. They must be plain JSON.
 * Throws errors of the file system.
 */
export async function saveAnswers(
  paths: ConversationPaths,
  index: LineIndex,
  by: string,
  answers: object,
): Promise<void> {
  const length = index.size;
  const head: Head = { version: VERSION, by, length, mark: index.markOf(length) };
  await saveChecked(paths.views, [Buffer.from(JSON.stringify({ ...head, answers }))]);
}

/**
 * The answers stored beside a journal; undefined where there are none, or they are damaged, of other lines or of more or
 * fewer of them, or made by somebody else. Throws errors of the file system.
 */
export async function loadAnswers(paths: ConversationPaths, index: LineIndex, by: string): Promise<unknown> {
  const bytes = await loadChecked(paths.views);
  if (!bytes) return undefined;
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isObject(value) || value.version !== VERSION || value.by !== by) return undefined;
  if (value.length !== index.size || value.mark !== index.markOf(index.size)) return undefined;
  return value.answers;
}
