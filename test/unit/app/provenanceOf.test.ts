import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { READER } from '../../../src/import/toolWords.js';
import { FACTS, IMPORTED } from '../../../src/import/reading/importResult.js';
import { sourceDetails } from '../../../src/import/sourceDetails.js';
import { provenanceOf } from '../../../src/app/panel/panelsInView.js';
import { restoredConversation } from '../../../src/app/panel/panelsInView.js';

const FOLDER = '/work/quiz';

const facts = (value: unknown) => ({ type: IMPORTED, kind: FACTS, value });

test("of an evaluation of Inspect's the panel tells the tool, the file, the folder and how it went", async () => {
  const log = {
    version: 2,
    status: 'error',
    eval: { eval_id: 'e', task: 'quiz', model: 'p/m' },
    results: { scores: [{ name: 'match', metrics: { accuracy: { name: 'accuracy', value: 0.6875 } } }] },
    samples: [
      {
        id: 1,
        epoch: 1,
        input: 'q',
        target: 'a',
        scores: { match: { value: 'C' } },
        messages: [{ id: 'u', role: 'user', content: 'q' }],
      },
    ],
  };
  const bytes = (async function* () {
    yield await Promise.resolve(Buffer.from(JSON.stringify(log)));
  })();
  const { format, conversations } = await importTranscript(bytes, 'quiz.json');
  const [conversation] = conversations;
  const origin = { tool: format, session: '1', path: '/logs/quiz.json', version: 2, reader: READER };
  expect(provenanceOf(FOLDER, origin)).toEqual({
    tool: 'Inspect',
    path: '/logs/quiz.json',
    folder: FOLDER,
    details: [{ name: 'Version', value: '2' }],
  });
  expect(provenanceOf(FOLDER, { tool: format, session: '1' }).details).toEqual([
    {
      name: 'Read by version',
      value: `1 of the readers, now ${READER}: import its file again to read it anew`,
    },
  ]);
  expect(sourceDetails(conversation?.records[0])).toEqual([
    { name: 'Task', value: 'quiz' },
    { name: 'Model', value: 'p/m' },
    { name: 'Status', value: 'error' },
    { name: 'Score (match)', value: 'C (correct)' },
    { name: 'Target', value: 'a' },
    { name: 'Accuracy (match)', value: '0.6875' },
  ]);
});

test('of a session that names its project the header does, and not the folder that its tool made of it', () => {
  const origin = {
    tool: 'claude-code',
    session: '1',
    path: '/home/me/.claude/projects/-home-me-bakery/1.jsonl',
  };
  expect(
    provenanceOf('/home/me/.claude/projects/-home-me-bakery', { ...origin, project: 'bakery' }).folder,
  ).toBe('bakery');
  expect(provenanceOf('/logs', origin).folder).toBe('/logs');
});

test('of a run of our own only the folder is shown', () => {
  expect(provenanceOf(FOLDER, undefined)).toEqual({ folder: FOLDER, details: [] });
  expect(sourceDetails({ type: 'run-start', task: 'q' })).toEqual([]);
  expect(sourceDetails(undefined)).toEqual([]);
});

test('a number with many digits is rounded, a version or an id is not', () => {
  const values = { a: '0.6666666666666666', b: '1.2.3456789', c: '12345678901234567890', d: '-0.333333' };
  const shown = sourceDetails({ type: IMPORTED, kind: FACTS, value: values }).map(({ value }) => value);
  expect(shown).toEqual(['0.6667', '1.2.3456789', '12345678901234567890', '-0.3333']);
});

test('facts of any kind and number are cut to what a header can show, and the rest is counted', () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, 'x'.repeat(1000)]));
  const details = sourceDetails(facts(many));
  expect(details).toHaveLength(41);
  expect(details[0]).toEqual({ name: 'f0', value: `${'x'.repeat(200)}…` });
  expect(details.at(-1)).toEqual({ name: 'More', value: '10 in the first record' });
  for (const value of [null, 'text', 7, ['a'], { n: 1, o: {}, empty: '' }])
    expect(sourceDetails(facts(value))).toEqual([]);
});

const ARCHIVED = { conversation: 'here', archived: { place: 'db', id: 'there' } };

test('a restored panel finds its conversation again by any name, and asks for none where it had none', () => {
  for (const name of ['a.b-c', 'größe 1', '日本語', 'x'.repeat(250), '..', "it's (1)"])
    expect(restoredConversation({ conversation: name })).toBe(name);
  for (const state of [undefined, null, 'text', {}, { conversation: '' }, { conversation: 7 }, ARCHIVED])
    expect(restoredConversation(state)).toBeUndefined();
});
