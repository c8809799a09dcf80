import { writtenRole } from '../../reading/roleWords.js';
import { basename, join } from 'node:path';
import { from, roots, type ToolHome } from '../home.js';
import { rolloutName, rolloutsOnce } from './rolloutFolders.js';
import { spoken, fields, text, type Fields, type SessionHint } from '../hint.js';
import type { ContextFill, LifeSign, QuotaReading } from '../life.js';

const ROLLOUT = /^rollout-.*\.jsonl(?:\.zst)?$/;

/** Codex: a folder of rollouts for each day, which it packs after a week; several may be of one thread. */
export const codexHome: ToolHome<'codex'> = {
  id: 'codex',
  formats: ['codex'],
  name: 'Codex',
  hintOf: (line) => ({ ...codexHint(line), life: codexLife(line), ...codexTokens(line) }),
  approvals: 'hook',
  tellsCalls: true,
  places({ home, env }, folders) {
    const own = from(env, 'CODEX_HOME') ?? join(home, '.codex');
    const archive = join(own, 'archived_sessions');
    const days = [/^\d{4}$/, /^\d\d$/, /^\d\d$/];
    return [
      ...[...roots([join(own, 'sessions')], folders), archive].map((folder) => ({
        folder,
        names: [...days, ROLLOUT],
        workspaceAt: undefined,
      })),
      { folder: archive, names: [ROLLOUT], workspaceAt: undefined },
    ];
  },
  sessionOf: (path) => rolloutName(path)?.thread ?? basename(path).replace(/\.zst$/, ''),
  partsOf(paths) {
    const parts = rolloutsOnce(paths);
    const isFirst = (path: string) => {
      const name = rolloutName(path);
      return name?.rollout === name?.thread;
    };
    return { path: parts.find(isFirst) ?? parts[0] ?? '', parts };
  },
  handOver: {
    format: 'codex-session',
    fileOf: ({ id, began }) =>
      join(began.slice(0, 10).replaceAll('-', '/'), `rollout-${began.replaceAll(':', '-')}-${id}.jsonl`),
    commandOf: ({ id }) => `codex resume ${id}`,
  },
};

/** What a line of a rollout tells of its session. */
export function codexHint({ type, payload }: Fields): SessionHint | undefined {
  const said = fields(payload);
  if (type === 'session_meta')
    return { id: text(said.id), workspace: text(said.cwd), agent: text(said.agent_nickname) };
  if (type === 'turn_context') return { workspace: text(said.cwd), model: text(said.model) };
  if (type === 'event_msg') {
    if (said.type === 'thread_name_updated') return { named: text(said.thread_name) ?? text(said.name) };
    if (said.type === 'error') return { end: 'error' };
    return said.type === 'task_complete' ? { end: 'answer' } : undefined;
  }
  if (type !== 'response_item') return undefined;
  if (said.type === 'message' || (said.type === undefined && said.role !== undefined)) {
    const role = writtenRole(said.role);
    if (role === 'assistant') return { messages: 1, end: 'answer' };
    const isUser = role === 'user';
    return {
      messages: 1,
      prompt: isUser ? spoken(said.content) : undefined,
      ...(isUser && { end: 'prompt' }),
    };
  }
  // A call belongs to the words before it, where these are of the same answer.
  const isCall = /_call(?:_output)?$/.test(text(said.type) ?? '');
  if (!isCall) return undefined;
  // A script that is run may ask, too.
  return { messages: 1, isUncertain: true, end: isQuestion(said) ? 'question' : 'call' };
}

function isQuestion({ name, input }: Fields): boolean {
  return /\brequest_user_input\b/.test(`${text(name) ?? ''} ${text(input) ?? ''}`);
}

/** What a line says of what the session does. That it waits for an approval is never written. */
function codexLife({ type, payload }: Fields): readonly LifeSign[] {
  const said = fields(payload);
  if (type === 'session_meta') {
    const parent = text(said.parent_thread_id);
    const isChild = parent !== undefined || said.thread_source === 'subagent';
    return isChild ? [{ kind: 'child', ...(parent !== undefined && { of: parent }) }] : [];
  }
  if (type === 'compacted') return [{ kind: 'step' }];
  if (type === 'event_msg') return codexEventLife(said);
  if (type !== 'response_item') return [];
  if (said.type === 'message') {
    const role = writtenRole(said.role);
    return role === 'assistant' ? [{ kind: 'said' }] : [];
  }
  const id = text(said.call_id) ?? text(said.id) ?? '';
  if (text(said.type)?.endsWith('_call_output') === true) return [{ kind: 'result', id }];
  if (said.type === 'reasoning') return [{ kind: 'step' }];
  if (said.type !== 'function_call' && said.type !== 'custom_tool_call' && said.type !== 'local_shell_call')
    return [];
  if (isQuestion(said)) return [{ kind: 'ask', id, for: 'question' }];
  const tool = text(said.name);
  const what = text(said.arguments) ?? text(said.input);
  return [
    { kind: 'call', id, ...(tool !== undefined && { tool }), ...(what !== undefined && { text: what }) },
  ];
}

function codexEventLife(said: Fields): readonly LifeSign[] {
  switch (said.type) {
    case 'task_started':
    case 'user_message':
      return [{ kind: 'turn' }];
    case 'task_complete':
      return [{ kind: 'finish' }];
    case 'turn_aborted':
      return [{ kind: 'break', by: 'person' }];
    case 'error':
      return [{ kind: 'break', by: 'error', words: text(said.message) ?? '' }];
    case 'stream_error':
      return [{ kind: 'retry' }];
    case 'agent_reasoning':
    case 'context_compacted':
      return [{ kind: 'step' }];
    default:
      return [];
  }
}

/** How full the context is, and how much of each limit is used, as far as an event counts tokens. */
function codexTokens({ payload }: Fields): { context?: ContextFill; quotas?: readonly QuotaReading[] } {
  const said = fields(payload);
  if (said.type !== 'token_count') return {};
  const { last_token_usage: last, model_context_window: window } = fields(said.info);
  const { total_tokens: used } = fields(last);
  const { limit_id: limit, primary, secondary } = fields(said.rate_limits);
  const quotas = [primary, secondary].flatMap((each): readonly QuotaReading[] => {
    const { used_percent: percent, window_minutes: minutes, resets_at: resets } = fields(each);
    if (typeof percent !== 'number' || typeof minutes !== 'number' || typeof resets !== 'number') return [];
    return [{ limit: text(limit) ?? '', minutes, percent, resetsAt: resets * 1000 }];
  });
  return {
    ...(typeof used === 'number' && { context: { used, ...(typeof window === 'number' && { window }) } }),
    ...(quotas.length > 0 && { quotas }),
  };
}
