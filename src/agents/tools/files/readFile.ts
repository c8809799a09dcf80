import { withoutHalfAtEnd } from '../../../core/halves.js';
import type { Tool, ToolContext, ToolResult } from '../../../core/ports/tool.js';
import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { askToRead } from '../paths/accessRights.js';
import { failure } from '../result.js';
import type { Workspace } from '../paths/workspace.js';

/** The largest file that is read, in bytes; larger ones can be searched. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** More of a file is not given in one answer; from what models read well and the store keeps inline. */
const MAX_LINES = 2_000;
const MAX_CHARACTERS = 48_000;

/** The tool `read_file`: the text of a file of the workspace, or some lines of it. */
export function readFileTool(workspace: Workspace): Tool {
  return {
    name: 'read_file',
    description:
      'Reads a text file of the workspace, the whole of it or the lines from start_line to end_line. ' +
      'What is cut is said at the end.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'From the workspace folder, like src/main.ts.' },
        start_line: { type: 'integer', minimum: 1, description: 'The first line wanted; the first is 1.' },
        end_line: { type: 'integer', minimum: 1, description: 'The last line wanted, included.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'read',
    parallel: true,
    execute: (args, context) => read(workspace, args, context),
  };
}

async function read(
  workspace: Workspace,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const checked = await workspace.guard.resolve(typeof args.path === 'string' ? args.path : '');
  if (!checked.ok) return failure(checked.message);
  const { place } = checked;
  if (place.kind === 'absent') return failure(`'${place.relative}' does not exist.`);
  if (place.kind === 'folder') return failure(`'${place.relative || '.'}' is a folder; use list_files.`);
  const refusal = await askToRead('read_file', place, context);
  if (refusal !== undefined) return refusal;
  const file = await workspace.files.read(place, MAX_FILE_BYTES);
  if (!file.ok) return failure(file.message);
  const start = typeof args.start_line === 'number' ? args.start_line : 1;
  const end = typeof args.end_line === 'number' ? args.end_line : Infinity;
  if (end < start) return failure(`end_line ${end} comes before start_line ${start}.`);
  workspace.seen.note(context.call, place, file.version);
  return { content: excerpt(place, file.text, start, end) };
}

/** The requested lines, at most as many as one answer may have, and a last line that tells what is not shown. */
function excerpt(place: GuardedPath, text: string, start: number, end: number): string {
  if (text === '') return `('${place.relative}' is empty.)`;
  const lines = text.split('\n');
  const count = text.endsWith('\n') ? lines.length - 1 : lines.length;
  if (start > count) return `('${place.relative}' has ${count} lines; there is no line ${start}.)`;
  const wanted = Math.min(end, count, start + MAX_LINES - 1);
  let last = start - 1;
  let length = 0;
  while (last < wanted && length + (lines[last]?.length ?? 0) < MAX_CHARACTERS) {
    length += (lines[last]?.length ?? 0) + 1;
    last++;
  }
  if (last < start) return longLine(place, lines[start - 1] ?? '', start);
  const shown = lines.slice(start - 1, last).join('\n');
  if (start === 1 && last === count) return text;
  const more = last < Math.min(end, count) ? ` Go on with start_line ${last + 1}.` : '';
  return `${shown}\n(Lines ${start} to ${last} of ${count} of '${place.relative}'.${more})`;
}

function longLine(place: GuardedPath, line: string, number: number): string {
  const shown = withoutHalfAtEnd(line.slice(0, MAX_CHARACTERS));
  const rest = line.length - shown.length;
  return `${shown}\n(Line ${number} of '${place.relative}' is cut: ${rest} more characters.)`;
}
