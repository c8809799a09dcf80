import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, nested, query, said } from './reading.js';

describe('Cursor', () => {
  const user = (words: string) => ({ role: 'user', message: { content: [{ type: 'text', text: words }] } });
  const asked = (words: string) => user(`<user_query>\n${words}\n</user_query>`);
  const assistant = (...content: object[]) => ({ role: 'assistant', message: { content } });
  const words = (said: string) => ({ type: 'text', text: said });
  const use = (name: string, input: object) => ({ type: 'tool_use', id: null, name, input });

  test('what was typed stands without its tags, and calls of tools are numbered', async () => {
    const result = await expectSaid(
      [
        asked('Where is the scale?'),
        assistant(words('Let me look.'), use('Grep', { pattern: 'scale' }), use('Read', { path: 'a.mjs' })),
        assistant(words('In the drawer.')),
        user('<attached_files>a</attached_files>\n<user_query>And this?</user_query>'),
      ],
      'cursor',
      [
        'user: Where is the scale?',
        'assistant: Let me look. Grep({"pattern":"scale"}) Read({"path":"a.mjs"})',
        'assistant: In the drawer.',
        'user: <attached_files>a</attached_files>\n<user_query>And this?</user_query>',
      ],
    );
    expect(result.conversations[0]).toMatchObject({ id: 'talk', title: 'Where is the scale?' });
    const ids = query(result)
      .toolSummary()
      .flatMap(({ calls }) => calls.map(({ id }) => id));
    expect(ids).toEqual(['call_1', 'call_2']);
  });

  test.each([
    ['tags inside', '<user_query>\nwhy does <user_query> or </user_query> appear?\n</user_query>\n'],
    ['no end', ' <user_query>why does <user_query> appear?'],
  ])('what was typed is whole: %s', async (_, text) => {
    const result = await importTranscript(lines(user(text), assistant(words('ok'))), 's.jsonl');
    const typed = text.trim().replace(/^<user_query>|<\/user_query>$/g, '');
    expect(said(result)[0]).toBe(`user: ${typed.trim()}`);
  });

  test('what stands behind the tags keeps them', async () => {
    const text = '<user_query>go</user_query>\n<open_files>a</open_files>';
    const result = await importTranscript(lines(user(text), assistant(words('ok'))), 's.jsonl');
    expect(said(result)[0]).toBe(`user: ${text}`);
  });

  test.each([
    ['by its prompt', 'look', 2],
    ['as the only one there is', 'other words', 1],
  ])('a subagent stands inside the call that started it: %s', async (_, prompt, calls) => {
    const started = [use('Subagent', { prompt, subagent_type: 'explore' })];
    if (calls === 2) started.unshift(use('Subagent', { prompt: 'else', subagent_type: 'other' }));
    const main = lines(asked('go'), assistant(...started), assistant(words('Done.')));
    const sidecars = [
      { name: 'subagents/c1.jsonl', source: lines(asked('look'), assistant(words('found'))) },
    ];
    const result = await importTranscript(main, 's1.jsonl', { sidecars });
    expect(nested(query(result).timeline())).toEqual([['Cursor', ['explore']]]);
    expect(said(result).slice(2)).toEqual(['user: look', 'assistant: found', 'assistant: Done.']);
  });

  test('a subagent that nobody seems to have started is not lost', async () => {
    const sidecars = [{ name: 'subagents/c1.jsonl', source: lines(asked('look')) }];
    const result = await importTranscript(lines(asked('go'), assistant(words('ok'))), 's.jsonl', {
      sidecars,
    });
    expect(said(result)).toEqual(['user: go', 'assistant: ok', 'user: look']);
  });

  test('lines of another kind are kept and counted', async () => {
    await expectSaid(
      [asked('go'), assistant(words('ok')), { type: 'turn_ended', status: 'done' }],
      'cursor',
      ['user: go', 'assistant: ok'],
      ['Kept without being understood: lines of type turn_ended (once).'],
    );
  });
});
