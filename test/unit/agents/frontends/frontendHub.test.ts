import { expect, test } from 'vitest';
import { FrontendHub, HUB_NAME } from '../../../../src/agents/frontends/frontendHub.js';
import { ManualTime, settle } from '../../../support/manualTime.js';
import { RecordingFrontend } from '../../../support/recordingFrontend.js';
import { RecordingLog } from '../../../support/recordingLog.js';

/** A hub with a healthy frontend and one under test that answers as given. */
function hubWith(answer?: (line: string) => void | Promise<void>, limits = {}) {
  const time = new ManualTime();
  const log = new RecordingLog();
  const hub = new FrontendHub({ log, timers: time, limits });
  const tested = new RecordingFrontend(answer);
  const healthy = new RecordingFrontend();
  const added = hub.add('tested', tested);
  hub.add('healthy', healthy);
  return { hub, time, log, tested, healthy, added };
}

const threeLines = ['start Pickle Cookie bake', 'result Pickle Cookie done', 'text Pickle ready'];

function tellThreeLines(hub: FrontendHub): void {
  hub.showDispatchStart('Pickle', 'Cookie', 'bake');
  hub.showDispatchResult('Pickle', 'Cookie', 'done');
  hub.showText('Pickle', 'ready');
}

const never = () => new Promise<void>(() => undefined);

test('every kind of event reaches every frontend, in order', () => {
  const { hub, tested, healthy } = hubWith();
  tellThreeLines(hub);
  hub.showDispatchFailure('Pickle', 'Cookie', 'no oven');
  hub.showToolActivity('Pickle', 'read_file', 'start', 'a.ts');
  hub.showApproval('Pickle', 'Write a.ts');
  const rest = [
    'failure Pickle Cookie no oven',
    'tool Pickle read_file start a.ts',
    'approval Pickle Write a.ts',
  ];
  expect(tested.lines).toEqual([...threeLines, ...rest]);
  expect(healthy.lines).toEqual(tested.lines);
});

test('a frontend that throws synchronously hurts nobody and is reported once', () => {
  const { hub, log, tested, healthy } = hubWith(() => {
    throw new Error('broken');
  });
  tellThreeLines(hub);
  expect(tested.lines).toEqual(threeLines);
  expect(healthy.lines).toEqual(threeLines);
  expect(log.lines).toEqual(["warn: The frontend 'tested' failed; later failures are not logged.: broken"]);
});

test('a frontend that rejects late is still shown everything in order and is reported once', async () => {
  const { hub, log, tested, healthy } = hubWith(async () => {
    await settle();
    throw new Error('late');
  });
  tellThreeLines(hub);
  expect(healthy.lines).toEqual(threeLines);
  expect(tested.lines).toEqual(threeLines.slice(0, 1));
  await hub.idle();
  expect(tested.lines).toEqual(threeLines);
  expect(log.lines).toEqual(["warn: The frontend 'tested' failed; later failures are not logged.: late"]);
});

test('a frontend that never settles loses its time, and its queue goes on', async () => {
  const { hub, time, log, tested, healthy } = hubWith(never, { timeMs: 5_000 });
  tellThreeLines(hub);
  expect(healthy.lines).toEqual(threeLines);
  await time.advance(4_999);
  expect(tested.lines).toHaveLength(1);
  await time.advance(1);
  expect(tested.lines).toHaveLength(2);
  await time.advance(10_000);
  expect(tested.lines).toEqual(threeLines);
  expect(log.lines).toHaveLength(1);
  expect(log.lines[0]).toContain('took more than 5000 ms');
  expect(time.waiting).toBe(0);
  await hub.idle();
});

test('whoever waits for the hub waits no longer than one delivery may take', async () => {
  const { hub, time } = hubWith(never);
  for (let n = 0; n < 100; n++) hub.showText('Pickle', `${n}`);
  let waited = false;
  void hub.idle().then(() => (waited = true));
  await time.advance(4_999);
  expect(waited).toBe(false);
  await time.advance(1);
  expect(waited).toBe(true);
});

