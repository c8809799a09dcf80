import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SessionFinder } from '../../../src/capture/discovery/sessionFinder.js';
import type { ToolId } from '../../../src/import/toolHomes.js';
import { sessionsOfTools, writeAt, type FileContent } from '../../support/sessionHome.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { databaseOf, databaseOfTool, databaseRows, SCHEMAS } from '../../support/toolDatabases.js';

/** A home with these files, and what is found of a tool in it. */
async function homeWith(files: Readonly<Record<string, FileContent>>) {
  const home = await temporaryFolder();
  await writeAt(home, files);
  const finder = new SessionFinder({ home, platform: 'linux', env: {} });
  const look = async (id: ToolId) => {
    const [change] = await finder.changes([{ id, folders: [] }]);
    return change?.written.map(({ path }) => path) ?? [];
  };
  return { home, finder, look };
}

const log = (id: string, content: string) =>
  [
    { type: 'session.start', data: { sessionId: id, producer: 'copilot-agent' } },
    { type: 'user.message', data: { content } },
  ]
    .map((value) => `${JSON.stringify(value)}\n`)
    .join('');
const emptyChat = (id: string) => JSON.stringify({ version: 3, sessionId: id, requests: [] });

test('databases of Crush are found in the projects that it notes', async () => {
  const home = await temporaryFolder();
  const [first, second] = [join(home, 'one'), join(home, 'two')];
  await writeAt(home, {
    'one/.crush/crush.db': databaseOfTool('crush'),
    'two/data/crush.db': databaseOfTool('crush'),
    'three/.crush/crush.db': databaseOfTool('crush'),
    '.local/share/crush/projects.json': JSON.stringify({
      projects: [
        { path: first, data_dir: '.crush' },
        { path: second, data_dir: join(second, 'data') },
        7,
        {},
      ],
    }),
  });
  const finder = new SessionFinder({ home, platform: 'linux', env: {} });
  const [change] = await finder.changes([{ id: 'crush', folders: [] }]);
  const paths = change?.written.map(({ path }) => path) ?? [];
  expect(paths).toEqual([join(first, '.crush/crush.db/s1'), join(second, 'data/crush.db/s1')]);
  expect(await finder.workspaces('crush', paths)).toEqual([first, undefined]);
});

test('what Copilot keeps in databases is found where its own log is gone, and once where it is not', async () => {
  const { home, look, finder } = await homeWith({
    '.copilot/session-state/p2/events.jsonl': log('p2', 'From the log'),
    '.copilot/session-store.db': databaseOf(SCHEMAS.copilot, {
      ...databaseRows.copilot,
      sessions: [...databaseRows.copilot.sessions, { id: 'p2', summary: 'From the database' }],
    }),
    '.vscode-server/data/User/globalStorage/github.copilot-chat/agent-traces.db': databaseOfTool('traces'),
    '.config/Code/User/globalStorage/github.copilot-chat/session-store.db': databaseOfTool('copilot'),
    '.config/Code/User/workspaceStorage/abc/chatSessions/p1.json': emptyChat('p1'),
  });
  expect(await look('copilot-cli')).toEqual([
    join(home, '.copilot/session-state/p2/events.jsonl'),
    join(home, '.copilot/session-store.db/p1'),
  ]);
  const paths = await look('vscode-chat');
  expect(paths).toHaveLength(2);
  const told = await finder.about('vscode-chat', paths);
  expect(told.map((about) => about?.title).sort()).toEqual(['Weigh it', 'Weigh the flour']);
});

test.each([
  ['darwin', 'Library/Application Support/Zed/threads/threads.db', 'zed'],
  ['win32', 'AppData/Local/Zed/threads/threads.db', 'zed'],
  ['linux', '.var/app/dev.zed.Zed/data/zed/threads/threads.db', 'zed'],
  ['darwin', 'Library/Application Support/kiro-cli/data.sqlite3', 'kiro'],
  ['win32', 'AppData/Local/kiro-cli/data.sqlite3', 'kiro'],
  ['win32', '.hermes/state.db', 'hermes'],
  ['darwin', 'Library/Application Support/amazon-q/data.sqlite3', 'amazon-q'],
  ['win32', 'AppData/Local/amazon-q/data.sqlite3', 'amazon-q'],
  ['darwin', '.local/share/kilo/kilo-preview.db', 'kilo'],
  ['linux', '.local/share/kilo/opencode-dev.db', 'kilo'],
  ['win32', '.local/share/mimocode/mimocode.db', 'mimo'],
  ['win32', '.zcode/cli/db/db.sqlite', 'zcode'],
] as const)('on %s a session is found in %s', async (platform, path, tool) => {
  const home = await temporaryFolder();
  await writeAt(home, { [path]: databaseOfTool(tool) });
  const finder = new SessionFinder({ home, platform, env: {} });
  const [change] = await finder.changes([{ id: tool, folders: [] }]);
  expect(change).toMatchObject({ problems: [], written: [expect.objectContaining({ bytes: 0 })] });
});

test('a task of the extension that Kilo Code was before is one of its sessions', async () => {
  const path = '.config/Code/User/globalStorage/kilocode.kilo-code/tasks/9/ui_messages.json';
  const cline = Object.values(sessionsOfTools.cline)[0] ?? '';
  const { look, finder } = await homeWith({ [path]: cline });
  const paths = await look('kilo');
  expect(paths).toHaveLength(1);
  expect(await finder.about('kilo', paths)).toMatchObject([{ title: 'Milk the cow' }]);
});
