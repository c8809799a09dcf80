import { describe, expect, test } from 'vitest';
import { OWN, type Spent } from '../../../src/app/discovery/watch.js';
import { isQuiet, watchRules } from '../../../src/app/discovery/watchRules.js';
import { soon } from '../../support/soon.js';

import { session, T0, watching } from '../../support/watchedWindow.js';

const WAITS = [{ when: 'waits', then: 'notify' }];

describe('a notice', () => {
  test('is shown once of a session that waits, after two seconds, and leads there', async () => {
    const { goOn, notices, window, opened } = await watching(WAITS);
    window.press = 'Open';
    await goOn(2, session('a', 1, { reason: 'approval', words: 'git push' }));
    expect(notices).toEqual([]);
    await goOn(1, session('a', 1, { reason: 'approval', words: 'git push' }));
    await soon(() => expect(notices).toHaveLength(1));
    expect(notices[0]).toMatch(/^a \(Claude Code\): waits for your approval.*: git push$/);
    await goOn(30, session('a', 1, { reason: 'approval' }));
    expect(notices).toHaveLength(1);
    expect(opened).toEqual(['a']);
    // The next question is another.
    await goOn(3, session('a', 33));
    await soon(() => expect(notices).toHaveLength(2));
  });

  test('is not shown of what clears before it is told, nor of what was so at the start', async () => {
    const { goOn, notices, shown } = await watching(WAITS);
    await goOn(2, session('a', 1), session('old', -60));
    await goOn(20, session('a', 3, { state: 'working' }), session('old', -60));
    expect(notices).toEqual([]);
    expect(shown.at(-1)?.waiting).toEqual(['old']);
  });

  test('offers what fits: of one that waits in a terminal here, to answer there', async () => {
    const { goOn, offered, window, shownTerminals } = await watching(WAITS);
    window.terminals.push('a');
    window.press = 'Answer in Its Terminal';
    await goOn(14, session('a', 1));
    await goOn(14, session('b', 14));
    await goOn(14, session('c', 29), session('d', 29));
    await soon(() => expect(offered).toHaveLength(3));
    expect(offered).toEqual([
      ['Open', 'Answer in Its Terminal', 'Mute This Session'],
      ['Open', 'Mute This Session'],
      ['Open'],
    ]);
    expect(shownTerminals).toEqual(['a']);
  });

  test.each([
    ['never told', () => new Promise<never>(() => undefined), []],
    [
      'not told',
      () => Promise.reject(new Error('It is gone.')),
      ['warn: The terminal of a session could not be told: It is gone.'],
    ],
  ])('is shown where its terminal is %s', async (_, terminalOf, lines) => {
    const { goOn, offered, window, log } = await watching(WAITS);
    window.terminalOf = terminalOf;
    await goOn(8, session('a', 1));
    await soon(() => expect(offered).toEqual([['Open', 'Mute This Session']]));
    expect(log.lines).toEqual(lines);
  });

  test('is one for several within ten seconds, and none follows sooner', async () => {
    const { goOn, notices } = await watching(WAITS);
    await goOn(4, session('a', 1));
    await goOn(4, session('a', 1), session('b', 5), session('c', 5));
    expect(notices).toHaveLength(1);
    await goOn(8, session('a', 1), session('b', 5), session('c', 5));
    await soon(() => expect(notices).toHaveLength(2));
    expect(notices[1]).toBe('2 sessions wait for you.');
  });

  test('is one in all windows, and none of a session that is muted in one', async () => {
    const one = await watching(WAITS);
    const other = await watching(WAITS, { folder: one.folder });
    one.window.press = 'Mute This Session';
    for (const { goOn } of [one, other]) await goOn(4, session('a', 1));
    await soon(() => expect([...one.notices, ...other.notices]).toHaveLength(1));
    for (const { goOn } of [one, other]) await goOn(20, session('a', 6));
    expect([...one.notices, ...other.notices]).toHaveLength(1);
  });

  test('is none of what only silence says, of agents of others, of the chat of VS Code, and of what is looked at', async () => {
    const { goOn, notices, window } = await watching([...WAITS, { when: 'stalled', then: 'notify' }]);
    window.lookedAt = 'seen';
    await goOn(
      10,
      session('silent', 1, { source: 'silence' }),
      session('child', 1, { isChild: true }),
      session('chat', 1, {}, 'vscode-chat'),
      session('seen', 1),
      session('quiet', 1, { state: 'working', marks: [{ kind: 'stalled', source: 'silence' }] }),
    );
    expect(notices).toEqual([]);
  });

  test('is none in quiet hours', async () => {
    const now = new Date(T0);
    const hour = (at: number) => `${String((now.getHours() + at) % 24).padStart(2, '0')}:00`;
    const { goOn, notices } = await watching(WAITS, {
      settings: { quietHours: `${hour(0)}-${hour(1)}` },
    });
    await goOn(6, session('a', 1));
    expect(notices).toEqual([]);
  });

  test('of a turn that ended is shown where nobody was at the window', async () => {
    const { goOn, notices, window } = await watching([{ when: 'finished while away', then: 'notify' }]);
    await goOn(8, session('a', 1, { state: 'finished' }));
    window.isAway = true;
    await goOn(4, session('b', 9, { state: 'finished' }));
    expect(notices).toEqual([]);
    await goOn(4, session('b', 9, { state: 'finished' }));
    await soon(() => expect(notices).toHaveLength(1));
    expect(notices[0]).toMatch(/^b /);
  });

  test.each([
    ['looping', { marks: [{ kind: 'looping', source: 'record' }] }, /^a .*: working, looping$/],
    ['stalled', { marks: [{ kind: 'stalled', source: 'record' }] }, /stalled$/],
    ['tool:Bash command:"git push"', {}, /: cd x && git push$/],
    ['command:"git push"', {}, /: cd x && git push$/],
    ['tool:Edit', {}, /tool:Edit: a\.ts$/],
    ['tokens of context > 80 %', {}, /^a /],
    ['tokens of context > 80', {}, /^a /],
  ] as const)('is shown of %s', async (when, state, words) => {
    const { goOn, notices } = await watching([{ when, then: ['notify'] }]);
    await goOn(1, session('other', 0, { state: 'working' }));
    const one = session('a', 1, { state: 'working', ...state });
    const life = {
      // One that is done before anybody looks, one that was done before the watch began, and one that is open.
      lately: [
        { tool: 'Edit', text: 'a.ts', since: T0 + 1_000 },
        { tool: 'Edit', text: 'old.ts', since: T0 - 1_000 },
      ],
      calls: [{ tool: 'Bash', text: 'cd x && git push', since: T0 + 1_000 }],
    };
    const full = { ...one, about: { ...one.about, context: { used: 90, window: 100 }, life } };
    await goOn(20, full as unknown as typeof one);
    await soon(() => expect(notices).toEqual([expect.stringMatching(words)]));
  });

  test('of a call is shown once, while it is open and when it has ended', async () => {
    const { goOn, notices } = await watching([{ when: 'tool:Bash', then: 'notify' }]);
    const long = `cd x ${'&& true '.repeat(200)}`;
    const at = (life: object) => {
      const one = session('a', 1, { state: 'working' });
      return { ...one, about: { ...one.about, life } } as unknown as typeof one;
    };
    const call = { tool: 'Bash', since: T0 + 1_000 };
    await goOn(1, session('other', 0, { state: 'working' }));
    await goOn(3, at({ calls: [{ ...call, text: long }], lately: [] }));
    await goOn(24, at({ calls: [], lately: [{ ...call, text: long.slice(0, 500) }] }));
    expect(notices).toHaveLength(1);
  });

  test('of a call of which no time is told is shown once, whatever its session does then', async () => {
    const { goOn, notices } = await watching([{ when: 'tool:Bash', then: 'notify' }]);
    const one = (since: number, life: object) => {
      const found = session('a', since, { state: 'working' });
      return { ...found, about: { ...found.about, life } } as unknown as typeof found;
    };
    const call = { tool: 'Bash', text: 'make', order: 1 };
    await goOn(1, session('other', 0, { state: 'working' }));
    await goOn(12, one(1, { calls: [call], lately: [] }));
    await goOn(12, one(13, { calls: [], lately: [call] }));
    await goOn(12, one(25, { calls: [], lately: [call] }));
    expect(notices).toHaveLength(1);
    // The same again is another.
    await goOn(12, one(40, { calls: [], lately: [call, { ...call, order: 2 }] }));
    expect(notices).toHaveLength(2);
  });

  test('of a call in a file that tells none is what a question finds', async () => {
    const asked: unknown[] = [];
    const { goOn, notices } = await watching([{ when: 'tool:Shell', then: 'notify' }], {
      found: (text, sessions) => {
        asked.push(text, ...sessions.map(({ tool }) => tool));
        return Promise.resolve([{ path: 'a', position: 3, words: 'rm -r x' }]);
      },
    });
    const changed = T0 + 3_600_000;
    const one = { ...session('a', 1, { state: 'working' }, 'cursor'), changed };
    await goOn(2, one, { ...session('b', 1, { state: 'working' }), changed });
    await soon(() => expect(notices).toEqual(['a (Cursor): tool:Shell: rm -r x']));
    expect(asked).toEqual(['tool:Shell role:assistant', 'cursor']);
  });
});

