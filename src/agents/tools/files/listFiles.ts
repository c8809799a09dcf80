import type { Tool, ToolContext, ToolResult } from '../../../core/ports/tool.js';
import { compileGlob } from './glob.js';
import { shownPath } from '../paths/pathNames.js';
import { answer, failure } from '../result.js';
import { walkFiles } from './walkFiles.js';
import type { Workspace } from '../paths/workspace.js';

const MAX_ENTRIES = 1_000;

/** The tool `list_files`: what is in a folder of the workspace. */
export function listFilesTool(workspace: Workspace): Tool {
  return {
    name: 'list_files',
    description:
      'Lists the files and folders in a folder of the workspace; folders end in /. ' +
      'With recursive or a pattern like **/*.ts also those further down. ' +
      'Leaves out .git, node_modules, the log store and what .gitignore names.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The folder; without it the workspace folder.' },
        recursive: { type: 'boolean', description: 'Also what lies in its folders.' },
        pattern: {
          type: 'string',
          minLength: 1,
          maxLength: 500,
          description: 'Only paths like this, seen from the folder.',
        },
      },
      additionalProperties: false,
    },
    effect: 'read',
    parallel: true,
    execute: (args, context) => list(workspace, args, context),
  };
}

async function list(
  workspace: Workspace,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const checked = await workspace.guard.resolve(
    typeof args.path === 'string' && args.path !== '' ? args.path : '.',
  );
  if (!checked.ok) return failure(checked.message);
  const { place } = checked;
  const name = place.relative || '.';
  if (place.kind === 'absent') return failure(`'${name}' does not exist.`);
  if (place.kind === 'file') return failure(`'${name}' is a file; use read_file.`);
  const pattern = typeof args.pattern === 'string' ? args.pattern : undefined;
  const matches = pattern === undefined ? undefined : compileGlob(pattern);
  if (matches && 'problem' in matches) return failure(matches.problem);
  const recursive = args.recursive === true || pattern !== undefined;
  const walk = { recursive, signal: context.signal, skip: workspace.guard.store };
  const found: string[] = [];
  let more = false;
  for await (const entry of walkFiles(place, walk)) {
    if (matches?.(entry.relative) === false) continue;
    more = found.length === MAX_ENTRIES;
    if (more) break;
    found.push(shownPath(entry.relative) + (entry.kind === 'folder' ? '/' : ''));
  }
  if (found.length === 0) return answer(`(Nothing${pattern ? ` like ${pattern}` : ''} in '${name}'.)`);
  const note = more ? `\n(Only the first ${MAX_ENTRIES}; there are more. Name a folder or a pattern.)` : '';
  return answer(found.join('\n') + note);
}
