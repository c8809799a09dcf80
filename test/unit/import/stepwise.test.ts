import { expect, test } from 'vitest';
import type { Entry } from '../../../src/import/reading/entries.js';
import { formats } from '../../../src/import/tools.js';
import { ImportSink } from '../../../src/import/building/importSink.js';
import { readWith } from '../../../src/import/building/transcriptFormat.js';
import { isDeep } from '../../support/fixedInputs.js';

const LINES = isDeep ? 10_000 : 5_000;
/** So many lines may be looked at at once, to know what a file is. */
const AT_ONCE = 2_100;

/** A line of a long file of each format whose lines are many. */
const LONG: Readonly<Record<string, (at: number) => unknown>> = {
  'any-messages': (at) => ({ role: at % 2 ? 'assistant' : 'user', content: `Word ${at}` }),
  'gemini-stream': (at) => ({ type: 'message', role: at % 2 ? 'assistant' : 'user', content: `Word ${at}` }),
  'claude-hooks': (at) => ({
    session_id: 's',
    hook_event_name: 'UserPromptSubmit',
    prompt: `Word ${at}`,
  }),
  cursor: (at) => ({ role: at % 2 ? 'assistant' : 'user', message: { content: `Word ${at}` } }),
  'google-adk': (at) => ({
    author: at % 2 ? 'Cook' : 'user',
    invocationId: 'i',
    content: { role: at % 2 ? 'model' : 'user', parts: [{ text: `Word ${at}` }] },
  }),
  openhands: (at) => ({
    id: at,
    source: at % 2 ? 'agent' : 'user',
    action: 'message',
    args: { content: `Word ${at}` },
  }),
};

/** The entries of a file, which tell how many of them were gone through. */
class CountedEntries extends Array<Entry> {
  gone = 0;
  override *[Symbol.iterator](): ArrayIterator<Entry> {
    for (let at = 0; at < this.length; at++) {
      this.gone++;
      yield this[at]!;
    }
  }
}

/** How many messages a format reads, and how many lines it goes through at most between two steps. */
function read(name: string, lineAt: (at: number) => unknown) {
  const format = formats.find((each) => each.name === name);
  if (!format) throw new Error(`There is no format ${name}.`);
  const entries = new CountedEntries();
  for (let at = 0; at < LINES; at++) entries.push({ value: lineAt(at), line: at + 1 });
  const sink = new ImportSink('session.jsonl');
  let [most, before] = [0, 0];
  for (const steps = readWith(format, entries, sink, []); steps.next().done !== true; before = entries.gone)
    most = Math.max(most, entries.gone - before);
  most = Math.max(most, entries.gone - before);
  return { most, gone: entries.gone };
}

test.each(Object.entries(LONG))('a long file of %s is read in steps', (name, lineAt) => {
  const { most, gone } = read(name, lineAt);
  expect(gone).toBeGreaterThanOrEqual(LINES);
  expect(most).toBeLessThan(AT_ONCE);
});

test('lists of messages on many lines are read in steps', () => {
  const talk = (at: number) => ({ id: at, messages: [LONG['any-messages']?.(0), LONG['any-messages']?.(1)] });
  expect(read('any-messages', talk).most).toBeLessThan(AT_ONCE);
});
