import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAgentFile } from '../../../src/agents/definitions/readAgentFile.js';
import { exportToFile } from '../../../src/export/files/exportFile.js';
import { importFile } from '../../../src/import/importFile.js';
import { safeFileName, titleFileName } from '../../../src/store/files/safeFileName.js';
import { PathGuard } from '../../../src/agents/tools/paths/pathGuard.js';
import { plain, words } from '../../../src/app/text/plainText.js';
import { temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

/** Names of files, by what is wrong with them. */
const NAMES: readonly (readonly [what: string, name: string])[] = [
  // Reserved on Windows
  ['a device', 'CON'],
  ['a device with an extension', 'aux.json'],
  ['a device with two extensions', 'nul.tar.gz'],
  ['a device in small letters', 'prn.jsonl'],
  ['a port', 'COM9.txt'],
  ['a port in superscript', 'LPT².json'],
  ['the console', 'CONIN$'],
  ['a device behind blanks', '  con  .json'],
  ['a device with a stream', 'nul:x.json'],
  ['a stream', 'a.json:hidden:$DATA'],
  ['trailing dots', 'report...'],
  ['trailing blanks', 'report.json   '],
  ['a trailing dot and blank', 'report. .'],
  ['all that Windows refuses', 'a<b>c"d|e?f*g.json'],
  // Ways elsewhere
  ['the folder', '.'],
  ['the folder above', '..'],
  ['three dots', '...'],
  ['a way up', '../../etc/passwd'],
  ['a way up with back slashes', '..\\..\\windows\\win.ini'],
  ['an absolute path', '/etc/passwd'],
  ['a drive', 'C:\\windows\\win.ini'],
  ['a drive alone', 'C:'],
  ['a share', '\\\\server\\share\\x'],
  ['a device path', '\\\\?\\C:\\x'],
  ['a home folder', '~/x.json'],
  ['a home folder of another', '~root'],
  ['a variable', '$HOME/%USERPROFILE%'],
  ['an encoded way up', '%2e%2e%2fx'],
  ['a URI', 'file:///etc/passwd'],
  ['slashes of Unicode', '..∕..⁄x'],
  ['a wide way up', '．．／x'],
  // Characters
  ['a line break', 'a\nb.json'],
  ['a carriage return', 'a\rb.json'],
  ['a tab', 'a\tb.json'],
  ['an escape', 'a\u001b[2Jb.json'],
  ['a bell and a link of a terminal', '\u001b]8;;http://x\u0007a'],
  ['a text that runs backwards', 'invoice\u202egpj.exe'],
  ['isolates', 'a\u2066b\u2069.json'],
  ['zero-width blanks', 'a\u200bb\u2060c.json'],
  ['tags', 'a\u{e0041}.json'],
  ['a mark of the byte order', '\ufeffa.json'],
  ['a line separator', 'a\u2028b.json'],
  ['control characters of the second kind', 'a\u0085\u009bb.json'],
  ['an accent in one character', 'caf\u00e9.json'],
  ['an accent in two characters', 'cafe\u0301.json'],
  ['Hangul in pieces', '\u1112\u1161\u11ab.json'],
  ['a ligature', 'ﬁle.json'],
  ['a letter that grows when it is small', 'İ.json'],
  ['a sharp s', 'Straße.json'],
  ['an emoji of several', '👩‍👩‍👧‍👦.json'],
  ['combining marks without end', `a${'\u0301'.repeat(80)}.json`],
  ['a link of Markdown', '[Yes](command:workbench.action.quit).json'],
  ['a tag', '<img src=x onerror=alert(1)>.json'],
  ['an icon', '$(trash) x.json'],
  ['options of a program', '--help -rf.json'],
  ['quotes', `a"b'c\`d.json`],
  // Lengths
  ['nothing', ''],
  ['blanks', '   '],
  ['255 bytes', `${'a'.repeat(250)}.json`],
  ['255 bytes of two each', `${'é'.repeat(125)}.json`],
  ['more than any system takes', 'a'.repeat(5_000)],
  ['many long characters', '漢'.repeat(400)],
  ['a hidden file', '.json'],
  ['a name of the store', 'messages.jsonl'],
  ['a marker of the store', '.logbook'],
  ['a hidden import of the store', '.importing-x'],
  ['a key of the prototype', '__proto__'],
];

const UNSEEN =
  /[\0-\x1f\x7f-\x9f\xad\u200b\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff\u{e0000}-\u{e007f}\p{Cs}]/u;

/** Names that a file on this disk can have: no slash, no NUL, no more than 255 bytes. */
const onDisk = NAMES.filter(
  ([, name]) => !/[/\0]/.test(name) && !['', '.', '..'].includes(name) && Buffer.byteLength(name) <= 255,
);

const session = JSON.stringify({ messages: [{ role: 'user', content: 'List the drawers.' }] });

/** Whether a name is valid on Linux, macOS and Windows, and no path. */
function expectPortable(name: string): void {
  expect(name).not.toMatch(/[/\\<>:"|?*]/);
  expect(name).not.toMatch(UNSEEN);
  expect(name).not.toMatch(/[. ]$/);
  expect(name).not.toMatch(/^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i);
  expect(['', '.', '..']).not.toContain(name);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
}

describe('the name of a file', () => {
  test.each(NAMES)('as a title gives an export a name that every system takes: %s', (_, name) => {
    for (const extension of ['json', 'md']) expectPortable(titleFileName(name, extension, 'transcript'));
  });

  test.each(NAMES)('as an id of a conversation is one folder of the store: %s', async (_, name) => {
    expectPortable(safeFileName(name));
    const { store, root } = await temporaryStore();
    const records = [{ type: 'message' as const, message: { role: 'user' as const, content: 'hi' } }];
    const place = { run: 'r', call: 'c', agent: 'a', depth: 0 };
    const session = {
      source: { tool: 'chat', path: name, session: name, title: name },
      records: records.map((body, at) => ({
        seq: at + 1,
        id: `i${at}`,
        time: 0,
        conversation: name,
        ...place,
        ...body,
      })),
    };
    expect((await store.importSession(session)).kind).toBe('new');
    expect((await store.importSession(session)).kind).toBe('unchanged');
    expect(store.catalog.entries()).toHaveLength(1);
    expect((await readdir(dirname(root))).sort()).toEqual(['.agent-logbook']);
    for (const made of await readdir(join(root, 'conversations'))) expectPortable(made);
  });

  test.each(NAMES)('leads an agent nowhere outside of its workspace: %s', async (_, name) => {
    const top = await temporaryFolder();
    const folder = join(top, 'workspace');
    await mkdir(folder);
    await writeFile(join(top, 'x'), 'outside');
    const outcome = await new PathGuard([folder]).resolve(name);
    if (outcome.ok) expect(relative(folder, outcome.place.path).split(sep)).not.toContain('..');
    else expect(outcome.message).not.toMatch(UNSEEN);
  });

  test.each(NAMES)('is shown in a line without anything unseen: %s', (_, name) => {
    for (const shown of [plain(name), words`Imported ${name}.`]) {
      expect(shown).not.toMatch(UNSEEN);
      expect(shown).not.toMatch(/\]\(/);
      expect(shown.length).toBeLessThan(1_000);
    }
  });

  test.each(NAMES)('gives an agent a name of one line, or none: %s', (_, name) => {
    for (const path of [`/w/.github/agents/${name}.agent.md`, `/w/.claude/agents/${name}.md`]) {
      const { agent, problems } = readAgentFile(path, '---\ndescription: d\n---\nDo it.', 'workspace');
      if (agent) {
        expect(agent.name).not.toMatch(/[\n\r\t]/);
        expect(agent.name).not.toBe('');
        expect(Array.from(agent.name).length).toBeLessThanOrEqual(100);
      } else expect(problems.map(({ severity }) => severity)).toContain('error');
    }
  });

  test.each(onDisk)(
    'does not keep a transcript from being imported and exported beside it: %s',
    async (_, name) => {
      const folder = await temporaryFolder();
      const file = join(folder, name);
      await writeFile(file, session);
      const { conversations, problems } = await importFile(file);
      expect(problems).toEqual([]);
      expect(conversations).toHaveLength(1);
      expect(conversations[0]?.title).toBe('List the drawers.');
      const to = join(folder, 'out', name);
      await mkdir(dirname(to));
      await exportToFile(conversations[0]?.records ?? [], 'json', to);
      expect(JSON.parse(await readFile(to, 'utf8'))).toMatchObject([{ role: 'user' }]);
      expect(await readdir(join(folder, 'out'))).toEqual([name]);
    },
  );
});
