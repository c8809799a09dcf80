import type { Tool, ToolContext, ToolResult } from '../../../core/ports/tool.js';
import { askToWrite } from '../paths/accessRights.js';
import { changeText } from './changeText.js';
import { openForWriting } from '../paths/openForWriting.js';
import { replaceText } from './replaceText.js';
import { answer, failure } from '../result.js';
import type { Workspace } from '../paths/workspace.js';

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
