import type { Command, Example, Option } from './command.js';
import { JSON_LINES, KEPT, limit, NO_GIT, PAGE_FORMAT, PRICES, SOURCES } from './options.js';

const TRACE: Option = {
  name: 'trace',
  value: { kind: 'text', name: 'FILE', isFile: true },
  text: 'also believe the records of Agent Trace in this file, one a line; notes of git-ai in the repository are read without it',
};

/** The command that says which sessions are behind a branch; `general`: the options that every command has. */
export function explainCommand(general: readonly Option[]): Command {
  return {
    name: 'explain',
    summary: 'Tell which sessions are behind the commits of a branch',
    details: [
      'Each commit of the branch is told with the lines that sessions prove to have written, as blame does, and with what is covered by none. A branch begins where it went out from that of the remote, main or master; ONE..OTHER names both ends.',
      'Git is asked for the history and nothing else: it runs no hook, filter or other program of the repository.',
    ],
    args: [
      {
        name: 'RANGE',
        isOptional: true,
        text: 'a branch, a tag or a commit, or two of them as ONE..OTHER; what is checked out, where nothing is said',
      },
      SOURCES,
    ],
    options: [
      {
        name: 'fail-on',
        value: { kind: 'choice', of: ['unreviewed'], name: 'WHAT' },
        text: 'end with 1 where a line is of an agent whose edit no person approved, as far as that is recorded, or where a file was not looked at as a whole',
      },
      PAGE_FORMAT,
      TRACE,
      PRICES,
      JSON_LINES,
      ...general,
    ],
    examples: [
      { line: 'agent-logbook explain', text: 'what is behind the branch that is checked out' },
      {
        line: 'agent-logbook explain main..topic --from all --format markdown > behind.md',
        text: 'the same of another branch, by the sessions of all tools, for its pull request',
      },
      {
        line: 'agent-logbook explain --fail-on unreviewed',
        text: 'a check for CI: a person approved each edit of an agent',
      },
    ],
    shapes: [
      'branch: range, base, tip, commits, sessions, added (lines that the commits bring, as git counts them), proved (lines of sessions), unreviewed (of these, by edits that no person approved), told (lines of which only another program tells it), filesLeftOut',
      'commit: commit, time, author, subject, files, added, removed, proved, unreviewed, told, sessions (their ids)',
      'session: session, where (its source), title, source (the tool that recorded it), agents, models, prompts (their beginnings), lines, unreviewed, cost (of the whole session)',
    ],
  };
}

const fileOption = (name: string, called: string, text: string): Option => ({
  name,
  value: { kind: 'text', name: called, isFile: true },
  text,
});

