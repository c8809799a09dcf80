import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { features } from '../../../app/features/features.js';
import type { Stores } from '../../../app/services/stores.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import type { PlacedFinding, TestResult } from '../../../app/sources/checkExpectations.js';
import type { AskedTest, CheckThread, RunPlace } from '../../../app/sources/compareThread.js';
import type { RunStarter } from '../../../app/answers/runRequest.js';
import { dollarsIn, estimateCost, estimatesWords, LiveTests } from '../../../app/runs/runTimes.js';
import type { Way, ExpectationTest } from '../../../compare/expectations/expectationWords.js';
import { showInformation, showWarning } from '../ui/notices.js';
import { askForText } from '../ui/pickers.js';
import { UNTRUSTED } from '../../../app/ports/workspace.js';
import { plain, plainLines, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import {
  readExpectations,
  type ExpectationFile,
  type Place,
} from '../../../compare/expectations/expectationFile.js';
import { inLanguage, t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import type { Log } from '../../../core/ports/log.js';
import { messageOf } from '../../../core/text.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { FileEditors } from '../panel/fileEditors.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { fileName } from '../reading/transcriptExport.js';
import { editorSettings, setting } from '../settings.js';
import { ExpectationLanguage } from './expectationLanguage.js';
import { expectationFiles } from '../../../app/manifest.js';

/** What tests by expectations work with. */
export interface ExpectationTestsOptions {
  readonly stores: Stores;
  readonly library: Pick<AgentLibrary, 'agents' | 'invocable'>;
  readonly runs: RunStarter;
  readonly panels: Pick<TranscriptPanels, 'open'>;
  readonly files: Pick<FileEditors, 'show'>;
  readonly log: Log;
}

const FILES = `**/*${expectationFiles}`;
/** A message of a failure that leads to a record, as menus pass it on. */
const LEADS_TO_RECORD = 'agentLogbookRecord';
/** The longest text of a failure, in code points. */
const MAX_SENTENCE = 500;
/** How many messages of failures lead somewhere; the oldest are forgotten. */
const MAX_LEADS = 10_000;

interface KnownFile {
  readonly item: vscode.TestItem;
  readonly uri: vscode.Uri;
  text: string;
  /** Its tests by name; those of before while something is wrong with it. */
  tests: ReadonlyMap<string, ExpectationTest>;
}

/** Runs the agent of a test, and gives the conversations. */
type Live = (test: ExpectationTest) => Promise<readonly string[]>;

type Session = TestResult['runs'][number]['session'];

/** The tests of files of expectations in VS Code's Test Explorer, run over what was recorded. */
export class ExpectationTests implements vscode.Disposable {
  readonly #options: ExpectationTestsOptions;
  readonly #controller: vscode.TestController;
  readonly #registrations: vscode.Disposable;
  readonly #files = new Map<string, KnownFile>();
  /** Where messages of failures lead, by what menus tell of them. */
  readonly #leads = new Map<string, { readonly session: Session; readonly position: number }>();
  readonly #discovering: Promise<unknown>;
  #thread: Promise<CheckThread> | undefined;

  constructor(options: ExpectationTestsOptions) {
    this.#options = options;
    const controller = vscode.tests.createTestController(
      'agentLogbook.expectations',
      t`Expectations of Agents`,
    );
    this.#controller = controller;
    controller.refreshHandler = () => this.#discover();
    controller.createRunProfile(
      t`Check Recorded Runs`,
      vscode.TestRunProfileKind.Run,
      (request, token) =>
        request.continuous === true ? this.#follow(request, token) : this.#run(request, token),
      true,
      undefined,
      true,
    );
    controller.createRunProfile(t`Replay`, vscode.TestRunProfileKind.Run, (request, token) =>
      this.#run(request, token, 'replay'),
    );
    controller.createRunProfile(t`Run Live`, vscode.TestRunProfileKind.Run, (request, token) =>
      this.#run(request, token, 'live'),
    );
    const watcher = vscode.workspace.createFileSystemWatcher(FILES);
    this.#registrations = vscode.Disposable.from(
      controller,
      watcher,
      watcher.onDidCreate((uri) => void this.#read(uri)),
      watcher.onDidChange((uri) => void this.#read(uri)),
      watcher.onDidDelete((uri) => this.#forget(uri)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#files.has(document.uri.toString())) this.#show(document.uri, document.getText());
      }),
      // What was checked is not what is recorded now.
      options.stores.onDidChange(() => controller.invalidateTestResults()),
      new ExpectationLanguage(() =>
        options.stores.knownEntries.flatMap(({ agents: [first] }) => first ?? []),
      ),
    );
    this.#discovering = this.#discover();
  }

  /** Opens the record that the message of a failure is about. */
  async openRecord(argument: unknown): Promise<void> {
    const key = isObject(argument) ? keyOfMessage(argument.test, argument.message) : undefined;
    const lead = key === undefined ? undefined : this.#leads.get(key);
    if (!lead) throw new UserError(t`This message leads to no record any more; run the test again.`);
    const { session, position } = lead;
    if (session.kind === 'stored') this.#options.panels.open(session.id, { position });
    else
      await this.#options.files.show(
        session.where,
        { at: { session: session.id }, what: { position } },
        false,
      );
  }

  /** Writes a file with a test that a run passes, where the person says, and opens it. */
  async make(place: RunPlace, title: string): Promise<void> {
    const text = await (await this.#checking()).make(place);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = (await fileName(title, 'logbook.yaml')) || 'run.logbook.yaml';
    const file = chosen(
      await vscode.window.showSaveDialog({
        title: t`Make a Test of This Run`,
        // Of an ending in two parts, a dialog adds both again.
        filters: { [t`Expectations`]: ['yaml'] },
        ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
      }),
    );
    await vscode.workspace.fs.writeFile(file, Buffer.from(text));
    await vscode.window.showTextDocument(file);
    await this.#read(file);
  }

  dispose(): void {
    this.#registrations.dispose();
    void this.#thread?.then((thread) => thread.dispose());
  }

  async #discover(): Promise<void> {
    const found = await vscode.workspace.findFiles(FILES, '**/node_modules/**');
    const known = new Set(found.map(String));
    for (const { uri } of this.#files.values()) if (!known.has(uri.toString())) this.#forget(uri);
    await Promise.all(found.map((uri) => this.#read(uri)));
  }

  async #read(uri: vscode.Uri): Promise<void> {
    const open = vscode.workspace.textDocuments.find(
      (document) => document.uri.toString() === uri.toString(),
    );
    try {
      this.#show(uri, open?.getText() ?? Buffer.from(await vscode.workspace.fs.readFile(uri)).toString());
    } catch (error) {
      this.#options.log.error(`${uri.fsPath} cannot be read`, error);
      this.#forget(uri);
    }
  }

  #forget(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
    this.#controller.items.delete(uri.toString());
  }

  #show(uri: vscode.Uri, text: string): void {
    const id = uri.toString();
    const known = this.#files.get(id);
    if (known?.text === text) return;
    const item =
      known?.item ?? this.#controller.createTestItem(id, plain(vscode.workspace.asRelativePath(uri)), uri);
    const file = readExpectations(text);
    const tests = new Map(file.tests.map(({ test }) => [test.name, test]));
    this.#files.set(id, { item, uri, text, tests });
    // One of mutations alone is for a replay.
    if (file.problems.length > 0 || file.tests.length > 0) this.#controller.items.add(item);
    else this.#controller.items.delete(id);
    const [problem] = file.problems;
    item.error = problem && plain(t`Line ${problem.line}: ${problem.message}`);
    // What is being typed is not gone.
    if (problem && item.children.size > 0) return;
    item.children.replace(file.tests.map((placed) => this.#itemOf(uri, placed)));
  }

  #itemOf(uri: vscode.Uri, { test, place }: ExpectationFile['tests'][number]): vscode.TestItem {
    const item = this.#controller.createTestItem(`${uri.toString()}#${test.name}`, plain(test.name), uri);
    item.range = rangeOf(place);
    item.description = plain(test.session ?? test.agent ?? test.question ?? '', 60);
    return item;
  }

  /** Checks again whenever a run was recorded, until it is cancelled. */
  #follow(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    let checking: Promise<void> = Promise.resolve();
    let recorded = this.#recorded();
    const following = this.#options.stores.onDidChange(() => {
      const now = this.#recorded();
      if (now === recorded) return;
      recorded = now;
      // A peek that opens by itself would be in the way of whoever writes.
      const again = new vscode.TestRunRequest(request.include, request.exclude, request.profile, true, true);
      checking = checking.then(() => this.#run(again, token));
      checking.catch((error: unknown) =>
        this.#options.log.error('A recorded run could not be checked', error),
      );
    });
    token.onCancellationRequested(() => following.dispose());
  }

  /** Is another text once a further run is over. */
  #recorded(): string {
    return this.#options.stores.knownEntries
      .filter(({ state }) => state !== 'running' && state !== 'waiting')
      .map(({ conversation, runs, endedAt }) => `${conversation} ${runs} ${endedAt}`)
      .sort()
      .join('\n');
  }

  async #run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    over: Way = 'record',
  ): Promise<void> {
    await this.#discovering;
    const items = this.#wanted(request);
    const stopping = new AbortController();
    const listening = token.onCancellationRequested(() => stopping.abort());
    const live = over === 'live' ? await this.#live(items, stopping.signal) : undefined;
    if (over === 'live' && !live) return;
    const run = this.#controller.createTestRun(request);
    try {
      for (const item of items) run.enqueued(item);
      const agents = await this.#options.library.agents();
      for (const [at, item] of items.entries()) {
        if (token.isCancellationRequested) break;
        const how = { agents, replays: over === 'replay', isFirst: at === 0, live };
        await this.#check(run, item, how, stopping.signal);
      }
    } finally {
      listening.dispose();
      run.end();
    }
  }

  /** The tests that are asked for, each once. */
  #wanted({ include, exclude = [] }: vscode.TestRunRequest): readonly vscode.TestItem[] {
    const found = new Set<vscode.TestItem>();
    const add = (item: vscode.TestItem): void => {
      if (exclude.includes(item)) return;
      if (item.parent) found.add(item);
      item.children.forEach(add);
    };
    if (include) include.forEach(add);
    else this.#controller.items.forEach(add);
    return [...found];
  }

  async #check(
    run: vscode.TestRun,
    item: vscode.TestItem,
    { live, ...how }: Pick<AskedTest, 'agents' | 'replays' | 'isFirst'> & { readonly live: Live | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const file = item.parent && this.#files.get(item.parent.id);
    if (!file) return;
    const { uri, text, tests } = file;
    const test = tests.get(item.id.slice(uri.toString().length + 1));
    const isLive = test?.over === 'live';
    if (isLive && live === undefined) {
      // Whoever checks what was recorded has asked for nothing that costs money.
      run.skipped(item);
      return;
    }
    run.started(item);
    try {
      const { root } = await this.#options.stores.storeFor(vscode.workspace.getWorkspaceFolder(uri));
      const name = item.id.slice(uri.toString().length + 1);
      const made = isLive && live ? await live(test) : undefined;
      // What was run just now is not in what was looked at before.
      const isFirst = how.isFirst || made !== undefined;
      const asked = { folder: dirname(uri.fsPath), text, name, store: root, ...how, isFirst, live: made };
      this.#tell(run, item, uri, await (await this.#checking()).check(asked, signal));
    } catch (error) {
      if (signal.aborted) run.skipped(item);
      else run.errored(item, new vscode.TestMessage(plain(messageOf(error), MAX_SENTENCE)));
    }
  }

  /** What runs the agents of tests, as the person says who is told what that may cost; undefined where they leave. */
  async #live(items: readonly vscode.TestItem[], signal: AbortSignal): Promise<Live | undefined> {
    const { library, runs, stores } = this.#options;
    const tests = items.flatMap((item) => {
      const file = item.parent && this.#files.get(item.parent.id);
      const test = file?.tests.get(item.id.slice(file.uri.toString().length + 1));
      return test?.over === 'live' ? [test] : [];
    });
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    if (tests.length === 0 || folder === undefined) {
      void showInformation(words`None of these tests says over: live, so that no agent is run.`);
      return undefined;
    }
    if (!vscode.workspace.isTrusted) {
      void showWarning(plain(inLanguage(UNTRUSTED)));
      return undefined;
    }
    const { loadUsablePrices } = await features.pricing();
    const prices = await loadUsablePrices(setting('prices.file'));
    const estimates: Parameters<typeof estimatesWords>[0][number][] = [];
    for (const { agent = '', runs: count = 1 } of tests)
      estimates.push({ agent, count, estimate: await estimateCost({ stores }, agent, prices, signal) });
    const said = await askForText({
      title: words`Run Live`,
      prompt: plain(
        t`Begin no further run once so many dollars are spent. ${estimatesWords(estimates)}`,
        MAX_SENTENCE,
      ),
      value: '1.00',
      ignoreFocusOut: true,
      validateInput: (text) => (dollarsIn(text) === undefined ? words`An amount, as 2.50.` : undefined),
    });
    if (said === undefined) return undefined;
    const { restoreInWorktree } = await features.comparing();
    const parts = { runs, stores, restoreInWorktree };
    const live = new LiveTests(parts, dollarsIn(said) ?? 0, { folder, prices, signal });
    return async (test) => await live.run(await library.invocable(), test);
  }

  #tell(run: vscode.TestRun, item: vscode.TestItem, uri: vscode.Uri, result: TestResult): void {
    const { state, sentence, runs, tookMs } = result;
    for (const { findings } of runs)
      for (const { state: of, sentence: said, place } of findings)
        if (of === 'vacuous') {
          const line = `${t`vacuous`}: ${plain(said, MAX_SENTENCE)}\r\n`;
          run.appendOutput(line, new vscode.Location(uri, rangeOf(place)), item);
        }
    if (state === 'passed') {
      run.passed(item, tookMs);
      return;
    }
    if (state === 'untested') {
      run.errored(item, new vscode.TestMessage(plain(sentence, MAX_SENTENCE)), tookMs);
      return;
    }
    const messages = runs.flatMap(({ session, findings }) =>
      findings
        .filter((finding) => finding.state === 'failed')
        .map((finding) => this.#messageOf(item, uri, session, finding)),
    );
    const [first] = messages;
    run.failed(item, first ? messages : new vscode.TestMessage(plain(sentence, MAX_SENTENCE)), tookMs);
  }

  #messageOf(
    item: vscode.TestItem,
    uri: vscode.Uri,
    session: Session,
    { sentence, expected, actual, place, position, path }: PlacedFinding,
  ): vscode.TestMessage {
    const text = plain(`${path.join('.')}: ${sentence}`, MAX_SENTENCE);
    const message =
      expected === '' && actual === ''
        ? new vscode.TestMessage(text)
        : vscode.TestMessage.diff(text, plainLines(expected), plainLines(actual));
    message.location = new vscode.Location(uri, rangeOf(place));
    if (position === undefined) return message;
    message.contextValue = LEADS_TO_RECORD;
    const [oldest] = this.#leads.keys();
    if (this.#leads.size >= MAX_LEADS && oldest !== undefined) this.#leads.delete(oldest);
    // A person named it from the folder of the file.
    const where = resolve(dirname(uri.fsPath), session.where);
    this.#leads.set(keyOfMessage(item, message) ?? '', { session: { ...session, where }, position });
    return message;
  }

  #checking(): Promise<CheckThread> {
    return (this.#thread ??= features.comparing().then(
      ({ CheckThread }) =>
        new CheckThread({
          ownPrices: setting('prices.file'),
          policy: sharingPolicyOf(editorSettings),
          log: this.#options.log,
        }),
    ));
  }
}

function keyOfMessage(test: unknown, message: unknown): string | undefined {
  if (!isObject(test) || !isObject(message) || typeof test.id !== 'string') return undefined;
  const { message: said } = message;
  const text = typeof said === 'string' ? said : isObject(said) ? said.value : undefined;
  return typeof text === 'string' ? `${test.id}\n${text}` : undefined;
}

/** A place of a file as VS Code counts it. */
function rangeOf({ line, column, endLine, endColumn }: Place): vscode.Range {
  return new vscode.Range(line - 1, column - 1, endLine - 1, endColumn - 1);
}
