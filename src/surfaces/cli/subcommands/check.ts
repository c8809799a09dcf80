import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  checkTest,
  madeExpectations,
  usableExpectations,
  type CheckOptions,
  type TestResult,
} from '../../../app/sources/checkExpectations.js';
import {
  countsOf,
  failureLines,
  findingLine,
  githubAnnotations,
  junitOf,
  type CheckedFile,
} from '../checkReports.js';
import { expectationFiles } from '../../../app/manifest.js';
import { expandedNames } from '../../../app/sources/namedFiles.js';
import { Sources } from '../../../app/sources/sources.js';
import { whyUnread } from '../../../app/sources/whyUnread.js';
import { UserError } from '../../../app/userError.js';
import { silentLog } from '../../../core/ports/log.js';
import { markedPrices } from '../../../search/markedPrices.js';
import type { Call } from '../call.js';
import type { ExpectationTest } from '../../../compare/expectations/expectationWords.js';
import { LiveTests } from '../../../app/runs/runTimes.js';
import { restoreInWorktree } from '../../../app/sources/restoredFiles.js';
import type { Prices } from '../../../core/ports/prices.js';
import { agentsHere } from './replay.js';
import { Approving, budgetOf, openIn } from './run.js';
import { EXIT, WrongUse } from '../terminal.js';

/** Folders in which no files of expectations are looked for. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['node_modules', '.git', '.agent-logbook']);

/** Holds recorded runs to what files expect of them. */
export async function check(call: Call): Promise<void> {
  const { out, terminal } = call;
  const made = call.text('make');
  if (made !== undefined) {
    if (call.words.length > 0) throw new WrongUse('--make writes a file of its own; name no other.');
    await out.write(out.clean(await madeExpectations(made, call.sources, await optionsOf(call))));
    return;
  }
  const names =
    call.words.length > 0
      ? await expandedNames(terminal.cwd, call.words)
      : (await filesBelow(terminal.cwd, '')).sort();
  if (names.length === 0)
    throw new UserError(
      `There is no *${expectationFiles} file here or below; agent-logbook check --make latest writes one.`,
    );
  const options = await optionsOf(call);
  const files = await withLive(call, options.prices, async (live) => {
    const checker = new Checker(call, options, live);
    const found: CheckedFile[] = [];
    for (const name of names) {
      const file = await checker.check(name);
      if (file) found.push(file);
      else if (call.words.length > 0)
        throw new UserError(
          `${name} holds no tests, but mutations: agent-logbook replay --mutations is for these.`,
        );
    }
    await checker.close();
    return found;
  });
  if (files.length === 0) throw new UserError(`There is no test in ${names.join(', ')}.`);
  await report(call, files);
}

async function report(call: Call, files: readonly CheckedFile[]): Promise<void> {
  const { out, terminal } = call;
  const counts = countsOf(files);
  if (call.text('annotations') === 'github')
    for (const line of githubAnnotations(files)) await out.say(out.line(line));
  const junit = call.text('junit');
  if (junit !== undefined) await writeFile(resolve(terminal.cwd, junit), out.clean(junitOf(files)));
  if (out.isJson) await out.tell('check', counts);
  else {
    const { passed, failed, untested, vacuous } = counts;
    await out.say(
      [
        `${passed} passed`,
        `${failed} failed`,
        ...(untested > 0 ? [`${untested} could not be tested`] : []),
        ...(vacuous > 0 ? [`${vacuous} with something vacuous`] : []),
      ].join(', '),
    );
  }
  if (counts.failed > 0) call.endWith(EXIT.notAll);
  else if (counts.untested > 0) call.endWith(EXIT.impossible);
}

async function optionsOf(call: Call): Promise<Omit<CheckOptions, 'sources'>> {
  const { out, signal, terminal, timeZone } = call;
  let agents: ReturnType<typeof agentsHere> | undefined;
  return {
    ...(await markedPrices(call.ownPrices)),
    signal,
    now: terminal.now(),
    timeZone,
    agents: () => (agents ??= agentsHere(call)),
    clean: (text) => out.clean(text),
    isStrict: call.has('strict'),
  };
}

/** Runs the agent of a test, and gives the conversations. */
type RunLive = (test: ExpectationTest) => Promise<readonly string[]>;

