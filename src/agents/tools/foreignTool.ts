import { createHash } from 'node:crypto';
import { ABORTED, raceAbort } from '../../core/abort.js';
import { canonicalJson } from '../../core/canonicalJson.js';
import { messageOf, preview, firstCodePoints } from '../../core/text.js';
import { systemTimers, type Timers } from '../../core/timers.js';
import type { Log } from '../../core/ports/log.js';
import type { Tool, ToolContext, ToolResult } from '../../core/ports/tool.js';
import { externalToolRisk } from './externalToolRisk.js';
import { askApproval } from './paths/accessRights.js';
import { failure } from './result.js';
import { SUBAGENT_DISPATCH } from './subagentDispatch.js';
import type { ImagePart } from '../../core/message.js';
import { pictureAsPart, pictureIn } from '../../core/picture.js';

/** A part of an external tool's answer: a text, or data of some type. */
export type ForeignPart = string | { readonly mimeType: string; readonly data: Uint8Array };

/** The longest text that is passed to a model, in code points; a longer one is cut with a note. */
const MAX_TEXT = 200_000;
/** Larger pictures, in bytes, are refused by providers of models, whose limits begin at 5 MB in base64. */
const MAX_PICTURE = 3_500_000;
/** How many pictures of one answer are passed on. */
const MAX_PICTURES = 8;

/** An external tool's answer for the model: its texts, its pictures, and a note for everything else. */
export function foreignAnswer(parts: readonly ForeignPart[]): ToolResult {
  const pictures: ImagePart[] = [];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    const { mimeType, data } = part;
    if (/^text\/|[/+]json$/.test(mimeType)) return new TextDecoder().decode(data);
    const picture = pictures.length < MAX_PICTURES ? pictureOf(part) : undefined;
    if (picture) pictures.push(picture);
    return `(${preview(mimeType, 100)} of ${data.length} bytes${picture ? '' : ', which is not passed on'})`;
  });
  const content = cutAnswer(texts.join('\n'));
  return pictures.length === 0 ? { content } : { content, pictures };
}

/** An external text for a model; a text that is too long is cut with a note. */
function cutAnswer(text: string): string {
  const shown = firstCodePoints(text, MAX_TEXT);
  const left = text.length - shown.length;
  return left === 0 ? text : `${shown}\n(cut: ${left} more characters)`;
}

function pictureOf({ mimeType, data }: Exclude<ForeignPart, string>): ImagePart | undefined {
  if (data.length > MAX_PICTURE) return undefined;
  const part = pictureAsPart({ mimeType, base64: Buffer.from(data).toString('base64') });
  return pictureIn(part) && part;
}

const names = (text: string) => new Set(text.split(' '));

/**
 * Tools of VS Code's own chat that make no sense outside of it: they ask its user, end its turn or change its
 * session. `runSubagent` would start agents past the rules of `subagent_dispatch`.
 */
const ofChatAlone = names(
  'inline_chat_exit task_complete manage_todo_list runSubagent vscode_askQuestions vscode_reviewPlan ' +
    'vscode_get_confirmation vscode_get_confirmation_with_options vscode_get_terminal_confirmation ' +
    'vscode_get_modified_files_confirmation',
);

/** Tools of VS Code and of its chat by which files are changed or programs run, past our rules for both. */
const farReaching = names(
  'run_in_terminal send_to_terminal kill_terminal run_task create_and_run_task run_build_task runTests ' +
    'run_vscode_command install_extension vscode_renameSymbol vscode_editFile setup_tools_createNewWorkspace ' +
    'copilot_createFile copilot_createDirectory copilot_insertEdit copilot_replaceString ' +
    'copilot_multiReplaceString copilot_applyPatch copilot_editFile copilot_editNotebook copilot_runNotebookCell ' +
    'copilot_createNewWorkspace copilot_createNewJupyterNotebook copilot_createAndRunTask copilot_runTask ' +
    'copilot_runInTerminal copilot_runVscodeCommand copilot_installExtension copilot_fetchWebPage ' +
    'copilot_openSimpleBrowser copilot_memory',
);

/** What an external tool, of another extension or an MCP server, says about itself. None of it is trusted. */
export interface ForeignToolInfo {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Who provides it, like the label of an MCP server; undefined where that is unknown. */
  readonly source?: string | undefined;
}

