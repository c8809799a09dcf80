import { isObject, textOf } from '../../core/message.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { callsOf } from '../../query/numbers/toolCalls.js';
import type { FirstTrouble } from '../../query/numbers/whereItWentWrong.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import { restoreTexts } from '../../store/read/restoredRecords.js';
import type { McpLibrary } from './library.js';
import { decisionIn, type DecisionShape } from './messageShape.js';
import { shownId, shownName, shownText, shownTime } from './shown.js';

/** How many failures of a session are told with their words, the first ones. */
const MAX_FAILURES = 5;
/** How many characters of each. */
const WORDS = 400;
/** Of how many calls the tool and the decision are remembered, until their result comes. */
const REMEMBERED = 1_000;

/** What failed in a session. */
export interface FailureMatch {
  readonly position: number;
  readonly time: unknown;
  readonly text: string;
  readonly id?: string;
  readonly tool?: string;
  readonly approval?: DecisionShape;
}

/** The first failures of a session: of tools with what was decided about their calls, and errors. Without secrets. */
export async function failuresIn(
  library: McpLibrary,
  transcript: Transcript,
): Promise<readonly FailureMatch[]> {
  const found: FailureMatch[] = [];
  const tools = new Map<string, string>();
  const decided = new Map<string, DecisionShape>();
  for (let from = 0; from < transcript.length && found.length < MAX_FAILURES; from += 200) {
    library.signal.throwIfAborted();
    for (const [at, record] of (await transcript.read(from, from + 200)).entries()) {
      if (found.length === MAX_FAILURES) break;
      const decision = decisionIn(record);
      if (decision) decided.set(decision.of, decisionIn(library.clean(record))?.shape ?? decision.shape);
      const message = messageIn(record);
      for (const { id, name } of message ? callsOf(message) : [])
        if (tools.size < REMEMBERED) tools.set(id, name);
      const { isError, error, time } = record as { isError?: unknown; error?: unknown; time?: unknown };
      const { tool_call_id: id } = message ?? {};
      const position = from + at;
      if (message && isError === true) {
        const whole = messageIn(library.clean((await restoreTexts(record, transcript)).record)) ?? {};
        const tool = typeof id === 'string' ? tools.get(id) : undefined;
        const approval = typeof id === 'string' ? decided.get(id) : undefined;
        found.push({
          position,
          time,
          text: textOf(whole.content),
          ...(typeof id === 'string' && { id }),
          ...(tool !== undefined && { tool }),
          ...(approval && { approval }),
        });
      } else if (record.type === 'error' && isObject(error) && error.code !== 'compacted')
        found.push({
          position,
          time,
          text: typeof error.message === 'string' ? library.clean(error.message) : '',
        });
    }
  }
  return found;
}

/** A failure as it is told; `size` is as in `fitted`. */
export function failureShape(
  { position, time, text, id, tool, approval }: FailureMatch,
  size: number,
): object {
  return {
    position,
    ...shownTime('time', typeof time === 'number' ? time : 0),
    ...(id !== undefined && { id: shownId(id) }),
    ...(tool !== undefined && { tool: shownName(tool, size) }),
    ...shownText(text, Math.floor(WORDS * size)),
    ...(approval && { approval }),
  };
}

/** What went wrong first, as it is told. */
export function troubleShape(trouble: FirstTrouble, size: number): object {
  return Object.fromEntries(
    Object.entries(trouble).map(([key, value]) => [
      key,
      typeof value === 'string' && key !== 'kind' ? shownName(value, size) : (value as unknown),
    ]),
  );
}