test('a rejection after the time limit is handled and not reported again', async () => {
  const rejects: ((error: Error) => void)[] = [];
  const { hub, time, log } = hubWith(() => new Promise((_, reject) => rejects.push(reject)));
  hub.showText('Pickle', 'ready');
  await time.advance(5_000);
  rejects[0]?.(new Error('much later'));
  await settle();
  expect(log.lines).toHaveLength(1);
});

test('what settles after its time does not hurry what is shown now', async () => {
  const ends: (() => void)[] = [];
  const { hub, time, tested } = hubWith(() => new Promise((resolve) => ends.push(resolve)));
  tellThreeLines(hub);
  await time.advance(5_000);
  ends[0]?.();
  await settle();
  expect(tested.lines).toHaveLength(2);
  ends[1]?.();
  await settle();
  expect(tested.lines).toEqual(threeLines);
});

test('a frontend that tells the hub something while it is shown something keeps the order', () => {
  const { hub, tested } = hubWith((line) => {
    if (line.startsWith('start')) hub.showText('Pickle', 'echo');
  });
  tellThreeLines(hub);
  expect(tested.lines).toEqual([threeLines[0], 'text Pickle echo', threeLines[1], threeLines[2]]);
});

test('10,000 dispatches reach a prompt frontend all, in order, one start and one result each', () => {
  const { hub, tested } = hubWith();
  const expected: string[] = [];
  for (let n = 0; n < 10_000; n++) {
    hub.showDispatchStart('Pickle', 'Cookie', `${n}`);
    hub.showDispatchResult('Pickle', 'Cookie', `${n}`);
    expected.push(`start Pickle Cookie ${n}`, `result Pickle Cookie ${n}`);
  }
  expect(tested.lines).toEqual(expected);
});

test('10,000 dispatches to one that hangs keep the newest, and it is told once how many are missing', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { hub, tested, healthy } = hubWith(() => gate, { waiting: 100 });
  for (let n = 0; n < 10_000; n++) hub.showDispatchStart('Pickle', 'Cookie', `${n}`);
  open();
  await hub.idle();
  expect(healthy.lines).toHaveLength(10_000);
  const newest = Array.from({ length: 100 }, (_, n) => `start Pickle Cookie ${n + 9_900}`);
  expect(tested.lines).toEqual([
    'start Pickle Cookie 0',
    ...newest,
    `text ${HUB_NAME} 9899 older lines were left out here, because they came faster than they could be shown.`,
  ]);
});

test('over the cap tools go first, then dispatches; answers and approvals stay', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { hub, tested } = hubWith(() => gate, { waiting: 3 });
  hub.showText('Pickle', 'first');
  hub.showText('Pickle', 'second');
  hub.showDispatchStart('Pickle', 'Cookie', 'bake');
  hub.showToolActivity('Pickle', 'read_file', 'start', 'a.ts');
  hub.showApproval('Pickle', 'Write a.ts');
  hub.showText('Pickle', 'third');
  open();
  await hub.idle();
  expect(tested.lines.slice(0, -1)).toEqual([
    'text Pickle first',
    'text Pickle second',
    'approval Pickle Write a.ts',
    'text Pickle third',
  ]);
  expect(tested.lines.at(-1)).toContain('2 older lines were left out');
});

test('a frontend that hangs holds no more text than the limit', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { hub, tested } = hubWith(() => gate, { units: 1_000 });
  for (const letter of 'abcdef') hub.showText('Pickle', letter.repeat(400));
  open();
  await hub.idle();
  const letters = tested.lines.slice(0, -1).map((line) => line.slice(-1));
  expect(letters).toEqual(['a', 'e', 'f']);
  expect(tested.lines.at(-1)).toContain('3 older lines');
});

test('a frontend that was taken away is shown nothing more, and nobody waits for it', async () => {
  const { hub, time, tested, added } = hubWith(never);
  tellThreeLines(hub);
  const idle = hub.idle();
  added.dispose();
  await idle;
  hub.showText('Pickle', 'again');
  expect(tested.lines).toEqual(threeLines.slice(0, 1));
  expect(time.waiting).toBe(0);
});
