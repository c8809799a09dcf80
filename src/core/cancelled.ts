/** The person left a dialog or a picker, or pressed Cancel: what they had asked for ends silently. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';

  /** The message is for surfaces that cannot stay silent, like an answer of the Chat view. */
  constructor(message = 'Cancelled.') {
    super(message);
  }
}

/** How a record says that a person stopped the run; where its outcome says so too, these words add nothing. */
export const STOPPED_WORDS = 'The run was stopped.';