/** The command that checks seals; `general`: the options that every command has. */
export function verifyCommand(general: readonly Option[]): Command {
  return {
    name: 'verify',
    summary: 'Check by its seal that a record is as it was written; sign and anchor it',
    details: [
      'Each line of a journal is sealed as it is written: by a salted hash that is chained to all before. Told is the first line that was changed, removed, put in or moved, what came after the newest signed head and anchor, and what a repair cut off. Ends with 1 where a conversation is not wholly sealed and intact.',
      'Whoever can write the files can make a new chain; a signature keeps out who has not the key, and an anchor the owner of the key, too, for what lies before it. No chain sees that an end was cut off behind them. Sessions that other programs wrote are not sealed.',
      'Of a whole store it is told besides which sealed conversations were deleted, when and why, by the tombstones that they left, and which are anchored and neither here nor deleted so.',
    ],
    args: [SOURCES],
    options: [
      fileOption('sign', 'KEY', 'sign the head of each conversation with this SSH key, by ssh-keygen -Y'),
      fileOption(
        'signers',
        'FILE',
        'whose signatures are trusted: allowed signers as git and ssh-keygen have them',
      ),
      fileOption(
        'anchor',
        'FILE',
        'add the head of each conversation to this file, as one that is committed and pushed',
      ),
      fileOption(
        'anchors',
        'FILE',
        'compare with the heads in this file, and with those that git knows as pushed of it',
      ),
      { ...NO_GIT, text: 'do not ask git whether the file of --anchors is pushed' },
      {
        name: 'timestamp',
        value: { kind: 'text', name: 'URL' },
        text: 'have the head of each conversation timestamped by this authority (RFC 3161), which gets its hash',
      },
      fileOption(
        'authorities',
        'FILE',
        'whose timestamps are trusted: certificates in PEM; checked by openssl',
      ),
      JSON_LINES,
      ...general,
    ],
    examples: [
      { line: 'agent-logbook verify latest', text: 'whether the newest conversation is as it was written' },
      {
        line: 'agent-logbook verify latest --sign ~/.ssh/id_ed25519 --anchor anchors.txt',
        text: 'sign its head, and write it into a file of the repository',
      },
      {
        line: 'agent-logbook verify --anchors anchors.txt --signers allowed',
        text: 'all of the store, by what was kept of them',
      },
    ],
    shapes: [
      'seal: session, state (intact, partly sealed, broken or not sealed), files, lines, sealed, unsealed, breaks (kind: changed, removed, inserted, moved, seal, or rest, where nothing behind is what was sealed; file and line, from 1; seq of the record), gaps (in words), anew (files with which the chain begins anew), notes (what was sealed later, what a repair cut off), head (segment, entries, chain), signed (the newest signed head: behind, how many lines came after it, left out where it is not of what stands here; key, isGood, isTrusted), anchored (the same of the anchor; kept: pushed, committed or local, as far as git knows it; pushedBehind, of the newest that is pushed, where that is another), stamped (the same of the timestamped head: time, in milliseconds since 1970; isOfHead, isVerified), buried (the head with which a tombstone says that it was deleted, though it stands here)',
      'deleted: session, time (milliseconds since 1970), why (asked, retention, replaced or interrupted), head (the last of its seal), isAnchored',
      'deletions: state (broken), line (of the file of tombstones)',
      'missing: session (anchored, and neither here nor deleted with a tombstone)',
    ],
  };
}

/** The command that says who wrote the lines of a file; `general`: the options that every command has. */
export function blameCommand(general: readonly Option[]): Command {
  return {
    name: 'blame',
    summary: 'Tell which lines of a file are of agents, as far as sessions prove it',
    details: [
      'Edits that sessions tell are put one after the other, together with the versions that git has; each must fit exactly what is known of the file until then. A line of which that cannot be proved has no author.',
      'Git is asked for the history of the file and nothing else: it runs no hook, filter or other program of the repository.',
    ],
    args: [
      { name: 'FILE', isFile: true, text: 'the file; with :LINE or :FIRST-LAST behind it, only those lines' },
      SOURCES,
    ],
    options: [
      NO_GIT,
      TRACE,
      {
        name: 'as',
        value: { kind: 'choice', of: ['git-ai', 'agent-trace'], name: 'FORM' },
        text: 'write the lines in the form of another program: a note of git-ai, or a record of Agent Trace; of a file that is as it was committed',
        insteadOf: 'json',
      },
      JSON_LINES,
      ...general,
    ],
    examples: [
      { line: 'agent-logbook blame src/main.ts', text: 'which lines of a file are of which session' },
      {
        line: 'agent-logbook blame src/main.ts:120 --from all',
        text: 'why a line is there, by the sessions of all tools',
      },
      {
        line: 'agent-logbook blame src/main.ts --as agent-trace > main.trace.json',
        text: 'the same for other programs',
      },
    ],
    shapes: [
      'line: file, line, text, session, where (its source), title, source (the tool that recorded it), agent, model, tool, callId, position (of the record with the call, from 0), prompt (the position of the prompt), asked (its beginning), time, approvedBy; session and all behind it only where the author is proved. Of a line that only another program tells of: toldBy (git-ai or agent-trace), tool, toolSession, model, and session, where and title where that session is among those that are read',
      'why (of a line that is asked about alone, for each step that is told): step (asked, thought, done, approved or tested), position (of its record, from 0), text (its beginning)',
      'blame: file, lines, proved (lines with an author), told (lines of which only another program tells it), sessions, edits (of this file), versions (that git has of it), isCut (where it has more than the newest 500, which were looked at), isIncomplete (where it could not tell all of them)',
    ],
  };
}

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
