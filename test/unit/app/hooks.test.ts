import { spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { followPlan, HOOKED, planHooks, type HookedTool } from '../../../src/app/discovery/hookFiles.js';
import { SessionFinder } from '../../../src/capture/discovery/sessionFinder.js';
import { isObject } from '../../../src/core/message.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const FILES: Readonly<Record<HookedTool, string>> = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  'copilot-cli': '.copilot/hooks/agent-logbook.json',
};

/** A home with the file of a tool's hooks, where a text is given. */
async function homeWith(tool: HookedTool, text?: string) {
  const [home, storage] = [await temporaryFolder(), await temporaryFolder()];
  const [path, folder] = [join(home, FILES[tool]), join(storage, 'hooks')];
  if (text !== undefined) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const machine = { home, platform: 'linux', env: {}, hooks: folder } as const;
  const plan = (how: 'install' | 'remove') => planHooks(tool, machine, folder, how);
  const follow = async (how: 'install' | 'remove') => followPlan(await plan(how), folder);
  return { home, path, folder, machine, plan, follow, read: () => readFile(path, 'utf8') };
}

describe('a file of settings', () => {
  test.each([
    ['is made', undefined],
    ['has nothing', '{}\n'],
    [
      'has other hooks',
      '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": [{"type":"command","command":"beep"}]}\n\t\t]\n\t},\n\t"z": 1\n}\n',
    ],
    [
      'stands on one line without its end',
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a \\"}\\" b"}]}]},"env":{"A":"{"}}',
    ],
    ['has an empty list', '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}'],
  ])(
    'that %s gains our entries and nothing else, and is as before once they are removed',
    async (_, text) => {
      const { read, follow, plan } = await homeWith('claude-code', text);
      await follow('install');
      const installed = await read();
      const value = JSON.parse(installed) as { hooks: Record<string, unknown[]> };
      for (const event of ['PermissionRequest', 'Notification', 'UserPromptSubmit', 'Stop', 'SessionEnd'])
        expect(JSON.stringify(value.hooks[event])).toContain('claude-code.jsonl');
      if (text?.includes('beep')) expect(value.hooks.Stop).toHaveLength(2);
      // Once more changes nothing.
      expect((await plan('install')).after).toBe(installed);
      await follow('remove');
      const after = await read();
      expect(JSON.parse(after)).toEqual(JSON.parse(text ?? '{}'));
      if (text !== undefined) expect(after.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      if (text?.includes('beep') || text?.includes('PreToolUse')) expect(after).toBe(text);
    },
  );

  test.each([
    ['{ // mine\n}', 'no plain JSON'],
    ['{"hooks": []', 'no plain JSON'],
    ['\uFEFF{}', 'no plain JSON'],
    ['[]', 'holds no settings'],
    ['{"hooks": {"Stop": {}}}', 'hooks.Stop'],
    [`{"a":${'['.repeat(300)}${']'.repeat(300)}}`, 'too large'],
    [`{"a":"${'x'.repeat(5_000_000)}"}`, 'too large'],
  ])('%s is refused and left as it is', async (text, why) => {
    const { follow, read } = await homeWith('claude-code', text);
    await expect(follow('install')).rejects.toThrow(why);
    expect(await read()).toBe(text);
  });

  test('is written where a link leads, with its mode, and what stood there is kept beside it', async () => {
    const { path, read, follow, home } = await homeWith('claude-code');
    const real = join(home, 'dotfiles.json');
    await writeFile(real, '{"a":1}\n');
    await chmod(real, 0o640);
    await mkdir(dirname(path), { recursive: true });
    await symlink(real, path);
    await follow('install');
    expect((await stat(real)).mode & 0o777).toBe(0o640);
    expect(await readFile(`${real}.before-agent-logbook`, 'utf8')).toBe('{"a":1}\n');
    expect(await read()).toContain('"a":1');
  });

  test('that somebody writes meanwhile is left as it is', async () => {
    const { plan, path, folder, read } = await homeWith('codex', '{}');
    const planned = await plan('install');
    await writeFile(path, '{"x":1}');
    await expect(followPlan(planned, folder)).rejects.toThrow('has changed meanwhile');
    expect(await read()).toBe('{"x":1}');
  });

  test('with a name twice gains our entries where they count, and loses them again', async () => {
    const text = '{"hooks": {"Stop": []}, "a": 1, "hooks": {"Stop": []}}';
    const { read, follow } = await homeWith('claude-code', text);
    await follow('install');
    const { hooks } = JSON.parse(await read()) as { hooks: { Stop: unknown[] } };
    expect(JSON.stringify(hooks.Stop)).toContain('claude-code.jsonl');
    await follow('remove');
    expect(await read()).not.toContain('claude-code.jsonl');
  });

  test('has our entries once, and loses those that another version wrote', async () => {
    const { read, follow, path } = await homeWith('codex', '{"hooks": {}}');
    await follow('install');
    await writeFile(path, (await read()).replaceAll('60000', '50000'));
    const before = await read();
    await follow('install');
    expect(await read()).toBe(before);
    await follow('remove');
    expect(JSON.parse(await read())).toEqual({});
  });

  test('of Windows is not touched, nor one for a folder that a shell would read otherwise', async () => {
    const { machine, folder } = await homeWith('codex');
    await expect(planHooks('codex', { ...machine, platform: 'win32' }, folder, 'install')).rejects.toThrow(
      'Windows',
    );
    await expect(planHooks('codex', machine, "/x'y", 'install')).rejects.toThrow('quote');
  });
});

/** What a tool does with its hooks of an event: runs each, with what it tells on standard input. */
async function fire(read: () => Promise<string>, event: string, told: object) {
  const { hooks } = JSON.parse(await read()) as { hooks: Record<string, unknown[]> };
  const commands = JSON.stringify(hooks[event]);
  const found = [...(hooks[event] ?? [])].flatMap((entry) => {
    const inner = isObject(entry) && Array.isArray(entry.hooks) ? (entry.hooks[0] as unknown) : entry;
    return isObject(inner) ? [String(inner.command ?? inner.bash)] : [];
  });
  expect([commands, found.length]).toEqual([commands, 1]);
  return spawnSync('/bin/sh', ['-c', found[0] ?? ''], {
    input: JSON.stringify(told, undefined, 1),
    encoding: 'utf8',
  });
}

const skip = process.platform === 'win32';

test.skipIf(skip)('what Codex does not write is known from its hook, until it writes again', async () => {
  const { home, machine, follow, read } = await homeWith('codex');
  await follow('install');
  const id = '22222222-2222-2222-2222-222222222222';
  const path = join(home, `.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-${id}.jsonl`);
  await mkdir(dirname(path), { recursive: true });
  const began = Date.now() - 5_000;
  const line = (at: number, payload: object, type = 'event_msg') =>
    `${JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload })}\n`;
  const head = line(began, { id, cwd: '/w' }, 'session_meta') + line(began, { type: 'task_started' });
  await writeFile(path, head);
  const finder = new SessionFinder(machine);
  const state = async (now = Date.now()) => {
    await finder.changes([{ id: 'codex', folders: [] }]);
    const [found] = await finder.states(now);
    return found?.state;
  };
  expect(await state()).toMatchObject({ state: 'working', source: 'record' });
  const ran = await fire(read, 'PermissionRequest', {
    session_id: id,
    hook_event_name: 'PermissionRequest',
    tool_name: 'exec',
    tool_input: { command: "echo 'a'\nrm -rf x" },
  });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, '', '']);
  expect(await state()).toMatchObject({
    state: 'waiting',
    reason: 'approval',
    source: 'hook',
    words: "echo 'a'\nrm -rf x",
  });
  const later = Date.now() + 2_000;
  await writeFile(path, head + line(later, { type: 'function_call_output', call_id: 'c' }, 'response_item'));
  await utimes(path, later / 1000, later / 1000);
  expect(await state(later)).toMatchObject({ state: 'working', source: 'record' });
});

