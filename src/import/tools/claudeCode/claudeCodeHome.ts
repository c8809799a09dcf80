import { basename, dirname, join } from 'node:path';
import { ANY, from, roots, type ToolHome, type Machine, type RegisteredSession } from '../home.js';
import { textOf, isObject } from '../../../core/message.js';
import {
  endOfCalls,
  isAsking,
  namesIn,
  parts,
  fields,
  text,
  type Fields,
  type SessionHint,
} from '../hint.js';
import type { LifeSign } from '../life.js';
import { readdir } from 'node:fs/promises';
import { openPlainFile, READ } from '../../../node/plainFile.js';

/** Claude Code: a folder of sessions for each workspace. */
export const claudeCodeHome: ToolHome<'claude-code'> = {
  id: 'claude-code',
  formats: ['claude-code'],
  name: 'Claude Code',
  hintOf: (line) => {
    const hint = claudeCodeHint(line);
    const life = claudeLife(line);
    return { ...hint, life, context: contextOf(line) };
  },
  approvals: 'registry',
  tellsCalls: true,
  registered: claudeRegistry,
  childrenOf: (path) => join(dirname(path), basename(path, '.jsonl'), 'subagents'),
  places: ({ home, env }, folders) =>
    roots([join(from(env, 'CLAUDE_CONFIG_DIR') ?? join(home, '.claude'), 'projects')], folders).map(
      (folder) => ({
        folder,
        names: [ANY, /^(?!agent-).*\.jsonl$/],
        workspaceAt: 0,
      }),
    ),
  handOver: {
    format: 'claude-session',
    fileOf: ({ id, folder }) => join(folder.replaceAll(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`),
    commandOf: ({ id }) => `claude --resume ${id}`,
  },
};

/** What a line of a session tells of it. */
export function claudeCodeHint(line: Fields): SessionHint | undefined {
  const { type, isMeta, isSidechain, cwd } = line;
  const workspace = text(cwd);
  if (type === 'custom-title') return { named: text(line.customTitle) };
  if (type === 'ai-title') return { made: text(line.aiTitle) };
  if (type === 'summary') return { summary: text(line.summary) };
  if (type === 'agent-name') return { agent: text(line.agentName) };
  const agent = line.teamName === undefined || isSidechain === true ? undefined : text(line.agentName);
  const { model, content, id, stop_reason: stop } = fields(line.message);
  if (type === 'assistant') {
    const called = endOfCalls(namesIn(content, 'tool_use'));
    const end = called === 'answer' && stop === 'tool_use' ? 'call' : called;
    return {
      workspace,
      agent,
      message: text(id),
      messages: 1,
      end: line.isApiErrorMessage === true ? 'error' : end,
      model: model === '<synthetic>' ? undefined : text(model),
    };
  }
  if (type !== 'user') return { workspace };
  const results = parts(content).filter((part) => part.type === 'tool_result').length;
  const isPrompt = results === 0 && isMeta !== true && isSidechain !== true && line.isCompactSummary !== true;
  const prompt = isPrompt ? textOf(content) : undefined;
  return { workspace, agent, prompt, messages: Math.max(1, results), end: results > 0 ? 'call' : 'prompt' };
}

/** Words of a limit of the person's plan, as against those of a request that failed. */
const LIMIT =
  /\b(?:session|usage|weekly|5-hour|opus|rate)? ?limit\b.*\breset|hit your .*limit|limit reached/i;

/** What a person typed to the tool itself, to which no model answers. */
const TO_TOOL = /^\s*<(?:command-|local-command-|bash-)/;

/** What a line says of what the session does. */
function claudeLife(line: Fields): readonly LifeSign[] {
  const { type, subtype, isSidechain, agentId } = line;
  const agent = isSidechain === true ? { agent: text(agentId) ?? 'side' } : {};
  if (type === 'system') return claudeSystemLife(line, subtype).map((sign) => ({ ...sign, ...agent }));
  if (type === 'progress') return [{ kind: 'step', agent: 'progress' }];
  if (type !== 'assistant' && type !== 'user') return [];
  const signs = type === 'assistant' ? claudeAnswerLife(line) : claudeUserLife(line);
  return signs.map((sign) => ({ ...sign, ...agent }));
}

function claudeSystemLife(line: Fields, subtype: unknown): readonly LifeSign[] {
  switch (subtype) {
    case 'turn_duration':
    case 'stop_hook_summary':
      return [{ kind: 'finish' }];
    case 'compact_boundary':
      return [{ kind: 'step' }];
    case 'api_error': {
      const { retryInMs, retryAttempt, timestamp } = line;
      const from = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
      const until = from + Number(retryInMs);
      const attempt = Number(retryAttempt);
      return [
        {
          kind: 'retry',
          ...(Number.isFinite(until) && { until }),
          ...(Number.isFinite(attempt) && { attempt }),
        },
      ];
    }
    default:
      return [];
  }
}

function claudeAnswerLife({ message, isApiErrorMessage }: Fields): readonly LifeSign[] {
  const { content, stop_reason: stop } = fields(message);
  if (isApiErrorMessage === true) {
    const words = textOf(content);
    return [LIMIT.test(words) ? { kind: 'limit', words } : { kind: 'break', by: 'error', words }];
  }
  const calls = parts(content).filter((part) => part.type === 'tool_use');
  if (calls.length > 0)
    return calls.map((call): LifeSign => {
      const { name, input } = call;
      const id = text(call.id) ?? '';
      const tool = text(name);
      if (isAsking(name)) return { kind: 'ask', id, for: 'question', words: questionIn(input) };
      const said = fields(input);
      const command = text(said.command);
      // Several edits of one file are no loop.
      const whole = command ?? JSON.stringify(input ?? {});
      return {
        kind: 'call',
        id,
        ...(tool !== undefined && { tool }),
        text: command ?? text(said.file_path) ?? whole,
        whole,
      };
    });
  if (stop === 'tool_use' || !parts(content).some((part) => part.type === 'text')) return [{ kind: 'step' }];
  return [{ kind: typeof stop === 'string' ? 'finish' : 'said' }];
}

/** The question that a tool puts to a person; '' where it asks for a yes to a plan. */
function questionIn(input: unknown): string {
  const [first] = parts(fields(input).questions);
  return text(first?.question) ?? text(fields(input).question) ?? '';
}

function claudeUserLife({
  message,
  isMeta,
  isCompactSummary,
  interruptedMessageId,
}: Fields): readonly LifeSign[] {
  const { content } = fields(message);
  const words = textOf(content);
  if (interruptedMessageId !== undefined || words.startsWith('[Request interrupted by user'))
    return [{ kind: 'break', by: 'person' }];
  const results = parts(content).filter((part) => part.type === 'tool_result');
  if (results.length > 0)
    return results.map((part) => ({ kind: 'result', id: text(part.tool_use_id) ?? '' }));
  if (isMeta === true || TO_TOOL.test(words)) return [];
  return [{ kind: isCompactSummary === true ? 'step' : 'turn' }];
}

/** How much the last request had read and written; how much there is room for is not written. */
function contextOf({ message, isSidechain, isApiErrorMessage }: Fields): { used: number } | undefined {
  const usage = fields(fields(message).usage);
  if (isSidechain === true || isApiErrorMessage === true || typeof usage.input_tokens !== 'number')
    return undefined;
  const all = [
    usage.input_tokens,
    usage.cache_creation_input_tokens,
    usage.cache_read_input_tokens,
    usage.output_tokens,
  ];
  return { used: all.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0) };
}

/** The most files that are read, and how long each may be, in bytes: a longer one is no such file. */
const MAX_FILES = 500;
const MAX_BYTES = 64 * 1024;

const STATUSES = ['busy', 'waiting', 'idle', 'shell'] as const;

/** The sessions that Claude Code notes as open: a file for each process, since 2.1.139. What is no such file is none. */
export async function claudeRegistry({ home, env }: Machine): Promise<readonly RegisteredSession[]> {
  const folder = join(from(env, 'CLAUDE_CONFIG_DIR') ?? join(home, '.claude'), 'sessions');
  const names = await readdir(folder).catch(() => []);
  const found: RegisteredSession[] = [];
  for (const name of names.filter((each) => /^\d+\.json$/.test(each)).slice(0, MAX_FILES)) {
    const session = await sessionIn(join(folder, name));
    if (session) found.push(session);
  }
  return found;
}

async function sessionIn(path: string): Promise<RegisteredSession | undefined> {
  const value = await jsonIn(path);
  if (!isObject(value)) return undefined;
  const { pid, sessionId, procStart, status, statusUpdatedAt, updatedAt, waitingFor } = value;
  const id = text(sessionId);
  if (id === undefined || !Number.isSafeInteger(pid) || Number(pid) <= 0) return undefined;
  const since = [statusUpdatedAt, updatedAt].find((each) => typeof each === 'number');
  const waits = typeof waitingFor === 'string' ? waitingFor : '';
  return {
    id,
    pid: Number(pid),
    started: text(procStart) ?? (typeof procStart === 'number' ? String(procStart) : ''),
    status: STATUSES.find((each) => each === status),
    ...(waits !== '' && { waitsFor: /question|input/i.test(waits) ? 'question' : 'approval' }),
    since: since ?? 0,
  };
}

/** Undefined for what cannot be read: it may be gone already, or just be written. */
async function jsonIn(path: string): Promise<unknown> {
  try {
    const file = await openPlainFile(path, READ);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      return JSON.parse(buffer.subarray(0, bytesRead).toString('utf8')) as unknown;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
