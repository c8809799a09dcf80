import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import { fields, number, text, without, type Fields } from '../../reading/fields.js';

/** What a record says of itself and its place; the rest is its body. */
const HEADER = ['seq', 'id', 'time', 'conversation', 'run', 'call', 'parentCall', 'agent', 'depth'] as const;

/** Adds a record that this product wrote elsewhere, as it was but for its number and id. */
export function addOwnRecord(builder: ConversationBuilder, record: Fields): Draft {
  const { spill, source, ...body } = without(record, ...HEADER);
  if (record.type === 'title') builder.title = text(record.title) ?? builder.title;
  return builder.add(
    callSiteOf(record, builder.entry),
    {
      ...body,
      type: text(body.type) ?? 'message',
      // The texts are in the record itself; where the files were that held them is kept as data, and leads nowhere.
      ...(spill !== undefined
        ? { source: { ...fields(source), spill } }
        : source !== undefined && { source }),
    },
    positive(record.time),
  );
}

function callSiteOf(record: Fields, entry: CallSite): CallSite {
  const parentCall = text(record.parentCall);
  return {
    run: text(record.run) ?? entry.run,
    call: text(record.call) ?? entry.call,
    ...(parentCall !== undefined && { parentCall }),
    agent: text(record.agent) ?? entry.agent,
    depth: Math.max(0, Math.trunc(number(record.depth) ?? 0)),
  };
}

/** A time in milliseconds; undefined for 0, which means unknown. */
function positive(time: unknown): number | undefined {
  const milliseconds = number(time);
  return milliseconds !== undefined && milliseconds > 0 ? milliseconds : undefined;
}
