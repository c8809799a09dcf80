import type { KnownOptions } from '../../core/checkOptions.js';
import { preview, singleLine } from '../../core/text.js';
import type { CallSite } from '../../core/record.js';
import type { Tool, ToolContext, ToolResult } from '../../core/ports/tool.js';
import { askApproval } from './paths/accessRights.js';
import { approvalReason, decideCommand, type CommandSite } from './command/decide.js';
import { commandEnvironment } from './process/environment.js';
import { runShell, type ShellEnd } from './process/runShell.js';
import { answer, failure } from './result.js';
import type { Workspace } from './paths/workspace.js';
import type { UnreviewedFile } from './files/seenFiles.js';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { relative } from 'node:path';

/** How much of all changes is shown in one approval, in UTF-16 code units; every file is named in any case. */
const MAX_SHOWN = 60_000;

/** As many files stand in the reason; the rest is counted. */
const MAX_NAMED = 3;

/** Where systems keep bash, the usual place first; nothing that a workspace or its environment could name. */
const places = [
  '/bin/bash',
  '/usr/bin/bash',
  '/usr/local/bin/bash',
  '/opt/homebrew/bin/bash',
  '/run/current-system/sw/bin/bash',
];

/** A running command, and its call. */
export interface RunningCommand {
  readonly call: CallSite;
  readonly toolCallId: string;
  readonly command: string;
  /** The folder it runs in. */
  readonly folder: string;
}

/** Observes commands while they run, so that a person can watch them. Must not throw. */
export interface CommandWatcher {
  began(command: RunningCommand): void;
  /** Receives the command's output as it arrives: untrusted text without split characters. */
  said(command: RunningCommand, text: string): void;
  /** `how` is one line about the end, like `Exit code 0.` */
  ended(command: RunningCommand, how: string): void;
}

/** How commands are run here; none of it comes from the workspace. */
export interface CommandOptions {
  /** The path of bash; by default searched in the usual places. */
  readonly shell?: string;
  /** The environment of the host process, of which commands get only a few variables. */
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly watcher?: CommandWatcher;
}

/** What `CommandOptions` may hold. */
export const commandOptionKinds: KnownOptions<CommandOptions> = {
  shell: 'text',
  host: 'object',
  watcher: 'object',
};

const MAX_COMMAND_LENGTH = 32_000;
const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 600;

