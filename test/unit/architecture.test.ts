import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { layers, type Row } from '../../layers.mjs';
import { editorFeatures, features, programs } from '../../scripts/bundles.mjs';
import { housePicture, picture } from '../../scripts/housePicture.mjs';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

test('ARCHITECTURE.md is a map of at most 2,000 words', () => {
  expect(text.split(/\s+/).length).toBeLessThan(2_000);
});

test('the code map has a paragraph for each room of layers.mjs, in their order, each with one invariant; rooms are the folders of src', () => {
  const rooms = Object.keys(layers).filter((room) => room !== '.' && room !== 'webview');
  const [, map = ''] = text.split('\n## Code map\n');
  const paragraphs = (map.split('\n## ')[0] ?? '').split('\n### ').slice(1);
  expect(paragraphs.map((paragraph) => /^`(\w+)`\n/.exec(paragraph)?.[1])).toEqual(rooms);
  const invariants = paragraphs.map((paragraph) => paragraph.match(/\*\*Invariant:\*\*/g)?.length);
  expect(invariants).toEqual(rooms.map(() => 1));
  const entries = readdirSync(join(root, 'src'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual(rooms.toSorted());
});

test('the picture of the rooms is drawn from layers.mjs as it is (npm run docs:house)', () => {
  expect(readFileSync(picture, 'utf8')).toBe(housePicture());
});

/** What a table of a page in docs/internals has in its first column between backticks. */
const firstColumn = (page: string) =>
  readFileSync(join(root, 'docs/internals', page), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));

test('each package that is bundled has its reason in docs/internals/dependencies.md, and none but the types of Node is installed with ours', () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
  const packagesOf = (row: Row): readonly string[] => [
    ...(row.packages ?? []),
    ...Object.values(row.folders ?? {}).flatMap(packagesOf),
  ];
  const imported = Object.values(layers).flatMap(packagesOf);
  const named = imported.map((name) => (/^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [name])[0]);
  expect(Object.keys(dependencies)).toEqual(['@types/node']);
  const shipped = new Set([...named, ...Object.keys(dependencies)]);
  shipped.delete('vscode');
  const reasoned = firstColumn('dependencies.md');
  expect([...shipped].filter((name) => !reasoned.includes(name))).toEqual([]);
  // Some are no import of a room: what is built from a package, and its icons.
  expect(reasoned.filter((name) => !(name in dependencies || name in devDependencies))).toEqual([]);
});

test('docs/internals/bundles.md has a row for each file that is built by feature', () => {
  const files = Object.keys({ ...programs, ...features, ...editorFeatures, base: '' })
    .map((name) => `${name}.js`)
    .concat('*.mjs', 'cli.cjs', 'sqlite/', 'workers/*.js');
  expect(firstColumn('bundles.md').sort()).toEqual(files.sort());
});

test('the lockfile has one version and a checksum of every package, and no address', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string; resolved?: string }>;
  };
  const kept = Object.entries(packages).filter(([path]) => path !== '');
  expect(kept.length).toBeGreaterThan(0);
  const isComplete = ([, { version, integrity, resolved }]: (typeof kept)[number]) =>
    version !== undefined && integrity !== undefined && resolved === undefined;
  expect(kept.filter((entry) => !isComplete(entry)).map(([path]) => path)).toEqual([]);
});

/** The files of `src/` in whose text something stands. */
function filesWith(pattern: RegExp): string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((path) => path.endsWith('.ts') && pattern.test(readFileSync(join(root, 'src', path), 'utf8')))
    .map((path) => path.replaceAll('\\', '/'));
}

