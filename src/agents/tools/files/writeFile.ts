import type { Tool, ToolContext, ToolResult } from '../../../core/ports/tool.js';
import { askToWrite } from '../paths/accessRights.js';
import { changeText } from './editFile.js';
import { openForWriting } from '../paths/openForWriting.js';
import { answer, failure } from '../result.js';
import type { Workspace } from '../paths/workspace.js';

/** The tool `write_file`: creates a file or replaces all of it. */
export function writeFileTool(workspace: Workspace): Tool {
  return {
    name: 'write_file',
    description:
      'Creates a text file of the workspace, with the folders it needs, or replaces all of one that was read ' +
      'before. For a change within a file use edit_file.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'From the workspace folder, like src/main.ts.' },
        content: { type: 'string', description: 'All that the file shall hold.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    effect: 'write',
    parallel: false,
    execute: (args, context) => write(workspace, args, context),
  };
}

async function write(
  workspace: Workspace,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { content } = args;
  if (typeof content !== 'string' || /\p{Cs}/u.test(content)) return failure('The content is no valid text.');
  const opened = await openForWriting(workspace, args.path);
  if (!opened.ok) return failure(opened.message);
  const { place, before } = opened;
  const seen = workspace.seen.versionSeen(context.call, place);
  if (before && seen !== before.version) {
    return failure(`'${place.relative}' exists, and you have not read it as it is now. Read it first.`);
  }
  if (!before && seen !== undefined) {
    workspace.seen.forget(context.call, place);
    return failure(
      `'${place.relative}' is gone since you read it. Write it again only if it shall come back.`,
    );
  }
  const change = changeText(before?.text, content);
  const approval = await askToWrite(
    {
      toolName: 'write_file',
      place,
      change,
      remembered: { path: place.path, content },
      unsaved: before?.unsaved === true,
    },
    context,
  );
  if (!approval.approved) return approval.refusal;
  const written = await workspace.files.write(place, content, before?.version ?? 'absent');
  if (!written.ok) return failure(written.message);
  workspace.seen.noteWritten(context.call, place, written.version);
  if (!approval.byPerson) workspace.seen.noteUnreviewed([place.path], change);
  return answer(`${before ? 'Replaced' : 'Created'} '${place.relative}'.`);
}
