import { expect, test } from 'vitest';
import type { StatedSession } from '../../../src/capture/discovery/stateFinder.js';
import { Claims } from '../../../src/app/discovery/openWatch.js';
import { OWN, type Spent, type Watched } from '../../../src/app/discovery/watch.js';
import { followLive } from '../../../src/app/discovery/liveSessions.js';
import { features } from '../../../src/app/features/features.js';
import { ownRuns } from '../../../src/app/discovery/ownRuns.js';
import { watchRules } from '../../../src/app/discovery/watchRules.js';
import { NO_COST } from '../../../src/core/cost.js';
import { Emitter } from '../../../src/core/event.js';
import type { CatalogEntry } from '../../../src/core/ports/transcript.js';
import type { SearchEngine } from '../../../src/page/panel/search/searchSession.js';
import type { LiveRow } from '../../../src/page/protocol/searchPage.js';
import { memorySettings } from '../../support/appHost.js';
import { RecordingLog } from '../../support/recordingLog.js';
import { soon } from '../../support/soon.js';

import { session, SECOND, T0, watching } from '../../support/watchedWindow.js';

const HOST = { settings: memorySettings(), log: new RecordingLog(), pricing: features.pricing };
/** A store of which nothing is read. */
const UNREAD = { openTranscript: () => Promise.reject(new Error('Nothing is read here.')) };

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
  const own = {
    conversation: 'c1',
    title: 'Our bread',
    agents: ['Baker'],
    state: 'running',
    endedAt: T0,
    recordedHere: true,
  };
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
            knownEntries: [
              own,
              { ...own, conversation: 'c2', state: 'done', endedAt: T0 - 600 * SECOND },
              { ...own, conversation: 'gone' },
            ] as unknown as CatalogEntry[],
            find: (conversation) =>
              conversation === 'gone'
                ? Promise.reject(new Error('It is gone.'))
                : Promise.resolve({ root: '/store', store: UNREAD }),
          },
          runs: { running: ['c1'], held: new Map() },
          approvals: {
            pending: (conversation) =>
              conversation === 'c1' ? [{ id: 'p1', request: { title: 'Write bread.md' } }] : [],
          },
          ...HOST,
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
    ['/store', 'finished', ''],
    ['/ended', 'finished', ''],
  ]);
  // Costs are shown as soon as they are known, and what runs here is looked at where nobody looks at a tool.
  await soon(() => expect(told.length).toBeGreaterThan(2));
  expect(asked).toEqual([['/waits', '/store', '/works', '/store', '/ended']]);
  expect(told[1]?.map((row) => row.cost)).toEqual([cost, cost, cost, cost, cost]);
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
  // The budget is told at once, the wait ten seconds later.
  await connected.goOn(14, waits);
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
  let [state, endedAt] = ['running', T0 + SECOND];
  let pending: readonly { id: string; request: { title: string } }[] = [];
  const own = ownRuns(
    {
      stores: { knownEntries: [], find: () => Promise.resolve({ root: '', store: UNREAD }) },
      runs: { running: ['c1'], held: new Map() },
      approvals: { pending: () => pending },
      ...HOST,
    },
    () => T0,
  );
  const now = () => {
    const told = { conversation: 'c1', title: 'Our bread', agents: ['Baker'], messages: 4, state, endedAt };
    const entry = told as unknown as CatalogEntry;
    return own.session(entry);
  };
  pending = [{ id: 'p1', request: { title: 'Write bread.md' } }];
  // Others record meanwhile: it is one wait.
  for (let at = 0; at < 30; at++) {
    endedAt += SECOND;
    await goOn(1, now());
  }
  await soon(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.[1]).toMatchObject({ text: 'A session (run here): waits for your approval' });
  expect([notices, shown.at(-1)?.waiting, sent.length]).toEqual([[], [], 1]);
  [state, pending] = ['done', []];
  await goOn(20, now());
  await soon(() => expect(notices).toEqual(['Our bread (run here): finished']));
  await soon(() => expect(opened).toEqual(['c1']));
});

