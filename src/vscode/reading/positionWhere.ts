import { isMessageRecord } from '../../core/record.js';
import type { ReadRecord, Transcript } from '../../ports/transcript.js';

/** How many records are read at once. */
const PAGE = 500;

/** A call in a transcript, or what was done for one of its tool calls. */
export interface CallTarget {
  readonly call: string;
  readonly toolCallId?: string | undefined;
}

/**
 * Where a transcript tells of what is meant, the last such place: the dispatch or the approval of a tool call, else the
 * message that asked for it; for a call, its last message. Undefined where there is none. A target is asked about once.
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

/** What a record tells of. */
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