/** The external tools that exist at this moment. */
export interface ForeignTools {
  list(): readonly ForeignToolInfo[];
  /** Runs a tool and gives its answer. Rejects with the reason where it fails. */
  invoke(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<readonly ForeignPart[]>;
}

/** The definition of each tool that was last allowed, by the tool's name; kept across sessions. */
export interface ApprovedDefinitions {
  get(name: string): string | undefined;
  set(name: string, definition: string): void;
}

/** What the tools of other extensions need. */
export interface ForeignToolOptions {
  readonly tools: ForeignTools;
  readonly approved: ApprovedDefinitions;
  /** The absolute paths of the workspace's folders; what lies elsewhere is asked about. */
  readonly folders: readonly string[];
  readonly log: Log;
  readonly timers?: Timers;
}

/** How much of a description is given to a model, in code points. */
const MAX_DESCRIPTION = 8_000;
/** The largest schema, as JSON in UTF-16 code units; tools with a larger one are left out. */
const MAX_SCHEMA = 64 * 1024;
/** How many tools are considered, far more than any model is given. */
const MAX_TOOLS = 512;
/** How long a tool may take, in milliseconds; somebody may have to sign in meanwhile. */
const MAX_MS = 5 * 60_000;
/** What model providers accept as the name of a tool. */
const usableName = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The external tools, without those whose name is `taken`, so that none can replace a built-in one. All ask before they
 * run, and ask again when their definition is not the one that was allowed.
 */
export function foreignTools(options: ForeignToolOptions, taken: ReadonlySet<string>): readonly Tool[] {
  const names = new Set([...taken, SUBAGENT_DISPATCH]);
  const offered: Tool[] = [];
  for (const info of options.tools.list()) {
    const { name } = info;
    if (!isOffered(name)) continue;
    const problem = names.has(name) ? 'its name is taken' : problemOf(info, offered.length);
    if (problem === undefined) offered.push(toTool(info, options));
    else options.log.warn(`The tool ${preview(name)} is left out: ${problem}.`);
    names.add(name);
  }
  return offered;
}

function problemOf({ name, schema }: ForeignToolInfo, count: number): string | undefined {
  if (!usableName.test(name)) return 'its name holds what names of tools may not';
  if (JSON.stringify(schema ?? {}).length > MAX_SCHEMA) return 'the schema of its arguments is too large';
  return count >= MAX_TOOLS ? `there are more than ${MAX_TOOLS} tools` : undefined;
}

function toTool(info: ForeignToolInfo, options: ForeignToolOptions): Tool {
  return {
    name: info.name,
    ...(info.source !== undefined && { provider: info.source }),
    description: preview(info.description, MAX_DESCRIPTION),
    parameters: info.schema ?? { type: 'object' },
    // What an external tool says about itself (for example that it only reads) is not trusted.
    effect: 'execute',
    parallel: false,
    execute: (args, context) => run(info, options, args, context),
  };
}

async function run(
  told: ForeignToolInfo,
  options: ForeignToolOptions,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { name } = told;
  const current = options.tools.list().find((tool) => tool.name === name);
  if (!current) return failure(`The tool ${name} is not there any more.`);
  const definition = definitionOf(current);
  const changed = [definitionOf(told), options.approved.get(name) ?? definition].some(
    (one) => one !== definition,
  );
  const risk = externalToolRisk(name, args, options.folders);
  const approval = await askApproval(
    {
      toolName: name,
      title: `Use the tool ${name}${sourceOf(current)}`,
      subject: `${name}${sourceOf(current)}\n${JSON.stringify(args, null, 2)}${changed ? selfDescription(current) : ''}`,
      remembered: { args, definition },
      askReason: changed
        ? `The tool ${name} says something else of itself than when it was allowed.`
        : (reachReason(name) ?? (risk.kind === 'allow' ? undefined : `This always asks: ${risk.reason}.`)),
      action: { kind: 'call' },
    },
    context,
  );
  if (!approval.approved) return approval.refusal;
  options.approved.set(name, definition);
  return invoke(name, options, args, context.signal);
}

/** Identifies everything that a tool says about itself, and its provider. */
function definitionOf({ description, schema, source }: ForeignToolInfo): string {
  return createHash('sha256')
    .update(canonicalJson([description, schema ?? null, source ?? null]))
    .digest('hex');
}

const sourceOf = ({ source }: ForeignToolInfo) => (source === undefined ? '' : ` of ${source}`);

const selfDescription = ({ description, schema }: ForeignToolInfo) =>
  `\n\nIt says of itself now:\n${description}\n${JSON.stringify(schema ?? {}, null, 2)}`;

async function invoke(
  name: string,
  { tools, timers = systemTimers }: ForeignToolOptions,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const stop = new AbortController();
  const timer = timers.after(MAX_MS, () => stop.abort());
  try {
    const parts = tools.invoke(name, args, AbortSignal.any([signal, stop.signal]));
    const answer = await raceAbort(parts.then(foreignAnswer), stop.signal);
    return answer === ABORTED ? failure(`${name} did not answer within ${MAX_MS / 60_000} minutes.`) : answer;
  } catch (error) {
    return failure(`${name} failed: ${cutAnswer(messageOf(error))}`);
  } finally {
    timer.dispose();
  }
}

/** Whether agents are told of a tool that VS Code lists, by its name. */
function isOffered(name: string): boolean {
  return !ofChatAlone.has(name) && !name.endsWith('_internal');
}

/** Why a tool of VS Code must be asked about even where everything is approved; undefined: no reason is known. */
function reachReason(name: string): string | undefined {
  return farReaching.has(name)
    ? `The tool ${name} of VS Code can change files or run programs past the rules for agents.`
    : undefined;
}
