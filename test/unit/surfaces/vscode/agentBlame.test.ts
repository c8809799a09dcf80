import { existsSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import type * as Module from '../../../../src/app/sources/sources.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

interface Editor {
  readonly document: ReturnType<typeof documentOf>;
  readonly selection: { readonly active: { readonly line: number } };
  readonly drawn: number[];
  setDecorations(type: unknown, ranges: readonly unknown[]): void;
}

const window = vi.hoisted(() => ({
  editors: [] as unknown[],
  active: undefined as unknown,
  change: undefined as unknown,
  cameIntoView: undefined as unknown,
  configure: undefined as unknown,
  isSet: false,
  made: 0,
  isTrusted: true,
}));

vi.mock('vscode', () => {
  const nothing = { dispose: () => undefined };
  const uri = (fsPath: string) => ({ fsPath, scheme: 'file', toString: () => fsPath });
  class MarkdownString {
    value = '';
    appendMarkdown = () => this;
    appendText = () => this;
  }
  return {
    Disposable: { from: () => nothing },
    Uri: {
      parse: uri,
      file: uri,
      joinPath: ({ fsPath }: { fsPath: string }, ...parts: string[]) => uri([fsPath, ...parts].join('/')),
    },
    MarkdownString,
    OverviewRulerLane: { Left: 1 },
    ProgressLocation: { Notification: 15 },
    l10n: { t: (text: string) => text },
    window: {
      get visibleTextEditors() {
        return window.editors;
      },
      get activeTextEditor() {
        return window.active;
      },
      onDidChangeVisibleTextEditors: (listener: unknown) => {
        window.cameIntoView = listener;
        return nothing;
      },
      createTextEditorDecorationType: () => nothing,
      showInformationMessage: () => Promise.resolve(undefined),
      withProgress: (_: unknown, work: (progress: unknown, token: unknown) => unknown) =>
        work({ report: () => undefined }, { onCancellationRequested: () => nothing }),
    },
    workspace: {
      get isTrusted() {
        return window.isTrusted;
      },
      asRelativePath: ({ fsPath }: { fsPath: string }) => fsPath,
      onDidChangeTextDocument: (listener: unknown) => {
        window.change = listener;
        return nothing;
      },
      onDidCloseTextDocument: () => nothing,
      onDidChangeConfiguration: (listener: unknown) => {
        window.configure = listener;
        return nothing;
      },
      getConfiguration: () => ({ get: (key: string) => (key === 'blame.show' ? window.isSet : undefined) }),
      getWorkspaceFolder: ({ fsPath }: { fsPath: string }) =>
        fsPath.endsWith('elsewhere.ts') ? undefined : { name: 'cakes' },
    },
  };
});

vi.mock('../../../../src/app/sources/sources.js', async (original) => {
  const { Sources } = await original<typeof Module>();
  return {
    Sources: class extends Sources {
      constructor(options: ConstructorParameters<typeof Sources>[0]) {
        super(options);
        window.made++;
      }
    },
  };
});

const TEXT = 'export const eggs = 12;\n';

function documentOf(fsPath: string, onRead: () => void) {
  return {
    uri: { fsPath, scheme: 'file', toString: () => pathToFileURL(fsPath).href },
    version: 1,
    lineCount: 2,
    lineAt: (line: number) => ({ range: line }),
    getText: () => {
      onRead();
      return TEXT;
    },
  };
}

function editorOf(path: string, onRead: () => void = () => undefined): Editor {
  const drawn: number[] = [];
  return {
    document: documentOf(path, onRead),
    selection: { active: { line: 0 } },
    drawn,
    setDecorations: (_, ranges) => void drawn.push(ranges.length),
  };
}

/** A workspace with two files that an agent wrote. */
async function workspace(): Promise<{ readonly folder: string; readonly root: string }> {
  const folder = await temporaryFolder();
  const root = join(folder, '.agent-logbook');
  const place = { run: 'r', call: 'k', agent: 'Baker', depth: 0, conversation: 'c_1', type: 'message' };
  const messages = ['one.ts', 'two.ts'].flatMap((path) => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        {
          id: path,
          type: 'function',
          function: { name: 'write_file', arguments: JSON.stringify({ path, content: TEXT }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: path, content: 'Written.' },
  ]);
  const lines = [
    { logbook: 1, conversation: 'c_1', created: 1 },
    ...messages.map((message, at) => ({ seq: at + 1, id: `m_${at}`, time: at + 1, ...place, message })),
  ];
  await mkdir(join(root, 'conversations/c_1'), { recursive: true });
  await writeFile(
    join(root, 'conversations/c_1/messages.jsonl'),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  await writeFile(join(root, '.logbook'), '{"logbook":1}\n');
  for (const name of ['one.ts', 'two.ts']) await writeFile(join(folder, name), TEXT);
  return { folder, root };
}

test('what is hidden while its authors are looked for stays hidden, and one reader of sources serves all', async () => {
  const { AgentBlame } = await import('../../../../src/surfaces/vscode/reading/agentBlame.js');
  const { folder, root } = await workspace();
  let onRead = (): void => undefined;
  const one = editorOf(join(folder, 'one.ts'), () => onRead());
  const two = editorOf(join(folder, 'two.ts'));
  window.editors = [one, two];
  const log = { warn: vi.fn(), error: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const blame = new AgentBlame(
    { subscriptions: [], globalStorageUri: { fsPath: await temporaryFolder() } } as never,
    { roots: () => [root] } as never,
    log as never,
  );
  const barsOf = ({ drawn }: Editor) => drawn.slice(-6).reduce((sum, count) => sum + count, 0);
  for (const editor of [one, two]) {
    window.active = editor;
    await blame.toggle();
    expect(barsOf(editor)).toBe(1);
  }
  two.drawn.length = 0;
  window.active = one;
  onRead = () => {
    onRead = () => undefined;
    void blame.toggle();
  };
  (window.change as (event: object) => void)(one);
  // The second is drawn after the first was looked at.
  await vi.waitFor(() => expect(barsOf(two)).toBe(1), 10_000);
  expect(barsOf(one)).toBe(0);
  expect(log.error).not.toHaveBeenCalled();
  expect(window.made).toBe(1);
  blame.dispose();
});

test('the setting decides how files open, and the command shows or hides it in one', async () => {
  const { AgentBlame } = await import('../../../../src/surfaces/vscode/reading/agentBlame.js');
  const { folder, root } = await workspace();
  const [one, two] = ['one.ts', 'two.ts'].map((name) => editorOf(join(folder, name))) as [Editor, Editor];
  const elsewhere = editorOf(join(folder, 'elsewhere.ts'));
  const barsOf = ({ drawn }: Editor) => drawn.slice(-6).reduce((sum, count) => sum + count, 0);
  const set = (isSet: boolean) => {
    window.isSet = isSet;
    (window.configure as (event: object) => void)({ affectsConfiguration: () => true });
  };
  onTestFinished(() => {
    window.isSet = false;
  });
  window.editors = [one, elsewhere];
  window.isSet = true;
  const log = { warn: vi.fn(), error: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const blame = new AgentBlame(
    { subscriptions: [], globalStorageUri: { fsPath: await temporaryFolder() } } as never,
    { roots: () => [root] } as never,
    log as never,
  );
  await vi.waitFor(() => expect(barsOf(one)).toBe(1), 10_000);
  expect(elsewhere.drawn).toEqual([]);
  window.active = one;
  await blame.toggle();
  expect(barsOf(one)).toBe(0);
  // Another one is opened beside it, in which it is shown; where it was hidden it stays so.
  window.editors = [one, two];
  (window.cameIntoView as () => void)();
  await vi.waitFor(() => expect(barsOf(two)).toBe(1), 10_000);
  expect(barsOf(one)).toBe(0);
  set(false);
  expect(barsOf(two)).toBe(0);
  await blame.toggle();
  expect(barsOf(one)).toBe(1);
  two.drawn.length = 0;
  set(true);
  await vi.waitFor(() => expect(barsOf(two)).toBe(1), 10_000);
  expect(log.error).not.toHaveBeenCalled();
  blame.dispose();
});

test('where nothing is recorded, the setting looks at no file', async () => {
  const { AgentBlame } = await import('../../../../src/surfaces/vscode/reading/agentBlame.js');
  const folder = await temporaryFolder();
  const read = vi.fn();
  window.editors = [editorOf(join(folder, 'one.ts'), read)];
  window.isSet = true;
  onTestFinished(() => {
    window.isSet = false;
    vi.useRealTimers();
  });
  vi.useFakeTimers();
  const log = { warn: vi.fn(), error: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const blame = new AgentBlame(
    { subscriptions: [], globalStorageUri: { fsPath: folder } } as never,
    { roots: () => [join(folder, '.agent-logbook')] } as never,
    log as never,
  );
  await vi.runAllTimersAsync();
  expect(read).not.toHaveBeenCalled();
  expect(log.error).not.toHaveBeenCalled();
  blame.dispose();
});

test('a panel is told how many lines still stand, and nothing of what would take long', async () => {
  const { AgentBlame } = await import('../../../../src/surfaces/vscode/reading/agentBlame.js');
  const { folder, root } = await workspace();
  const log = { warn: vi.fn(), error: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const blame = new AgentBlame(
    { subscriptions: [], globalStorageUri: { fsPath: await temporaryFolder() } } as never,
    { roots: () => [root] } as never,
    log as never,
  );
  expect(await blame.keptLines('c_1')).toEqual({ put: 2, kept: 2 });
  expect(await blame.keptLines('c_other')).toBeUndefined();
  const cancelled = blame.keptLines('c_1', AbortSignal.abort(new Error('The person has cancelled.')));
  await expect(cancelled).rejects.toThrow('The person has cancelled.');
  expect(log.warn).not.toHaveBeenCalled();
  await writeFile(join(folder, 'two.ts'), 'export const eggs = 6;\n');
  expect(await blame.keptLines('c_1')).toEqual({ put: 2, kept: 1 });
  const journal = join(root, 'conversations/c_1/messages.jsonl');
  const long = { role: 'user', content: 'long '.repeat(4_000_000) };
  const place = { run: 'r', call: 'k', agent: 'Baker', depth: 0, conversation: 'c_1', type: 'message' };
  await appendFile(journal, `${JSON.stringify({ seq: 9, id: 'm_9', time: 9, ...place, message: long })}\n`);
  expect(await blame.keptLines('c_1')).toBeUndefined();
  expect(log.error).not.toHaveBeenCalled();
  blame.dispose();
});

test.skipIf(process.platform === 'win32')(
  'git is asked in a folder that is trusted, and in no other',
  async () => {
    const { AgentBlame } = await import('../../../../src/surfaces/vscode/reading/agentBlame.js');
    const { folder, root } = await workspace();
    const programs = await temporaryFolder();
    const asked = join(programs, 'asked');
    await writeFile(join(programs, 'git'), `#!/bin/sh\necho "$@" >> '${asked}'\nexit 1\n`, { mode: 0o755 });
    const { PATH } = process.env;
    process.env.PATH = `${programs}:${PATH}`;
    onTestFinished(() => {
      process.env.PATH = PATH;
      window.isTrusted = true;
    });
    const log = { warn: vi.fn(), error: vi.fn(), info: vi.fn(), debug: vi.fn() };
    const blame = new AgentBlame(
      { subscriptions: [], globalStorageUri: { fsPath: await temporaryFolder() } } as never,
      { roots: () => [root] } as never,
      log as never,
    );
    const editor = editorOf(join(folder, 'one.ts'));
    window.active = editor;
    window.isTrusted = false;
    await blame.toggle();
    expect(editor.drawn.reduce((sum, count) => sum + count, 0)).toBe(1);
    await expect(blame.explain()).rejects.toThrow('Git is not asked in a folder that is not trusted');
    expect(await blame.keptLines('c_1')).toBeUndefined();
    expect(existsSync(asked)).toBe(false);
    window.isTrusted = true;
    await blame.toggle();
    await blame.toggle();
    expect(existsSync(asked)).toBe(true);
    blame.dispose();
  },
);