test('what runs here is held and stopped by rules, also at night and while it is looked at; others are never touched', async () => {
  const now = new Date(T0).getHours();
  const hour = (at: number) => `${String((now + at) % 24).padStart(2, '0')}:00`;
  const { notices, paused, stopped, window, goOn } = await watching(
    [
      { when: 'is:error', then: ['notify', 'pause'] },
      { when: 'waits > 5 s', then: 'stop' },
    ],
    {
      settings: { quietHours: `${hour(0)}-${hour(1)}` },
      found: (_, sessions) =>
        Promise.resolve(sessions.map(({ path }) => ({ path, position: 4, words: 'no such line' }))),
    },
  );
  window.lookedAt = 'c1';
  const own: Watched = { ...session('c1', 1), tool: OWN };
  await goOn(30, session('/other', 1), own);
  await soon(() => expect(stopped).toEqual(['c1']));
  await soon(() => expect(paused).toHaveLength(1));
  expect(paused[0]).toEqual([
    'c1',
    'Your rule “is:error” holds the run. c1 (run here): is:error: no such line',
  ]);
  expect(notices).toEqual([]);
});

test('a budget that is used up holds what runs once, so that whoever lets it go on is not asked each minute', async () => {
  const spent = [
    { of: 'today', name: 'today', dollars: 12 },
    { of: 'session', name: 'mine', dollars: 6, conversation: 'c1' },
    { of: 'session', name: 'foreign', dollars: 7 },
  ] as const;
  const { paused, goOn } = await watching(
    [
      { when: 'cost of today > 10', then: 'pause' },
      { when: 'cost > 5', then: 'pause' },
    ],
    { spent },
  );
  const own = (path: string): Watched => ({ ...session(path, 1, { state: 'working' }), tool: OWN });
  await goOn(130, own('c1'));
  await soon(() => expect(paused).toHaveLength(2));
  expect(paused).toEqual([
    ['c1', 'Your rule “cost of today > 10” holds the run. today: $12.00 of $10 are spent, 120 %.'],
    ['c1', 'Your rule “cost > 5” holds the run. mine: $6.00 of $5 are spent, 120 %.'],
  ]);
  // One that begins later is held once, too.
  await goOn(70, own('c1'), own('c2'));
  await soon(() => expect(paused.slice(2).map(([run]) => run)).toEqual(['c2']));
});

test('a budget of a project, or of a model, holds and stops what runs of it, and nothing else', async () => {
  const spent = [
    { of: 'project', name: 'bakery', dollars: 12 },
    { of: 'model', name: 'Sonnet', key: 'claude-sonnet-5', dollars: 12 },
  ] as const;
  const { paused, stopped, goOn } = await watching(
    [
      { when: 'cost of project > 10', then: 'pause' },
      { when: 'cost of model > 10', then: 'stop' },
    ],
    { spent },
  );
  const own = (path: string, workspace: string, model: string): Watched => {
    const { about, ...rest } = session(path, 1, { state: 'working' });
    return { ...rest, about: { ...about, workspace }, tool: OWN, models: new Set([model]) };
  };
  await goOn(2, own('c1', 'bakery', 'gpt-5'), own('c2', 'mill', 'claude-sonnet-5'), session('/foreign', 1));
  await soon(() => expect([paused.map(([run]) => run), stopped]).toEqual([['c1'], ['c2']]));
});

test('what was so when a tool was first looked at is not told, whenever that is', async () => {
  const { notices, goOn } = await watching([{ when: 'looping', then: 'notify' }]);
  const looping = (path: string) =>
    session(path, 0, { state: 'working', marks: [{ kind: 'looping', source: 'record' }] });
  await goOn(1);
  await goOn(3, looping('/before'));
  await goOn(3, looping('/before'), looping('/after'));
  await soon(() => expect(notices).toEqual([expect.stringContaining('/after')]));
});

