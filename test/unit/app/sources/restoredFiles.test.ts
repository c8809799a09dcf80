import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { planRestore, restoreInWorktree, restoreWords } from '../../../../src/app/sources/restoredFiles.js';
import { agentDefinition } from '../../../../src/app/team/teamAgent.js';
import type { Model, ModelEvent } from '../../../../src/core/ports/model.js';
import { isMessageRecord, type LogRecord } from '../../../../src/core/record.js';
import { anApplication } from '../../../support/appHost.js';
import { isDeep, seed } from '../../../support/fixedInputs.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { randomNumbers } from '../../../support/randomNumbers.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

const cook = agentDefinition({ name: 'Cook', instructions: 'You cook.' });
const NAMES = ['a.txt', 'deep/b.txt', 'c.txt', 'new.txt', 'deep/new/d.txt'];

interface Asked {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@x', ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** A model that makes the calls that it is told, each when what it did before is done, and tells before each. */
class EditingModel implements Model {
  readonly id = 'editing';
  readonly label = 'Editing';
  readonly kind = 'http';
  readonly endpoint = 'kitchen';
  readonly #next: (step: number) => Promise<Asked | undefined>;
  #step = 0;

  constructor(next: (step: number) => Promise<Asked | undefined>) {
    this.#next = next;
  }

  async *stream(): AsyncGenerator<ModelEvent> {
    const step = this.#step++;
    const asked = await this.#next(step);
    if (!asked) {
      yield { type: 'text', text: 'Done.' };
      yield { type: 'end', finishReason: 'stop' };
      return;
    }
    yield { type: 'toolCall', index: 0, id: `c${step}`, name: asked.name };
    yield { type: 'toolCall', index: 0, arguments: JSON.stringify(asked.args) };
    yield { type: 'end', finishReason: 'tool_calls' };
  }
}

/** A repository with a few files, in which an agent makes the calls that are drawn; with the tree of git behind each of them. */
async function worked(
  draw: () => number,
  steps: number,
  change: (path: string) => Promise<unknown> = async () => Promise.resolve(),
) {
  const path = join(await temporaryFolder(), 'work');
  await mkdir(join(path, 'deep'), { recursive: true });
  git(path, 'init', '-q');
  const below = (limit: number) => Math.floor(draw() * limit);
  const lines = (count: number) =>
    Array.from({ length: count }, () => ['egg', 'salt', `oil ${below(9)}`, ''][below(4)] ?? '').join('\n');
  for (const name of NAMES.slice(0, 3)) {
    const end = draw() < 0.5 ? '\r\n' : '\n';
    await writeFile(join(path, name), `${lines(8)}\n`.replaceAll('\n', end));
  }
  await writeFile(join(path, '.gitignore'), '.agent-logbook\nstorage\n');
  git(path, 'add', '-A');
  git(path, 'commit', '-qm', 'first');
  const truth = join(await temporaryFolder(), 'truth.git');
  execFileSync('git', ['init', '-q', '--bare', truth]);
  const treeOf = (folder: string) => {
    const words = ['--git-dir', truth, '--work-tree', folder, '-c', 'core.autocrlf=false'];
    execFileSync('git', [...words, 'add', '-A'], { cwd: folder, stdio: 'ignore' });
    return execFileSync('git', [...words, 'write-tree'], { cwd: folder, encoding: 'utf8' }).trim();
  };
  const trees: string[] = [];
  const known = new Set<string>();
  const model = new EditingModel(async (step) => {
    if (step > 0) trees.push(treeOf(path));
    if (step >= steps) return undefined;
    const name = NAMES[below(NAMES.length)] ?? 'a.txt';
    const text = await readFile(join(path, name), 'utf8').catch(() => undefined);
    if (text !== undefined && (!known.has(name) || draw() < 0.2)) {
      known.add(name);
      return { name: 'read_file', args: { path: name } };
    }
    if (text === undefined || draw() < 0.25) {
      known.add(name);
      return {
        name: 'write_file',
        args: { path: name, content: `${lines(1 + below(6))}${draw() < 0.7 ? '\n' : ''}` },
      };
    }
    const all = text.replaceAll('\r\n', '\n').split('\n');
    const from = below(all.length);
    const old = all.slice(from, from + 1 + below(3)).join('\n');
    if (old === '') return { name: 'list_files', args: {} };
    const args = { path: name, old_text: old, new_text: lines(below(4)), replace_all: draw() < 0.5 };
    return { name: 'edit_file', args };
  });
  const application = await anApplication({
    agents: [cook],
    model,
    path,
    settings: { model: model.id, approvals: 'approveAll', 'limits.maxRepetitions': 1_000 } as never,
  });
  onTestFinished(() => application.stores.close());
  const { conversation, done } = await application.runs.start({ agent: cook, prompt: 'Cook!' });
  expect(await done).toMatchObject({ outcome: 'done' });
  await change(path);
  const { store } = await application.stores.find(conversation);
  const transcript = await store.openTranscript(conversation);
  onTestFinished(() => transcript.close());
  const records = (await transcript.read(0, transcript.length)) as readonly LogRecord[];
  const results = [...records.entries()].flatMap(([at, record]) =>
    isMessageRecord(record) && record.message.role === 'tool' ? [at] : [],
  );
  return { ...application, path, conversation, transcript, records, results, trees, treeOf };
}

test('a worktree at any step has the files that git has of it, and the folder of the person stays as it is', async () => {
  const histories = isDeep ? 60 : 4;
  let restored = 0;
  for (let at = 0; at < histories; at++) {
    const draw = randomNumbers(seed * 1_000 + at);
    const { path, transcript, results, trees, treeOf } = await worked(draw, 14);
    expect(results).toHaveLength(trees.length);
    const before = treeOf(path);
    const step = Math.floor(draw() * results.length);
    const from = results[step] ?? 0;
    const plan = await planRestore(transcript, { folder: path, isOwn: true, from });
    if (plan.files.every(({ then }) => then !== undefined)) {
      const { folder, left } = await restoreInWorktree(plan, path, `step-${step}`);
      expect(left).toEqual([]);
      expect(treeOf(folder)).toBe(trees[step]);
      expect(git(folder, 'rev-parse', 'HEAD')).toBe(git(path, 'rev-parse', 'HEAD'));
      restored++;
    } else expect(restoreWords(plan).join()).toContain('is not recorded');
    expect(treeOf(path)).toBe(before);
  }
  expect(restored).toBeGreaterThan(histories / 2);
}, 120_000);

test('what nobody can put back is said: changes since, files elsewhere, commands, texts that are not told', async () => {
  const { path, transcript } = await worked(randomNumbers(7), 0);
  expect(await planRestore(transcript, { folder: path, isOwn: true, from: -1 })).toEqual({
    files: [],
    outside: [],
    commands: 0,
  });
  const place = { run: 'r', call: 'c', agent: 'Cook', depth: 0, conversation: 'x', time: 1 };
  const calls = [
    ['write_file', { path: '../elsewhere.txt', content: 'x' }, "Created '../elsewhere.txt'."],
    ['edit_file', { path: 'a.txt', old_text: 'egg', new_text: 'eggs' }, "Changed 'a.txt' at line 1."],
    ['write_file', { path: 'new.txt', content: 'x\n' }, "Created 'new.txt'."],
    ['run_command', { command: 'make' }, 'made'],
  ] as const;
  const records = calls.flatMap(([name, args, answer], at) => {
    const call = {
      id: `c${at}`,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(args) },
    };
    const message = { role: 'assistant' as const, content: '', tool_calls: [call] };
    const result = { role: 'tool' as const, tool_call_id: `c${at}`, content: answer };
    return [
      { ...place, seq: 2 * at + 1, id: `a${at}`, type: 'message' as const, message },
      { ...place, seq: 2 * at + 2, id: `t${at}`, type: 'message' as const, message: result, toolName: name },
    ];
  });
  await writeFile(join(path, 'new.txt'), 'y\n');
  const told = new MemoryTranscript('x', records);
  const plan = await planRestore(told, { folder: path, isOwn: true, from: -1 });
  expect(restoreWords(plan)).toEqual([
    'What stood in them before is not recorded: a.txt.',
    'Changed since by somebody else: new.txt.',
    'Not files of this folder: ../elsewhere.txt.',
    'Commands that ran, whose changes nobody knows: 1.',
  ]);
  const later = await planRestore(told, { folder: path, isOwn: true, from: 5 });
  expect(later).toEqual({ files: [], outside: [], commands: 1 });
});

