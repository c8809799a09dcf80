import { TOOL_IDS, type OptInToolId } from '../../import/toolHomes.js';

/** The word for the sessions of every tool. */
export const ALL_TOOLS = 'all';

/** A tool whose sessions on this machine are meant, or all of them. */
export type FromTools = OptInToolId | typeof ALL_TOOLS;

/** The word for the conversations of a team's archive. */
export const ARCHIVE_SOURCE = 'archive';

/** What a person may name, the word for all first. */
export const FROM_TOOLS: readonly FromTools[] = [ALL_TOOLS, ...TOOL_IDS];
