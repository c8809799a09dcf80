import type { Argument, Command, Option } from './command.js';
import { ENVIRONMENT, EXITS, optionText, optionWords, usageOf } from './help.js';
import { SHAPES_VERSION } from './output.js';

const INTRODUCTION = `# The command line

\`agent-logbook\` reads transcripts without an editor: those of a workspace's store, and files of
[every tool whose format is known](formats.md). It is for terminals, for scripts and for CI. It reads and counts as the
panel does: the same question has the same answer, and a number means the same.

It is not on npm yet: a package of this name there would be somebody else's. \`npm ci && npm run package:npm\` in a checkout
makes \`out/agent-logbook-<version>.tgz\`, which npm installs anywhere:

\`\`\`sh
npm install --global ./agent-logbook-<version>.tgz
agent-logbook show session.jsonl
\`\`\`

Without installing, \`npm run build\` in a checkout makes \`dist/cli.cjs\`, and \`node dist/cli.cjs show session.jsonl\` does the same.

It needs [Node](https://nodejs.org) 20.19 or newer, and nothing else. What reads and writes files uses no
network; \`record\` passes on what the program that it runs asks of models, \`run\` asks the models of your agents, and \`push\` and
\`--from archive\` talk to the archive that you name.

## What may be named

- **A file** of any known tool. It is read in place; nothing is written there, and files of subagents beside it are read with it.
- **\`-\`** for standard input.
- **A folder** that is a store (\`.agent-logbook\`) or a workspace that has one.
- **A conversation** of the store by its id, by the beginning of its id, or \`latest\`. The store is that of the nearest folder
  around the one that you are in; \`--store\` names another.
- **A session of another tool** on this machine: with \`--from claude-code\` (or another [tool](sessions.md#what-is-looked-at), or
  \`all\`) ids and \`latest\` are those of the sessions that the tool keeps. Naming it is the permission to look at its folders, for
  this once; they are only read, and what was chosen in the editor neither counts here nor changes.

Without a name, the whole store is meant (or with \`--from\` all sessions), or the latest conversation where one is wanted.

What was worked out of a session is kept, so that the next question or sum need not read it: of a conversation of the store beside
its journal, as the search in the editor does, and in your cache (\`~/.cache/agent-logbook\`, or where \`XDG_CACHE_HOME\` or
\`LOCALAPPDATA\` say) titles, names, paths, numbers and which words may stand where, but no messages. It counts only as long as the files are as they
were and the program is the same, and may be deleted at any time. \`AGENT_LOGBOOK_CACHE\` names another folder; set to nothing, nothing is kept anywhere.

## What comes out

For people, lines fit the terminal and have colours only there. For programs, \`--json\` writes one JSON object a line. Each
has \`v\`, the version of the shapes (now ${SHAPES_VERSION}), and \`kind\`. Fields may be added within a version; one that goes or changes its
meaning makes it another. Times are milliseconds since 1970. Progress, notes and problems go to standard error.

**Secrets are replaced** in everything that is written, as in [exports](sharing.md): by \`[REDACTED:aws-key:1]\` in an export, where
the same value has the same number everywhere, and by \`[REDACTED:aws-key]\` elsewhere. \`--raw\` leaves them, \`--policy\` names a file
with [what else is left out](sharing.md#on-the-command-line).
Characters that a terminal would obey, and those that nobody sees, are written out; in what people read, a text's colours are left
out, and in titles and excerpts such characters are spaces. \`show --json\` has them all.`;

