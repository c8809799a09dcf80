import { CARRIED, type TranscriptFormat } from './building/transcriptFormat.js';

/** A tool, and the version of which a session was looked at last; of some, the day of its source. */
interface CheckedVersion {
  readonly of: string;
  readonly version: string;
}

/** Of names of the OpenTelemetry convention for models and agents, those that earlier versions and programs wrote. */
export const EARLIER_NAMES: Readonly<Record<string, readonly string[]>> = {
  'gen_ai.provider.name': ['gen_ai.system'],
  'gen_ai.conversation.id': ['session.id'],
  'gen_ai.response.model': ['gen_ai.request.model'],
  'gen_ai.input.messages': ['gen_ai.prompt'],
  'gen_ai.output.messages': ['gen_ai.completion'],
  'gen_ai.response.finish_reasons': ['gen_ai.response.finish_reason'],
  'gen_ai.usage.input_tokens': ['gen_ai.usage.prompt_tokens', 'llm.usage.prompt_tokens'],
  'gen_ai.usage.output_tokens': ['gen_ai.usage.completion_tokens', 'llm.usage.completion_tokens'],
  'gen_ai.usage.cache_read.input_tokens': [
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.cached_input_tokens',
    'gen_ai.usage.input_tokens.cached',
  ],
  'gen_ai.usage.cache_write.input_tokens': [
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
  ],
  'gen_ai.usage.reasoning.output_tokens': [
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.output_tokens.reasoning',
  ],
};

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
    'does not know, or in results of which it took nothing. What is kept as a record of its own is found among records (`--rows records`). Parts of one message stay in their order: what is said behind a result is a message behind it.',
    '',
    'Whose words a message in a person’s name holds is decided once for all tools: by the tool’s own marks, and by the tags at the',
    'head of a text where it has none. What a tool put there (reminders, environments, outputs of commands, summaries, what other',
    'agents sent) stays in the message as it was sent, and is shown, counted and asked for (`is:injected`) as put there. What a person',
    'sent while the agent worked stands where the agent took it in, and begins no turn. Members of a team of',
    'Claude Code speak under their names, in sessions of their own and in what they write to others.',
    '',
    'JSON is read as programs write it: `NaN` and `Infinity` (as texts), raw line breaks in texts, and whole lines behind one that',
    'broke off. Traces that tell requests and calls without what was said, as most programs write them, are sessions of these,',
    'with models, tokens, times and failures. Tokens are known by any of their names; a number that nobody knows is reported.',
    '',
    'Files may be packed by gzip or Zstandard; an archive (`.zip`) may hold several',
    'transcripts, and the sessions of subagents in the folders that Claude Code gives them. Whoever imports the file of a subagent',
    'imports the session that it is a part of, where that lies where its tool puts it.',
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
    '## Names of the OpenTelemetry convention',
    '',
    'Its newest names and those before them are read alike, and tokens by the words in a name, in any order of them:',
    '',
    '| newest | before |',
    '| --- | --- |',
    ...Object.entries(EARLIER_NAMES).map(([name, before]) => `| \`${name}\` | \`${before.join('`, `')}\` |`),
    '',
    '## What became of a call',
    '',
    'A result says `denied`, `cancelled`, `timedOut` or `open` in the `state` of its record where its call did not come to its end,',
    'and `isError` where it failed or timed out, or where its source calls it an error. A denial is a decision as well, which',
    '`approval:denied` and `is:denied` find alike; it is no error, and counted apart. What cannot be told',
    'from a field or from the beginning of a result is not guessed. `is:failed`, `is:cancelled`, `is:timeout` and `is:open` find the rest.',
    '',
    ...endsTable(),
    '',
  ].join('\n');
}