test('a link that leads out of the folder, and hooks and filters of the repository, do nothing', async () => {
  const { path, transcript } = await worked(randomNumbers(3), 4);
  const secret = join(await temporaryFolder(), 'secret.txt');
  const ran = join(await temporaryFolder(), 'ran');
  await writeFile(secret, 'secret');
  await symlink(secret, join(path, 'out.txt'));
  await symlink('a.txt', join(path, 'in.txt'));
  await writeFile(join(path, '.gitattributes'), '* filter=bad\n');
  git(path, 'config', 'filter.bad.smudge', `touch ${ran}`);
  git(path, 'config', 'filter.bad.clean', `touch ${ran}`);
  await writeFile(join(path, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  const plan = await planRestore(transcript, { folder: path, isOwn: true, from: -1 });
  const { folder, left } = await restoreInWorktree(plan, path, 'hostile');
  expect(left).toEqual(['out.txt']);
  expect(await readFile(join(folder, 'in.txt'), 'utf8')).toBe(await readFile(join(folder, 'a.txt'), 'utf8'));
  expect(existsSync(join(folder, 'out.txt'))).toBe(false);
  expect(existsSync(ran)).toBe(false);
});

test('without a repository, and where the worktree is there already, nothing is made', async () => {
  const folder = await temporaryFolder();
  const none = { files: [], outside: [], commands: 0 };
  await expect(restoreInWorktree(none, folder, 'x')).rejects.toThrow('Git knows no repository');
  const { path } = await worked(randomNumbers(5), 1);
  await restoreInWorktree(none, path, 'twice');
  await expect(restoreInWorktree(none, path, 'twice')).rejects.toThrow('Git makes no worktree');
});
