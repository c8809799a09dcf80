import { isObject } from '../../core/message.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import type { Entry, ImportSink } from '../importSink.js';
import { fields, list, text } from '../reading/fields.js';
import { CodexRollout, ENVELOPES, metaOf, nameOf, parentOf, threadOf } from '../shapes/codexRollout.js';
import { most, type Sidecar, type TranscriptFormat } from '../transcriptFormat.js';

/**
 * Codex's rollouts: JSONL of Responses items in envelopes, and events that repeat part of them. The rollouts of
 * subagents, in files of their own, are nested in the calls that started them.
 */
export const codex: TranscriptFormat = {
  name: 'codex',
  of: 'Codex',
  files: 'rollouts (`.jsonl`) with those of their subagents beside them',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) =>
    isSessionMeta(head[0]) ||
    isBareHeader(head[0], head[1] ?? head[0]) ||
    isWhole(head[0]) ||
    (head.length > 0 && most(head, isEnvelope)),
  read(given, sink, sidecars) {
    const entries = given.flatMap((entry) => unpacked(entry));
    const about = metaOf(entries);
    const agent = text(about.agent_nickname) ?? 'Codex';
    const builder = sink.conversation(about.id ?? about.session_id, agent);
    const root = new CodexRollout({ entries, sink, builder, place: builder.entry });
    root.read();
    readSubagents(root, sidecars, sink, builder);
  },
};

/** Reads the rollouts of subagents: those that the root started, then those that these started. Others are reported. */
function readSubagents(
  root: CodexRollout,
  sidecars: readonly Sidecar[],
  sink: ImportSink,
  builder: ConversationBuilder,
): void {
  const waiting = new Set(sidecars);
  const threads = new Set([root.thread]);
  const read = [root];
  for (const parent of read) {
    for (const sidecar of waiting) {
      const { entries } = sidecar;
      const thread = threadOf(entries);
      if (thread !== '' && threads.has(thread)) continue;
      if (parentOf(entries) !== parent.thread && !parent.spawned.has(thread)) continue;
      waiting.delete(sidecar);
      threads.add(thread);
      const spawned = parent.spawned.get(thread);
      const from = builder.length;
      const place = builder.dispatch(parent.place, spawned?.agent ?? nameOf(metaOf(entries)), {
        task: spawned?.task,
        toolCallId: spawned?.toolCallId,
        time: spawned?.behind.time,
      });
      const child = new CodexRollout({ entries, sink, builder, place, before: parent });
      child.read();
      if (spawned) builder.moveBehind(spawned.behind, from);
      read.push(child);
    }
  }
  if (waiting.size === 0) return;
  for (const { name } of waiting) sink.leaveOut(name);
  const names = Array.from(waiting, ({ name }) => name).slice(0, 3);
  sink.problem(
    'warning',
    `Not read, because nothing in this session began them: ${names.join(', ')} (${waiting.size}).`,
  );
}

function isEnvelope(value: unknown): boolean {
  return (
    isObject(value) && typeof value.type === 'string' && ENVELOPES.has(value.type) && isObject(value.payload)
  );
}

/** Whether a file begins like the first versions of rollouts: a header, then items without an envelope. */
function isBareHeader(value: unknown, next: unknown): boolean {
  const header = fields(value);
  const { record_type, type, role } = fields(next);
  const isHeader =
    ['id', 'timestamp'].every((key) => typeof header[key] === 'string') && 'instructions' in header;
  return (
    isHeader &&
    !('type' in header) &&
    (record_type === 'state' || typeof type === 'string' || typeof role === 'string')
  );
}

/** Whether a value is a whole rollout of the first versions: a session and its items. */
function isWhole(value: unknown): boolean {
  const { session, items } = fields(value);
  return typeof fields(session).id === 'string' && 'instructions' in fields(session) && Array.isArray(items);
}

/** The lines of a rollout, of a whole one in the order in which they would stand. */
function unpacked(entry: Entry): Entry[] {
  if (!isWhole(entry.value)) return [entry];
  const { session, items, ...rest } = fields(entry.value);
  const beside = Object.keys(rest).length > 0 ? [{ value: rest }] : [];
  return [{ value: session }, ...beside, ...list(items).map((value) => ({ value }))];
}

function isSessionMeta(value: unknown): boolean {
  return isEnvelope(value) && fields(value).type === 'session_meta' && 'id' in fields(fields(value).payload);
}