/** Checks with agents that are run where tests say so; what is not harmless is asked, or refused and told. */
async function withLive<T>(call: Call, prices: Prices, check: (live?: RunLive) => Promise<T>): Promise<T> {
  const budget = budgetOf(call);
  if (call.has('live') && budget === undefined)
    throw new WrongUse('--live runs agents, which costs money: it needs a --budget.');
  if (!call.has('live')) {
    for (const option of ['budget', 'model', 'endpoint', 'approve'])
      if (call.has(option)) throw new WrongUse(`--${option} is for --live: else no agent is run.`);
    return await check();
  }
  const { terminal, out, signal } = call;
  const notices: string[] = [];
  const application = openIn(call, notices);
  const approving = new Approving(call, application);
  try {
    const { stores, runs, agents } = application;
    const live = new LiveTests({ stores, runs, restoreInWorktree }, budget ?? 0, {
      folder: terminal.cwd,
      prices,
      signal,
      attended: terminal.ask !== undefined,
      onRun: ({ number, of }) => out.progress(`Run ${number} of ${of}`),
    });
    const result = await check(async (test) => await live.run(await agents.invocable(), test));
    await application.close();
    for (const notice of notices) await out.note(notice);
    await approving.tell();
    return result;
  } finally {
    approving.dispose();
    application.dispose();
  }
}

/** Tests files one after the other, those of one folder over the same sessions. */
class Checker {
  readonly #call: Call;
  readonly #options: Omit<CheckOptions, 'sources'>;
  readonly #sources = new Map<string, Sources>();
  readonly #live: RunLive | undefined;

  /** `live`: runs agents for tests, where a person asked for that. */
  constructor(call: Call, options: Omit<CheckOptions, 'sources'>, live?: RunLive) {
    this.#call = call;
    this.#live = live;
    this.#options = options;
  }

  /** Checks the tests of a file; undefined where it holds mutations alone. */
  async check(file: string): Promise<CheckedFile | undefined> {
    const { out, terminal } = this.#call;
    const path = resolve(terminal.cwd, file);
    const results: TestResult[] = [];
    try {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        throw new UserError(`${file} cannot be read: ${whyUnread(error)}.`);
      });
      const { tests, mutations } = usableExpectations(text, file);
      if (tests.length === 0 && mutations.length > 0) return undefined;
      await this.#head(file);
      for (const test of tests) {
        out.progress(`Checking ${test.test.name}`);
        const sources = this.#sourcesOf(dirname(path));
        const run = test.test.over === 'live' ? this.#live : undefined;
        const live =
          run &&
          (async () => {
            const made = await run(test.test);
            sources.forgetLook();
            return made;
          });
        const result = await checkTest(test, { ...this.#options, sources, live });
        results.push(result);
        await this.#tell(file, result);
      }
      return { file, results };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (results.length === 0) await this.#head(file);
      if (out.isJson) await out.tell('problem', { file, message: error.message });
      else
        for (const line of error.message.split('\n'))
          await out.say(`  ${out.style('yellow', '?')} ${out.line(line)}`);
      return { file, results, problem: error.message };
    }
  }

  async #head(file: string): Promise<void> {
    const { out } = this.#call;
    if (!out.isJson) await out.say(out.style('bold', out.line(file)));
  }

  async close(): Promise<void> {
    for (const each of this.#sources.values()) await each.close();
  }

  /** The sessions of a folder: relative paths begin there. */
  #sourcesOf(cwd: string): Sources {
    const { signal, terminal } = this.#call;
    const store = this.#call.text('store');
    const known =
      this.#sources.get(cwd) ??
      new Sources({
        cwd,
        store: store === undefined ? undefined : resolve(terminal.cwd, store),
        stdin: terminal.stdin,
        log: silentLog,
        mayBlock: true,
        holdsRead: true,
        signal,
        // What is lost of a source is told of each run: its test could not be made.
        onProblem: () => undefined,
      });
    this.#sources.set(cwd, known);
    return known;
  }

  async #tell(file: string, result: TestResult): Promise<void> {
    const { out } = this.#call;
    const { name, state, place, runs, ...rest } = result;
    if (out.isJson) {
      await out.tell('test', {
        file,
        line: place.line,
        name,
        state,
        ...rest,
        runs: runs.map(({ session: { id, where }, findings, ...run }) => ({
          session: id,
          where,
          ...run,
          findings: findings.map(({ place: { line }, ...finding }) => ({ line, ...finding })),
        })),
      });
      return;
    }
    const mark = {
      passed: out.style('green', '✓'),
      failed: out.style('red', '✗'),
      untested: out.style('yellow', '?'),
    };
    await out.say(
      `  ${mark[state]} ${out.line(name)}${state === 'passed' ? '' : out.style('dim', ` (line ${place.line})`)}`,
    );
    if (state !== 'passed')
      for (const line of failureLines(result)) await out.say(`      ${out.lines(line)}`);
    for (const { findings } of runs)
      for (const finding of findings)
        if (finding.state === 'vacuous')
          await out.say(out.style('dim', `      vacuous: ${out.line(findingLine(finding))}`));
  }
}

/** The files of expectations in a folder and below, as a person would name them. */
async function filesBelow(root: string, folder: string): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile() && name.endsWith(expectationFiles)) found.push(name);
    else if (entry.isDirectory() && !LEFT_ALONE.has(entry.name)) {
      for (const each of await filesBelow(root, name)) found.push(each);
    }
  }
  return found;
}
