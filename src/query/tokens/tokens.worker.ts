import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import { serveThread } from '../../node/serveThread.js';
import { countMessageTokens } from '../numbers/messageTokens.js';
import type { Encoding } from './encodingForModel.js';
import { loadTokenCounter } from './loadTokenCounter.js';
import type { Countable, TokenCalls } from './tokenService.js';

const counters = new Map<Encoding, Promise<TokenCounter>>();

function counterOf(encoding: Encoding): Promise<TokenCounter> {
  const counter = counters.get(encoding) ?? loadTokenCounter(encoding);
  counters.set(encoding, counter);
  return counter;
}

function countItem(item: Countable, counter: TokenCounter): number {
  if (typeof item === 'string') return counter.count(item);
  return countMessageTokens({ ...item }, (text) => counter.count(text));
}

const calls: TokenCalls = {
  async count(encoding, items) {
    const counter = await counterOf(encoding).catch((error: unknown) => {
      // The next question tries again: the build may have been in progress.
      counters.delete(encoding);
      throw error;
    });
    return items.map((item) => countItem(item, counter));
  },
};
serveThread(calls);
