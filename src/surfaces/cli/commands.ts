import { runCommand } from './runCommand.js';
import { SAVED_FORMATS } from '../../core/ports/exportFormats.js';
import type { Command } from './command.js';
import { comparingCommands } from './compareCommand.js';
import { blameCommand, explainCommand, listCommand, verifyCommand, watchCommand } from './sessionCommands.js';
import { COST_FIELDS, COST_KEYS } from './costKeys.js';
import { ARCHIVE_MODES } from '../../archive/archiveMode.js';
import {
  ARCHIVE,
  COLOR,
  FAIL_IF_NONE,
  FAIL_ON_MATCH,
  FROM,
  FULL,
  HELP,
  JSON_LINES,
  KEPT,
  limit,
  NO_GIT,
  NO_SEALS,
  ONE_SOURCE,
  PRICES,
  POLICY,
  QUESTION,
  RAW,
  ROWS,
  SESSION,
  SOURCES,
  STORE,
  TIME_ZONE,
  UTC,
  WHERE,
} from './options.js';

/** The shells that words are completed for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** See `SHELLS`. */
export type Shell = (typeof SHELLS)[number];

/** What every command ends with. */
const GENERAL = [FROM, ARCHIVE, STORE, RAW, POLICY, COLOR, HELP];

/** A row of an answer, as `query` and `search` write it. */
const ROW_FIELDS =
  'rows, position (of its first record, from 0), seq, id, time, agent, role, tools, model, isError, durationMs, cost (where it asked something of a model), text (an excerpt), marks (where it matches in the excerpt), isCut, why (the terms that hold), alsoIn (the other sessions that tell it, where there are some)';

/** A message, as `show` and `follow` write it. */
const RECORD_SHAPE = 'record: session, position (from 0), record (as it was recorded, with all of its texts)';

/** Something wrong in a journal, as `show`, `follow` and `timeline` write it. */
const DAMAGE_SHAPE =
  'damage: session, position (behind so many records), file, line, offset and bytes (of the line in that file), why: something that is wrong in the journal of a conversation, in its place';

