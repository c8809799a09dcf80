import type { describeAt, describeQuery } from '../../src/query/language/describe.js';

/** The words for questions: loaded when a person points at a part or finds nothing, for which no page has to wait. */
export interface Descriptions {
  readonly describeAt: typeof describeAt;
  readonly describeQuery: typeof describeQuery;
}

let loaded: Descriptions | undefined;

/** Loads them, once for all bars of a page. */
export async function loadDescriptions(): Promise<Descriptions> {
  return (loaded ??= await import('../../src/query/language/describe.js'));
}

/** Those that are loaded; else undefined, and `then` is called as soon as they are. */
export function descriptionsOr(then: () => void): Descriptions | undefined {
  if (!loaded) void loadDescriptions().then(then);
  return loaded;
}
