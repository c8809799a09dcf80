import { expect, test } from 'vitest';
import { OutputChannelFrontend } from '../../../../src/agents/frontends/outputChannelFrontend.js';
import { ManualTime } from '../../../support/manualTime.js';
import { RecordingLog } from '../../../support/recordingLog.js';

function outputChannel(detailed = false, linked = detailed) {
  const time = new ManualTime();
  const sink = new RecordingLog();
  const linkTo = ({ call }: { call: string }) => (linked ? `log:${call}` : undefined);
  const frontend = new OutputChannelFrontend(sink, { clock: time, detailed: () => detailed, linkTo });
  return { frontend, time, lines: sink.lines };
}

const place = (depth: number, toolCallId?: string) => ({
  conversation: 'c',
  run: 'r',
  call: `k${depth}`,
  agent: 'Pickle',
  depth,
  ...(toolCallId !== undefined && { toolCallId }),
});

test('a team two levels deep reads like a tree', () => {
  const { frontend, lines } = outputChannel();
  frontend.showDispatchStart('Pickle', 'Cookie', 'bake', place(0, 't1'));
  frontend.showDispatchStart('Cookie', 'Crumb', 'sift', place(1, 't2'));
  frontend.showDispatchResult('Cookie', 'Crumb', 'sifted', place(1, 't2'));
  frontend.showDispatchResult('Pickle', 'Cookie', 'baked', place(0, 't1'));
  frontend.showText('Pickle', 'Cookies are ready.', place(0));
  expect(lines).toEqual([
    'info: Pickle → @Cookie: bake',
    'info:   Cookie → @Crumb: sift',
    'info:   Crumb: sifted',
    'info: Cookie: baked',
    'info: Pickle: Cookies are ready.',
  ]);
});

test('what an agent says, gives back or waits for has a link', () => {
  const { frontend, lines } = outputChannel(false, true);
  frontend.showDispatchStart('Pickle', 'Cookie', 'bake', place(0, 't1'));
  frontend.showApproval('Cookie', 'Write a.ts', place(1, 't2'));
  frontend.showDispatchResult('Pickle', 'Cookie', 'baked', place(0, 't1'));
  frontend.showDispatchFailure('Pickle', 'Crumb', 'no oven', place(0, 't3'));
  frontend.showText('Pickle', 'Ready.', place(0));
  frontend.showText('Pickle', 'Nowhere.');
  expect(lines).toEqual([
    'info: Pickle → @Cookie: bake',
    'info:   Cookie waits for your approval: Write a.ts log:k1',
    'info: Cookie: baked log:k0',
    'warn: Crumb failed: no oven log:k0',
    'info: Pickle: Ready. log:k0',
    'info: Pickle: Nowhere.',
  ]);
});

test('details add how long it took; tools are then shown too', () => {
  const { frontend, time, lines } = outputChannel(true);
  frontend.showDispatchStart('Pickle', 'Cookie', 'bake', place(0, 't1'));
  void time.advance(1_200);
  frontend.showToolActivity('Cookie', 'read_file', 'error', 'no such file', place(1));
  frontend.showDispatchResult('Pickle', 'Cookie', 'baked', place(0, 't1'));
  expect(lines[1]).toBe('info:   Cookie · read_file ✗ no such file');
  expect(lines[2]).toMatch(/^info: Cookie: baked \(\d+\.\d s\) log:k0$/);
});

test('parallel dispatches to one agent each have their own time', async () => {
  const { frontend, time, lines } = outputChannel(true);
  frontend.showDispatchStart('Pickle', 'Cookie', 'one', place(0, 't1'));
  await time.advance(1_000);
  frontend.showDispatchStart('Pickle', 'Cookie', 'two', place(0, 't2'));
  await time.advance(2_000);
  frontend.showDispatchResult('Pickle', 'Cookie', 'two done', place(0, 't2'));
  frontend.showDispatchResult('Pickle', 'Cookie', 'one done', place(0, 't1'));
  expect(lines.slice(2)).toEqual([
    'info: Cookie: two done (2.0 s) log:k0',
    'info: Cookie: one done (3.0 s) log:k0',
  ]);
});

test('tools are a matter of debugging otherwise', () => {
  const { frontend, lines } = outputChannel();
  frontend.showToolActivity('Pickle', 'read_file', 'start', 'a.ts', place(0));
  frontend.showApproval('Pickle', 'Write a.ts', place(0));
  expect(lines).toEqual([
    'debug: Pickle · read_file … a.ts',
    'info: Pickle waits for your approval: Write a.ts',
  ]);
});

test('a failure is a warning, shown once however often it is reported', () => {
  const { frontend, lines } = outputChannel();
  frontend.showDispatchFailure('Pickle', 'Cookie', 'no oven', place(0, 't1'));
  frontend.showDispatchFailure('Pickle', 'Cookie', 'no oven', place(0, 't1'));
  frontend.showDispatchFailure('Pickle', 'Cookie', 'no oven', place(0, 't2'));
  expect(lines).toEqual(['warn: Cookie failed: no oven', 'warn: Cookie failed: no oven']);
});

test('a depth beyond reason does not fill the line', () => {
  const { frontend, lines } = outputChannel();
  frontend.showText('Pickle', 'deep', place(1_000_000));
  expect(lines).toEqual([`info: ${' '.repeat(20)}Pickle: deep`]);
});
