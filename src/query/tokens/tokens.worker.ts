import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../core/text.js';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import { countMessageTokens } from '../numbers/messageTokens.js';
import type { Encoding } from './encodingForModel.js';
import { loadTokenCounter } from './loadTokenCounter.js';
import type { Countable, TokenAnswer, TokenQuestion } from './tokenQuestion.js';

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

async function answer({ id, encoding, items }: TokenQuestion): Promise<TokenAnswer> {
  try {
    const counter = await counterOf(encoding);
    return { id, counts: items.map((item) => countItem(item, counter)) };
  } catch (error) {
    // The next question tries again: the build may have been in progress.
    counters.delete(encoding);
    return { id, problem: messageOf(error) };
  }
}

parentPort?.on('message', (question: TokenQuestion) => {
  void answer(question).then((answered) => parentPort?.postMessage(answered));
});
