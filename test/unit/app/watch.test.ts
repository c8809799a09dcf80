import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SessionState } from '../../../src/capture/discovery/sessionState.js';
import type { StatedSession } from '../../../src/capture/discovery/stateFinder.js';
import {
  Claims,
  Watch,
  type Spent,
  type Told,
  type Watched,
  type WatchOptions,
} from '../../../src/app/discovery/watch.js';
import { followLive } from '../../../src/app/discovery/liveSessions.js';
import { ownRuns, ownSession } from '../../../src/app/discovery/ownRuns.js';
import { isQuiet, watchRules } from '../../../src/app/discovery/watchRules.js';
import { NO_COST } from '../../../src/core/cost.js';
import { Emitter } from '../../../src/core/event.js';
import type { CatalogEntry } from '../../../src/core/ports/transcript.js';
import type { SearchEngine } from '../../../src/page/panel/search/searchSession.js';
import type { LiveRow } from '../../../src/page/protocol/searchPage.js';
import type { ToolId } from '../../../src/import/toolHomes.js';
import { memorySettings } from '../../support/appHost.js';
import { ManualTime } from '../../support/manualTime.js';
import { RecordingLog } from '../../support/recordingLog.js';
import { soon } from '../../support/soon.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const SECOND = 1_000;
const T0 = Date.UTC(2026, 10, 20, 12);