test('a webhook gets what the setting allows, and no secret', async () => {
  const rules = [{ when: 'waits', then: ['webhook: https://chat.example/hook'] }];
  for (const [says, text] of [
    ['state', 'A session (Claude Code): waits for your approval'],
    ['title', 'key *** (Claude Code): waits for your approval'],
    ['words', 'key *** (Claude Code): waits for your approval: echo ***'],
  ] as const) {
    const { goOn, sent, notices } = await watching(rules, { settings: { says } });
    await goOn(4, session('key hunter2', 1, { reason: 'approval', words: 'echo hunter2' }));
    await soon(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toEqual(['https://chat.example/hook', expect.objectContaining({ text, content: text })]);
    expect(notices).toEqual([]);
  }
});

test('no title calls all that are in a chat', async () => {
  const rules = [{ when: 'waits', then: ['webhook: https://chat.example/hook'] }];
  const { goOn, sent } = await watching(rules, { settings: { says: 'title' } });
  await goOn(4, session('<!channel> @everyone', 1));
  await soon(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.[1]).toMatchObject({
    text: expect.stringMatching(/^< !channel>/),
    allowed_mentions: { parse: [] },
  });
});

test('a command is run with what is told, and the status bar only shows', async () => {
  const { goOn, ran, notices, shown } = await watching([
    { when: 'waits', then: ['command: notify-send x', 'status'] },
  ]);
  await goOn(4, session('a', 1));
  await soon(() => expect(ran).toHaveLength(1));
  expect(ran[0]?.[0]).toBe('notify-send x');
  expect(notices).toEqual([]);
  expect(shown.at(-1)).toEqual({ waiting: ['a'], noted: ['a'] });
});

test('of a budget it is warned at 80 % and told at 100 %, once in all windows, and own runs stop', async () => {
  const rules = [
    { when: 'cost of today > 10', then: ['notify', 'stop'] },
    { when: 'cost > 5', then: ['notify', 'stop'] },
  ];
  const low = await watching(rules, { spent: [{ of: 'today', name: 'today', dollars: 7.9 }] });
  await low.goOn(1);
  expect([low.notices, low.stopped]).toEqual([[], []]);
  const near = await watching(rules, {
    folder: low.folder,
    spent: [{ of: 'today', name: 'today', dollars: 8.5 }],
  });
  await near.goOn(1);
  await soon(() => expect(near.notices).toEqual(['today: $8.50 of $10 are spent, 85 %.']));
  expect(near.stopped).toEqual([]);
  const spent: readonly Spent[] = [
    { of: 'today', name: 'today', dollars: 12 },
    { of: 'session', name: 'mine', dollars: 6, conversation: 'c1' },
    { of: 'session', name: 'foreign', dollars: 7 },
  ];
  const over = await watching(rules, { folder: low.folder, spent });
  const own = { ...session('c2', 0), tool: OWN } as const;
  await over.goOn(1, own);
  await soon(() => expect(over.notices).toEqual(['3 budgets are used up, or nearly.']));
  // All that runs here for the day, and of sessions only the one that runs here.
  expect(over.stopped).toEqual(['c2', 'c1']);
  const again = await watching(rules, { folder: low.folder, spent });
  await again.goOn(1, own);
  await soon(() => expect(again.stopped).toHaveLength(2));
  expect(again.notices).toEqual([]);
});

test('what is no rule is told by its number and word, and the others hold', async () => {
  const { rules, problems } = watchRules([
    'x',
    { when: 'sleeps', then: 'notify' },
    { when: 'waits', then: 'shout' },
    { when: 'waits', then: 'webhook: http://elsewhere.example' },
    { when: 'waits', then: 'notify', who: 'me' },
    { when: 'waits > 2 min', then: ['notify', 'webhook: http://127.0.0.1:9/x'] },
    { when: 'waits', then: [] },
  ]);
  expect(rules).toMatchObject([{ condition: { kind: 'state', state: 'waiting', ms: 120_000 } }]);
  expect(problems).toHaveLength(6);
  expect(problems[1]).toContain('rule 2: “sleeps” is no condition');
  expect(problems[2]).toContain('rule 3: “shout” is no action');
  expect(problems[4]).toContain('“who”');
  const { log, goOn } = await watching([{ when: 'sleeps', then: 'notify' }]);
  await goOn(2);
  expect(log.lines.filter((line) => line.includes('sleeps'))).toHaveLength(1);
});

test('quiet hours may go past midnight', () => {
  const at = (hours: string, hour: number) => isQuiet(hours, hour * 60);
  expect([at('22:00-07:00', 23), at('22:00-07:00', 6), at('22:00-07:00', 7)]).toEqual([true, true, false]);
  expect([at('9:00-10:00', 9), at('9:00-10:00', 10), at('', 3), at('late', 3)]).toEqual([
    true,
    false,
    false,
    undefined,
  ]);
});
