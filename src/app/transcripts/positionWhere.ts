import { isMessageRecord } from '../../core/record.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';

/** How many records are read at once. */
const PAGE = 500;

/** A call in a transcript, or one of its tool calls. */
export interface CallTarget {
  readonly call: string;
  readonly toolCallId?: string | undefined;
}

/**
 * The last position that belongs to a target: for a tool call, its dispatch or approval, else the message that made it;
 * for a call, its last message. Undefined where there is none. `isMeant` is called once per target.
 */
export async function positionWhere(
  transcript: Pick<Transcript, 'length' | 'read'>,
  isMeant: (target: CallTarget) => boolean,
): Promise<number | undefined> {
  const asked = new Map<string, boolean>();
  const isAsked = (target: CallTarget) => {
    const key = JSON.stringify([target.call, target.toolCallId]);
    const meant = asked.get(key) ?? isMeant(target);
    asked.set(key, meant);
    return meant;
  };
  for (let end = transcript.length; end > 0; end -= PAGE) {
    const start = Math.max(end - PAGE, 0);
    const page = await transcript.read(start, end);
    const at = page.findLastIndex((record) => targetsOf(record).some(isAsked));
    if (at >= 0) return start + at;
  }
  return undefined;
}

/** The targets that a record belongs to. */
function targetsOf(record: ReadRecord): readonly CallTarget[] {
  const { call } = record;
  if (isMessageRecord(record)) {
    const { message } = record;
    const asked = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    return [{ call }, ...asked.map(({ id }) => ({ call, toolCallId: id }))];
  }
  const isAbout = record.type === 'dispatch' || record.type === 'approval';
  const { toolCallId } = isAbout && 'toolCallId' in record ? record : {};
  return typeof toolCallId === 'string' ? [{ call, toolCallId }] : [];
}
