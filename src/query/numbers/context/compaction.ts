import { isObject, textOf } from '../../../core/message.js';
import type { UntypedMessage } from '../transcriptItem.js';
import { numberOr, textOr } from '../values.js';

/** Which messages of a window a compaction took out of it. */
export type Dropped =
  /** All messages; instructions and tools stay. */
  | { readonly what: 'all' }
  /** All before the message that its source calls by this id. */
  | { readonly what: 'before'; readonly id: string }
  /** All but those from one message to another, by the ids of their source. */
  | { readonly what: 'allBut'; readonly from: string; readonly to: string }
  /** So many messages, the oldest first. */
  | { readonly what: 'oldest'; readonly messages: number }
  /** So many messages, the oldest first, after the first prompt and without the last one: how our own runs do it. */
  | { readonly what: 'oldestBetweenPrompts'; readonly messages: number }
  /** What these tool calls answered. */
  | { readonly what: 'results'; readonly ids: readonly string[] }
  /** Not said: messages were shortened, or the source does not tell which. */
  | { readonly what: 'unknown' };

/** A text that took the place of what was dropped. */
export interface ReplacingText {
  readonly role: 'summary' | 'user' | 'assistant';
  readonly text: string;
}

/** A compaction as its source recorded it. */
export interface Compaction {
  /** Whether the tool did it by itself, or a person asked for it; undefined where that is not said. */
  readonly trigger: 'auto' | 'manual' | undefined;
  readonly dropped: Dropped;
  /** What stands in the window instead, as far as this record says. */
  readonly replacedBy: readonly ReplacingText[];
  /** The tokens before and after it, as the source counts them. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
type Reader = (value: Fields, kind: string) => Compaction | undefined;

const ALL: Dropped = { what: 'all' };
const NONE: Fields = {};

function fields(value: unknown): Fields {
  return isObject(value) ? value : NONE;
}

function compaction(some: Partial<Compaction>): Compaction {
  return {
    trigger: undefined,
    dropped: ALL,
    replacedBy: [],
    before: undefined,
    after: undefined,
    ...some,
  };
}

function summary(text: unknown): readonly ReplacingText[] {
  return typeof text === 'string' && text !== '' ? [{ role: 'summary', text }] : [];
}

function triggerOf(value: unknown): Compaction['trigger'] {
  if (value === true || value === 'auto' || value === 'automatic') return 'auto';
  return value === false || value === 'manual' || value === 'user' ? 'manual' : undefined;
}

/** Claude Code: a line of the type `system`; what was summarised follows as a message. */
const claudeCode: Reader = ({ subtype, compactMetadata, compact_metadata, microcompactMetadata }) => {
  if (subtype === 'microcompact_boundary') {
    const { trigger, preTokens, tokensSaved, compactedToolIds } = fields(microcompactMetadata);
    const before = numberOr(preTokens);
    const ids = (Array.isArray(compactedToolIds) ? (compactedToolIds as unknown[]) : []).filter(
      (id): id is string => typeof id === 'string',
    );
    return compaction({
      trigger: triggerOf(trigger),
      dropped: ids.length > 0 ? { what: 'results', ids } : { what: 'unknown' },
      before,
      after: before === undefined ? undefined : Math.max(0, before - (numberOr(tokensSaved) ?? 0)),
    });
  }
  if (subtype !== 'compact_boundary') return undefined;
  const said = fields(compactMetadata ?? compact_metadata);
  const kept = fields(said.preservedSegment ?? said.preserved_segment);
  const from = textOr(kept.headUuid ?? kept.head_uuid);
  const to = textOr(kept.tailUuid ?? kept.tail_uuid);
  return compaction({
    trigger: triggerOf(said.trigger),
    dropped: from !== '' && to !== '' ? { what: 'allBut', from, to } : ALL,
    before: numberOr(said.preTokens ?? said.pre_tokens),
    after: numberOr(said.postTokens ?? said.post_tokens),
  });
};

/** Codex: the whole history that replaces the old one, or in older versions a summary alone. */
const codex: Reader = (value) => {
  const { message, replacement_history: history } = fields(value.payload);
  const said = textOr(message);
  if (!Array.isArray(history)) return compaction({ replacedBy: summary(said) });
  const replacedBy = (history as unknown[]).flatMap((item): ReplacingText[] => {
    const { type, role, content } = fields(item);
    if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return [];
    const text = partsText(content);
    if (text === '') return [];
    const isSummary = said !== '' && text.includes(said);
    return [{ role: isSummary ? 'summary' : role, text }];
  });
  const hasSummary = replacedBy.some(({ role }) => role === 'summary');
  return compaction({ replacedBy: hasSummary ? replacedBy : [...replacedBy, ...summary(said)] });
};

function partsText(content: unknown): string {
  if (!Array.isArray(content)) return textOr(content);
  return content.map((part) => textOr(fields(part).text)).join('');
}

/** Pi: from the named entry on, everything stays. */
const pi: Reader = ({ summary: text, firstKeptEntryId, tokensBefore }) =>
  compaction({
    dropped:
      typeof firstKeptEntryId === 'string' && firstKeptEntryId !== ''
        ? { what: 'before', id: firstKeptEntryId }
        : ALL,
    replacedBy: summary(text),
    before: numberOr(tokensBefore),
  });

/** Copilot's command line: a compaction that was completed. */
const copilotCompaction: Reader = (value) => {
  const { success, summaryContent, preCompactionTokens, postCompactionTokens, trigger } = fields(value.data);
  if (success === false) return undefined;
  return compaction({
    trigger: triggerOf(trigger),
    replacedBy: summary(summaryContent),
    before: numberOr(preCompactionTokens),
    after: numberOr(postCompactionTokens),
  });
};

/** Copilot's command line: the oldest messages are no longer sent. */
const copilotTruncation: Reader = (value) => {
  const data = fields(value.data);
  const messages = numberOr(data.messagesRemovedDuringTruncation) ?? 0;
  const before = numberOr(data.preTruncationTokensInMessages);
  const after = numberOr(data.postTruncationTokensInMessages);
  if (messages === 0 && before === after) return undefined;
  const dropped: Dropped = messages > 0 ? { what: 'oldest', messages } : { what: 'unknown' };
  return compaction({ trigger: 'auto', dropped, before, after });
};

const COMPRESSED = /^Chat history compressed from (\d+) to (\d+) tokens/;

/** Gemini CLI: a notice with the numbers alone. */
const geminiCli: Reader = ({ content }) => {
  const [, before, after] = COMPRESSED.exec(textOr(content) || textOf(content)) ?? [];
  if (before === undefined) return undefined;
  return compaction({ before: Number(before), after: Number(after) });
};

/** Qwen Code: the history that replaces the old one. */
const qwenCode: Reader = (value) => {
  const { info, compressedHistory } = fields(value.systemPayload);
  const { originalTokenCount, newTokenCount } = fields(info);
  const history: readonly unknown[] = Array.isArray(compressedHistory) ? compressedHistory : [];
  return compaction({
    replacedBy: history.flatMap((entry) => summary(partsText(fields(entry).parts))),
    before: numberOr(originalTokenCount),
    after: numberOr(newTokenCount),
  });
};

/** Droid: a summary, and how many messages it stands for. */
const droid: Reader = ({ summaryText }) => compaction({ replacedBy: summary(summaryText) });

/** Kimi CLI: the end of a compaction, which says no more of it. */
const kimiCli: Reader = () => compaction({});

/** Kimi Code: a summary instead of so many messages, the oldest first. */
const kimiCode: Reader = ({ summary: text, compactedCount, tokensBefore, tokensAfter }) => {
  const messages = numberOr(compactedCount) ?? 0;
  return compaction({
    dropped: messages > 0 ? { what: 'oldest', messages } : ALL,
    replacedBy: summary(text),
    before: numberOr(tokensBefore),
    after: numberOr(tokensAfter),
  });
};

/** Roo Code, of Cline's family: a summary instead of what was before. */
const rooCode: Reader = ({ say, contextCondense }) => {
  if (say !== 'condense_context') return undefined;
  const { summary: text, prevContextTokens, newContextTokens } = fields(contextCondense);
  return compaction({
    replacedBy: summary(text),
    before: numberOr(prevContextTokens),
    after: numberOr(newContextTokens),
  });
};

/** The readers by the kind of an `imported` record, which is the source's own word. */
const READERS: Readonly<Partial<Record<string, Reader>>> = {
  system: claudeCode,
  compact_boundary: claudeCode,
  microcompact_boundary: claudeCode,
  compacted: codex,
  compaction: (value, kind) => ('summary' in value ? pi(value, kind) : undefined),
  'session.compaction_complete': copilotCompaction,
  'session.truncation': copilotTruncation,
  info: geminiCli,
  chat_compression: qwenCode,
  compaction_state: droid,
  CompactionEnd: kimiCli,
  'context.apply_compaction': kimiCode,
  condense_context: rooCode,
};

/** The compaction that a record without a message tells of; undefined where it tells of none. Never throws. */
export function compactionOf(record: UntypedMessage): Compaction | undefined {
  if (record.type === 'error') return ownCompaction(record);
  if (record.type !== 'imported' || !isObject(record.value)) return undefined;
  const kind = textOr(record.kind);
  return Object.hasOwn(READERS, kind) ? READERS[kind]?.(record.value, kind) : undefined;
}

/** How many messages a compaction took out, as far as its source says; undefined where it does not. */
export function droppedMessages({ dropped }: Compaction): number | undefined {
  return 'messages' in dropped ? dropped.messages : undefined;
}

/** Until the number was recorded beside it, the sentence alone told it. */
const LEFT_OUT = /no longer sent (\d+) earlier messages/;

/** Our own runs: an error of the model, which could not read so much. */
function ownCompaction({ error, dropped, before, after }: UntypedMessage): Compaction | undefined {
  const { code, message } = fields(error);
  if (code !== 'compacted') return undefined;
  const [, words] = LEFT_OUT.exec(textOr(message)) ?? [];
  const messages = numberOr(dropped) ?? Number(words ?? 0);
  return compaction({
    trigger: 'auto',
    dropped: messages > 0 ? { what: 'oldestBetweenPrompts', messages } : { what: 'unknown' },
    before: numberOr(before),
    after: numberOr(after),
  });
}

/**
 * What a message is to a compaction. `summary`: it stands for what was before, of which a record told (Claude Code).
 * `answer`: it is the answer of a request for a summary, and the next request begins with it (OpenCode). `pivot`: it stands
 * for everything before it (ATIF).
 */
export function compactionMessage({ source }: UntypedMessage): 'summary' | 'answer' | 'pivot' | undefined {
  if (!isObject(source)) return undefined;
  if (source.isCompactSummary === true) return 'summary';
  if (fields(source.info).summary === true) return 'answer';
  const { type, boundary } = fields(fields(source.extra).context_management);
  return type === 'compaction' && boundary === 'replace' ? 'pivot' : undefined;
}

/**
 * Whether a record tells of a compaction: '' for none, `told` where it does, `summary` for a message that stands for what was
 * before, and counts as one only where no record of the same call has told of it since the last message.
 */
export type CompactionSign = '' | 'told' | 'summary';

/** See `CompactionSign`; `isMessage`: whether the record has a message. Never throws. */
export function compactionSign(record: UntypedMessage, isMessage: boolean): CompactionSign {
  if (!isMessage) return compactionOf(record) ? 'told' : '';
  const stands = compactionMessage(record);
  return stands === undefined ? '' : stands === 'summary' ? 'summary' : 'told';
}

/** The id that a message has in its source, by which compactions name it; '' for none. */
export function sourceIdOf({ source }: UntypedMessage): string {
  if (!isObject(source)) return '';
  return textOr(source.uuid) || textOr(source.id);
}
