import { t } from '../../src/core/l10n.js';
import { messageOf } from '../../src/core/text.js';
import type { describeAt, describeQuery } from '../../src/query/language/describe.js';
import { LatePart } from '../latePart.js';

/** The words for questions: loaded when a person points at a part or finds nothing, for which no page has to wait. */
export interface Descriptions {
  readonly describeAt: typeof describeAt;
  readonly describeQuery: typeof describeQuery;
}

const part = new LatePart<Descriptions>(() => import('../../src/query/language/describe.js'));

/** Calls `then` with them once they are loaded. Where they cannot be, questions stand without words, and the next one tries again. */
export function withDescriptions(then: (descriptions: Descriptions) => void): void {
  part.get().then(then, (error: unknown) => console.warn(t`Unexpected: ${messageOf(error)}`));
}

/** Those that are loaded; else undefined, and `then` is called as soon as they are. */
export function descriptionsOr(then: () => void): Descriptions | undefined {
  if (!part.present) withDescriptions(then);
  return part.present;
}
