/** After how long without a line nothing more is expected of what was said last in a file that is being written, in milliseconds. */
export const QUIET_MS = 3_000;
