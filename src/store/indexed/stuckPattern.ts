/** A text that is tested for longer than this is tested by a pattern that may never end, in milliseconds. */
export const STUCK_MS = 450;

/** Tells a person why a search with such a pattern was ended. */
export const STUCK =
  'This pattern takes too long on this text. Make it simpler: avoid repeats inside of repeats.';
