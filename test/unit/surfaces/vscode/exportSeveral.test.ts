import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { exportIntoFolder } from '../../../../src/surfaces/vscode/reading/exportSeveral.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

const window = vi.hoisted(() => ({
  folder: '',
  told: [] as string[],
  cancel: () => undefined as unknown,
  isFull: false,
}));

vi.mock('vscode', () => {
  const uri = (fsPath: string) => ({ fsPath, scheme: 'file', toString: () => fsPath });
  const nothing = { dispose: () => undefined };
  return {
    Uri: {
      file: uri,
      joinPath: ({ fsPath }: { fsPath: string }, name: string) => uri(`${fsPath}/${name}`),
    },
    ProgressLocation: { Notification: 15 },
    l10n: { t: (text: string) => text },
    window: {
      showOpenDialog: () => Promise.resolve([uri(window.folder)]),
      showWarningMessage: (text: string) => Promise.resolve(void window.told.push(text)),
      showInformationMessage: (text: string) => Promise.resolve(void window.told.push(text)),
      withProgress: (_: unknown, work: (progress: unknown, token: unknown) => unknown) =>
        work(
          { report: () => undefined },
          {
            onCancellationRequested: (listener: () => unknown) => {
              window.cancel = listener;
              return nothing;
            },
          },
        ),
    },
    workspace: {
      workspaceFolders: [],
      asRelativePath: ({ fsPath }: { fsPath: string }) => fsPath.split('/').at(-1),
      getConfiguration: () => ({ get: () => undefined }),
      fs: {
        readDirectory: async ({ fsPath }: { fsPath: string }) =>
          (await readdir(fsPath)).map((name) => [name, 1]),
        writeFile: ({ fsPath }: { fsPath: string }, bytes: Uint8Array) =>
          window.isFull ? Promise.reject(new Error('The disk is full.')) : writeFile(fsPath, bytes),
      },
    },
  };
});

const TITLES = ['Bake', 'Grind', 'Whip'];

/** Exports all of them, doing something once each is written. */
async function exported(
  format: 'html' | 'markdown' | 'csv',
  written: (title: string) => void,
): Promise<unknown> {
  const kept = TITLES.map((title) => ({
    store: { isOpen: () => false },
    entry: { conversation: title, title, origin: { tool: 'codex', project: 'shop' } },
  }));
  const found = (conversation: string) => kept.find(({ entry }) => entry.conversation === conversation);
  const write = async (_: unknown, title: string) => {
    await writeFile(join(window.folder, `${title}.md`), title);
    written(title);
    return {
      kind: 'file',
      report: { messages: 2, redacted: 0 },
      name: `${title}.md`,
      title,
      project: 'shop',
    };
  };
  const options = {
    stores: { find: (conversation: string) => Promise.resolve(found(conversation)) },
    reader: { export: write },
  };
  return await exportIntoFolder(options as never, kept as never, { format }).catch((error: unknown) => error);
}

beforeEach(async () => {
  window.folder = await mkdtemp(join(await temporaryFolder(), 'out-'));
  window.told = [];
  window.isFull = false;
});

test.each([
  ['html', 'index.html'],
  ['markdown', 'index.md'],
] as const)('what stands when an export is cancelled is listed and told of: %s', async (format, name) => {
  const error = await exported(format, (title) => title === 'Grind' && window.cancel());
  expect(error).toMatchObject({ name: 'Cancelled' });
  const index = await readFile(join(window.folder, name), 'utf8');
  expect(index).toMatch(/Bake[^]*Grind/);
  expect(index).not.toContain('Whip');
  expect(index).toContain('The export ended before all sessions were written.');
  expect(window.told).toEqual([
    expect.stringMatching(
      /^Exported 2 transcripts \(4 messages\) to out-\S+\. The export ended before all were written\.$/,
    ),
  ]);
});

test('so is what stands when one cannot be written', async () => {
  const error = await exported('csv', (title) => {
    if (title === 'Whip') throw new Error('The disk is full.');
  });
  expect(error).toMatchObject({ message: 'The disk is full.' });
  expect(window.told).toEqual([expect.stringContaining('Exported 2 transcripts')]);
});

test('an export that is cancelled is that, also where what stands cannot be listed', async () => {
  window.isFull = true;
  const error = await exported('markdown', (title) => title === 'Grind' && window.cancel());
  expect(error).toMatchObject({ name: 'Cancelled' });
  expect(window.told).toEqual([expect.stringMatching(/index.*The disk is full\.$/)]);
  expect(await exported('markdown', () => undefined)).toMatchObject({ message: 'The disk is full.' });
});

test('an export that is whole says nothing of an end', async () => {
  expect(await exported('markdown', () => undefined)).toBeUndefined();
  expect(await readFile(join(window.folder, 'index.md'), 'utf8')).not.toContain('ended');
  expect(window.told).toEqual([expect.not.stringContaining('ended')]);
});