const CI = `## In CI

What agents did in a workflow can stand in its summary, and a question that must find nothing can fail it. On GitHub, with
the transcripts in \`runs\`:

\`\`\`yaml
jobs:
  agents:
    runs-on: ubuntu-latest
    steps:
      # … the steps that run the agents, and one that installs the packed command line
      - name: What the agents did
        if: always()
        run: |
          part() {
            echo "### $1"
            echo '~~~'
            # A transcript that was cut ends a command with 1; the summary goes on.
            agent-logbook "\${@:2}" runs/*.jsonl 2>&1 || echo "(ended with $?)"
            echo '~~~'
          }
          {
            echo '## What the agents did'
            part 'Outcome' list
            part 'In numbers' stats
            part 'What it cost' cost
            part 'Tools' tools
            part 'Failures' query --limit 50 'is:error'
            part 'Pushes, of which there must be none' query --limit 50 'tool:Bash args.command:"git push"'
          } >> "$GITHUB_STEP_SUMMARY"
      - name: No agent has pushed
        run: |
          agent-logbook query --fail-on-match 'tool:Bash args.command:"git push"' runs/*.jsonl
\`\`\`

The last step also fails where a transcript was cut: what is missing there may be what must not be there.`;

/** From how many commands on a word is told once for all of them. */
const SHARED_BY = 3;

/** The words that several commands have with one meaning, in the order in which they come. */
function sharedWords(commands: readonly Command[]): ReadonlySet<Argument | Option> {
  const counts = new Map<Argument | Option, number>();
  for (const { args, options } of commands)
    for (const word of [...args, ...options]) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= SHARED_BY).map(([word]) => word));
}

/** The page about the command line, in Markdown. */
export function commandLinePage(commands: readonly Command[]): string {
  const shared = sharedWords(commands);
  return `${[
    INTRODUCTION,
    `The program ends with:\n\n${table(['code', 'meaning'], EXITS)}`,
    `The environment changes:\n\n${table(
      ['variable', 'effect'],
      ENVIRONMENT.map(([name, text]) => [`\`${name}\``, text]),
    )}`,
    CI,
    '## Commands',
    `${commands.map(({ name }) => `[\`${name}\`](#${name})`).join(', ')}.`,
    `These words mean the same wherever a command takes them:\n\n${wordList([...shared])}`,
    ...commands.map((command) => commandSection(command, shared)),
  ].join('\n\n')}\n`;
}

function commandSection(command: Command, shared: ReadonlySet<Argument | Option>): string {
  const { name, summary, details, args, options, examples, shapes } = command;
  const words = [...args, ...options];
  const own = words.filter((word) => !shared.has(word));
  const others = words.filter((word) => shared.has(word)).map((word) => `\`${shortest(word)}\``);
  return [
    `### ${name}`,
    `${summary}.`,
    ...details,
    `\`\`\`sh\n${usageOf(command)}\n\`\`\``,
    ...(own.length > 0 ? [wordList(own)] : []),
    ...(others.length > 0 ? [`${own.length > 0 ? 'Also' : 'It takes'} ${others.join(', ')}.`] : []),
    ...(examples.length > 0
      ? [`\`\`\`sh\n${examples.map(({ line, text }) => `# ${text}\n${line}`).join('\n')}\n\`\`\``]
      : []),
    ...(shapes.length > 0 ? [`With \`--json\`:\n\n${shapes.map(shapeLine).join('\n')}`] : []),
  ].join('\n\n');
}

const isOption = (word: Argument | Option): word is Option => 'value' in word;

/** A word without what may stand for it. */
const shortest = (word: Argument | Option) => (isOption(word) ? `--${word.name}` : argumentWord(word));

/** As the line of usage has it: `…` where there may be several. */
const argumentWord = ({ name, isMany }: Argument) => `${name}${isMany ? '…' : ''}`;

function wordList(words: readonly (Argument | Option)[]): string {
  const line = (word: Argument | Option) =>
    isOption(word)
      ? `- \`${optionWords(word)}\`: ${optionText(word)}`
      : `- \`${argumentWord(word)}\`: ${word.text}`;
  return words.map(line).join('\n');
}

function shapeLine(shape: string): string {
  const [kind = '', ...fields] = shape.split(': ');
  return `- \`${kind}\`: ${fields.join(': ')}`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