test('a clock that is set back keeps nothing from being told, nor a budget from being kept', async () => {
  const spent = [{ of: 'today', name: 'today', dollars: 12 }] as const;
  const rules = [
    { when: 'waits', then: 'notify' },
    { when: 'cost of today > 10', then: 'stop' },
  ];
  const { notices, stopped, time, goOn } = await watching(rules, { spent });
  const own: Watched = { ...session('c1', 1, { state: 'working' }), tool: OWN };
  await goOn(4, session('/a', 1), own);
  await soon(() => expect([notices.length, stopped]).toEqual([1, ['c1']]));
  time.setBack(3_600 * SECOND);
  await goOn(14, session('/b', -3_594), own);
  await soon(() => expect([notices.length, stopped]).toEqual([2, ['c1', 'c1']]));
});

test('of two limits both are told; of children and while another question is asked nothing', async () => {
  const resetsAt = T0 + 3_600 * SECOND;
  const { about, ...rest } = session('/a', 0, { state: 'working' }, 'codex');
  const quotas = [300, 10_080].map((minutes) => ({ limit: 'codex', minutes, percent: 90, resetsAt }));
  const two = { ...rest, about: { ...about, quotas } } as unknown as StatedSession;
  const limits = await watching([{ when: 'limit > 80 %', then: 'webhook: https://example.com/x' }]);
  await limits.goOn(1, session('/b', 0, { state: 'working' }, 'codex'));
  await limits.goOn(12, two);
  await soon(() => expect(JSON.stringify(limits.sent)).toContain('limit of 7 d'));
  expect(JSON.stringify(limits.sent)).toContain('limit of 5 h');
  let open = 0;
  const asking = await watching([{ when: 'is:error tool:Edit', then: 'notify' }], {
    found: () => new Promise(() => void open++),
  });
  const busy = { ...session('/a', 0, { state: 'working' }), changed: T0 + 3_600 * SECOND };
  const child = { ...session('/c', 0, { state: 'working', isChild: true }), changed: T0 + 3_600 * SECOND };
  await asking.goOn(11, child);
  expect(open).toBe(0);
  await asking.goOn(40, busy);
  expect(open).toBe(1);
});

test('budgets are told apart by session, and one address that is down keeps nothing from the others', async () => {
  const spent: Spent[] = ['/a', '/b', '/muted'].map((path) => ({
    of: 'session',
    name: 'Fix the tests',
    key: path,
    path,
    dollars: 3,
  }));
  const rules = [{ when: 'cost > 2', then: ['webhook: https://down.example.com/x', 'notify'] }];
  const { notices, sent, log, folder, goOn } = await watching(rules, { spent, isDown: true });
  await new Claims(folder).mute('/muted');
  await goOn(2);
  await soon(() => expect(notices).toEqual(['2 budgets are used up, or nearly.']));
  expect([sent, log.lines.filter((line) => line.includes('could not be followed')).length]).toEqual([[], 1]);
  expect(watchRules([{ when: 'cost > 2', then: 'command: x' }]).problems[0]).toContain('cannot follow');
  expect(watchRules([{ when: 'is:error tool:Edit', then: 'status' }]).problems[0]).toContain('cannot follow');
});

test('no secret leaves, wherever a text would be cut', async () => {
  for (const before of [100, 140, 150, 156, 200, 280, 298]) {
    const words = `${'x '.repeat(before / 2)}hunter2 and more ${'y '.repeat(40)}`;
    const { sent, goOn } = await watching([{ when: 'waits', then: 'webhook: https://example.com/x' }], {
      settings: { says: 'words' },
    });
    await goOn(3, session('/a', 0, { words }));
    await soon(() => expect(sent).toHaveLength(1));
    expect(JSON.stringify(sent)).not.toMatch(/hu(?:nter?2?)?/);
  }
});
