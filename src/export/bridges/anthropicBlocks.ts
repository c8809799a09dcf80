import { isObject } from '../../core/message.js';
import { knownParts, takeCalls, type KnownPart } from './messageParts.js';
import type { TakenRecord } from './takenRecord.js';

/** A block of a message, or of a tool's result. */
export type Block = Readonly<Record<string, unknown>>;

/** The kinds of blocks that only this API has, so that a record of one came from there. */
const OWN_BLOCKS: ReadonlySet<unknown> = new Set(['document', 'search_result', 'redacted_thinking']);

/** What a model thought, taken. Whoever checks the signature of a thought finds that this one has none. */
export function thoughtsOf(record: TakenRecord): Block[] {
  const thinking = record.get(['message', 'reasoning_content']);
  if (typeof thinking !== 'string' || thinking === '') return [];
  record.take(['message', 'reasoning_content']);
  return [{ type: 'thinking', thinking, signature: '' }];
}

/** The blocks of a content, taken; an empty text is none, as the API has it. */
export function blocksOf(record: TakenRecord): Block[] {
  const content = record.get(['message', 'content']);
  const blocks: Block[] = [];
  const known = new Map(Array.from(knownParts(record), ([part, at]) => [at[2] ?? 0, { part, at }] as const));
  for (const [index, part] of (Array.isArray(content) ? (content as unknown[]) : [content]).entries()) {
    const found = known.get(index);
    if (found) {
      if (found.part.kind === 'text' && found.part.text === '') continue;
      record.take(found.at);
      blocks.push(blockOf(found.part));
    } else if (isObject(part) && OWN_BLOCKS.has(part.type)) {
      record.take(['message', 'content', index]);
      blocks.push(part);
    }
  }
  return blocks;
}

function blockOf(part: KnownPart): Block {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'picture': {
      const { mimeType, base64 } = part.picture;
      return { type: 'image', source: { type: 'base64', media_type: mimeType, data: base64 } };
    }
    case 'linkedPicture':
      return { type: 'image', source: { type: 'url', url: part.url } };
  }
}

/** What a model said and which tools it called, taken. */
export function answerBlocks(record: TakenRecord): Block[] {
  return [...blocksOf(record), ...takeCalls(record).map(toolUse)];
}

function toolUse({ id, name, input = {} }: { id: string; name: string; input?: Block | undefined }): Block {
  return { type: 'tool_use', id, name, input };
}

/** The result of a tool call; undefined where it says of which call it is not. */
export function resultOf(record: TakenRecord): Block | undefined {
  const id = record.get(['message', 'tool_call_id']);
  if (typeof id !== 'string') return undefined;
  record.take(['message', 'role']);
  record.take(['message', 'tool_call_id']);
  const isError = record.take(['isError']) === true;
  const blocks = blocksOf(record);
  const [only, ...more] = blocks;
  const content = only?.type === 'text' && more.length === 0 ? only.text : blocks;
  return {
    ...{ type: 'tool_result', tool_use_id: id },
    ...(blocks.length > 0 && { content }),
    ...(isError && { is_error: true }),
  };
}
