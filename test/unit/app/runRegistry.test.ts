import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApprovalPrompt } from '../../../src/core/ports/approvals.js';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { features } from '../../../src/app/features/features.js';
import { ownRuns } from '../../../src/app/discovery/ownRuns.js';
import { IMPORTED } from '../../../src/app/runs/preparedRun.js';
import { withTranscript } from '../../../src/app/transcripts/withTranscript.js';
import { UNTRUSTED } from '../../../src/app/ports/workspace.js';
import type { ScriptStep } from '../../../src/agents/models/script.js';
import { ScriptedModel } from '../../../src/agents/models/scriptedModel.js';
import { anApplication, memorySettings } from '../../support/appHost.js';
import { RecordingLog } from '../../support/recordingLog.js';

const cook = agentDefinition({ name: 'Cook', instructions: 'You cook.' });

/** An application whose one agent answers from a script. */
const answering = (
  steps: readonly ScriptStep[],
  options: { readonly isTrusted?: boolean; readonly path?: string } = {},
) =>
  anApplication({
    agents: [cook],
    model: new ScriptedModel({ name: 'kitchen', agents: new Map([['Cook', [...steps]]]) }),
    ...options,
  });

const HOST = { settings: memorySettings(), log: new RecordingLog(), pricing: features.pricing };

const WRITE: ScriptStep = {
  toolCalls: [{ name: 'write_file', arguments: { path: 'menu.md', content: 'Soup' } }],
};

test('a run is recorded in the store of its folder and shows its states while it goes on', async () => {
  const { runs, stores } = await answering([{ text: 'Soup is ready.' }]);
  const states: string[] = [];
  runs.onDidChangeState((conversation) => states.push(runs.stateOf(conversation).state));
  const { conversation, done } = await runs.start({ agent: cook, prompt: 'Cook!' });
  expect(await done).toMatchObject({ outcome: 'done', text: 'Soup is ready.' });
  const { entry } = await stores.find(conversation);
  expect(entry).toMatchObject({ state: 'done', runs: 1 });
  expect(states).toContain('running');
  expect(runs.stateOf(conversation)).toMatchObject({ canStop: false, canContinue: true });
  await stores.close();
});

test('a conversation goes on with what was said before', async () => {
  const { runs, stores, accumulator } = await answering([{ text: 'Soup.' }, { text: 'More soup.' }]);
  const { conversation, done } = await runs.start({ agent: cook, prompt: 'Cook!' });
  await done;
  const again = await runs.start({ conversation, prompt: 'More!' });
  expect(again.conversation).toBe(conversation);
  expect(await again.done).toMatchObject({ text: 'More soup.' });
  expect(accumulator.forAgent('Cook').filter(({ message }) => message.role === 'user')).toHaveLength(2);
  await stores.close();
});

test('in an untrusted workspace nothing runs and nothing is written, whoever asks', async () => {
  const { runs, path } = await answering([{ text: 'Soup.' }], { isTrusted: false });
  await expect(runs.start({ agent: cook, prompt: 'Cook!' })).rejects.toThrow(UNTRUSTED.english);
  expect(existsSync(join(path, '.agent-logbook'))).toBe(false);
});

test('a tool that must be asked for waits for the person, and does what was approved', async () => {
  const { runs, approvals, stores, path } = await answering([WRITE, { text: 'Written.' }]);
  const asked = new Promise<string>((resolve) =>
    approvals.onDidChange(({ kind, prompt }) => kind === 'asked' && resolve(prompt.id)),
  );
  const { conversation, done } = await runs.start({ agent: cook, prompt: 'Write the menu.' });
  const id = await asked;
  expect(runs.stateOf(conversation).state).toBe('waiting');
  expect(existsSync(join(path, 'menu.md'))).toBe(false);
  expect(approvals.answer(id, { approved: true })).toBe(true);
  expect(await done).toMatchObject({ outcome: 'done', text: 'Written.' });
  expect(existsSync(join(path, 'menu.md'))).toBe(true);
  expect(approvals.pending(conversation)).toEqual([]);
  await stores.close();
});

