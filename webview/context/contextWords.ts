import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import { formatDuration } from '../../src/core/duration.js';
import type {
  CacheReason,
  ContextBreak,
  ContextKind,
  ContextShare,
} from '../../src/page/protocol/context.js';

/** What each kind of part is called. */
export const KIND_WORDS: Readonly<Record<ContextKind, Message>> = {
  unrecorded: message`Not recorded`,
  system: message`System prompt`,
  tools: message`Tool schemas`,
  summary: message`Summaries`,
  prompts: message`Prompts`,
  answers: message`Answers`,
  thinking: message`Thinking`,
  calls: message`Tool calls`,
  files: message`Files`,
  results: message`Tool results`,
  images: message`Images`,
};

/** What belongs to each kind, for whoever wonders. */
export const KIND_TITLES: Readonly<Record<ContextKind, Message>> = {
  unrecorded: message`What the provider counted and no record holds: mostly the system prompt and the schemas of the tools`,
  system: message`Instructions, as far as they are recorded`,
  tools: message`What the model is told of each tool, as far as it is recorded`,
  summary: message`What stands for messages that a compaction took out`,
  prompts: message`What a person, or the agent that asks this one, said`,
  answers: message`What the agent said before`,
  thinking: message`Reasoning, as far as the numbers leave room for it: most models are not sent theirs again`,
  calls: message`The names and arguments of tool calls`,
  files: message`What tools answered whose call names a file`,
  results: message`What other tools answered`,
  images: message`Pictures, by their size`,
};

const ROLE_WORDS: Readonly<Partial<Record<string, Message>>> = {
  '': message`Not recorded`,
  system: message`System`,
  user: message`User`,
  assistant: message`Assistant`,
  tool: message`Tools`,
};

/** What a part of a request is called: the file, else the tool, else the kind. */
export function shareName({ kind, role, tool, server, path }: ContextShare): string {
  if (role !== undefined) return inLanguage(ROLE_WORDS[role] ?? message`Not recorded`);
  if (path !== undefined) return path;
  if (tool !== undefined) return tool;
  if (server !== undefined) return server;
  return inLanguage(KIND_WORDS[kind ?? 'unrecorded']);
}

const REASONS: Readonly<Record<Exclude<CacheReason, 'hour' | 'fiveMinutes'>, Message>> = {
  compaction: message`The window was compacted.`,
  model: message`Another model was asked.`,
  system: message`The system prompt changed.`,
  tools: message`The tools changed.`,
};

/** Why a cached prefix was broken, as far as the record says. */
export function breakReason({ reasons, idleMs = 0 }: ContextBreak): string {
  if (reasons.length === 0) return t`The record does not say why.`;
  const waited = formatDuration(idleMs);
  return reasons
    .map((reason) => {
      if (reason === 'hour') return t`Nothing was asked for ${waited}; caches end after an hour at most.`;
      if (reason === 'fiveMinutes')
        return t`Nothing was asked for ${waited}; the cache was not recorded to last more than five minutes.`;
      return inLanguage(REASONS[reason]);
    })
    .join(' ');
}
