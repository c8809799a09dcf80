import { isObject } from '../../src/core/message.js';

/** A record with a role that a store reads back: another one is changed by the import, which keeps it as the source. */
export function storable<R extends { readonly type: string }>(record: R): R {
  if (!('message' in record) || !isObject(record.message) || record.message.role !== 'moderator')
    return record;
  return { ...record, message: { ...record.message, role: 'developer' } };
}
