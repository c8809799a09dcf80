import { callsOf, rawArgumentsOf } from '../../query/numbers/toolCalls.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import { textOf } from '../../core/message.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { loadPrices } from '../../query/pricing/loadPrices.js';
import { restoreTexts } from '../../store/read/restoredRecords.js';
import type { McpLibrary } from './library.js';
import { costOfMessage, decisionIn, outcomeShape } from './messageShape.js';
import { isMeant, shownName, shownTime } from './shown.js';

/** A tool call as it was recorded, without secrets. */
export interface CallMatch {
  readonly id: string;
  readonly position: number;
  readonly tool: string | undefined;
  readonly input: string;
  /** Who made it, when, what that cost and what was decided, as it is told. */
  readonly about: object;
  readonly result?: { readonly position: number; readonly text: string; readonly isError: boolean };
}

/** The call with an id, its decision and its result; undefined where the transcript has none. */
export async function callIn(
  library: McpLibrary,
  transcript: Transcript,
  wanted: string,
): Promise<CallMatch | undefined> {
  let made: CallMatch | undefined;
  const prices = await loadPrices();
  for (let from = 0; from < transcript.length; from += 200) {
    library.signal.throwIfAborted();
    for (const [at, record] of (await transcript.read(from, from + 200)).entries()) {
      const decision = made && decisionIn(library.clean(record));
      if (made && decision && isMeant(wanted, decision.of))
        made = { ...made, about: { ...made.about, approval: decision.shape } };
      const message = messageIn(record);
      if (!message) continue;
      const order = callsOf(message).findIndex(({ id }) => isMeant(wanted, id));
      const { tool_call_id: answered } = message;
      const isResult = made !== undefined && typeof answered === 'string' && isMeant(wanted, answered);
      if (order < 0 && !isResult) continue;
      const whole = messageIn(library.clean((await restoreTexts(record, transcript)).record)) ?? {};
      const position = from + at;
      if (made && isResult) {
        const isError = (record as { isError?: unknown }).isError === true;
        const outcome = { ...shownTime('time', record.time), ...outcomeShape(record) };
        return { ...made, result: { position, text: textOf(whole.content), isError, ...outcome } };
      }
      const call = callsOf(whole)[order];
      const { agent } = record;
      const about = {
        ...(typeof agent === 'string' && { agent: shownName(library.clean(agent)) }),
        ...shownTime('time', record.time),
        ...costOfMessage(record, prices),
      };
      made = { id: wanted, position, tool: call?.name, input: rawArgumentsOf(call?.input), about };
    }
  }
  return made;
}