/** The subcommands, in the order in which help lists them. */
export const commands: readonly Command[] = [
  listCommand(GENERAL),
  {
    name: 'show',
    summary: 'Show a session: its messages, and below all of them what they come to',
    details: [
      'Long texts are cut, which is said where it happens; --full writes them whole. What cannot be read is told in its place, and counted at the end.',
    ],
    args: [ONE_SOURCE],
    options: [
      WHERE,
      {
        name: 'first',
        value: { kind: 'number', least: 1, name: 'NUMBER' },
        text: 'only so many messages from the beginning',
      },
      {
        name: 'last',
        short: 'n',
        value: { kind: 'number', least: 1, name: 'NUMBER' },
        text: 'only so many messages from the end; with --first, both',
      },
      {
        name: 'at',
        value: { kind: 'text', name: 'ID' },
        text: 'from the message with this id on, as the panel copies it in links and --json tells it; with --first, so many',
      },
      FULL,
      SESSION,
      PRICES,
      TIME_ZONE,
      UTC,
      JSON_LINES,
      ...GENERAL,
    ],
    examples: [
      { line: 'agent-logbook show session.jsonl', text: 'read a transcript of any known tool' },
      { line: 'agent-logbook show -n 5', text: 'the last five messages of the latest conversation' },
      {
        line: "agent-logbook show latest --where 'is:error'",
        text: 'what went wrong in it',
      },
      {
        line: "ssh host cat session.jsonl | agent-logbook show - --json | jq -r '.record.message.content'",
        text: 'from elsewhere, for another program',
      },
    ],
    shapes: [RECORD_SHAPE, DAMAGE_SHAPE],
  },
  {
    name: 'follow',
    summary: 'Show the end of a session, and what comes to it',
    details: [
      'Goes on until it is interrupted. A conversation may be recorded by a window meanwhile, a file be written by its tool: a line that is not whole yet waits, and what comes to a message that was shown is shown as its rest. With --json, a record that has changed is told again, whole, at the position that it has for ever: what is new in a file that was cut stands behind all that it ever had. A file that is replaced by another is followed from its beginning, which is said on standard error. Of a long session of Claude Code, Codex, Copilot CLI, Pi or Gemini CLI, and of recorded requests, only what comes is read; what was said last is shown when something else is said, or nothing more came for three seconds.',
    ],
    args: [ONE_SOURCE],
    options: [
      {
        name: 'last',
        short: 'n',
        value: { kind: 'number', least: 0, name: 'NUMBER' },
        text: 'so many messages from before; 10 where nothing else is said',
      },
      FULL,
      SESSION,
      JSON_LINES,
      ...GENERAL,
    ],
    examples: [
      { line: 'agent-logbook follow', text: 'what the agents of this workspace say, live' },
      { line: 'agent-logbook follow session.jsonl --json', text: 'a session of another tool, for a program' },
    ],
    shapes: [RECORD_SHAPE, DAMAGE_SHAPE],
  },
  watchCommand(GENERAL),
  {
    name: 'query',
    summary: 'Find what matches a question, a line for each',
    details: [
      'A question may be asked of messages, records, tool calls, calls of agents, runs or sessions. One that begins with a dash stands behind --.',
    ],
    args: [QUESTION, SOURCES],
    options: [
      ROWS,
      limit('rows', 'n'),
      { name: 'count', short: 'c', value: { kind: 'none' }, text: 'write only how many rows match' },
      FAIL_ON_MATCH,
      FAIL_IF_NONE,
      SESSION,
      PRICES,
      TIME_ZONE,
      UTC,
      JSON_LINES,
      ...GENERAL,
    ],
    examples: [
      { line: "agent-logbook query 'is:error since:7d'", text: 'what failed in the last seven days' },
      {
        line: "agent-logbook query --rows toolCalls 'tool:Bash duration:>30s' session.jsonl",
        text: 'slow commands in a transcript',
      },
      {
        line: 'agent-logbook query --fail-on-match \'tool:Bash args.command:"git push"\' runs/*.jsonl',
        text: 'a check for CI: no agent has pushed',
      },
    ],
    shapes: [`row: session, file, ${ROW_FIELDS}`, 'count: rows, sessions (with --count)'],
  },
  {
    name: 'search',
    summary: 'Find the sessions in which a question matches',
    details: [
      'Shows the first matches of each session and what all matches have in common. query writes every match instead.',
    ],
    args: [QUESTION, SOURCES],
    options: [
      ROWS,
      limit('sessions', 'n'),
      {
        name: 'hits',
        value: { kind: 'number', least: 1, name: 'NUMBER' },
        text: 'at most so many matches of each session',
      },
      FAIL_ON_MATCH,
      FAIL_IF_NONE,
      PRICES,
      TIME_ZONE,
      UTC,
      JSON_LINES,
      ...GENERAL,
    ],
    examples: [
      { line: "agent-logbook search 'flaky test'", text: 'where this was talked about' },
      {
        line: "agent-logbook search --from all 'rate limit'",
        text: 'in the sessions of all tools on this machine',
      },
      { line: "agent-logbook search --rows runs 'cost:>2'", text: 'runs that cost more than two dollars' },
    ],
    shapes: [
      `group: session, file, title, source, project, beganAt, count, cost, hits (each ${ROW_FIELDS})`,
      'totals: rows, sessions, cost, facets (what matches have in common, by field, with count and cost)',
      `cost: that of what matches, each request once: ${COST_FIELDS}`,
    ],
  },
  {
    name: 'stats',
    summary: 'Count messages, tokens, money and failures',
    details: [
      'Of all sessions together, by agent, model and role, with the files that tool calls name. --json tells each session first.',
    ],
    args: [SOURCES],
    options: [SESSION, PRICES, JSON_LINES, ...GENERAL],
    examples: [
      { line: 'agent-logbook stats session.jsonl', text: 'what a session came to' },
      { line: 'agent-logbook stats --json runs/*.jsonl | jq .errors', text: 'how much failed in each' },
    ],
    shapes: [
      'stats: session, file, title, source, project, startedAt, endedAt, durationMs, spanMs and activeMs (with and without gaps of more than five minutes), messages, runs, calls (of agents), toolCalls, errors, states (of the tool calls: failed, denied, cancelled, timedOut, open), tokens, cost, delegated (what subagents spent of it), prices, byRole, byAgent, byModel, fileCount, files (that tool calls name, most used first, at most 1,000: path, read, written, named, failed, agents), trouble (what went wrong first, where it failed)',
      'totals: sessions and the sums of the same',
      `in these, cost: ${COST_FIELDS}`,
    ],
  },
  {
    name: 'cost',
    summary: 'Tell what models have cost, and how that is known',
    details: [
      'A cost is recorded by the source, or recorded tokens times dated prices, or estimated; what is not known is told and is never zero.',
    ],
    args: [SOURCES],
    options: [
      {
        name: 'by',
        value: { kind: 'choice', of: COST_KEYS, name: 'KEY' },
        text: 'by what; model where nothing else is said',
      },
      TIME_ZONE,
      UTC,
      SESSION,
      PRICES,
      JSON_LINES,
      ...GENERAL,
    ],
    examples: [
      {
        line: 'agent-logbook cost --by agent latest',
        text: 'which agent of the latest conversation spent how much',
      },
      { line: 'agent-logbook cost --by week --from claude-code', text: 'week by week, from Monday' },
    ],
    shapes: [
      `cost: by, name, sessions, tokens, ${COST_FIELDS}`,
      'total: prices (their version), the same of all, delegated: the same of what subagents spent of it, and limits (of the tool, newest reading of each: limit, minutes, usedPercent, at, resetsAt); by day, week or month also timeZone and weekBegins; by waste also wasted, and in each cost first (session and position) in place of tokens',
    ],
  },
  {
    name: 'timeline',
    summary: 'Tell the turns of a session: each prompt, what came of it, and how long it took',
    details: [],
    args: [ONE_SOURCE],
    options: [SESSION, JSON_LINES, ...GENERAL],
    examples: [
      { line: 'agent-logbook timeline session.jsonl', text: 'what was asked in a session, and answered' },
    ],
    shapes: [
      'turn: session, index, position, lastPosition, start, end, prompt, answer (their beginnings), toolCalls, dispatches, errors, state',
      'before: session, start, end, messages, toolCalls, errors: the work before the first prompt, where there is some',
      DAMAGE_SHAPE,
    ],
  },
  {
    name: 'tools',
    summary: 'Tell how often tools were called and failed, and how long they took',
    details: [],
    args: [SOURCES],
    options: [SESSION, JSON_LINES, ...GENERAL],
    examples: [
      { line: 'agent-logbook tools session.jsonl', text: 'the tools of a session, the most used first' },
    ],
    shapes: [
      'tool: tool, calls, failures (what counts as an error), unanswered, states (failed, denied, cancelled, timedOut, open), waitedMs (for people), p50, p95, total (durations in milliseconds), arguments, agents',
    ],
  },
  ...comparingCommands(GENERAL),
  blameCommand(GENERAL),
  explainCommand(GENERAL),
  verifyCommand(GENERAL),
  {
    name: 'export',
    summary: 'Write a session in another form, or several into a folder',
    details: [
      'Where --output names a folder, with a / at its end, each session that is named is written into a file of its own there, all of them where none is named; of HTML and Markdown an index page leads to them, also where the export is interrupted: to those that stand. With --where, sessions in which nothing matches are left out.',
      'With everything that is recorded: models, times, failures, approvals. What a form cannot hold is counted and told, field by field. The form is that of the ending of the file; Markdown where nothing else is said. atif, chat-jsonl, request-jsonl and anthropic are what other tools read: Harbor’s trajectories, messages of chat completions with a line for each conversation or for each request, and Anthropic’s messages. claude-session and codex-session are files that `claude --resume` and `codex resume` go on with. otlp-json is spans of OpenTelemetry, each line a request to a collector. parquet is tables for SQL in a new folder, which --output names.',
    ],
    args: [SOURCES],
    options: [
      { name: 'format', value: { kind: 'choice', of: SAVED_FORMATS, name: 'FORMAT' }, text: 'the form' },
      {
        name: 'output',
        short: 'o',
        value: { kind: 'text', name: 'FILE', isFile: true },
        text: 'the file to write, whole or not at all; - or nothing for standard output. A device or a pipe is written to, of a link the file behind it',
      },
      { name: 'force', value: { kind: 'none' }, text: 'replace the file where it exists' },
      {
        name: 'messages-only',
        value: { kind: 'none' },
        text: 'leave out what is recorded besides messages',
      },
      {
        name: 'with-notes',
        value: { kind: 'none' },
        text: 'with your notes, each beside what it is about; a conversation of a store may have some',
      },
      { ...KEPT, text: `${KEPT.text}; in Markdown, HTML and JSON` },
      NO_GIT,
      WHERE,
      SESSION,
      PRICES,
      TIME_ZONE,
      UTC,
      ...GENERAL,
    ],
    examples: [
      { line: 'agent-logbook export session.jsonl -o session.html', text: 'a page to hand on' },
      {
        line: "agent-logbook export --from claude-code --where 'project:shop' --format html -o shop/",
        text: 'all sessions of a project, with a page that leads to them',
      },
      { line: "agent-logbook export latest --format json | jq '.[0]'", text: 'for another program' },
      {
        line: 'agent-logbook export session.jsonl --format atif -o trajectory.json',
        text: 'for a tool that reads trajectories',
      },
    ],
    shapes: [],
  },
  {
    name: 'import',
    summary: 'Import transcripts of other tools into the store',
    details: [
      'What is there already stays as it is; a session that has grown is continued. Where there is no store, one is made in this folder, or in that which --store names.',
      'Of a folder, the sessions are imported that known tools keep in it, as in a home folder or a copy of one; where these keep none there, all files in it and below that hold transcripts. Hidden folders and links are left alone.',
      "A file that is a part of a session, as a subagent's is, stands for the whole session where that lies where its tool puts it: in whichever order files come, the conversations are the same.",
    ],
    args: [
      {
        name: 'FILE',
        isMany: true,
        isFile: true,
        text: 'a transcript file of any known tool, or a folder of such files',
      },
    ],
    options: [NO_SEALS, STORE, JSON_LINES, RAW, COLOR, HELP],
    examples: [
      { line: 'agent-logbook import ~/.claude/projects/*/*.jsonl', text: 'keep all sessions of a tool' },
      { line: 'agent-logbook import ~', text: 'keep all sessions of all tools on this machine' },
    ],
    shapes: [
      'import: file, session, outcome (new, grown, unchanged, changed, reread or namesake), conversation, added (records)',
    ],
  },
  {
    name: 'push',
    summary: 'Push sessions to the archive of a team: a PostgreSQL database',
    details: [
      'What the archive has already stays as it is, and only what is new is sent: push again after anything that broke off. Texts go without secrets (--mode redacted); facts sends no texts at all, full sends every line as it is. docs/archive.md says how an archive is set up.',
    ],
    args: [SOURCES],
    options: [
      ARCHIVE,
      {
        name: 'mode',
        value: { kind: 'choice', of: ARCHIVE_MODES, name: 'MODE' },
        text: 'what is sent of each record; redacted where nothing else is said',
      },
      SESSION,
      PRICES,
      JSON_LINES,
      FROM,
      STORE,
      POLICY,
      COLOR,
      HELP,
    ],
    examples: [
      { line: 'agent-logbook push all', text: 'all conversations of the store, to AGENT_LOGBOOK_ARCHIVE' },
      {
        line: 'agent-logbook push --from claude-code --archive postgres://logbook@db.example.com/team',
        text: 'the sessions of Claude Code on this machine',
      },
    ],
    shapes: [
      'push: session, file, outcome (new, grown, unchanged or behind), mode, added (records), records (in the archive), redacted (secrets replaced), withheld (records of which only facts were sent)',
    ],
  },
  {
    name: 'record',
    summary: 'Run a program and record what it says to models',
    details: [
      'Requests to the APIs of OpenAI, Anthropic and Ollama are recorded on their way, and OpenTelemetry is received: the program is given OPENAI_BASE_URL, ANTHROPIC_BASE_URL, OLLAMA_HOST and OTEL_EXPORTER_OTLP_ENDPOINT. It has this terminal to itself, gets the signals, and its exit code is that of record; 2 where it cannot be started. Where the recordings are is told at the end, on standard error.',
      'What the program sets itself counts more: one that names an address of its own is not recorded. Requests go on to the addresses that these variables name now, else to the providers. NO_PROXY names this machine for it, besides what it names now, so that no proxy is asked. Where something cannot be recorded, that is told, and record ends with 1 where nothing was and the program ended well.',
    ],
    args: [
      {
        name: 'COMMAND',
        isMany: true,
        isFile: true,
        text: 'the program and its arguments, behind -- where these have options',
      },
    ],
    options: [
      {
        name: 'into',
        value: { kind: 'text', name: 'FOLDER', isFile: true },
        text: 'the folder of the recordings; recordings in this folder where nothing else is said',
      },
      HELP,
    ],
    examples: [
      { line: 'agent-logbook record -- node agent.mjs --fast', text: 'what a program of your own asks' },
      {
        line: 'agent-logbook record --into runs -- npm test && agent-logbook cost runs/*.jsonl',
        text: 'what the tests cost',
      },
    ],
    shapes: [],
  },
  runCommand,
  {
    name: 'mcp',
    summary: 'Let models read recorded sessions: a server of the Model Context Protocol',
    details: [
      'Speaks on standard input and output, as programs do that start it. Its tools only read: search_sessions, list_sessions, get_session_overview, get_messages, get_tool_call, get_cost, compare_sessions, who_wrote_lines and, with --from, live_sessions. They read the sources named here, and who_wrote_lines the files of this folder with their history in git; secrets are replaced, and sessions in which something was said in the last ten minutes are left out unless they are asked for.',
    ],
    args: [SOURCES],
    options: [FROM, ARCHIVE, STORE, NO_GIT, HELP],
    examples: [
      {
        line: 'agent-logbook mcp --store ~/projects/shop',
        text: 'as the command of a server in the settings of a tool',
      },
    ],
    shapes: [],
  },
  {
    name: 'completion',
    summary: 'Write a script that completes commands and options in a shell',
    details: [],
    args: [{ name: 'SHELL', text: 'bash, zsh or fish', of: SHELLS }],
    options: [HELP],
    examples: [
      { line: 'eval "$(agent-logbook completion bash)"', text: 'in ~/.bashrc' },
      {
        line: 'agent-logbook completion fish > ~/.config/fish/completions/agent-logbook.fish',
        text: 'once, for fish',
      },
    ],
    shapes: [],
  },
];
