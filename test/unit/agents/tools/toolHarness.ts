import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { onTestFinished } from 'vitest';
import type { ApprovalDecision, ApprovalRequest } from '../../../../src/core/ports/approvals.js';
import type { ArgumentValidator } from '../../../../src/core/ports/argumentValidator.js';
import type { Frontend } from '../../../../src/core/ports/frontend.js';
import type { Dispatch, ToolContext } from '../../../../src/core/ports/tool.js';
import { builtInTools } from '../../../../src/agents/tools/builtInTools.js';
import { DiskWorkspaceFiles } from '../../../../src/agents/tools/files/writeDiskText.js';
import { PathGuard } from '../../../../src/agents/tools/paths/pathGuard.js';
import type { CommandOptions } from '../../../../src/agents/tools/runCommand.js';
import { SeenFiles } from '../../../../src/agents/tools/files/seenFiles.js';
import { ToolRegistry } from '../../../../src/agents/tools/toolRegistry.js';

const silent = () => undefined;
const frontend: Frontend = {
  showDispatchStart: silent,
  showDispatchResult: silent,
  showDispatchFailure: silent,
  showText: silent,
  showToolActivity: silent,
  showApproval: silent,
};

export interface ContextOptions {
  /** Answers every question; without it a question is a failure of the test. */
  readonly decide?: (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>;
  readonly dispatch?: Dispatch;
  readonly signal?: AbortSignal;
  readonly call?: Partial<ToolContext['call']>;
}

export const approve = (): ApprovalDecision => ({ approved: true, decidedBy: 'user' });
export const deny = (reason?: string) => (): ApprovalDecision => ({
  approved: false,
  decidedBy: 'user',
  ...(reason !== undefined && { reason }),
});

/** A context as the loop makes it, and the questions that were asked through it. */
export function toolContext(
  options: ContextOptions = {},
): ToolContext & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return {
    asked,
    frontend,
    signal: options.signal ?? new AbortController().signal,
    call: { run: 'r', call: 'k', agent: 'Cookie', depth: 0, ...options.call },
    toolCallId: 't1',
    approvals: {
      decide: async (request) => {
        asked.push(request);
        if (options.decide === undefined) throw new Error(`asked for ${request.title}`);
        return options.decide(request);
      },
    },
    record: () => {
      throw new Error('nothing is recorded here');
    },
    ...(options.dispatch && { dispatch: options.dispatch }),
  };
}

const compiled = new WeakMap<object, ValidateFunction>();

/** The validator that the runtime gives, as small as it can be. */
export const validator: ArgumentValidator = {
  check: (schema, args) => {
    const check = compiled.get(schema) ?? new Ajv({ allErrors: true }).compile(schema);
    compiled.set(schema, check);
    if (check(args)) return [];
    return (check.errors ?? []).map(({ instancePath, message, params }) => {
      const allowed: unknown = params.allowedValues;
      return `${instancePath} ${message}${Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''}`;
    });
  },
};

/** A workspace in a fresh folder with something outside of it, gone after the test. */
export async function temporaryWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const top = await mkdtemp(join(tmpdir(), 'tools-'));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const root = join(top, 'ws');
  await mkdir(root);
  const put = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  for (const [path, content] of Object.entries(files)) await put(path, content);
  return {
    top,
    root,
    put,
    linkTo: (target: string, path: string) => symlink(target, join(root, path)),
    hardLinkTo: (target: string, path: string) => link(target, join(root, path)),
  };
}

/** A workspace of these files, and a way to call the built-in tools on it. */
export async function toolWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  commands: Partial<CommandOptions> = {},
) {
  const made = await temporaryWorkspace(files);
  const shared = {
    guard: new PathGuard([made.root]),
    files: new DiskWorkspaceFiles(),
    seen: new SeenFiles(),
  };
  const registry = new ToolRegistry(
    builtInTools(shared, { shell: '/bin/bash', host: process.env, ...commands }),
    validator,
  );
  const call = async (tool: string, args: object, options?: ContextOptions) => {
    const context = toolContext(options);
    const result = await registry.execute(tool, JSON.stringify(args), context);
    return { ...result, asked: context.asked };
  };
  return { ...made, call, seen: shared.seen };
}
