import type { CallSite } from '../../core/record.js';
import type { ConversationBuilder, Draft } from '../building/conversationBuilder.js';
import { asText, fields, number, text } from '../reading/fields.js';

/** A request to a model that failed, or an error that ended what an agent did. */
export interface Failed {
  readonly kind: 'request' | 'error';
  /** What went wrong, in any shape. */
  readonly error: unknown;
  readonly model?: string | undefined;
  /** Which try it was, from 1. */
  readonly attempt?: unknown;
  /** Milliseconds since 1970. */
  readonly time?: number | undefined;
  /** The value of the file that tells of it. */
  readonly raw: unknown;
}

/** Adds a failure that another tool tells of, so that it counts as one. */
export function addFailure(builder: ConversationBuilder, callSite: CallSite, failed: Failed): Draft {
  const { kind, error, model = '', attempt, time, raw } = failed;
  const status = number(fields(error).status);
  const said = {
    code: text(fields(error).code) ?? (status === undefined ? 'error' : 'http'),
    message: messageIn(error) ?? 'No words were given.',
    ...(status !== undefined && { status }),
  };
  const body =
    kind === 'error'
      ? { type: 'error', where: 'model', error: said }
      : { type: 'request', model, endpoint: '', attempt: number(attempt) ?? 1, durationMs: 0, error: said };
  const draft = builder.add(callSite, body, time);
  draft.raws.push(raw);
  return draft;
}

/** The words of an error, which clients wrap in objects of their own. */
function messageIn(error: unknown, depth = 0): string | undefined {
  if (typeof error === 'string') return text(error);
  const about = fields(error);
  const inner = depth > 4 ? undefined : (about.error ?? about.cause);
  const found = text(about.message) ?? (inner === undefined ? undefined : messageIn(inner, depth + 1));
  return found ?? (Object.keys(about).length > 0 ? asText(error) : undefined);
}
