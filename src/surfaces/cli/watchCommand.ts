import type { Command, Example, Option } from './command.js';
import { KEPT } from './blameCommand.js';
import { JSON_LINES, limit, NO_GIT, SOURCES } from './options.js';

/** A session of a tool, as `list` and `watch` write it. */
const FOUND_SHAPE =
  'found (with --from): session, title, source (the tool), project, file, agents, model, changed (when it was last written to), messages, messagesEstimated, state (waiting: for an answer of yours, working, limited, finished, broken: ended without an answer, idle, gone or unknown), isLive, reason, since, knownFrom (registry, record or silence), words, tool, command, until, quietMs, marks (stalled, looping, context), context (used and, where it is told, window, in tokens), bytes';

/** Asks for those that are live. */
const LIVE: Option = {
  name: 'live',
  value: { kind: 'none' },
  text: 'only those that work, wait or have an open process, who needs you first; asked of the sessions of tools (--from)',
};

const LIVE_EXAMPLE: Example = {
  line: 'agent-logbook list --live --from all',
  text: 'what works, waits or is idle now, who needs you first',
};

/** Listing sessions, with the options that every command ends with. */
export const listCommand = (general: readonly Option[]): Command => ({
  name: 'list',
  summary: 'List sessions, the newest first',
  details: [
    'Of the sessions that a tool keeps (--from), only the beginning and the end of each file are read, so that messages are estimated there (~).',
  ],
  args: [SOURCES],
  options: [limit('sessions', 'n'), LIVE, KEPT, NO_GIT, JSON_LINES, ...general],
  examples: [
    { line: 'agent-logbook list -n 10', text: 'the ten latest conversations of this workspace' },
    { line: 'agent-logbook list ~/sessions/*.jsonl', text: 'what some transcript files hold' },
    {
      line: 'agent-logbook list --kept',
      text: 'how many of the lines that each session wrote still stand in files',
    },
    { line: 'agent-logbook list -n 20 --from claude-code', text: 'the latest sessions of Claude Code' },
    LIVE_EXAMPLE,
  ],
  shapes: [
    'session: session (its id), title, source (the tool that recorded it), project, file, agents, startedAt, endedAt, messages, runs, recordedHere, tokens, tokensEstimated, state, scripted, goesOnFrom (the run that it goes on from), damaged, bytes; with --kept linesPut (lines that its edits put into files) and linesKept (how many of them still stand there)',
    FOUND_SHAPE,
  ],
});

/** Showing what live sessions do, with the options that every command ends with. */
export const watchCommand = (general: readonly Option[]): Command => ({
  name: 'watch',
  summary: 'Show what the live sessions of tools do, until it is interrupted',
  details: [
    'Looks every second: which works and at what, which waits for you and for how long, which finished or broke off. On a terminal it is one table that is drawn anew. With --json there is a line for each session whenever it does something else. What is known only from silence is told as that. Files are only read.',
  ],
  args: [],
  options: [JSON_LINES, ...general],
  examples: [
    { line: 'agent-logbook watch --from all', text: 'all tools in one table' },
    {
      line: 'agent-logbook watch --from claude-code --json | jq -r \'select(.state == "waiting") | .title\'',
      text: 'the title of each session that begins to wait',
    },
  ],
  shapes: [FOUND_SHAPE],
});
