import { execFileSync } from 'node:child_process';
import {
  appendFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportMessages } from '../../../../src/export/exportMessages.js';
import {
  agentLogbook,
  bakery,
  folderWith,
  messageLines,
  workspaceWith,
} from '../../../support/commandLine.js';

const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;

describe('export', () => {
  test.each([
    ['a.md', /^# /],
    ['a.json', /^\[/],
    ['a.csv', /^\S*index/],
    ['a.html', /^<!doctype html>/i],
  ])('to %s writes the form of the ending', async (file, begin) => {
    const cwd = await workspaceWith(bakery());
    const { code, err, out } = await agentLogbook(['export', '-o', file], { cwd });
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain(`messages exported to ${file}`);
    expect(await readFile(join(cwd, file), 'utf8')).toMatch(begin);
  });

  test('to standard output gives what the library gives', async () => {
    const story = bakery();
    const { out } = await agentLogbook(['export', '--format', 'json', '--messages-only'], {
      cwd: await workspaceWith(story),
    });
    expect(JSON.parse(out)).toEqual(JSON.parse(exportMessages(story.records, 'json')));
  });

  test('replaces no file unless it is told to', async () => {
    const cwd = await workspaceWith(bakery());
    await writeFile(join(cwd, 'a.md'), 'mine');
    const refused = await agentLogbook(['export', '-o', 'a.md'], { cwd });
    expect(refused).toMatchObject({ code: 2, err: 'agent-logbook: a.md exists; --force replaces it.\n' });
    expect(await readFile(join(cwd, 'a.md'), 'utf8')).toBe('mine');
    expect((await agentLogbook(['export', '-o', 'a.md', '--force'], { cwd })).code).toBe(0);
    expect(await readdir(cwd)).toEqual(['.agent-logbook', 'a.md']);
  });

  test('to - is to standard output', async () => {
    const cwd = await workspaceWith(bakery());
    const { out } = await agentLogbook(['export', '-o', '-', '--format', 'json'], { cwd });
    expect(out).toMatch(/^\[/);
    expect(await readdir(cwd)).toEqual(['.agent-logbook']);
  });

  test('writes to a device, and never replaces it', async () => {
    const cwd = await workspaceWith(bakery());
    expect((await agentLogbook(['export', '-o', '/dev/null'], { cwd })).code).toBe(0);
    expect((await agentLogbook(['export', '-o', '/dev/null', '--force'], { cwd })).code).toBe(0);
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  test('through a link replaces the file behind it, which it says; the link stays', async () => {
    const cwd = await workspaceWith(bakery());
    await writeFile(join(cwd, 'b.md'), 'mine');
    await symlink('b.md', join(cwd, 'a.md'));
    expect((await agentLogbook(['export', '-o', 'a.md'], { cwd })).code).toBe(2);
    const { code, err } = await agentLogbook(['export', '-o', 'a.md', '--force'], { cwd });
    expect(code).toBe(0);
    expect(err).toContain(`to a.md, a link to ${join(cwd, 'b.md')}`);
    expect((await lstat(join(cwd, 'a.md'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(cwd, 'b.md'), 'utf8')).toMatch(/^# /);
    await symlink('gone.md', join(cwd, 'c.md'));
    expect((await agentLogbook(['export', '-o', 'c.md', '--force'], { cwd })).err).toContain('not there');
  });

  test('never replaces what is exported', async () => {
    const text = messageLines(['user', 'Hello'], ['assistant', 'Hello, you']);
    const cwd = await folderWith({ 'a.jsonl': text });
    await symlink('a.jsonl', join(cwd, 'b.jsonl'));
    await link(join(cwd, 'a.jsonl'), join(cwd, 'c.jsonl'));
    for (const name of ['a.jsonl', './a.jsonl', 'b.jsonl', 'c.jsonl']) {
      const { code, err } = await agentLogbook(['export', 'a.jsonl', '-o', name, '--force'], { cwd });
      expect({ code, err }).toEqual({
        code: 2,
        err: `agent-logbook: ${name} is what is exported; name another file to write.\n`,
      });
    }
    expect(await readFile(join(cwd, 'a.jsonl'), 'utf8')).toBe(text);
  });

  test('into a folder that is not there says so', async () => {
    const { code, err } = await agentLogbook(['export', '-o', 'gone/a.md'], {
      cwd: await workspaceWith(bakery()),
    });
    expect(code).toBe(2);
    expect(err).toBe('agent-logbook: gone/a.md cannot be written: its folder is not there.\n');
  });

  test.each([[[]], [['--force']]])('over a folder says so with %j', async (more) => {
    const cwd = await workspaceWith(bakery());
    const { code, err } = await agentLogbook(['export', '-o', '.agent-logbook', ...more], { cwd });
    expect({ code, err }).toEqual({
      code: 2,
      err: 'agent-logbook: .agent-logbook is a folder; name a file in it, or put a / at its end to write each session into a file of its own.\n',
    });
  });

  test('replaces secrets and says how many', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', `Use ${KEY}`]) });
    const { out, err } = await agentLogbook(['export', 'a.jsonl'], { cwd });
    expect(out).not.toContain(KEY);
    expect(err).toContain('1 secret replaced');
    expect((await agentLogbook(['export', 'a.jsonl', '--raw'], { cwd })).out).toContain(KEY);
  });

  test('of a question holds what matches', async () => {
    const cwd = await workspaceWith(bakery());
    const { out } = await agentLogbook(['export', '--where', 'role:user cookies', '--format', 'json'], {
      cwd,
    });
    expect(JSON.parse(out)).toHaveLength(1);
  });
});

describe('import', () => {
  const hello = messageLines(['user', 'Hello'], ['assistant', 'Hello, you']);

  test('keeps a file in the store; again it is unchanged, and what has grown is added', async () => {
    const cwd = await folderWith({ 'a.jsonl': hello });
    const first = await agentLogbook(['import', 'a.jsonl'], { cwd });
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('Imported 1 conversation.');
    expect((await agentLogbook(['import', 'a.jsonl'], { cwd })).out).toContain('was here already, unchanged');
    await appendFile(join(cwd, 'a.jsonl'), messageLines(['user', 'Good day']));
    const grown = await agentLogbook(['import', 'a.jsonl', '--json'], { cwd });
    expect(grown.json).toMatchObject([{ kind: 'import', outcome: 'grown', added: 1 }]);
    expect((await agentLogbook(['show'], { cwd })).out).toContain('Good day');
  });

  test('makes one conversation of a file whose last line was half-written, and says so once', async () => {
    const whole = hello + messageLines(['user', 'Good day']);
    const cwd = await folderWith({ 'a.jsonl': whole.slice(0, -12) });
    const first = await agentLogbook(['import', 'a.jsonl'], { cwd });
    expect(first).toMatchObject({ code: 0 });
    expect(first.err.match(/last line is not whole yet/g)).toHaveLength(1);
    await writeFile(join(cwd, 'a.jsonl'), whole);
    const again = await agentLogbook(['import', 'a.jsonl', '--json'], { cwd });
    expect(again).toMatchObject({ err: '', json: [{ outcome: 'grown', added: 1 }] });
    await writeFile(join(cwd, 'a.jsonl'), whole.slice(0, -12));
    const cut = await agentLogbook(['import', 'a.jsonl', '--json'], { cwd });
    expect(cut.json).toMatchObject([{ outcome: 'unchanged' }]);
    expect(await readdir(join(cwd, '.agent-logbook', 'conversations'))).toHaveLength(1);
  });

  test.skipIf(process.platform === 'win32')(
    'looks at what is named before it opens it, and reads what is named behind',
    async () => {
      const cwd = await folderWith({ 'z.jsonl': hello });
      execFileSync('mkfifo', [join(cwd, 'pipe.jsonl')]);
      await writeFile(join(cwd, 'holes.jsonl'), hello);
      await truncate(join(cwd, 'holes.jsonl'), 8 * 1024 ** 3);
      await mkdir(join(cwd, 'none'));
      const odd = ['pipe.jsonl', '/dev/zero', 'holes.jsonl', './none'];
      if (process.platform === 'linux') odd.push('/proc/kmsg', '/proc/self/status');
      const { code, out, err } = await agentLogbook(['import', ...odd, 'z.jsonl'], { cwd });
      expect(code).toBe(1);
      expect(err).toContain('pipe.jsonl is a named pipe');
      expect(err).toContain('/dev/zero is a device or a socket');
      expect(err).toContain('holes.jsonl is nearly nothing but holes');
      expect(err).toContain('There are no transcripts in ./none.');
      for (const name of odd.slice(4))
        expect(err).toContain(`${name} is made by the system while it is read`);
      expect(out).toContain('Imported 1 conversation.');
      const asked = await agentLogbook(['query', 'role:user', ...odd.slice(0, 3), 'z.jsonl'], { cwd });
      expect(asked.out).toContain('Hello');
      expect(asked.err).toContain('pipe.jsonl is a named pipe');
      expect(asked.err).toContain('/dev/zero is a device or a socket');
      expect(asked.err).toContain('holes.jsonl is nearly nothing but holes');
    },
  );

  test('of several files says which could not be read, and ends with 1', async () => {
    const cwd = await folderWith({ 'a.jsonl': hello, 'b.txt': 'Milk, eggs' });
    const { code, out, err } = await agentLogbook(['import', 'a.jsonl', 'b.txt', 'gone.jsonl'], { cwd });
    expect(code).toBe(1);
    expect(out).toContain('Imported 1 conversation.');
    expect(err).toContain('b.txt holds no conversation');
    expect(err).toContain('gone.jsonl cannot be read: there is no such file.');
    expect((await agentLogbook(['import', 'gone.jsonl', 'b.txt'], { cwd })).code).toBe(2);
  });

  test('needs a file', async () => {
    expect((await agentLogbook(['import'])).err).toContain('import needs a FILE');
  });
});

describe('follow', () => {
  /** Follows until something is written, then interrupts. */
  async function following(args: readonly string[], cwd: string, change: () => Promise<void>, until: RegExp) {
    const stop = new AbortController();
    let seen = '';
    let isChanged = false;
    const ran = agentLogbook(['follow', ...args], {
      cwd,
      signal: stop.signal,
      onWrite: (text) => {
        seen += text;
        if (!isChanged) {
          isChanged = true;
          void change();
        }
        if (until.test(seen)) stop.abort(new Error('Interrupted.'));
      },
    });
    return await ran;
  }

  test('shows what a file gains until it is interrupted', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello'], ['assistant', 'Hello, you']) });
    const more = () => appendFile(join(cwd, 'a.jsonl'), messageLines(['user', 'Good day']));
    const { code, out, err } = await following(['a.jsonl', '-n', '1'], cwd, more, /Good day/);
    expect({ code, err }).toEqual({ code: 130, err: '' });
    expect(out).not.toContain('  Hello\n');
    expect(out.match(/Hello, you/g)).toHaveLength(1);
    expect(out.match(/Good day/g)).toHaveLength(1);
  });

  test('shows what a conversation of the store gains', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello']) });
    await agentLogbook(['import', 'a.jsonl'], { cwd });
    const more = async () => {
      await appendFile(join(cwd, 'a.jsonl'), messageLines(['assistant', 'Good day']));
      await agentLogbook(['import', 'a.jsonl'], { cwd });
    };
    const { code, json } = await following(['--json'], cwd, more, /Good day/);
    expect(code).toBe(130);
    expect(json.map(({ position }) => position)).toEqual([0, 1]);
  });

  test('refuses standard input', async () => {
    expect((await agentLogbook(['follow', '-'])).err).toContain('Standard input cannot be followed');
  });
});

describe('export of several', () => {
  const sessions = {
    'a.jsonl': messageLines(['user', 'Bake <b>bread</b> | now'], ['assistant', 'Done']),
    'b.jsonl': messageLines(['user', 'Bake <b>bread</b> | now'], ['assistant', 'Burnt']),
    'c.jsonl': messageLines(['user', 'Grind'], ['assistant', 'Ground']),
  };

  test.each([
    ['html', 'index.html', /<a href="([^"]+)">([^<]*)<\/a>/g],
    ['markdown', 'index.md', /^\| \[(?<title>.+)\]\((?<file>\S+)\)/gm],
  ] as const)('goes into a folder, with an index that leads to each: %s', async (format, index, link) => {
    const cwd = await folderWith(sessions);
    const { code, err } = await agentLogbook(
      ['export', 'a.jsonl', 'b.jsonl', 'c.jsonl', '--format', format, '-o', 'out/'],
      { cwd },
    );
    expect([code, err.split('\n').at(-2)]).toEqual([
      0,
      `agent-logbook: 3 sessions exported to out/, listed in ${index}.`,
    ]);
    const page = await readFile(join(cwd, 'out', index), 'utf8');
    const files = [...page.matchAll(link)].map(({ groups, 1: file = '' }) =>
      decodeURIComponent(groups?.file ?? file),
    );
    expect(new Set([...files, index])).toEqual(new Set(await readdir(join(cwd, 'out'))));
    expect(page).not.toContain('<b>bread');
    // A border in a title is none of the table.
    const rows = page.split('\n').filter((line) => line.startsWith('| ['));
    for (const row of rows) expect(row.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(5);
    for (const [at, said] of ['Done', 'Burnt', 'Ground'].entries())
      expect(await readFile(join(cwd, 'out', files[at] ?? ''), 'utf8')).toContain(said);
  });

  test.each([
    ['html', 'index.html'],
    ['markdown', 'index.md'],
  ] as const)('lists what stands where it ends early: %s', async (format, index) => {
    const cwd = await folderWith(sessions);
    await mkdir(join(cwd, 'out', `Grind.${format === 'html' ? 'html' : 'md'}`), { recursive: true });
    const args = ['export', 'a.jsonl', 'b.jsonl', 'c.jsonl', '--format', format, '-o', 'out/'];
    const { code, err } = await agentLogbook(args, { cwd });
    expect(code).toBe(2);
    expect(err).toContain(
      `2 sessions exported to out/, listed in ${index}. The export ended before all were written.`,
    );
    expect(err).toContain('is a folder');
    const page = await readFile(join(cwd, 'out', index), 'utf8');
    expect(page).toContain('The export ended before all sessions were written.');
    expect(page).not.toContain('Grind');
  });

  test('ends with what broke it off, also where what stands cannot be listed', async () => {
    const cwd = await folderWith(sessions);
    for (const name of ['Grind.md', 'index.md']) await mkdir(join(cwd, 'out', name), { recursive: true });
    const args = ['export', 'a.jsonl', 'b.jsonl', 'c.jsonl', '--force', '-o', 'out/'];
    const { code, err } = await agentLogbook(args, { cwd });
    expect(code).toBe(2);
    const [note, last] = err.trim().split('\n').slice(-2);
    expect(note).toMatch(/index\.md/);
    expect(last).toMatch(/Grind\.md is a folder/);
  });

  test('lists what stands where it is interrupted, and says so', async () => {
    const cwd = await folderWith(sessions);
    const stop = new AbortController();
    const args = ['export', 'a.jsonl', 'b.jsonl', 'c.jsonl', '-o', 'out/'];
    const onError = (text: string) => {
      if (text.includes('exported to')) stop.abort(new Error('Interrupted.'));
    };
    const { code, err } = await agentLogbook(args, { cwd, signal: stop.signal, onError });
    expect(code).toBe(130);
    expect(err).toContain('1 session exported to out/, listed in index.md.');
    const names = (await readdir(join(cwd, 'out'))).filter((name) => name !== 'index.md');
    expect(names).toHaveLength(1);
    const page = await readFile(join(cwd, 'out', 'index.md'), 'utf8');
    expect(page).toContain('The export ended before all sessions were written.');
    expect(page).toContain(encodeURIComponent(names[0] ?? ''));
  });

  test('leaves out what answers nothing, and replaces nothing without a word', async () => {
    const cwd = await folderWith(sessions);
    const asked = ['export', 'a.jsonl', 'b.jsonl', 'c.jsonl', '--where', 'burnt', '-o', 'out/'];
    expect((await agentLogbook(asked, { cwd })).err).toContain('1 session exported to out/');
    expect(await agentLogbook(asked, { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('exists; --force replaces it.') as string,
    });
    expect((await agentLogbook([...asked, '--force'], { cwd })).code).toBe(0);
    const many = await agentLogbook(['export', 'a.jsonl', 'b.jsonl'], { cwd });
    expect(many.err).toContain('name one with --output');
  });

  test('names no secret of a title in the index or a file name', async () => {
    const secret = `sk-ant-api03-${'x'.repeat(20)}${'7Yq'.repeat(20)}`;
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', `Use ${secret}`]) });
    await agentLogbook(['export', 'a.jsonl', '--format', 'html', '-o', 'out/'], { cwd });
    const names = await readdir(join(cwd, 'out'));
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(name).not.toContain(secret.slice(14, 40));
      expect(await readFile(join(cwd, 'out', name), 'utf8')).not.toContain(secret);
    }
  });

  test('names nothing of a title that only what was said later gives away, and what a policy leaves in', async () => {
    const cwd = await folderWith({
      'a.jsonl': messageLines(
        ['user', 'Why is Wint3r-bread refused for Anna?'],
        ['user', 'password: Wint3r-bread'],
      ),
      'policy.json': JSON.stringify({ names: ['Anna'] }),
      'open.json': JSON.stringify({ names: ['Anna'], leaveIn: ['name'] }),
    });
    const indexOf = async (policy: string, folder: string) => {
      await agentLogbook(['export', 'a.jsonl', '--policy', policy, '-o', folder], { cwd });
      const [file = ''] = (await readdir(join(cwd, folder))).filter((name) => name !== 'index.md');
      const index = await readFile(join(cwd, folder, 'index.md'), 'utf8');
      expect(index).toContain(encodeURIComponent(file));
      for (const text of [file, index]) expect(text).not.toMatch(/Wint3r/);
      return { file, index };
    };
    const closed = await indexOf('policy.json', 'closed/');
    for (const text of Object.values(closed)) expect(text).not.toContain('Anna');
    const open = await indexOf('open.json', 'open/');
    for (const text of Object.values(open)) expect(text).toContain('Anna');
  });
});
