import { parentPort } from 'node:worker_threads';
import { messageOf } from '../core/text.js';
import type { TokenCounter } from '../ports/tokenCounter.js';
import type { Encoding } from './encodingForModel.js';
import { loadTokenCounter } from './loadTokenCounter.js';
import type { TokenAnswer, TokenQuestion } from './tokenQuestion.js';

const counters = new Map<Encoding, Promise<TokenCounter>>();

function counterOf(encoding: Encoding): Promise<TokenCounter> {
  const counter = counters.get(encoding) ?? loadTokenCounter(encoding);
  counters.set(encoding, counter);
  return counter;
}

async function answer({ id, encoding, texts }: TokenQuestion): Promise<TokenAnswer> {
  try {
    const counter = await counterOf(encoding);
    return { id, counts: texts.map((text) => counter.count(text)) };
  } catch (error) {
    // The next question tries again: the build may have been under way.
    counters.delete(encoding);
    return { id, problem: messageOf(error) };
  }
}

parentPort?.on('message', (question: TokenQuestion) => {
  void answer(question).then((answered) => parentPort?.postMessage(answered));
});
