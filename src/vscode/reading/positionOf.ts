import type { ReadRecord, Transcript } from '../../ports/transcript.js';

/** How many records are read at once. */
const PAGE = 500;

/** A call in a transcript, or what was done for one of its tool calls. */
export interface CallTarget {
  readonly call: string;
  readonly toolCallId?: string | undefined;
}

/**
 * Where a transcript tells of it: the dispatch or the approval of the tool call, else the last message of the call;
 * undefined where there is neither.
 */
export async function positionOf(
  transcript: Pick<Transcript, 'length' | 'read'>,
  { call, toolCallId }: CallTarget,
): Promise<number | undefined> {
  const { length } = transcript;
  for (let end = length; end > 0; end -= PAGE) {
    const start = Math.max(end - PAGE, 0);
    const page = await transcript.read(start, end);
    const at = page.findLastIndex((record) => record.call === call && isAbout(record, toolCallId));
    if (at >= 0) return start + at;
  }
  return toolCallId === undefined ? undefined : positionOf(transcript, { call });
}

function isAbout(record: ReadRecord, toolCallId: string | undefined): boolean {
  if (toolCallId === undefined) return record.type === 'message';
  if (record.type !== 'dispatch' && record.type !== 'approval') return false;
  return 'toolCallId' in record && record.toolCallId === toolCallId;
}
