import type { CallState } from '../../src/core/record.js';
import { message, type Message } from '../../src/core/l10n.js';

/** What a number is called, and what is counted in it, for its tooltip. */
export interface NumberWords {
  readonly label: Message;
  readonly title: Message;
}

/** What models used: the same tokens in the header, the tables and the list of transcripts. */
export const USED: NumberWords = {
  label: message`Tokens`,
  title: message`Tokens used, in and out, as the provider reported them with each request. ≈: nobody reported any, so each text is estimated once, by its length`,
};

/** How much was said: each text counts once, however often a model read it again. */
export const TEXT: NumberWords = {
  label: message`Text`,
  title: message`The size of the messages themselves in tokens, each counted once. What a model reads again with each request is not in it, so this is less than the tokens used. ≈ where it is estimated`,
};

/** What counts as an error. */
export const ERRORS = message`Failed tool calls and requests, refused dispatches, answers cut off by an error, and calls that failed or hit a limit: the rows that the filter “Errors” shows. What was denied or stopped is counted apart`;

/** What counts as running time. */
export const RUNNING = message`From each prompt to the end of the work on it, without the pauses between`;

/** What counts as active time, and as the span. */
export const ACTIVE = message`The time between records, but for gaps of more than five minutes; of such a gap only so much as a tool or a request says that it took`;
export const SPAN = message`From the first record of work to the last one`;

/** What became of tool calls that did not come to their end as they should. */
export const STATES: Readonly<Record<CallState, NumberWords>> = {
  failed: { label: message`failed calls`, title: message`Tool calls that failed` },
  denied: {
    label: message`denied calls`,
    title: message`Tool calls that were not allowed. They are no errors`,
  },
  cancelled: {
    label: message`cancelled calls`,
    title: message`Tool calls that were stopped. They are no errors`,
  },
  timedOut: {
    label: message`calls timed out`,
    title: message`Tool calls that took too long. They count as errors`,
  },
  open: { label: message`open calls`, title: message`Tool calls of which no end is recorded` },
};

/** What requests cost: the same money in the header, the tables, the rows and the exports. */
export const COST: NumberWords = {
  label: message`Cost`,
  title: message`In US dollars: what the source recorded, else the recorded tokens at the prices of that day. ≈: some of it is estimated. ≥: at least so much, because the cost of some requests is unknown`,
};

/** The cost of an agent with that of the calls that it dispatched. */
export const WHOLE_COST: NumberWords = {
  label: message`With subagents`,
  title: message`What its calls cost together with all calls below them. Only the column “Cost” adds up to the whole`,
};
