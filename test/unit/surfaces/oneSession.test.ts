import { readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { provenanceOf } from '../../../src/app/panel/panelsInView.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { CatalogEntry } from '../../../src/core/ports/transcript.js';
import { TOOL_IDS } from '../../../src/import/toolHomes.js';
import { checkArguments } from '../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../src/surfaces/mcp/readTools.js';
import { agentLogbook } from '../../support/commandLine.js';
import { hasRealTranscripts } from '../../support/realTranscripts.js';
import { someOf } from '../../support/fixedInputs.js';
import { sessionsOfTools, writeAt } from '../../support/sessionHome.js';
import { temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

/** What a view calls a session, and where it says that it was held; the names of folders that tell it by their path. */
interface Called {
  readonly title: string;
  readonly project: string;
}

/** By view and by the file and the id of the session. */
type Views = Map<string, Map<string, Called>>;

function keyOf(file: unknown, session: unknown): string {
  const path = String(file);
  return `${basename(dirname(path))}/${basename(path)} ${String(session)}`;
}

function called({ title, project }: Record<string, unknown>): Called {
  const named = (value: unknown) => (typeof value === 'string' ? value : '');
  return { title: named(title), project: basename(named(project).replaceAll('\\', '/')) };
}

/** What every view calls the sessions of some files. */
async function viewsOf(cwd: string, files: readonly string[]): Promise<Views> {
  const views: Views = new Map();
  const note = (view: string, rows: readonly Record<string, unknown>[]) =>
    views.set(
      view,
      new Map(
        rows.flatMap((row) =>
          'session' in row ? [[keyOf(row.file, row.session), called(row)] as const] : [],
        ),
      ),
    );
  const run = async (...args: readonly string[]) => agentLogbook(args, { cwd, env: { HOME: cwd } });
  note('list of files', (await run('list', '--json', ...files)).json);
  note('stats of files', (await run('stats', '--json', ...files)).json);
  const imported = await run('import', '--store', '.', '--json', ...files);
  expect(imported.err).not.toContain('rror:');
  const { store } = await temporaryStore({ root: join(cwd, '.agent-logbook') });
  await store.catalog.refresh();
  const entries = store.catalog.entries();
  const origins = new Map(entries.map(({ conversation, origin }) => [conversation, origin]));
  const inStore = (rows: readonly Record<string, unknown>[]) =>
    rows.flatMap((row) => {
      const origin = origins.get(String(row.session));
      return origin ? [{ ...row, file: origin.path, session: origin.session }] : [];
    });
  const listed = entries.map((entry) => ({ ...entry, session: entry.conversation }));
  note('tree', inStore(listed));
  const headerOf = (origin: CatalogEntry['origin']) =>
    origin?.project === undefined ? '' : provenanceOf('', origin).folder;
  note(
    'header of the panel',
    inStore(listed.map((entry) => ({ ...entry, project: headerOf(entry.origin) }))),
  );
  note('list of the store', inStore((await run('list', '--json', '--store', '.')).json));
  note('stats of the store', inStore((await run('stats', '--json', '--store', '.')).json));
  return views;
}

/** What a model is told of the sessions of some files. */
async function toldToModels(cwd: string, files: readonly string[]): Promise<readonly Called[]> {
  const { signal } = new AbortController();
  const stdin = (): never => {
    throw new Error('Nothing is read from here.');
  };
  const of = { cwd, signal, stdin, log: silentLog, onProblem: () => undefined };
  const library = new McpLibrary(of, files, () => Date.now());
  onTestFinished(() => library.close());
  const ask = async (name: string, given: object) => {
    const tool = readTools.find((each) => each.name === name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    return (await tool.run(library, checkArguments(tool, given))) as { sessions: Record<string, unknown>[] };
  };
  const { sessions } = await ask('list_sessions', { limit: 100 });
  return sessions.map(called);
}

/** What the views say otherwise than the first; the file of a subagent is imported with its session, and so not in all of them. */
function differences(views: Views): readonly string[] {
  const [[first, known] = ['', new Map<string, Called>()]] = views;
  return [...views].flatMap(([view, sessions]) =>
    [...known].flatMap(([id, wanted]) => {
      const got = sessions.get(id);
      return got === undefined || JSON.stringify(got) === JSON.stringify(wanted)
        ? []
        : [`${id}: ${view} ${JSON.stringify(got)}, ${first} ${JSON.stringify(wanted)}`];
    }),
  );
}

/** What an export as JSON is called once it comes back, and what a page for readers is called. */
async function exported(cwd: string, files: readonly string[]): Promise<Views> {
  const views: Views = new Map();
  const ofFiles = new Map<string, Called>();
  const ofExports = new Map<string, Called>();
  const ofPages = new Map<string, Called>();
  for (const [index, file] of files.entries()) {
    const run = async (...args: readonly string[]) => agentLogbook(args, { cwd, env: { HOME: cwd } });
    const [session] = (await run('list', '--json', file)).json;
    if (session === undefined) continue;
    const only = ['--session', String(session.session)];
    const { title } = called(session);
    ofFiles.set(file, { title, project: '' });
    const back = join(cwd, `back-${index}.json`);
    await writeFile(back, (await run('export', file, ...only, '--format', 'json', '--raw')).out);
    ofExports.set(file, { ...called((await run('list', '--json', back)).json[0] ?? {}), project: '' });
    const page = (await run('export', file, ...only, '--format', 'html', '--raw')).out;
    ofPages.set(file, { title: plain(/<title>([^<]*)/.exec(page)?.[1] ?? ''), project: '' });
  }
  return views.set('file', ofFiles).set('its JSON', ofExports).set('its page', ofPages);
}

function plain(html: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };
  return html.replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => entities[name] ?? '').trim();
}

/** The files of a folder and below that are transcripts. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(?:jsonl?|eval)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const FORMATS = join(import.meta.dirname, '../../formats');

test('a session of the newest version of each tool has one title and one project everywhere', async () => {
  const files = await filesIn(FORMATS);
  const cwd = await temporaryFolder();
  const views = await viewsOf(cwd, files);
  expect([...views].map(([view, { size }]) => [view, size])).toEqual(
    [...views.keys()].map((view) => [view, files.length]),
  );
  expect(differences(views)).toEqual([]);
  // Their ids are all that models are told of where they lie, and some have the same.
  const known = [...(views.get('list of files')?.values() ?? [])];
  const sorted = (all: readonly Called[]) => all.map((each) => JSON.stringify(each)).sort();
  expect(sorted(await toldToModels(cwd, files))).toEqual(sorted(known));
});

test('an export of such a session as JSON comes back under its title, and its page has it', async () => {
  const views = await exported(await temporaryFolder(), await filesIn(FORMATS));
  expect(differences(views)).toEqual([]);
});

// The sample of OpenCode holds no message, so that nothing is imported of it.
test.each(TOOL_IDS.filter((tool) => tool !== 'opencode'))(
  'a session that is found where %s keeps it is called as it is once it is imported',
  async (tool) => {
    const home = await temporaryFolder();
    await writeAt(home, sessionsOfTools[tool], 1_700_000_000_000);
    const run = async (...args: readonly string[]) => agentLogbook(args, { cwd: home, env: { HOME: home } });
    const [found] = (await run('list', '--from', tool, '--json')).json;
    await run('import', '--store', '.', String(found?.file));
    const [imported] = (await run('list', '--store', '.', '--json')).json;
    const [shown] = (await run('stats', '--from', tool, '--json')).json;
    expect(called(imported ?? {})).toEqual(called(found ?? {}));
    expect(called(shown ?? {})).toEqual(called(found ?? {}));
  },
);

describe.skipIf(!hasRealTranscripts)('of real transcripts', () => {
  test('each session has one title and one project everywhere', async () => {
    const files = await filesIn(join(import.meta.dirname, '../../../../shared/transcripts'));
    const transcripts = files.filter((file) => !file.endsWith('facts.json'));
    const views = await viewsOf(await temporaryFolder(), someOf(transcripts, 25));
    expect(differences(views)).toEqual([]);
  });
});
