import type { Tool, ToolContext, ToolResult } from '../../../core/ports/tool.js';
import { askToWrite } from '../paths/accessRights.js';
import { openForWriting } from '../paths/openForWriting.js';
import { answer, failure } from '../result.js';
import type { Workspace } from '../paths/workspace.js';

/** The text after a replacement and the first lines that changed; or the rest of a sentence saying why not. */
type Replacement =
  | { readonly ok: true; readonly text: string; readonly lines: readonly number[] }
  | { readonly ok: false; readonly problem: string };

const MAX_LINES_NAMED = 20;

/**
 * Replaces `oldText` where it occurs exactly once, or everywhere. In a file with Windows line ends, the line ends of both
 * texts are converted, because models write `\n`.
 */
export function replaceText(text: string, oldText: string, given: string, everywhere: boolean): Replacement {
  const newText = hasOnlyWindowsEnds(text) ? withWindowsEnds(given) : given;
  if (oldText === '') return { ok: false, problem: 'nothing can be replaced: old_text is empty.' };
  if (oldText === newText) return { ok: false, problem: 'nothing would change: both texts are the same.' };
  const positions = placesOf(text, oldText);
  if (positions.length === 0 && text.includes('\r\n') && oldText.includes('\n') && !oldText.includes('\r')) {
    return replaceText(text, withWindowsEnds(oldText), withWindowsEnds(newText), everywhere);
  }
  if (positions.length === 0) return { ok: false, problem: 'old_text does not stand. Read the file again.' };
  const lines = lineNumbers(text, positions.slice(0, MAX_LINES_NAMED));
  if (positions.length > 1 && !everywhere) {
    const where = `${positions.length} times (line ${lines.join(', ')})`;
    return { ok: false, problem: `old_text stands ${where}. Give more around it.` };
  }
  return { ok: true, text: text.split(oldText).join(newText), lines };
}

/** The places of `part`, including overlapping ones: `aa` occurs in `aaa` twice, so choosing one would be a guess. */
function placesOf(text: string, part: string): number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) positions.push(at);
  return positions;
}

/** The line numbers of places in order, each line once. */
function lineNumbers(text: string, positions: readonly number[]): number[] {
  const lines = new Set<number>();
  let line = 1;
  let next = text.indexOf('\n');
  for (const position of positions) {
    for (; next >= 0 && next < position; next = text.indexOf('\n', next + 1)) line++;
    lines.add(line);
  }
  return [...lines];
}

const hasOnlyWindowsEnds = (text: string) => text.includes('\r\n') && !/(?<!\r)\n/.test(text);
const withWindowsEnds = (text: string) => text.replace(/\r?\n/g, '\r\n');

/** The tool `edit_file`: replaces one exact text in a file by another. */
export function editFileTool(workspace: Workspace): Tool {
  return {
    name: 'edit_file',
    description:
      'Replaces a text in a file of the workspace by another. old_text must stand in the file exactly as given, ' +
      'once; give enough of the lines around it, or set replace_all.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'From the workspace folder, like src/main.ts.' },
        old_text: { type: 'string', minLength: 1, description: 'The text that goes, with all its blanks.' },
        new_text: { type: 'string', description: 'The text that comes.' },
        replace_all: { type: 'boolean', description: 'Replace it wherever it stands.' },
      },
      required: ['path', 'old_text', 'new_text'],
      additionalProperties: false,
    },
    effect: 'write',
    parallel: false,
    execute: (args, context) => edit(workspace, args, context),
  };
}

async function edit(
  workspace: Workspace,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { old_text: oldText, new_text: newText } = args;
  if (typeof oldText !== 'string' || typeof newText !== 'string') return failure('A text is missing.');
  if (/\p{Cs}/u.test(newText)) return failure('The new text is no valid text.');
  const opened = await openForWriting(workspace, args.path);
  if (!opened.ok) return failure(opened.message);
  const { place, before } = opened;
  if (before === undefined) return failure(`'${place.relative}' does not exist.`);
  const seen = workspace.seen.versionSeen(context.call, place);
  if (seen !== undefined && seen !== before.version) {
    return failure(`'${place.relative}' has changed since you read it. Read it again.`);
  }
  const replaced = replaceText(before.text, oldText, newText, args.replace_all === true);
  if (!replaced.ok) return failure(`In '${place.relative}' ${replaced.problem}`);
  const change = changeText(before.text, replaced.text);
  const approval = await askToWrite(
    {
      toolName: 'edit_file',
      place,
      change,
      remembered: { path: place.path, oldText, newText, all: args.replace_all === true },
      unsaved: before.unsaved === true,
    },
    context,
  );
  if (!approval.approved) return approval.refusal;
  const written = await workspace.files.write(place, replaced.text, before.version);
  if (!written.ok) return failure(written.message);
  workspace.seen.noteWritten(context.call, place, written.version);
  if (!approval.byPerson) workspace.seen.noteUnreviewed([place.path], change);
  return answer(`Changed '${place.relative}' at line ${replaced.lines.join(', ')}.`);
}

/**
 * The full change of a write, for a person: a new text as it is, otherwise the lines removed (`-`) and added (`+`)
 * between the first and the last line that differ.
 */
export function changeText(before: string | undefined, after: string): string {
  if (before === undefined) return `new file\n${marked('+', linesOf(after))}`;
  const old = linesOf(before);
  const now = linesOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const gone = old.slice(head, old.length - tail);
  const come = now.slice(head, now.length - tail);
  if (gone.length === 0 && come.length === 0) return 'no change';
  return [`line ${head + 1}`, marked('-', gone), marked('+', come)].filter((part) => part !== '').join('\n');
}

const linesOf = (text: string): string[] => text.split('\n');
const marked = (mark: string, lines: readonly string[]) => lines.map((line) => mark + line).join('\n');
