import { isUnfiltered, type Criteria } from '../../protocol/criteria.js';
import type { StoredConversation } from '../stores/stores.js';

/** The latest filter from the command palette for each conversation, until the window closes. */
export class MessageFilters {
  readonly #criteria = new Map<string, Criteria>();

  criteriaOf(conversation: string): Criteria | undefined {
    return this.#criteria.get(conversation);
  }

  /** Sets a conversation's filter; criteria that let everything through remove it. */
  set(conversation: string, criteria: Criteria): void {
    if (isUnfiltered(criteria)) this.#criteria.delete(conversation);
    else this.#criteria.set(conversation, criteria);
  }
}

/** The positions of the records that match, ascending; searched on another thread. */
export async function matchingPositions(
  { store, entry }: StoredConversation,
  criteria: Criteria,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { positions } of store.scan(entry.conversation, criteria, signal)) {
    for (const position of positions) found.push(position);
  }
  signal.throwIfAborted();
  return found;
}

/** Criteria in a few words: `"butter", assistant or tool, Cookie`. */
export function criteriaWords({ text, regex, role, agent, toolName, errorsOnly }: Criteria): string {
  const words = [
    text === '' ? '' : regex ? `/${text}/` : `"${text}"`,
    ...[role, agent, toolName].map((names) => names?.join(' or ') ?? ''),
    errorsOnly ? 'failures' : '',
  ];
  return words.filter((word) => word !== '').join(', ') || 'everything';
}