test('only one place deletes whole folders', () => {
  const file = ['store/write/removeOwnFolder.ts'];
  expect(filesWith(/\brm(?:Sync)?\([^;]*\{[^}]*\brecursive\s*[:,}]/)).toEqual(file);
  expect(filesWith(/rmdir(?:Sync)?\([^;]*\brecursive\b/)).toEqual([]);
  // A file that a run has made goes where the run is undone: one at a time, by an edit that the editor undoes again.
  expect(filesWith(/\bdeleteFile\(/)).toEqual(['surfaces/vscode/commands/forkCommands.ts']);
  expect(filesWith(/\bdeleteFile\((?!uri\))/)).toEqual([]);
  // The editor puts single recordings into the bin of the system, and nothing else.
  expect(filesWith(/\bfs\.delete\(/)).toEqual(['surfaces/vscode/capture/oldRecordings.ts']);
  expect(filesWith(/\bfs\.delete\((?![^;]*\{ useTrash: true \}\))/)).toEqual([]);
});

test('texts reach the surfaces of VS Code in one folder only, whose wrappers take plain texts', () => {
  const showing =
    /\b(?:show(?:Information|Warning|Error)Message|setStatusBarMessage|showQuickPick|createQuickPick|showInputBox|createInputBox|window\.withProgress|createStatusBarItem|createTreeView|MarkdownString|clipboard\.writeText|new vscode\.TreeItem)\b/;
  const files = filesWith(showing);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((path) => !path.startsWith('surfaces/vscode/ui/'))).toEqual([]);
});

test('a row of a tree that is clicked has no arguments, but those of a command that is VS Code’s own', () => {
  const files = filesWith(/item\.command = /).filter((path) => !path.endsWith('Status.ts'));
  expect(files.length).toBeGreaterThan(3);
  const commands = files.flatMap((path) =>
    readFileSync(join(root, 'src', path), 'utf8').match(/item\.command = (?:\{[^}]*\}|[^;]*);/gs),
  );
  const ofOthers = commands.filter(
    (command) => command?.includes('arguments') && !command.includes("'vscode."),
  );
  expect(ofOthers).toEqual([]);
});

test('only the store knows where its files are', () => {
  const layout = /['"`](?:messages\.jsonl?|conversations|quarantine|tool-results)['"`]/;
  // The importer reads tables of OpenCode and Amazon Q and columns of data sets of these names, which are no files of a store.
  const others = [
    'import/tools/kiro/kiro.ts',
    'import/tools/mistralVibe/mistralVibe.ts',
    'import/tools/openCode/openCode.ts',
    'import/tools/openCode/openCodeSessions.ts',
    'import/general/pairLists.ts',
  ];
  const found = filesWith(layout).filter((path) => !others.includes(path));
  expect(found).toEqual(found.filter((path) => path.startsWith('store/')));
  expect(found).not.toEqual([]);
});

test('one place listens, on this machine only and in a thread that a person starts; an address shows a message and does nothing else', () => {
  const listening =
    /createServer|server\.listen\(|WebSocketServer|createSocket|from 'node:(?:dgram|tls|cluster|inspector)'/;
  expect(filesWith(listening)).toEqual(['capture/servers/loopbackServer.ts']);
  const server = readFileSync(join(root, 'src/capture/servers/loopbackServer.ts'), 'utf8');
  expect(server.match(/\.listen\([^)]*/g)).toEqual([".listen({ port, host: '127.0.0.1' }, ("]);
  const servers = /LoopbackServer\.listen|(?:OtlpReceiver|RecordingProxy)\.listen/;
  // The command line records a program that a person starts with it, in its own process.
  expect(filesWith(servers).filter((path) => !path.startsWith('capture/'))).toEqual([
    'app/capture/captureHere.ts',
  ]);
  expect(filesWith(/CaptureHere\.open/)).toEqual(['surfaces/cli/subcommands/record.ts']);
  expect(filesWith(/new Thread\(\{[^}]*onGrown/s)).toEqual(['app/services/captureService.ts']);
  expect(filesWith(/registerUriHandler/)).toEqual(['extension.ts']);
  const entry = readFileSync(join(root, 'src/extension.ts'), 'utf8');
  expect(entry).toContain('registerUriHandler({ handleUri: openLink })');
  expect(entry).toMatch(/function openLink\([^)]*\): void \{\s*void run\('openQuestionLink', [^;]*;\s*\}/);
});

test('agents run by one way only, and it begins with the question whether the workspace is trusted', () => {
  // A team that a program puts together asks its program, which has no workspace.
  const inApp = (pattern: RegExp) => filesWith(pattern).filter((path) => !path.startsWith('app/team/'));
  expect(inApp(/new AgentSession\(/)).toEqual(['app/runs/startRun.ts']);
  expect(inApp(/\bstartRun\(/)).toEqual(['app/runs/runRegistry.ts', 'app/runs/startRun.ts']);
  const runs = readFileSync(join(root, 'src/app/runs/runRegistry.ts'), 'utf8');
  expect(runs.match(/\bstartRun\(/g)).toHaveLength(1);
  expect(runs).toMatch(/async start\([^)]*\)[^{]*\{\s*requireTrust\(this\.#parts\.workspace\);/);
});

test('src/surfaces/vscode holds adapters only: each file uses VS Code at run time, or its wrappers, or is a table', () => {
  // What connects parts, or lists them, does nothing that could be tested elsewhere.
  const tables = [
    'surfaces/vscode/commands/lateCommands.ts',
    'surfaces/vscode/editorHost.ts',
    'surfaces/vscode/panel/connectPanels.ts',
    'surfaces/vscode/reading/editorExports.ts',
  ];
  const vscode =
    /^import (?!type)[^;]*from 'vscode'|^import (?!type)[^;]*from '(?:[./]*\/)?(?:(?:ui|\.)\/(?:notices|pickers|progress|statusItem|textSteps|treeItems|safeMarkdown)|settings)\.js'/m;
  const adapters = filesWith(vscode);
  const others = filesWith(/(?:)/).filter(
    (path) => path.startsWith('surfaces/vscode/') && !adapters.includes(path),
  );
  expect(others.filter((path) => !tables.includes(path))).toEqual([]);
});

test.each([
  ['waits for an abort', /addEventListener\(\s*'abort'/, ['core/abort.ts']],
  ['yields to the event loop', /setImmediate|setTimeout\([^,()]+, 0\)/, ['core/yieldToEventLoop.ts']],
  ['doubles a wait', /\* 2 \*\*/, ['core/backoff.ts']],
  ['looks for the code of an error', /'code' in error\b/, ['core/errorCode.ts']],
  [
    'forgets the oldest entries of a map',
    /for \(const (?:\[?oldest)\b[^)]* of this\.|\.keys\(\)\.next\(/,
    ['query/tokens/loadTokenCounter.ts'],
  ],
])('one place %s, which all others call', (_, pattern, files) => {
  expect(filesWith(pattern)).toEqual(files);
});

test('code is loaded late in one place, apart from the packages of a platform or a format, the library and each subcommand', () => {
  const loading = filesWith(/^(?! *\*|import ).*\bimport\(/m);
  const packages = ['agents/chats/discord/discordClient.ts', 'agents/chats/telegram/telegramConnector.ts'];
  const own = [
    'app/features/features.ts',
    'app/sources/sourceLoaders.ts',
    'app/features/telemetry.ts',
    'app/team/createTeam.ts',
    'archive/archiveConnection.ts',
    ...packages,
    'surfaces/cli/call.ts',
    'surfaces/cli/loaders.ts',
    'export/sharing/sharingPolicy.ts',
    'export/tables/exportTables.ts',
    'extension.ts',
    'library.ts',
    'node/sqlite/readDatabase.ts',
    'search/reader/readerFeatures.ts',
  ];
  expect(loading.sort()).toEqual(own.sort());
});

test('names that were given up for the words of the field do not come back', () => {
  const retired = [
    'PageTeller ModelShelf ModelOffer ModelWish ApprovalDesk ApprovalPrompts Logbooks',
    'OpenLogbook KeptConversation LogbookStore TeamRunner TeamRuns beginRun runtimeParts',
    'EditorChat EmbeddedChat UnsaidTexts breathe giveWay nextTurn hopelessness',
    'WayOn wayOn ReplacedFile AttendedEmitter Attendance Answerer Asker',
    'keepLines KeptIndexes olderLayout giveBack EPARTED toldTokens foreignReach',
    'looseValues judgeDanger dangersOf partlyAsked alwaysAsked quietSubcommands unknownWords',
    'steeringVariables enteredFolders fetchedPrograms namedPlaces lookAtPaths LookedAt whyAsked',
    'Patience memoryFile standingOf PinnedTools ToolPins harmlessly TranscriptMarks LooseMessage spokenMessage',
    'processFamily familyOf livingFamilies dieWithUs BusMemory ChatLane LaneContext withoutSecret torn ETORN',
    'TranscriptFolds RowFold FoldLoop folds tellTokens tellFailure tellEnd tellProblems tellOutcome',
    'prepareScan IndexedThread STUCK thoughtIn StartingCalls? ResentHistory MemoryData',
    'PanelChatParts PreparingParts RuntimeParts TeamSessionParts OpenTelemetryParts TelemetryOutParts',
    'ArchiveReadingParts OpenedFileParts LateModelParts PanelParts TranscriptsViewParts',
    'OldRecordingsParts RowAnswersParts QuestionsMenuParts ChartParts SoakParts CommandParts',
    'ActionParts AnalysisParts ChatParts ContextParts NoteParts PageParts ExportParts CallPlace',
    'SessionPlace WritablePlace RealPlace realPlace NamedPlace FilePlace StorePlace storePlace',
    'MarkedPlace archivedPlaceIn ArchivedPlace PlacedNote NotePlaces placeNotes placedNotes',
    'MessagePlace PLACE_FIELDS FrontendPlace DamagePlace damagePlaces placesIn FindingPlace RowPlace',
    'rowPlace ItemPlace placeAt NextPlace PlacedTranscript ExportPlace PlacedGroup placedByItem',
    'PlacedText PlaceList isSamePlace placeShape InPlace recordsInPlace PLACE_KINDS FedReader',
    'FedFormat ShapeTally ShapeRow ShapeTable shapeText isShapeRow shapeNumbers MessageBus',
    'MessageBuses MessageBusesOptions BusContext MessageBusFrontend MessageBusContext HarmlessCommand',
    'harmlessCommand allCommands wholeRecord wholeRecords FileBeside FilesBeside filesBeside',
    'RolloutBeside wiresBeside trajectoriesBeside tablesBeside TextBeside SpokenBeside GainedBeside',
    'growsBeside takeBeside awaitsBeside growingBeside readBeside ConversationBeside FollowedBeside',
    'ExportsBeside TablesBesideOptions exportTablesBeside ReadRowBeside RowsBeside ReadRowsBeside',
    'ReadBeside ReadLinesBeside ReadRecordBeside RecordsBeside ScanBeside tryBeside pushBeside',
    'AskedToolId AskedConversations AskedRequest AskedExchange AskedQuestion AskedTranscript',
    'AskedSession AskedOfOne AskedArchive AskedLines FoundEntry FoundTool FoundByName',
    'FoundConversations FoundSecret FoundLock FoundRows FoundRow FoundOnce FoundRecords FoundRecord',
    'FoundCall FoundAgent KnownCall KnownRule KnownConversation KnownAhead WaitingPanels',
    'WaitingPanelsOptions WaitingApproval WaitingSpans WaitingApprovals KeptConnection KeptValue',
    'KeptValues KeptFacts KeptAnswers KeptAnswersOptions KeptFiles KeptColumns KeptColumnsOptions',
    'KeptOfFile isKeptOfFile KeptFilter KeptLines fromKept endsAsKept KeptStory KeptQuestion HeldUp',
    'HeldCalls HeldRequests HeldTask HeldPieces HeldImport HeldImports HeldSession HeldTranscript',
    'HeldThread ToldSession ToldAbout ToldRequest ToldDecision ToldEvents ToldUsage ToldColumns',
    'ToldSoFar SaidSoFar SaidOfShapes LeftParts DiscordBus TelegramBus EmbeddedBus BusSession',
    'BusExecutor BusState BusLink BusService BusPlatform LedgerSession LedgerEditor LedgerEntry',
    'LedgerFilter LedgerRow LedgerPage RemoteShare SoleShare ThreadShare ShareSearch ShareThreads',
    'premises \\w+Deps',
  ].join(' ');
  const names = new RegExp(`\\b(?:${retired.replaceAll(' ', '|')})\\b`);
  expect(names.test('new PageTeller()')).toBe(true);
  expect(filesWith(names)).toEqual([]);
});

test('the name of a limit begins with MAX_, and of a time that is not in seconds ends with _MS', () => {
  expect(filesWith(/\bconst (?:MOST|LONGEST|AT_MOST|[A-Z_]+_LIMIT|[A-Z_]+_AT_MOST)\b|\bconst MOST_/)).toEqual(
    [],
  );
  expect(filesWith(/\bconst (?:PATIENCE|BITE|WORTH|REST|[A-Z_]*DELAY) =/)).toEqual([]);
});
