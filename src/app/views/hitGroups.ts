import type { SearchHit } from '../../store/search/scanQuestion.js';

/** What is known of the conversation of a hit. */
export interface HitConversation {
  readonly title: string;
  /** When something happened in it last, in milliseconds since 1970. */
  readonly endedAt: number;
}

/** The hits in one conversation, in the order of the transcript. */
export interface HitGroup extends HitConversation {
  readonly conversation: string;
  readonly hits: readonly SearchHit[];
}

/** The hits by conversation, the one with the latest words first; of hits at most `most`, those that were found first. */
export function groupHits(
  hits: readonly SearchHit[],
  most: number,
  about: (conversation: string) => HitConversation | undefined,
): HitGroup[] {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits.slice(0, most)) {
    const group = groups.get(hit.conversation);
    if (group) group.push(hit);
    else groups.set(hit.conversation, [hit]);
  }
  return [...groups]
    .map(([conversation, found]) => ({
      ...(about(conversation) ?? { title: conversation, endedAt: 0 }),
      conversation,
      hits: found.toSorted((a, b) => a.position - b.position),
    }))
    .sort((a, b) => b.endedAt - a.endedAt);
}
