import { answeredIdOf } from '../../query/numbers/transcriptItem.js';
import { isObject } from '../../core/message.js';
import type { Loses, OpenCalls } from './bridge.js';
import { knownParts, takeAnsweredId, takeCalls, type KnownPart } from './messageParts.js';
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

/** The blocks of a content, taken; a text of nothing but space is none, as the API has it. */
export function blocksOf(record: TakenRecord, isSaid = (text: string) => text.trim() !== ''): Block[] {
  const content = record.get(['message', 'content']);
  const blocks: Block[] = [];
  const known = new Map(Array.from(knownParts(record), ([part, at]) => [at[2] ?? 0, { part, at }] as const));
  for (const [index, part] of (Array.isArray(content) ? (content as unknown[]) : [content]).entries()) {
    const found = known.get(index);
    if (found) {
      if (found.part.kind === 'text' && !isSaid(found.part.text)) continue;
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
export function answerBlocks(record: TakenRecord, calls: OpenCalls): Block[] {
  const said = blocksOf(record);
  const made = takeCalls(record, calls.isFree);
  if (said.length + made.length > 0) calls.begin(made.map(({ id }) => id));
  return [...said, ...made.map(toolUse)];
}

/**
 * An answer that is followed by something, without the calls of which no result stands right behind it: the API refuses these with all that
 * stands around them. What of them is lost is told.
 */
export function withoutUnanswered(
  answer: readonly Block[],
  results: readonly Block[],
  loses: Loses,
): readonly Block[] {
  const answered = new Set(results.map((result) => result.tool_use_id));
  const isLost = ({ type, id }: Block) => type === 'tool_use' && !answered.has(id);
  const left = answer.filter((block) => !isLost(block));
  if (left.length === 0 && answer.length > 0) loses('message records');
  else
    for (const { input } of answer.filter(isLost)) {
      loses('message.tool_calls[].id');
      loses('message.tool_calls[].function.name');
      if (Object.keys(input ?? {}).length > 0) loses('message.tool_calls[].function.arguments');
    }
  return left;
}

function toolUse({ id, name, input = {} }: { id: string; name: string; input?: Block | undefined }): Block {
  return { type: 'tool_use', id, name, input };
}

/** The result of a tool call; undefined where its call does not stand right before it. */
export function resultOf(record: TakenRecord, calls: OpenCalls): Block | undefined {
  const message = record.get(['message']);
  const id = isObject(message) ? answeredIdOf(message) : '';
  if (!calls.answer(id)) return undefined;
  takeAnsweredId(record);
  record.take(['message', 'role']);
  const isError = record.take(['isError']) === true;
  const blocks = blocksOf(record, (text) => text !== '');
  const [only, ...more] = blocks;
  const content = only?.type === 'text' && more.length === 0 ? only.text : blocks;
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(blocks.length > 0 && { content }),
    ...(isError && { is_error: true }),
  };
}