test('a stop ends the run and settles its question', async () => {
  const { runs, approvals, stores } = await answering([WRITE]);
  const asked = new Promise<void>((resolve) =>
    approvals.onDidChange(({ kind }) => kind === 'asked' && resolve()),
  );
  const { conversation, done } = await runs.start({ agent: cook, prompt: 'Write the menu.' });
  await asked;
  runs.stop(conversation);
  expect(await done).toMatchObject({ outcome: 'cancelled' });
  expect(approvals.size).toBe(0);
  await stores.close();
});

test('a run that is held asks once before its next step, says why, and goes on or ends as the person says', async () => {
  for (const goesOn of [true, false]) {
    const { runs, approvals, stores, path } = await answering([WRITE, { text: 'Written.' }]);
    const own = ownRuns({ ...HOST, runs, approvals, stores }, Date.now);
    const asked: ApprovalPrompt[] = [];
    approvals.onDidChange(({ kind, conversation, prompt }) => {
      if (kind !== 'asked') return;
      asked.push(prompt);
      // It is held while the tool waits for its own answer, and asked about before the model is asked again.
      if (prompt.request.toolName === 'write_file') own.hold(conversation, 'It costs too much.');
      own.hold('another', 'It does not run.');
      setTimeout(() => approvals.answer(prompt.id, { approved: prompt.request.isOfRun !== true || goesOn }));
    });
    const { conversation, done } = await runs.start({ agent: cook, prompt: 'Write the menu.' });
    expect(await done).toMatchObject(
      goesOn ? { outcome: 'done', text: 'Written.' } : { outcome: 'cancelled', text: '' },
    );
    expect(existsSync(join(path, 'menu.md'))).toBe(true);
    expect(asked.map(({ request }) => [request.toolName, request.isOfRun])).toEqual([
      ['write_file', undefined],
      ['go_on', true],
    ]);
    expect(asked[1]?.request).toMatchObject({
      title: 'Go on? It costs too much.',
      subject: 'Cook would ask its model now.',
      askReason: 'It costs too much.',
    });
    const { store } = await stores.find(conversation);
    const records = await withTranscript(store, conversation, (transcript) => transcript.read(0, 100));
    expect(records.findLast(({ type }) => type === 'approval')).toMatchObject({
      toolName: 'go_on',
      decision: goesOn ? 'approved' : 'denied',
      decidedBy: 'user',
      rule: 'It costs too much.',
    });
    expect(runs.stateOf(conversation).state).toBe(goesOn ? 'done' : 'cancelled');
    await stores.close();
  }
});

test('a run that is held before a tool call calls nothing until it goes on, and nothing at all when it is stopped', async () => {
  for (const goesOn of [true, false]) {
    const { runs, approvals, stores, path } = await answering([WRITE, { text: 'Written.' }]);
    const own = ownRuns({ ...HOST, runs, approvals, stores }, Date.now);
    const asked: string[] = [];
    approvals.onDidChange(({ kind, prompt }) => {
      if (kind !== 'asked') return;
      asked.push(`${prompt.request.toolName} ${existsSync(join(path, 'menu.md'))}`);
      setTimeout(() => approvals.answer(prompt.id, { approved: goesOn || prompt.request.isOfRun !== true }));
    });
    const { done } = await runs.start({
      agent: cook,
      prompt: 'Write the menu.',
      onEvent: ({ type }) => {
        if (type === 'said' && asked.length === 0) own.hold(undefined, 'It writes too much.');
      },
    });
    expect((await done).outcome).toBe(goesOn ? 'done' : 'cancelled');
    expect(asked).toEqual(goesOn ? ['go_on false', 'write_file false'] : ['go_on false']);
    expect(existsSync(join(path, 'menu.md'))).toBe(goesOn);
    await stores.close();
  }
});

test('why a run failed is known until another one begins there', async () => {
  const { runs, stores } = await answering([
    { error: { message: 'The oven is cold.', retryable: false } },
    { text: 'Soup.' },
  ]);
  const { conversation, done } = await runs.start({ agent: cook, prompt: 'Cook!' });
  await done;
  expect(runs.failureIn(conversation)).toMatchObject({ agent: 'Cook', prompt: 'Cook!', ways: ['Retry'] });
  expect(runs.failureIn(conversation)?.reason).toContain('The oven is cold.');
  await (
    await runs.start({ conversation, prompt: 'Again!' })
  ).done;
  expect(runs.failureIn(conversation)).toBeUndefined();
  await stores.close();
});

