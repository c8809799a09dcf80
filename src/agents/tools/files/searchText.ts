import type { Tool, ToolContext, ToolResult } from '../../../core/ports/tool.js';
import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { guardedPatterns } from '../../../node/patterns/guardedPatterns.js';
import { Findings } from './findings.js';
import { compileGlob } from './glob.js';
import type { Glob } from './glob.js';
import { problemOf } from './lineSearch.js';
import { answer, failure } from '../result.js';
import { walkFiles } from './walkFiles.js';
import type { WalkOptions } from './walkFiles.js';
import type { Workspace } from '../paths/workspace.js';

/** The tool `search_text`: the lines of files that match a text or a pattern. */
export function searchTextTool(workspace: Workspace): Tool {
  return {
    name: 'search_text',
    description:
      'Finds the lines of files of the workspace in which a text stands, as path:line: text. ' +
      'Leaves out what list_files leaves out, binary and very large files, and files that may hold secrets.',
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, maxLength: 1_000, description: 'The text to find.' },
        regex: { type: 'boolean', description: 'The pattern is a regular expression (RE2 syntax).' },
        ignore_case: { type: 'boolean', description: 'Letter case does not count.' },
        path: { type: 'string', description: 'A folder or a file; without it the workspace folder.' },
        include: {
          type: 'string',
          minLength: 1,
          maxLength: 500,
          description: 'Only files like this: **/*.ts.',
        },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    effect: 'read',
    parallel: true,
    execute: (args, context) => search(workspace, args, context),
  };
}

async function search(
  workspace: Workspace,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { pattern, path } = args;
  if (typeof pattern !== 'string' || pattern === '') return failure('The pattern is missing.');
  const checked = await workspace.guard.resolve(typeof path === 'string' && path !== '' ? path : '.');
  if (!checked.ok) return failure(checked.message);
  const { place } = checked;
  if (place.kind === 'absent') return failure(`'${place.relative}' does not exist.`);
  const question = { pattern, regex: args.regex === true, ignoreCase: args.ignore_case === true };
  const patterns = workspace.patterns ?? guardedPatterns;
  const invalid = await problemOf(question, patterns);
  if (invalid !== undefined) return failure(invalid);
  const include = typeof args.include === 'string' ? compileGlob(args.include) : undefined;
  if (include && 'problem' in include) return failure(include.problem);
  const found = new Findings({ files: workspace.files, patterns, question, signal: context.signal });
  for await (const file of filesUnder(place, include, {
    recursive: true,
    signal: context.signal,
    skip: workspace.guard.store,
  })) {
    if (!(await found.searchIn(file))) break;
  }
  return answer(found.report());
}

async function* filesUnder(
  place: GuardedPath,
  include: Glob | undefined,
  options: WalkOptions,
): AsyncGenerator<GuardedPath> {
  if (place.kind === 'file') {
    yield place;
    return;
  }
  for await (const { relative, place: file, kind } of walkFiles(place, options)) {
    if (kind === 'file' && include?.(relative) !== false) yield { ...file, kind: 'file', names: 1 };
  }
}