/** Where tools say what became of a call: failed, denied, cancelled, timed out, open. */
const ENDS: readonly (readonly string[])[] = [
  [
    'Claude Code',
    '`is_error`, "Error: …" in `toolUseResult`, `<tool_use_error>`, "Exit code N"',
    '`toolDenialKind` (`user-rejected`, `permission-rule`, `automode-…`), `hook_blocking_error` before a call, its words',
    '`toolDenialKind: interrupted`, `toolUseResult.interrupted`, "[Request interrupted by user"',
    '`toolUseResult.timedOutAfterMs`',
    '"Async agent launched", until a `<task-notification>` tells how it ended',
  ],
  [
    'Codex',
    'an exit code that is not 0: `exit_code` of an item or of `exec_command_end`, `metadata.exit_code`, "Process exited with code", "Exit code:" above what was printed; `status: failed`, `success: false`, `Err` of a server, "execution error:"',
    '`status: declined`, "exec command rejected by user", "… rejected: policy forbids"',
    '"aborted by user"',
    '"command timed out after … milliseconds"',
    '"Process running with session ID …", until a call of `write_stdin` tells of its end',
  ],
  [
    'Copilot CLI',
    '`success: false`, "<exited with exit code N>" behind what a shell printed',
    '`error.code` `denied`, `rejected`, `permission_denied`; an answered question',
    '–',
    '`error.code: timeout`',
    'no `tool.execution_complete`',
  ],
  [
    'VS Code chat',
    '`resultDetails.isError`, `terminalCommandState.exitCode`',
    '`isConfirmed.type` 0 or 5',
    '–',
    '–',
    '`isComplete: false`',
  ],
  [
    'OpenCode',
    '`state.status: error`, `metadata.exit` that is not 0, the tool `invalid`',
    '"The user rejected permission …"',
    '"Tool execution aborted"',
    '`metadata.timeout`',
    '`pending`, `running`',
  ],
  [
    'Gemini CLI, Qwen Code',
    '`status: error`',
    '`cancelled` with "User did not allow tool call"',
    '`cancelled`',
    '–',
    '`validating`, `scheduled`, `awaiting_approval`, `executing`',
  ],
  [
    'Amp',
    '`run.status: error`, `run.result.exitCode` that is not 0, `success: false`',
    '`rejected-by-user`',
    '`cancelled`',
    '–',
    '`in-progress`, `queued`, `blocked-on-user`',
  ],
  [
    'Goose',
    '`status: error`, `isError`',
    '"The user has declined to run this tool"',
    '–',
    '–',
    'no response',
  ],
  [
    'Cline, Roo Code',
    '`is_error`, "The tool execution failed with the following error"',
    '"The user denied this operation"',
    '"[TASK RESUMPTION]"',
    '–',
    'no result',
  ],
  [
    'Cursor',
    '`status: error`; of its CLI no `success`',
    '`userDecision: rejected`; of its CLI `rejected`',
    '`cancelled`',
    '–',
    '`loading`',
  ],
  [
    'Windsurf',
    '`exit_code` that is not 0, `status: error`',
    '`user_rejected`, `acknowledgement_type` with REJECT',
    '–',
    '–',
    '`status` that says so',
  ],
  ['Antigravity', '`status: ERROR`, `runCommand.exitCode`', '–', '`CANCELED`', '–', '`RUNNING`, `WAITING`'],
  ['Continue', '`errored`', '–', '`canceled`', '–', '`generated`, `calling`'],
  [
    'OpenHands',
    '`is_error`, `exit_code`, an error in place of an observation',
    '`UserRejectObservation`, `user_rejected`',
    '–',
    'the exit code -1',
    'no observation',
  ],
  [
    'Pi, Kimi, Droid',
    '`isError` and its like, `details.exitCode`',
    'its words',
    '–',
    '"Command timed out after"',
    'no result',
  ],
  [
    'bodies of Anthropic and OpenAI',
    "`is_error`, `error_code` or `return_code` of a server's tool, `status: failed` or `incomplete`, `outcome.exit_code`",
    '`mcp_approval_response`',
    '–',
    '`outcome.type: timeout`',
    '`in_progress`',
  ],
  ['AI SDK', '`output-error`', '`output-denied`', '–', '–', 'no output'],
  [
    'Inspect, spans of any program',
    '`error`, status 2, `error.type`',
    'an approval that says so',
    '`error.type: cancelled`',
    '`error.type` or `type: timeout`',
    'no end',
  ],
  [
    'messages of any tool',
    '`is_error`, `success: false`, `error`, `status`, `exit_code`',
    '`status: denied` and its like',
    '`status: cancelled` and its like',
    '`status: timeout` and its like',
    '`status: running` and its like',
  ],
];

function endsTable(): readonly string[] {
  const heads = ['of', 'failed', 'denied', 'cancelled', 'timed out', 'open'];
  return [heads, heads.map(() => '---'), ...ENDS].map((cells) => `| ${cells.join(' | ')} |`);
}
