import type { RequestHandlers } from '../protocol/requestServer.js';
import type { Drafts, LiveRuns } from './ports.js';

/** What the chat box works with. */
export interface ChatParts {
  readonly conversation: string;
  readonly runs: LiveRuns;
  readonly drafts: Drafts;
}

/** Answers what a page asks of the run: to continue it with what was typed, to stop it, and what to do after a failure. */
export function answerChat(handlers: RequestHandlers, { conversation, runs, drafts }: ChatParts): void {
  handlers.add('stop', () => {
    runs.stop(conversation);
    return {};
  });
  handlers.add('continue', async ({ text }) => {
    await drafts.keep(conversation, text);
    await runs.continueConversation(conversation, text);
    // A text typed or put back meanwhile must not be cleared.
    if ((await drafts.draftOf(conversation)) === text) await drafts.keep(conversation, '');
    return {};
  });
  handlers.add('afterFailure', async ({ way }) => {
    await runs.afterFailure(conversation, way);
    return {};
  });
  handlers.add('draft', async ({ text }) => {
    await drafts.keep(conversation, text);
    return {};
  });
}