test.skipIf(skip)(
  'a question is known of which its tool tells more than is kept, and its notice is not another',
  async () => {
    const { home, machine, follow, read } = await homeWith('codex');
    await follow('install');
    const id = '22222222-2222-2222-2222-222222222222';
    const path = join(home, `.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-${id}.jsonl`);
    await mkdir(dirname(path), { recursive: true });
    const timestamp = new Date(Date.now() - 5_000).toISOString();
    const line = (type: string, payload: object) => `${JSON.stringify({ timestamp, type, payload })}\n`;
    await writeFile(
      path,
      line('session_meta', { id, cwd: '/w' }) + line('event_msg', { type: 'task_started' }),
    );
    const finder = new SessionFinder(machine);
    const state = async (now = Date.now()) => {
      await finder.changes([{ id: 'codex', folders: [] }]);
      return (await finder.states(now))[0]?.state;
    };
    const asked = { session_id: id, hook_event_name: 'PermissionRequest', tool_name: 'apply_patch' };
    // What the agent wrote says nothing of what its tool does.
    await fire(read, 'PermissionRequest', {
      ...asked,
      tool_input: { patch: 'x'.repeat(100_000), hook_event_name: 'Stop' },
    });
    const waits = await state();
    expect(waits).toMatchObject({ state: 'waiting', source: 'hook', words: 'apply_patch' });
    const later = Math.floor(Date.now() / 1000) + 1;
    const spool = join(machine.hooks, 'codex.jsonl');
    const notice = {
      session_id: id,
      hook_event_name: 'Notification',
      notification_type: 'permission_prompt',
    };
    await appendFile(spool, `${JSON.stringify({ at: later, said: notice })}\n`);
    await appendFile(spool, `{"at":1e308,"said":${JSON.stringify({ ...asked, hook_event_name: 'Stop' })}}\n`);
    expect(await state((later + 1) * 1_000)).toEqual(waits);
  },
);

