import { expect, test } from 'vitest';
import { ApprovalService } from '../../../src/app/runs/approvalService.js';
import { systemClock } from '../../../src/core/clock.js';
import type { ApprovalRequest } from '../../../src/core/ports/approvals.js';
import { Recorder } from '../../../src/core/record/recorder.js';
import { ApprovalDecider } from '../../../src/agents/loop/approvalDecider.js';

function request(key: string, signal = new AbortController().signal): ApprovalRequest {
  const call = { run: 'r', call: 'k', agent: 'Crumb', depth: 0 };
  return { toolName: 't', toolCallId: key, subject: 's', title: 'Bake', key, call, signal };
}

/** A service, what it fires, and a decider per conversation that asks through it. */
function aService() {
  const service = new ApprovalService((error) => expect.unreachable(String(error)));
  const fired: string[] = [];
  service.onDidChange(({ kind, conversation, prompt }) =>
    fired.push(`${kind} ${conversation} ${prompt.request.key}`),
  );
  const deciderOf = (conversation: string) =>
    new ApprovalDecider({
      ask: (prompt) => service.ask(conversation, prompt),
      numbers: service.numbers,
      messageLog: new Recorder({ conversation, onListenerFailure: () => undefined }),
      clock: systemClock,
    });
  const numbers = () =>
    ['kitchen', 'cellar'].flatMap((name) => service.pending(name).map(({ number }) => number));
  const idOf = (conversation: string, at = 0) => service.pending(conversation)[at]?.id ?? '';
  return { service, fired, deskOf: deciderOf, numbers, idOf };
}

test('what waits in several conversations has numbers that tell it apart, from 1 again when none waits any more', async () => {
  const { service, deskOf: deciderOf, numbers, idOf } = aService();
  const [kitchen, cellar] = [deciderOf('kitchen'), deciderOf('cellar')];
  const first = kitchen.decide(request('a'));
  const second = cellar.decide(request('b'));
  expect(numbers()).toEqual([1, 2]);
  service.answer(idOf('kitchen'), { approved: false });
  expect(await first).toMatchObject({ approved: false, decidedBy: 'user' });
  const third = kitchen.decide(request('c'));
  expect(numbers()).toEqual([3, 2]);
  service.answer(idOf('kitchen'), { approved: true });
  service.answer(idOf('cellar'), { approved: true });
  await Promise.all([second, third]);
  void cellar.decide(request('d'));
  expect(numbers()).toEqual([1]);
});

test('each question is announced once when it is asked and once when it is settled, whoever answers', async () => {
  const { service, fired, deskOf: deciderOf, idOf } = aService();
  const decided = deciderOf('kitchen').decide(request('a'));
  const id = idOf('kitchen');
  expect(service.find(id)?.conversation).toBe('kitchen');
  expect(service.answer(id, { approved: true })).toBe(true);
  expect(service.answer(id, { approved: false })).toBe(false);
  expect(await decided).toMatchObject({ approved: true });
  expect(service.find(id)).toBeUndefined();
  expect(fired).toEqual(['asked kitchen a', 'settled kitchen a']);
});

test('a run that ends settles its question without an answer', async () => {
  const { service, fired, deskOf: deciderOf } = aService();
  const controller = new AbortController();
  const decided = deciderOf('kitchen').decide(request('a', controller.signal));
  controller.abort();
  expect(await decided).toMatchObject({ approved: false, decidedBy: 'cancel' });
  expect(service.size).toBe(0);
  expect(fired).toEqual(['asked kitchen a', 'settled kitchen a']);
});

test('when the window goes, nobody waits any longer for an answer', async () => {
  const { service, deskOf: deciderOf } = aService();
  const all = ['a', 'b'].map((key) => deciderOf('kitchen').decide(request(key)));
  service.dispose();
  for (const decision of await Promise.all(all)) {
    expect(decision).toMatchObject({ approved: false, decidedBy: 'cancel' });
  }
});
