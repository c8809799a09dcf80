import type { Command, Option } from './command.js';
import { JSON_LINES, NO_GIT, PAGE_FORMAT, PRICES, SOURCES } from './options.js';

/** What is left of a session. */
export const KEPT: Option = {
  name: 'kept',
  value: { kind: 'none' },
  text: 'also how many of the lines that a session put into files are proved to stand there still; all sessions are read for that',
};

const TRACE: Option = {
  name: 'trace',
  value: { kind: 'text', name: 'FILE', isFile: true },
  text: 'also believe the records of Agent Trace in this file, one a line; notes of git-ai in the repository are read without it',
};

/** The command that says which sessions are behind a branch; `general`: the options that every command has. */
export function explainCommand(general: readonly Option[]): Command {
  return {
    name: 'explain',
    summary:
      'Tell which sessions are behind the commits of a branch: prompts, agents, approvals, cost and their share of the lines',
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
        text: 'end with 1 where a line is of an agent whose edit no person approved, as far as that is recorded',
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
      'blame: file, lines, proved (lines with an author), told (lines of which only another program tells it), sessions, edits (of this file), versions (that git has of it)',
    ],
  };
}