/** The same folder after the window was loaded anew: nothing is known but what is on the disk. */
async function loadedAnew(steps: readonly ScriptStep[], prompt: string) {
  const before = await answering(steps);
  const { conversation, done } = await before.runs.start({ agent: cook, prompt });
  await done;
  await before.stores.close();
  const { runs, stores } = await answering([{ text: 'Soup.' }], { path: before.path });
  await runs.recallFailure(conversation);
  return { conversation, runs, stores, path: before.path };
}

const COLD: ScriptStep = { error: { message: 'The oven is cold.', retryable: false } };

test('why the last run failed is known in the next window, with its whole prompt', async () => {
  const prompt = `Cook! ${'And stir. '.repeat(20_000)}`;
  const { conversation, runs, stores } = await loadedAnew([COLD], prompt);
  const failure = { reason: expect.stringContaining('The oven is cold.') as string, ways: ['Retry'] };
  expect(runs.failureIn(conversation)).toMatchObject({ agent: 'Cook', prompt, ...failure });
  expect(runs.stateOf(conversation)).toMatchObject({ state: 'failed', failure });
  await (
    await runs.start({ conversation, prompt })
  ).done;
  await runs.recallFailure(conversation);
  expect(runs.stateOf(conversation).failure).toBeUndefined();
  await stores.close();
});

test('a run that its window did not live to end can be tried again in the next one', async () => {
  const before = await answering([{ text: 'Half of it.' }]);
  const { conversation, done } = await before.runs.start({ agent: cook, prompt: 'Cook!' });
  await done;
  await before.stores.close();
  const journal = join(before.path, '.agent-logbook/conversations', conversation, 'messages.jsonl');
  const lines = (await readFile(journal, 'utf8')).split('\n');
  await writeFile(journal, lines.filter((line) => !line.includes('"callEnd"')).join('\n'));
  const { runs, stores } = await answering([{ text: 'Soup.' }], { path: before.path });
  await runs.recallFailure(conversation);
  expect(runs.stateOf(conversation)).toMatchObject({ state: 'interrupted' });
  const failure = { reason: expect.stringContaining('was interrupted') as string, ways: ['Retry'] };
  expect(runs.failureIn(conversation)).toMatchObject({ agent: 'Cook', prompt: 'Cook!', ...failure });
  await (
    await runs.start({ conversation, prompt: 'Cook!' })
  ).done;
  expect(runs.stateOf(conversation)).toMatchObject({ state: 'done' });
  expect(runs.failureIn(conversation)).toBeUndefined();
  await stores.close();
});

test('of a conversation that ended well nothing is recalled', async () => {
  const { conversation, runs, stores } = await loadedAnew([{ text: 'Soup.' }], 'Cook!');
  expect(runs.failureIn(conversation)).toBeUndefined();
  await stores.close();
});

test('a failure that another window has made good is no longer shown here', async () => {
  const { conversation, runs, stores, path } = await loadedAnew([COLD], 'Cook!');
  const other = await answering([{ text: 'Warm now.' }], { path });
  const again = await other.runs.start({ conversation, agent: cook, prompt: 'Again!' });
  await again.done;
  await other.stores.close();
  const [{ store } = {}] = await stores.all();
  await store?.catalog.refresh();
  await expect.poll(() => runs.failureIn(conversation)).toBeUndefined();
  expect(runs.stateOf(conversation)).toMatchObject({ state: 'done' });
  await stores.close();
});

test('an import cannot be gone on with, even one in which nothing was recognized as a message', async () => {
  const { runs, stores } = await answering([]);
  const [{ store } = {}] = await stores.all();
  const place = { run: 'r1', call: 'k1', agent: 'Codex', depth: 0 };
  const raw = {
    seq: 1,
    id: 'm1',
    time: 0,
    conversation: 's',
    ...place,
    type: 'imported',
    kind: 'event',
    value: 1,
  };
  const outcome = await store?.importSession({ source: { tool: 'codex', session: 's' }, records: [raw] });
  expect(runs.stateOf(outcome?.conversation ?? '')).toMatchObject({
    canContinue: false,
    whyNot: IMPORTED.english,
  });
  await stores.close();
});
