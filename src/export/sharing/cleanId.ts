import { derivedUuid } from '../../node/derivedUuid.js';
import type { Redactor } from '../secrets/redact.js';

/**
 * The id by which something is told apart: itself, or where something in it is left out, one that is made of it: the same each
 * time and another for every id, which placeholders are not.
 */
export function cleanId(id: string, redactor: Redactor | undefined): string {
  return redactor === undefined || redactor.text(id) === id ? id : derivedUuid(id);
}
