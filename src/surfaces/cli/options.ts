import { ROW_KINDS } from '../../query/language/syntax.js';
import { ARCHIVE_SOURCE, FROM_TOOLS } from '../../app/sources/fromTools.js';
import type { Argument, Option } from './command.js';

/** What every command has. */
export const HELP: Option = {
  name: 'help',
  short: 'h',
  value: { kind: 'none' },
  text: 'show how this command is used',
};

/** What everything that is written for people has. */
export const COLOR: Option = {
  name: 'color',
  value: { kind: 'choice', of: ['auto', 'always', 'never'], name: 'WHEN' },
  text: 'whether there are colours: on a terminal without NO_COLOR, always or never',
};

/** In which form a page is written. */
export const PAGE_FORMAT: Option = {
  name: 'format',
  value: { kind: 'choice', of: ['text', 'markdown', 'html'], name: 'FORMAT' },
  text: 'for a terminal, a pull request or a browser; text where nothing else is said',
};

/** How many lines are left of a session. */
export const KEPT: Option = {
  name: 'kept',
  value: { kind: 'none' },
  text: 'also how many of the lines that a session put into files are proved to stand there still; all sessions are read for that',
};

/** Git is not asked. */
export const NO_GIT: Option = {
  name: 'no-git',
  value: { kind: 'none' },
  text: 'do not ask git for the history of files',
};

/** What is recorded is not sealed. */
export const NO_SEALS: Option = {
  name: 'no-seals',
  value: { kind: 'none' },
  text: 'do not seal what is recorded: verify can say nothing of it',
};

/** Secrets stay as they are. */
export const RAW: Option = {
  name: 'raw',
  value: { kind: 'none' },
  text: 'leave secrets as they are; otherwise something like [REDACTED:aws-key:1] is written in their place',
};

/** What is left out besides secrets. */
export const POLICY: Option = {
  name: 'policy',
  value: { kind: 'text', name: 'FILE', isFile: true },
  text: 'names, patterns and kinds that are left out or left in; see docs/sharing.md',
};

/** A line of JSON for each thing. */
export const JSON_LINES: Option = {
  name: 'json',
  value: { kind: 'none' },
  text: 'write a line of JSON for each thing, for programs',
};

/** Where ids are looked for. */
export const STORE: Option = {
  name: 'store',
  value: { kind: 'text', name: 'FOLDER', isFile: true },
  text: 'the store, or the workspace that holds it; otherwise the nearest one around this folder',
};

/** Sessions of other tools, where these keep them. */
export const FROM: Option = {
  name: 'from',
  value: { kind: 'choice', of: [...FROM_TOOLS, ARCHIVE_SOURCE], name: 'TOOL' },
  text: 'the sessions that a tool keeps on this machine, or archive: those of the archive, instead of those of the store; naming a tool allows that its folders are read',
};

/** Where the archive is. */
export const ARCHIVE: Option = {
  name: 'archive',
  value: { kind: 'text', name: 'ADDRESS' },
  text: 'the archive, as postgres://USER@HOST:5432/DATABASE; AGENT_LOGBOOK_ARCHIVE where nothing else is said, and its password is in AGENT_LOGBOOK_ARCHIVE_PASSWORD',
};

/** One session of several. */
export const SESSION: Option = {
  name: 'session',
  value: { kind: 'text', name: 'ID' },
  text: 'only the session with this id, where a file or a store holds several',
};

/** A person's own prices. */
export const PRICES: Option = {
  name: 'prices',
  value: { kind: 'text', name: 'FILE', isFile: true },
  text: 'your own prices, which count before the bundled table',
};

/** In which days are days. */
export const TIME_ZONE: Option = {
  name: 'time-zone',
  value: { kind: 'text', name: 'ZONE' },
  text: 'where days begin and end, such as Europe/Berlin; otherwise where this computer is',
};

/** The same for UTC, as its users type it. */
export const UTC: Option = {
  name: 'utc',
  value: { kind: 'none' },
  text: 'days begin and end in UTC, as with --time-zone UTC',
  insteadOf: TIME_ZONE.name,
};

/** A question for messages. */
export const WHERE: Option = {
  name: 'where',
  short: 'w',
  value: { kind: 'text', name: 'QUESTION' },
  text: 'only messages that match a question',
};

/** Fails where something was found. */
export const FAIL_ON_MATCH: Option = {
  name: 'fail-on-match',
  value: { kind: 'none' },
  text: 'end with 1 where anything matches, so that a check in CI fails',
};

/** Fails where nothing was found. */
export const FAIL_IF_NONE: Option = {
  name: 'fail-if-none',
  value: { kind: 'none' },
  text: 'end with 1 where nothing matches',
};

/** The most that is written. */
export function limit(what: string, short?: string): Option {
  return {
    name: 'limit',
    ...(short !== undefined && { short }),
    value: { kind: 'number', least: 0, name: 'NUMBER' },
    text: `at most so many ${what}`,
  };
}

/** What a person may name: any number of sources. */
export const SOURCES: Argument = {
  name: 'SOURCE',
  isOptional: true,
  isMany: true,
  isFile: true,
  text: 'a transcript file of any known tool, a folder with a store, the id of a conversation or its beginning, latest, or - for standard input; without any, all conversations of the store',
};

/** The same, of which one session is wanted. */
export const ONE_SOURCE: Argument = {
  name: 'SOURCE',
  isOptional: true,
  isFile: true,
  text: 'a transcript file of any known tool, the id of a conversation or its beginning, latest, or - for standard input; without one, the latest conversation of the store',
};

export const QUESTION: Argument = {
  name: 'QUESTION',
  text: 'what is looked for, in the language of docs/query.md; the same as in the panel and in Logbook Search',
};

export const ROWS: Option = {
  name: 'rows',
  value: { kind: 'choice', of: ROW_KINDS, name: 'KIND' },
  text: 'what is asked for; messages where nothing else is said',
};

export const FULL: Option = {
  name: 'full',
  short: 'f',
  value: { kind: 'none' },
  text: 'write texts whole, however long they are',
};
