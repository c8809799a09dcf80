import type { CallSite, CallState } from '../../core/record.js';
import type { Usage } from '../../core/usage.js';
import type { ConversationBuilder, Draft } from '../building/conversationBuilder.js';
import type { ImportSink } from '../building/importSink.js';
import type { TranscriptFormat } from '../building/transcriptFormat.js';
import type { SpeakerMarks } from '../building/whoSpeaks.js';
import { addFailure } from '../messages/failures.js';
import { asText, fields, objects, text, type Fields } from '../reading/fields.js';

/** A message of a session that stands in the rows of a database. */
export interface StoredMessage {
  /** A chat-completions message. */
  readonly message: Fields;
  readonly time?: number | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly toolName?: string | undefined;
  readonly isError?: boolean | undefined;
  readonly state?: CallState | undefined;
  readonly marks?: SpeakerMarks | undefined;
  /** The row, or the value in it, that it was made of. */
  readonly raw: unknown;
}

/** A request that no message tells of, or what all of them came to. */
export interface StoredRequest {
  readonly usage: Usage;
  readonly model?: string | undefined;
  readonly time?: number | undefined;
  readonly raw?: unknown;
}

/** A session that was put together of the rows of a database, as `storedFormat` reads it. */
export interface StoredSession {
  readonly id: string;
  readonly title: string | undefined;
  /** Of which kind the database is, by the name of the format that reads it, and what it says of the session besides. */
  readonly about: Fields & { readonly database: string };
  readonly messages: readonly (StoredMessage | { readonly kept: string; readonly raw: unknown })[];
  readonly requests?: readonly StoredRequest[];
  /** What ended it, where that was an error. */
  readonly failure?: { readonly error: Fields; readonly raw: unknown } | undefined;
  /** Those that it started. */
  readonly children?: readonly StoredSession[];
}

/** A format whose sessions stand in a database only. */
export function storedFormat(
  facts: Pick<TranscriptFormat, 'name' | 'of' | 'files' | 'carries'>,
): TranscriptFormat {
  const { name, of, files, carries } = facts;
  return {
    name,
    of,
    files,
    carries,
    detect: ([first]) =>
      fields(fields(first).about).database === name && Array.isArray(fields(first).messages),
    *readLines(lines, sink) {
      for (const value of sink.each(lines)) {
        addConversation(fields(value), of, sink);
        yield;
      }
    },
  };
}

function addConversation(session: Fields, of: string, sink: ImportSink): void {
  const builder = sink.conversation(session.id, of);
  builder.title = text(session.title);
  addSession(session, builder, builder.entry);
}

function addSession(session: Fields, builder: ConversationBuilder, callSite: CallSite): void {
  builder.keep(callSite, 'session', session.about);
  const drafts: { readonly draft: Draft; readonly said: string }[] = [];
  for (const each of objects(session.messages)) {
    if (typeof each.kept === 'string') {
      builder.keep(callSite, each.kept, each.raw);
      continue;
    }
    const { message, ...details } = each;
    drafts.push({ draft: builder.message(callSite, fields(message), details), said: asText(message) });
  }
  for (const { usage, model, time, raw } of objects(session.requests) as unknown as StoredRequest[]) {
    const draft = builder.request(callSite, usage, model, time);
    if (raw !== undefined) draft.raws.push(raw);
  }
  if (session.failure !== undefined) {
    const { error, raw } = fields(session.failure);
    addFailure(builder, callSite, { kind: 'error', error, raw });
  }
  for (const child of objects(session.children)) addStarted(child, drafts, builder, callSite);
}

/** Adds a session behind the message that tells of it by its id, or at the end. */
function addStarted(
  child: Fields,
  drafts: readonly { readonly draft: Draft; readonly said: string }[],
  builder: ConversationBuilder,
  parent: CallSite,
): void {
  const id = asText(child.id);
  // Some make the id of what a call started out of that of the call.
  const [, call] = /\$\$(.+)$/.exec(id) ?? [];
  const told = drafts.find(({ said }) => said.includes(JSON.stringify(call ?? id).slice(1, -1)));
  const [first] = objects(child.messages).map(({ message }) => fields(message));
  const from = builder.length;
  const callSite = builder.dispatch(parent, text(child.title) ?? 'subagent', {
    task: first?.role === 'user' ? text(first.content) : undefined,
    toolCallId: call ?? text(fields(told?.draft.body.message).tool_call_id),
    time: told?.draft.time,
  });
  addSession(child, builder, callSite);
  if (told) builder.moveBehind(told.draft, from);
}