test.skipIf(skip)(
  'of Claude Code, another agent clears no question, and work in the background is not finished',
  async () => {
    const { home, machine, follow, read } = await homeWith('claude-code');
    await follow('install');
    const path = join(home, '.claude/projects/-w/s1.jsonl');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      `${JSON.stringify({ type: 'user', timestamp: new Date(Date.now() - 5000).toISOString(), message: { content: 'Bake' } })}\n`,
    );
    const finder = new SessionFinder(machine);
    const state = async () => {
      await finder.changes([{ id: 'claude-code', folders: [] }]);
      return (await finder.states(Date.now()))[0]?.state.state;
    };
    const told = (name: string, more: object = {}) =>
      fire(read, name, { session_id: 's1', hook_event_name: name, ...more });
    await told('Notification', { notification_type: 'permission_prompt', agent_id: 'a1' });
    expect(await state()).toBe('waiting');
    await told('UserPromptSubmit');
    expect(await state()).toBe('waiting');
    await told('UserPromptSubmit', { agent_id: 'a1' });
    expect(await state()).toBe('working');
    await told('Notification', { notification_type: 'idle_prompt' });
    expect(await state()).toBe('working');
    await told('Stop', { background_tasks: [{ id: 'x' }] });
    expect(await state()).toBe('working');
    await told('Stop', { background_tasks: [] });
    expect(await state()).toBe('finished');
  },
);

test.skipIf(skip)('a hook without its extension does nothing, and says nothing', async () => {
  for (const tool of HOOKED) {
    const { follow, folder, read } = await homeWith(tool);
    await follow('install');
    await rm(folder, { recursive: true });
    const ran = await fire(read, tool === 'copilot-cli' ? 'agentStop' : 'Stop', { session_id: 's' });
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, '', '']);
    await expect(stat(folder)).rejects.toThrow('ENOENT');
    await follow('remove');
    // A file of our own goes as a whole.
    expect(await read().catch(() => '')).not.toContain('jsonl');
    if (tool === 'copilot-cli') await expect(read()).rejects.toThrow('ENOENT');
  }
});
