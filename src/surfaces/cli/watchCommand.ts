import type { Command, Example, Option } from './command.js';
import { JSON_LINES } from './options.js';

/** A session of a tool, as `list` and `watch` write it. */
export const FOUND_SHAPE =
  'found (with --from): session, title, source (the tool), project, file, agents, model, changed (when it was last written to), messages, messagesEstimated, state (waiting: for an answer of yours, working, limited, finished, broken: ended without an answer, idle, gone or unknown), isLive, reason, since, knownFrom (registry, record or silence), words, tool, command, until, quietMs, marks (stalled, looping, context), context (used and, where it is told, window, in tokens), bytes';

/** Asks for those that are live. */
export const LIVE: Option = {
  name: 'live',
  value: { kind: 'none' },
  text: 'only those that work, wait or have an open process, who needs you first; asked of the sessions of tools (--from)',
};

export const LIVE_EXAMPLE: Example = {
  line: 'agent-logbook list --live --from all',
  text: 'what works, waits or is idle now, who needs you first',
};

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
