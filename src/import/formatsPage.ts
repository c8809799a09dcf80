import { CARRIED, type TranscriptFormat } from './building/transcriptFormat.js';

/** A tool, and the version of which a session was looked at last; of some, the day of its source. */
interface CheckedVersion {
  readonly of: string;
  readonly version: string;
}

/** The page that lists the formats that can be imported, with what is carried of each and what was looked at last, in Markdown. */
export function formatsPage(
  formats: readonly TranscriptFormat[],
  checked: readonly CheckedVersion[],
): string {
  const byOwner = [...formats].sort((a, b) => (a.of < b.of ? -1 : a.of > b.of ? 1 : 0));
  const rows = byOwner.map(({ of, files, name, carries }) => {
    const marks = CARRIED.map((each) => (carries.includes(each) ? '✓' : '–'));
    return `| ${[of, files, `\`${name}\``, ...marks].join(' | ')} |`;
  });
  const heads = ['of', 'files', 'format', ...CARRIED];
  return [
    '# What can be imported',
    '',
    'This page is made from what the readers declare: `npm run docs:formats`.',
    '',
    'A format is recognised by what a file holds, never by its name. Whatever a reader does not turn into a message, a call, a',
    'request or a result is kept as it was written, beside the record that was made of it, or as a record of its own; what',
    'could not be understood is reported. Where a reader of messages or of spans that knows no tool leaves words of a file in',
    'none of these, it says so with their share and their places: “Read as plain messages; 41 % of its text was not',
    'understood”; the reader of a tool does where a tenth or more of a file’s words stand within its messages under names that it',
    'does not know. What is kept as a record of its own is found among records (`--rows records`). Parts of one message stay in their order: what is said behind a result is a message behind it.',
    '',
    'Whose words a message in a person’s name holds is decided once for all tools: by the tool’s own marks, and by the tags at the',
    'head of a text where it has none. What a tool put there (reminders, environments, outputs of commands, summaries, what other',
    'agents sent) stays in the message as it was sent, and is shown, counted and asked for (`is:injected`) as put there.',
    '',
    'JSON is read as programs write it: `NaN` and `Infinity` (as texts), raw line breaks in texts, and whole lines behind one that',
    'broke off. Traces that tell requests and calls without what was said, as most programs write them, are sessions of these,',
    'with models, tokens, times and failures. Tokens are known by any of their names; a number that nobody knows is reported.',
    '',
    'Files may be packed by gzip or Zstandard; an archive (`.zip`) may hold several',
    'transcripts, and the sessions of subagents in the folders that Claude Code gives them.',
    '',
    `| ${heads.join(' | ')} |`,
    `| ${heads.map((_head, index) => (index < 3 ? '---' : ':-:')).join(' | ')} |`,
    ...rows,
    '',
    '- **calls**: calls of tools with their arguments and results, paired.',
    '- **subagents**: agents that others started are calls of their own, under the call that started them.',
    '- **times**: when each message was said. What says no time has none: it is in its place, without a time beside it.',
    '- **usage**: the tokens that the provider reported.',
    '- **cost**: what the source says of money is kept beside the message or request, as it was written.',
    '- **images**: pictures are shown; elsewhere their data is kept as it was written.',
    '- **thinking**: reasoning, as far as the file holds it in readable form.',
    '',
    'A mark says that the reader carries it where a file tells it. Scores, targets and states of evaluations (Inspect,',
    'tau2-bench) are facts of their conversation: they stand in its first record, of the kind `facts`.',
    '',
    '## What was looked at last',
    '',
    'Tools change what they write. Of these, a session of this version, or of the sources of this day, is read whole, which a test',
    'holds; `npm run formats:check -- <folder>` reads a folder of newer ones with every reader and tells what is new in them.',
    '',
    '| of | version |',
    '| --- | --- |',
    ...[...checked].sort((a, b) => (a.of < b.of ? -1 : 1)).map(({ of, version }) => `| ${of} | ${version} |`),
    '',
    '## What became of a call',
    '',
    'A result says `failed`, `denied`, `cancelled`, `timedOut` or `open` (`state` of its record) where its call did not come to its end;',
    'the first and the fourth are failures. Codex says it in many ways, in rollouts as in `codex exec --json`:',
    '',
    '| state       | where Codex says it                                                                                                |',
    '| ----------- | ------------------------------------------------------------------------------------------------------------------ |',
    '| `failed`    | an exit code that is not 0: `exit_code` of an item or of `exec_command_end`, `metadata.exit_code`, "Process exited with code", "Exit code:" above what was printed; `status: failed`, `success: false`, `Err` of a server, "execution error:" |',
    '| `denied`    | `status: declined`, "exec command rejected by user", "… rejected: policy forbids"                                   |',
    '| `cancelled` | "aborted by user"                                                                                                  |',
    '| `timedOut`  | "command timed out after … milliseconds"                                                                           |',
    '| `open`      | "Process running with session ID …", until a call of `write_stdin` tells of its end                                |',
    '',
  ].join('\n');
}
