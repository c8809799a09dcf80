import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import type { RuntimeEvent } from '../../../src/agents/loop/runtimeEvent.js';
import { StreamedAnswer } from '../../../src/app/answers/streamedAnswer.js';

type Kind = RuntimeEvent extends infer E ? (E extends RuntimeEvent ? Omit<E, 'place'> : never) : never;

/** An answer as it is written: the pieces of the model, our own lines as quotations, and what passes. */
function writing() {
  const pieces: string[] = [];
  const progress: string[] = [];
  const streamed = new StreamedAnswer({
    answer: (text) => {
      if (text !== '') pieces.push(text);
    },
    quote: (line) => pieces.push(`> ${line}\n\n`),
    progress: (line) => progress.push(line),
  });
  const hear = (event: Kind, depth = 0) =>
    streamed.hear({ place: { run: 'r', call: 'k', agent: 'Pickle', depth }, ...event });
  return {
    pieces,
    progress,
    written: () => pieces.join(''),
    html: () => new MarkdownIt().render(pieces.join('')),
    say: (...texts: string[]) => {
      for (const text of texts) hear({ type: 'textDelta', text });
    },
    said: () => hear({ type: 'said' }),
    retry: (reason: string) => hear({ type: 'retry', attempt: 1, delayMs: 1, reason }),
    hear,
    end: (text: string) => streamed.end(text),
  };
}

test('text is written while it is said, and once', () => {
  const { pieces, say, said, end, written } = writing();
  say('The card ', 'is fine.');
  expect(pieces).toEqual(['The card ', 'is fine.']);
  said();
  end('The card is fine.');
  expect(written()).toBe('The card is fine.\n\n');
});

test('an answer that was not said in pieces, or says something else, is written at the end', () => {
  const silent = writing();
  silent.end('All at once.');
  expect(silent.written()).toBe('All at once.\n\n');
  const other = writing();
  other.say('Let me look.');
  other.said();
  other.end('The card is fine.');
  expect(other.written()).toBe('Let me look.\n\nThe card is fine.\n\n');
});

test('a run that is stopped within a message keeps what was said of it, once', () => {
  const { say, end, written } = writing();
  say('Let me th');
  end('Let me th');
  expect(written()).toBe('Let me th\n\n');
});

test('what other agents say is not part of the answer', () => {
  const { hear, pieces } = writing();
  hear({ type: 'textDelta', text: 'Found it.' }, 1);
  hear({ type: 'said' }, 1);
  expect(pieces).toEqual([]);
});

test('a broken-off attempt stays, and the next one begins below a line that says so', () => {
  const { say, said, retry, end, html, progress } = writing();
  say('Look:\n\n```sh\nrm -r', 'f bu');
  retry('The connection was lost.');
  say('# Again');
  said();
  end('# Again');
  expect(html()).toBe(
    '<p>Look:</p>\n<pre><code class="language-sh">rm -rf bu\n</code></pre>\n' +
      '<blockquote>\n<p>The answer broke off and begins again: The connection was lost.</p>\n</blockquote>\n' +
      '<h1>Again</h1>\n',
  );
  expect(progress).toEqual([]);
});

test('a retry before anything was said only passes', () => {
  const { retry, pieces, progress } = writing();
  retry('busy');
  expect(pieces).toEqual([]);
  expect(progress).toEqual(['Pickle tries again: busy']);
});

test.each([
  ['an open fence', '````md\n```\nx', '<h2>Next</h2>'],
  ['a fence that is closed', '```\nx\n```', '<h2>Next</h2>'],
  ['a fence in a list', '- one\n\n  ```js\n  x', '<h2>Next</h2>'],
  ['a fence in a quotation', '> ```\n> x', '<h2>Next</h2>'],
  ['half a closing fence', '~~~\nx\n~~', '<h2>Next</h2>'],
  ['a paragraph', 'one', '<h2>Next</h2>'],
])('after %s the next message is read by itself', (_, first, next) => {
  const { say, said, html } = writing();
  say(first);
  said();
  say('## Next');
  said();
  expect(html()).toContain(next);
});

test('a character, or a line break, is never written in two halves', () => {
  const { say, said, pieces } = writing();
  const [high = '', low = ''] = '😀'.split('');
  say(`a${high}`, `${low}b\r`, '\nc', high);
  said();
  expect(pieces).toEqual(['a', '😀b', '\r\nc', `${high}\n\n`]);
});
