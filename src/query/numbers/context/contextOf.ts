import { ContextUse } from './contextUse.js';
import type { SentPiece, SizedMessage, WindowCompaction } from './contextWindow.js';
import type { ContextRequest } from './sentRequests.js';

/** What filled the window of one agent's call with each of its requests; see `contextOf`. */
export interface AgentContext {
  /** The id of the call; of an entry agent, whose window goes on through all runs of a conversation, the first one. */
  readonly call: string;
  readonly agent: string;
  readonly depth: number;
  readonly requests: readonly ContextRequest[];
  readonly compactions: readonly WindowCompaction[];
  /** What a request was sent with, by its index: pieces of messages, which add up to the whole of the request. */
  readonly sentWith: (request: number) => readonly SentPiece[];
  /** The messages that a compaction took out, by its index. */
  readonly droppedBy: (compaction: number) => readonly SizedMessage[];
}

/**
 * What filled the windows of agents, for each request that was made of them, from all records of a transcript in order, or
 * from bare messages. The whole of a request is what its provider reported; its parts are estimates that add up to it. Those
 * calls are left out in which nothing was asked of a model. Rejects where `items` does.
 */
export async function contextOf(
  items: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<readonly AgentContext[]> {
  const use = new ContextUse();
  for await (const item of items) use.add(item);
  return use.windows().map(({ call, agent, depth, window }) => ({
    call,
    agent,
    depth,
    requests: window.requests,
    compactions: window.compactions,
    sentWith: (request) => window.sentWith(request),
    droppedBy: (compaction) => window.droppedBy(compaction),
  }));
}
