/** The person left a dialog or a picker, or pressed Cancel: what they had asked for ends silently. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';

  /** The message is for surfaces that cannot stay silent, like an answer of the Chat view. */
  constructor(message = 'Cancelled.') {
    super(message);
  }
}
