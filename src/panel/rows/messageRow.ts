import { isObject } from '../../core/message.js';
import type { MessageRow } from '../../protocol/row.js';
import { messageIn, type UntypedMessage } from '../../analysis/transcriptItem.js';
import { clipName, numberOr, textOr } from '../../analysis/values.js';
import { imageUrlOf, MAX_PARTS, partsOf } from './messageParts.js';
import { imagesOf } from './rowImages.js';
import { cutField, fieldOf } from './rowFields.js';
import { MAX_BODY, MAX_FIELD, requestFacts, rowPlace } from './rowPlace.js';
import type { RowSources } from './rowSources.js';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const PARTIAL: ReadonlySet<unknown> = new Set(['error', 'cancelled', 'length']);

/** The row of a chat message; its tool calls have rows of their own. */
export function messageRow(sources: RowSources): MessageRow {
  const { record, request } = sources;
  const message = messageIn(record) ?? {};
  const parts = partsOf(message).slice(0, MAX_PARTS);
  const name = clipName(message.role === 'tool' ? (message.name ?? record.toolName) : message.name);
  const durationMs = numberOr(record.durationMs ?? request?.durationMs);
  return {
    kind: 'message',
    ...rowPlace(sources),
    role: roleOf(message),
    ...(name !== '' && { name }),
    body: cutField(fieldOf(sources, 'body'), MAX_BODY),
    ...optionalTexts(sources, message),
    images: imagesOf(record),
    otherParts: parts.flatMap(otherPartOf),
    ...requestFacts(sources),
    ...(durationMs !== undefined && { durationMs }),
    ...(PARTIAL.has(record.partial) && { partial: record.partial as 'error' }),
    ...(message.role === 'tool' && { orphan: true }),
  };
}

/** The role of a message; an unknown one is shown like a user's. */
function roleOf(message: UntypedMessage): MessageRow['role'] {
  return ROLES.has(message.role) ? (message.role as MessageRow['role']) : 'user';
}

function optionalTexts(sources: RowSources, message: UntypedMessage) {
  return {
    ...(textOr(message.reasoning_content) !== '' && {
      reasoning: cutField(fieldOf(sources, 'reasoning'), MAX_FIELD),
    }),
    ...(textOr(message.refusal) !== '' && { refusal: cutField(fieldOf(sources, 'refusal'), MAX_FIELD) }),
  };
}

function otherPartOf(part: unknown): string[] {
  if (isObject(part) && (part.type === 'text' || imageUrlOf(part) !== undefined)) return [];
  return [(isObject(part) && clipName(part.type)) || 'unknown'];
}
