/**
 * What is pushed of each record. `facts`: no texts, only who, when, which tools, how many tokens and what they cost.
 * `redacted`: its texts without secrets. `full`: its line as it is.
 */
export const ARCHIVE_MODES = ['facts', 'redacted', 'full'] as const;
/** See `ARCHIVE_MODES`, which stand in the order of how much they tell. */
export type ArchiveMode = (typeof ARCHIVE_MODES)[number];

/** What is pushed where nobody says. */
export const USUAL_MODE: ArchiveMode = 'redacted';

/** The mode that a text names; undefined where it names none. */
export function modeNamed(text: unknown): ArchiveMode | undefined {
  return ARCHIVE_MODES.find((mode) => mode === text);
}

/** The one that tells less. */
export function stricterMode(one: ArchiveMode, other: ArchiveMode): ArchiveMode {
  return ARCHIVE_MODES.indexOf(one) <= ARCHIVE_MODES.indexOf(other) ? one : other;
}