/** The tool `run_command`: runs a command line in the workspace folder. */
export function runCommandTool(workspace: Workspace, options: CommandOptions): Tool {
  return {
    name: 'run_command',
    description:
      'Runs a command line with bash in the workspace folder and gives its output and exit code. Nobody can type ' +
      'into it. When it ends, everything that it started is ended too; long output is cut in the middle.',
    parameters: {
      type: 'object',
      properties: {
        command: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_COMMAND_LENGTH,
          description: 'The command line.',
        },
        timeout_seconds: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_TIMEOUT_S,
          description: `After this time it is ended; ${DEFAULT_TIMEOUT_S} unless given.`,
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
    effect: 'execute',
    parallel: false,
    execute: (args, context) => run(workspace, options, args, context),
  };
}

async function run(
  workspace: Workspace,
  options: CommandOptions,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { command } = args;
  if (typeof command !== 'string' || command.trim() === '') return failure('The command is missing.');
  if (command.length > MAX_COMMAND_LENGTH) return failure('The command is too long.');
  if (command.includes('\0') || /\p{Cs}/u.test(command)) return failure('The command is no valid text.');
  const shell = options.shell === undefined ? await findShell() : { path: options.shell };
  if ('problem' in shell) return failure(shell.problem);
  const folder = await workspace.guard.resolve('.');
  if (!folder.ok) return failure(folder.message);
  const { root } = folder.place;
  const seconds = typeof args.timeout_seconds === 'number' ? args.timeout_seconds : DEFAULT_TIMEOUT_S;
  const mark = crypto.randomUUID();
  const environments = { host: options.host, folders: [...workspace.guard.folders, root], mark };
  const looking = commandEnvironment({ ...environments, onlyLooks: true });
  const host = { path: options.host.PATH ?? '', environment: looking };
  const { allowReason, isLook, line, askReason, written, unreviewed } = await judge(
    workspace,
    command,
    root,
    host,
  );
  const approval = await askApproval(
    {
      toolName: 'run_command',
      title: `Run ${singleLine(preview(command, 80))}`,
      subject: `${command}\n\nin ${root}, for at most ${seconds} s${unreviewedText(unreviewed, root)}`,
      // A command that was allowed may do something else once files have been written.
      remembered: { command, root, written: writtenBefore(workspace, written) },
      askReason,
      allowReason,
      action: { kind: 'command', line: command },
    },
    context,
  );
  if (!approval.approved) return approval.refusal;
  const changed = review(workspace, command, { unreviewed, written }, approval.byPerson);
  if (changed !== undefined) return changed;
  const { watcher } = options;
  const running = { call: context.call, toolCallId: context.toolCallId, command, folder: root };
  watcher?.began(running);
  const end = await runShell({
    command: line,
    shell: shell.path,
    folder: root,
    environment: isLook ? looking : commandEnvironment({ ...environments, onlyLooks: false }),
    mark,
    timeoutMs: Math.min(seconds, MAX_TIMEOUT_S) * 1_000,
    signal: context.signal,
    onOutput: (text) => watcher?.said(running, text),
  });
  const how = 'failure' in end ? end.failure : howItEnded(end, seconds);
  watcher?.ended(running, how);
  return 'failure' in end ? failure(how) : report(end, how);
}

/** Notes what the approval of a command has shown to a person, and what the command writes; a result where it must not run. */
function review(
  { seen }: Workspace,
  command: string,
  { unreviewed, written }: Pick<Judged, 'unreviewed' | 'written'>,
  byPerson: boolean,
): ToolResult | undefined {
  if (unreviewed.length > 0) {
    if (byPerson) seen.noteReviewed(unreviewed);
    if (seen.unreviewed().length > 0) {
      return failure(
        'Agents have changed files while this waited for approval. Nothing was run; run it again.',
      );
    }
  }
  seen.noteMade(written);
  if (!byPerson) seen.noteUnreviewed(written, `written by: ${command}`);
  return undefined;
}

interface Judged {
  readonly allowReason: string | undefined;
  /** Whether it runs with the system's programs only. */
  readonly isLook: boolean;
  /** What is run: the command, or the same with everything off by which a look could do more. */
  readonly line: string;
  readonly askReason: string | undefined;
  /** What it writes by name, by real path. */
  readonly written: readonly string[];
  /** What agents have changed and nobody has read, where the command runs code of the project. */
  readonly unreviewed: readonly UnreviewedFile[];
}

/** How many files agents have written apart from what this command writes, which is the same each time. */
function writtenBefore({ seen }: Workspace, own: readonly string[]): number {
  return [...seen.written].filter((path) => !own.includes(path)).length;
}

async function judge(
  workspace: Workspace,
  command: string,
  root: string,
  host: Pick<CommandSite, 'path' | 'environment'>,
): Promise<Judged> {
  const { seen, guard } = workspace;
  const decision = await decideCommand({ guard, root, ...host, writtenByAgents: seen.written }, command);
  if (decision.kind === 'allow') {
    return {
      allowReason: decision.rule,
      isLook: !decision.isBuiltin,
      line: decision.line,
      askReason: undefined,
      written: [],
      unreviewed: [],
    };
  }
  const { reasons, written, runsProject } = decision;
  const unreviewed = runsProject ? seen.unreviewed() : [];
  const askReason = approvalReason([...reasons, unreviewedReason(unreviewed, root)]);
  return { allowReason: undefined, isLook: false, line: command, askReason, written, unreviewed };
}

function howItEnded(end: ShellEnd, seconds: number): string {
  const { why, exitCode, signalName, leftBehind, unkillable } = end;
  const how = {
    exit: exitCode === undefined ? `Ended by ${signalName ?? 'a signal'}.` : `Exit code ${exitCode}.`,
    timeout: `Ended after ${seconds} seconds, its time limit.`,
    cancelled: 'Cancelled.',
    flood: 'Ended because it said too much.',
  }[why];
  const notes = [
    how,
    leftBehind > 0 ? `${leftBehind} processes that it left behind were ended.` : '',
    unkillable.length > 0 ? `These processes could not be ended: ${unkillable.join(', ')}.` : '',
  ];
  return notes.filter((note) => note !== '').join(' ');
}

function report({ why, output }: ShellEnd, how: string): ToolResult {
  const text = output === '' ? '(no output)' : output.replace(/\n$/, '');
  const content = `${text}\n(${how})`;
  return why === 'exit' ? answer(content) : failure(content);
}

/** The path of bash, or one sentence for the model about why commands cannot be run here. */
export async function findShell(
  platform: NodeJS.Platform = process.platform,
  candidates: readonly string[] = places,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  if (platform === 'win32') {
    return {
      problem:
        'Commands are not run on Windows itself, because their rules are those of bash. They are run where the ' +
        'folder is opened in WSL, in a container or over SSH.',
    };
  }
  for (const path of candidates) if (await isProgram(path)) return { path };
  return { problem: `Commands cannot be run: there is no bash at ${candidates.join(', ')}.` };
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run: the next place is tried.
    return false;
  }
}

/** Why a command that runs code of the project must be asked about; undefined where no change waits for a person. */
function unreviewedReason(files: readonly UnreviewedFile[], root: string): string | undefined {
  if (files.length === 0) return undefined;
  const named = files.slice(0, MAX_NAMED).map(({ path }) => `'${relative(root, path)}'`);
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more files` : '';
  return `it runs code of the project, and nobody has yet looked at what agents changed: ${named.join(', ')}${more}`;
}

/** The changes themselves, for the subject of the approval; empty where there are none. */
function unreviewedText(files: readonly UnreviewedFile[], root: string): string {
  if (files.length === 0) return '';
  const parts = ['\n\nWhat agents have changed and nobody has looked at yet:'];
  let left = MAX_SHOWN;
  for (const { path, changes } of files) {
    const text = changes.join('\n');
    const shown = text.slice(0, left);
    left -= shown.length;
    const rest = text.length - shown.length;
    parts.push(
      `${relative(root, path)}\n${shown}${rest > 0 ? `\n(${rest} more characters are not shown)` : ''}`,
    );
  }
  return parts.join('\n\n');
}
