import type { Command, Option } from './command.js';
import { JSON_LINES, SOURCES } from './options.js';

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
      { name: 'no-git', value: { kind: 'none' }, text: 'do not ask git for the history of the file' },
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
      'line: file, line, text, session, where (its source), title, source (the tool that recorded it), agent, model, tool, callId, position (of the record with the call, from 0), prompt (the position of the prompt), asked (its beginning), time, approvedBy; session and all behind it only where the author is proved',
      'blame: file, lines, proved (lines with an author), sessions, edits (of this file), versions (that git has of it)',
    ],
  };
}
