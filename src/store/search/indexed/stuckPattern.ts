/** A test of one text that takes longer than this, in milliseconds, is assumed never to end. */
export const STUCK_MS = 450;

/** Tells a person why a search was stopped. */
export const STUCK =
  'This pattern takes too long on this text. Make it simpler: avoid repeats inside of repeats.';