/** A window that watches, by a clock of the test's own; `folder` is what several windows share. */
async function watching(
  rules: readonly object[],
  more: {
    folder?: string;
    settings?: object;
    spent?: readonly Spent[];
    found?: WatchOptions['found'];
    isConnected?: boolean;
  } = {},
) {
  const folder = more.folder ?? join(await temporaryFolder(), 'watch');
  const time = new ManualTime(T0);
  const log = new RecordingLog();
  const notices: string[] = [];
  const shown: { waiting: string[]; noted: string[] }[] = [];
  const sent: [string, object][] = [];
  const posted: [string, string][] = [];
  const ran: [string, readonly Told[]][] = [];
  const stopped: (string | undefined)[] = [];
  const opened: string[] = [];
  const window = { isAway: false, lookedAt: '', press: undefined as string | undefined };
  const watch = new Watch({
    view: {
      show: (waiting, noted) => {
        shown.push({ waiting: waiting.map(({ path }) => path), noted: noted.map(({ path }) => path) });
      },
      notify: (message) => {
        notices.push(message);
        return Promise.resolve(window.press);
      },
      isAway: () => window.isAway,
      isLookedAt: ({ path }) => window.lookedAt === path,
      open: ({ path }) => opened.push(path),
    },
    settings: memorySettings({ watch: { rules, ...more.settings } }),
    log,
    claims: new Claims(folder),
    shared: (text) => Promise.resolve(text.replaceAll('hunter2', '***')),
    send: (address, body) => {
      sent.push([address, body]);
      return Promise.resolve();
    },
    chatOf: () =>
      Promise.resolve(
        more.isConnected === true
          ? {
              maxMessageLength: 60,
              post: (chat, text) => {
                posted.push([chat, text]);
                return Promise.resolve();
              },
            }
          : undefined,
      ),
    run: (line, told) => {
      ran.push([line, told]);
      return Promise.resolve();
    },
    spent: () => Promise.resolve(more.spent ?? []),
    found: more.found ?? (() => Promise.resolve([])),
    stopRuns: (conversation) => stopped.push(conversation),
    time,
  });
  onTestFinished(() => watch.dispose());
  /** Time goes by, second by second, with these sessions. */
  const goOn = async (seconds: number, ...sessions: readonly Watched[]) => {
    for (let at = 0; at < seconds; at++) {
      await time.advance(SECOND);
      watch.take(sessions);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { folder, time, log, notices, shown, sent, posted, ran, stopped, opened, window, watch, goOn };
}

/** A session in a state since so many seconds after the beginning. */
const session = (
  path: string,
  since: number,
  state: Partial<SessionState> = {},
  tool: ToolId = 'claude-code',
) =>
  ({
    tool,
    path,
    id: path,
    changed: T0,
    about: { title: path, isEstimated: false },
    state: {
      state: 'waiting',
      source: 'record',
      marks: [],
      isLive: true,
      isChild: false,
      since: T0 + since * SECOND,
      ...state,
    },
  }) as unknown as StatedSession;

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
    ['looping', { marks: [{ kind: 'looping', source: 'record' }] }],
    ['tool:Bash command:"git push"', { tool: 'Bash', command: 'cd x && git push' }],
    ['tokens of context > 80 %', {}],
  ] as const)('is shown of %s', async (when, state) => {
    const { goOn, notices } = await watching([{ when, then: ['notify'] }]);
    await goOn(1);
    const one = session('a', 1, { state: 'working', ...state });
    const full = { ...one, about: { ...one.about, context: { used: 90, window: 100 } } };
    await goOn(2, full);
    await soon(() => expect(notices).toHaveLength(1));
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
  await over.goOn(1);
  await soon(() => expect(over.notices).toHaveLength(3));
  expect(over.notices[0]).toBe('today: $12.00 of $10 are spent, 120 %.');
  // All that runs here for the day, and of sessions only the one that runs here.
  expect(over.stopped).toEqual([undefined, 'c1']);
  const again = await watching(rules, { folder: low.folder, spent });
  await again.goOn(1);
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

test('all that is live is told, who needs somebody first, and what costs are known', async () => {
  const looked = new Emitter<ReadonlyMap<string, StatedSession>>(() => undefined);
  const found = [
    session('/works', -60, { state: 'working', isLive: true, tool: 'Bash', command: 'npm test' }),
    session('/waits', -240, { state: 'waiting', reason: 'approval', isLive: true, words: 'rm -r out' }),
    session('/child', -10, { state: 'working', isLive: true, isChild: true }),
    session('/ended', -30 * 60, { state: 'finished', isLive: false }),
    session('/long-ended', -90 * 60, { state: 'finished', isLive: false }),
  ];
  const states = new Map(found.map((each) => [each.path, each]));
  let watchers = 0;
  const asked: unknown[] = [];
  const cost = { ...NO_COST, unknown: 1 };
  const engine = {
    async *ask({ only }: { only?: readonly { root: string }[] }) {
      asked.push(only?.map(({ root }) => root));
      await Promise.resolve();
      yield { state: 'done', groups: only?.map((place) => ({ place, title: '', cost })) ?? [] };
    },
  } as unknown as SearchEngine;
  const own = { conversation: 'c1', title: 'Our bread', agents: ['Baker'], state: 'running', endedAt: T0 };
  const told: (readonly LiveRow[])[] = [];
  const following = followLive(
    {
      discovery: () =>
        Promise.resolve({
          states,
          onDidLook: looked.event,
          watch: () => {
            watchers++;
            return { dispose: () => void watchers-- };
          },
        }),
      own: ownRuns(
        {
          stores: {
            knownEntries: [own, { ...own, conversation: 'c2', state: 'done' }] as unknown as CatalogEntry[],
            find: () => Promise.resolve({ root: '/store' }),
          },
          runs: { running: ['c1'] },
          approvals: {
            pending: (conversation) =>
              conversation === 'c1' ? [{ request: { title: 'Write bread.md' } }] : [],
          },
        },
        () => T0,
      ),
      engine: () => Promise.resolve(engine),
      log: new RecordingLog(),
      now: () => T0,
    },
    (rows) => told.push(rows),
  );
  await soon(() => expect(asked).toHaveLength(1));
  expect(watchers).toBe(1);
  expect(told[0]?.map(({ place, state, words }) => [place.root, state, words])).toEqual([
    ['/waits', 'waiting', 'rm -r out'],
    ['/store', 'waiting', 'Write bread.md'],
    ['/works', 'working', 'npm test'],
    ['/ended', 'finished', ''],
  ]);
  looked.fire(states);
  await soon(() => expect(told).toHaveLength(2));
  expect(asked).toEqual([['/waits', '/store', '/works', '/ended']]);
  expect(told[1]?.map((row) => row.cost)).toEqual([cost, cost, cost, cost]);
  following.dispose();
  expect(watchers).toBe(0);
});

test('a limit that is nearly used up is told once, whichever sessions tell of it', async () => {
  const rules = [{ when: 'limit > 80 %', then: ['notify', 'webhook: https://example.com/x'] }];
  const { notices, sent, goOn } = await watching(rules);
  const with_ = (path: string, percent: number, resetsAt = T0 + 3_600 * SECOND) => {
    const { about, ...rest } = session(path, 0, { state: 'working' }, 'codex');
    const quotas = [{ limit: 'codex', minutes: 300, percent, resetsAt }];
    return { ...rest, about: { ...about, quotas } } as unknown as StatedSession;
  };
  await goOn(2, with_('/a', 70), with_('/over', 99, T0 - SECOND));
  expect(notices).toEqual([]);
  await goOn(3, with_('/a', 82.4), with_('/b', 83));
  await soon(() => expect(sent).toHaveLength(1));
  await goOn(12, with_('/a', 90), with_('/b', 91));
  expect(notices).toEqual([
    expect.stringMatching(/^\/a \(Codex\): 82 % of its limit of 5 h are used, until /),
  ]);
  expect(sent[0]?.[1]).toMatchObject({
    content: expect.stringContaining('A session (Codex): 82 % of its limit'),
  });
});

test('a question is asked of what was written since, and each answer is told once', async () => {
  const asked: (readonly [string, readonly string[], number])[] = [];
  const answers = [[], [4], [4], [9]];
  const { notices, sent, goOn } = await watching(
    [{ when: 'is:error tool:Edit', then: ['notify', 'webhook: https://example.com/x'] }],
    {
      found: (text, sessions, since) => {
        asked.push([text, sessions.map(({ path }) => path), since - T0]);
        const found = answers.shift() ?? [];
        return Promise.resolve(found.map((position) => ({ path: '/a', position, words: 'no such line' })));
      },
    },
  );
  const at = (seconds: number) => ({
    ...session('/a', 0, { state: 'working' }),
    changed: T0 + seconds * SECOND,
  });
  const old = { ...session('/old', -900, { state: 'working' }), changed: T0 - 900 * SECOND };
  await goOn(1, at(0), old);
  await goOn(40, at(3_600), old);
  await soon(() => expect(notices).toHaveLength(2));
  expect(notices[0]).toBe('/a (Claude Code): is:error tool:Edit: no such line');
  expect(asked.slice(0, 2)).toEqual([
    ['is:error tool:Edit', ['/a'], 0],
    ['is:error tool:Edit', ['/a'], 0],
  ]);
  // Words leave the machine only where the setting says so.
  expect(sent[0]?.[1]).toMatchObject({ text: 'A session (Claude Code): is:error tool:Edit' });
  const { problems } = watchRules([
    { when: 'is:nonsense', then: 'notify' },
    { when: 'agnt:x', then: 'notify' },
    { when: 'plain words', then: 'notify' },
  ]);
  expect(problems).toHaveLength(3);
});

test('a chat is written to by the window that is connected, once, and short enough', async () => {
  const rules = [
    { when: 'waits', then: ['notify', 'telegram: 4711'] },
    { when: 'cost of today > 10', then: 'discord: 99' },
  ];
  const spent = [{ of: 'today', name: 'today', dollars: 9 }] as const;
  const alone = await watching(rules, { spent });
  const waits = session('/a', 0);
  await alone.goOn(3, waits);
  await soon(() => expect(alone.notices).toHaveLength(1));
  expect(alone.posted).toEqual([]);
  const connected = await watching(rules, { folder: alone.folder, spent, isConnected: true });
  await connected.goOn(3, waits);
  await soon(() => expect(connected.posted).toHaveLength(2));
  expect(connected.notices).toEqual([]);
  expect(connected.posted.toSorted()).toEqual([
    ['discord:99', 'today: $9.00 of $10 are spent, 90 %.'],
    ['telegram:4711', 'A session (Claude Code): waits for you'],
  ]);
  expect(watchRules([{ when: 'waits', then: 'telegram: @me' }]).problems[0]).toContain(
    'telegram: or discord:',
  );
});

test('what runs here is told, too, but what it asks by a notice of its own', async () => {
  const rules = [
    { when: 'waits', then: ['notify', 'webhook: https://example.com/x'] },
    { when: 'finished while away', then: 'notify' },
  ];
  const { notices, sent, shown, opened, window, goOn } = await watching(rules);
  window.isAway = true;
  window.press = 'Open';
  const entry = {
    conversation: 'c1',
    title: 'Our bread',
    agents: ['Baker'],
    messages: 4,
    endedAt: T0 + SECOND,
  };
  const at = (state: string, asked?: string) =>
    ownSession({ ...entry, state } as unknown as CatalogEntry, asked);
  await goOn(4, at('running', 'Write bread.md'));
  await soon(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.[1]).toMatchObject({ text: 'A session (run here): waits for your approval' });
  expect([notices, shown.at(-1)?.waiting]).toEqual([[], []]);
  await goOn(20, at('done'));
  await soon(() => expect(notices).toEqual(['Our bread (run here): finished']));
  await soon(() => expect(opened).toEqual(['c1']));
});
