import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as textIn } from 'node:stream/consumers';
import type { Application } from '../../../app/application/openApplication.js';
import { endsWell, terminalApplication } from '../../../app/terminal/terminalApplication.js';
import { foundByName } from '../../../app/sources/nameMatch.js';
import {
  dollarsIn,
  estimateCost,
  estimateWords,
  runTimes,
  startIn,
  stoppedWords,
  type TimesResult,
} from '../../../app/runs/runTimes.js';
import { restoreInWorktree, worktreeBehind, type RestoredTree } from '../../../app/sources/restoredFiles.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { formatCount } from '../../../app/text/format.js';
import { UserError } from '../../../app/userError.js';
import { formatCost, isKnownCost } from '../../../core/cost.js';
import { loadUsablePrices } from '../../../query/pricing/loadPrices.js';
import { compareNamed } from './compare.js';
import { nearest } from '../../../core/nearest.js';
import { messageOf, preview, singleLine } from '../../../core/text.js';
import type { PendingApproval } from '../../../app/runs/approvalService.js';
import type { Call } from '../call.js';
import { EXIT, WrongUse } from '../terminal.js';
import type { RunRequest, StartedRun } from '../../../app/answers/runRequest.js';
import { formatDuration } from '../../../core/duration.js';
import type { Output } from '../output.js';

/** Something that happens in a run. */
type RunEvent = Parameters<NonNullable<RunRequest['onEvent']>>[0];
/** How a run ended. */
type RunEnd = Awaited<StartedRun['done']>;

/** How much of a task or a result is shown on its line. */
const SHOWN = 160;

/** Writes what happens in a run: for people what the agents do, on standard error, and the answer; for programs each as JSON. */
export class RunWriter {
  readonly #out: Output;
  #writing: Promise<void> = Promise.resolve();

  constructor(out: Output) {
    this.#out = out;
  }

  /** Writes something that has happened, behind what came before. */
  hear(event: RunEvent): void {
    this.#then(() => this.#write(event));
  }

  /** Writes a line for people. */
  say(words: string): void {
    this.#then(() => this.#out.note(words));
  }

  #then(write: () => Promise<void>): void {
    this.#writing = this.#writing.then(write);
    // Whoever waits for the end is told.
    this.#writing.catch(() => undefined);
  }

  /** Resolves when all is written; rejects as writing does. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /** Writes how the run ended. */
  async end(conversation: string, { outcome, text, error }: RunEnd): Promise<void> {
    const out = this.#out;
    const reason = error?.message;
    if (out.isJson) {
      await out.tell('result', {
        session: conversation,
        outcome,
        text,
        ...(reason !== undefined && { reason }),
      });
      return;
    }
    if (text !== '') await out.say(out.lines(text));
    await out.flush();
    if (outcome !== 'done')
      await out.note(`The run ended as ${outcome}${reason === undefined ? '' : `: ${reason}`}`);
  }

  async #write(event: RunEvent): Promise<void> {
    const out = this.#out;
    const told = toldOf(event);
    if (!told) return;
    const [kind, fields, words] = told;
    if (out.isJson) await out.tell(kind, { agent: event.place.agent, ...fields });
    else if (words !== undefined) await out.note(words);
  }
}

/** What is told of an event: its kind and fields for programs, and a line for people; undefined: nothing. */
function toldOf(event: RunEvent): readonly [kind: string, fields: object, words?: string] | undefined {
  const { agent } = event.place;
  switch (event.type) {
    case 'runStart':
      return ['run', { model: event.model, prompt: event.prompt }];
    case 'toolEnd': {
      const { toolName: tool, isError, durationMs } = event;
      const words = `${agent}: ${tool}${isError ? ' failed' : ''} (${formatDuration(durationMs)})`;
      return ['tool', { tool, isError, durationMs }, words];
    }
    case 'dispatchStart': {
      const { target: to, task } = event;
      return ['dispatch', { to, task }, `${agent} → ${to}: ${preview(singleLine(task), SHOWN)}`];
    }
    case 'dispatchResult': {
      const { target: to, result } = event;
      return ['dispatched', { to, result }, `${to}: ${preview(singleLine(result), SHOWN)}`];
    }
    case 'dispatchFailure': {
      const { target: to, reason: failure } = event;
      return ['dispatched', { to, failure }, `${to} failed: ${failure}`];
    }
    case 'retry': {
      const { attempt, reason } = event;
      return ['retry', { attempt, reason }, `${agent}: another try, because ${reason}`];
    }
    default:
      return undefined;
  }
}

/** What `--approve` says, as the settings of the editor have it. */
const POLICIES = { ask: 'ask', all: 'approveAll', none: 'rejectAll' } as const;

/** Runs an agent of the workspace, recorded into its store as a run of the editor is. */
export async function run(call: Call): Promise<void> {
  const [name = '', ...words] = call.words;
  const { terminal, out, signal } = call;
  if (call.has('times') || call.has('models')) {
    await runOften(call, name, words);
    return;
  }
  if (call.has('worktree') && call.text('fork') === undefined)
    throw new WrongUse('--worktree is for a run that goes on from another one: add --fork and --at.');
  for (const option of ['verify', 'budget', 'prices'])
    if (call.has(option)) throw new WrongUse(`--${option} is for several runs: add --times or --models.`);
  const fork = forkOf(call);
  const prompt = await promptOf(call, words, fork !== undefined);
  const text = await saidInstead(call);
  const notices: string[] = [];
  const application = openIn(call, notices);
  const approving = new Approving(call, application);
  try {
    const agent = await agentOf(application, name);
    const from = fork && { ...fork, conversation: await originOf(application, fork.conversation), ...text };
    const tree = from && call.has('worktree') ? await worktreeFor(call, application, from) : undefined;
    const writer = new RunWriter(out);
    const request = {
      agent,
      prompt,
      ...(from && { from }),
      signal,
      attended: terminal.ask !== undefined,
      onEvent: (event: RunEvent) => writer.hear(event),
    };
    const { runs } = application;
    const { conversation, done } = await (tree ? startIn(tree, runs, request) : runs.start(request));
    const result = await done;
    await writer.settled();
    await application.close();
    for (const notice of notices) await out.note(notice);
    await approving.tell();
    await writer.end(conversation, result);
    call.endWith(codeOf(result));
    if (tree) await out.note(`Its files are in ${tree.folder}.`);
    await out.note(`Recorded as ${conversation}; agent-logbook show ${conversation} shows it.`);
  } finally {
    approving.dispose();
    application.dispose();
  }
}

/** Gives a task to an agent several times, and puts the runs side by side. */
async function runOften(call: Call, name: string, words: readonly string[]): Promise<void> {
  const { terminal, out, signal } = call;
  if (forkOf(call)) throw new WrongUse('--fork goes on once: leave out --times and --models.');
  const prompt = await promptOf(call, words, false);
  const models = modelsOf(call);
  const [verify, budget] = [call.text('verify'), budgetOf(call)];
  const notices: string[] = [];
  const application = openIn(call, notices);
  const approving = new Approving(call, application);
  try {
    const agent = await agentOf(application, name);
    const prices = await loadUsablePrices(call.ownPrices);
    const times = call.number('times') ?? 1;
    const count = times * Math.max(1, models.length);
    const estimate = await estimateCost(application, agent.name, prices, signal);
    await out.note(estimateWords(estimate, count));
    if (!(await isMeant(call, count, budget))) return;
    const writer = new RunWriter(out);
    const result = await runTimes(
      { ...application, restoreInWorktree },
      {
        agent,
        prompt,
        times,
        models: models.map((model) => `endpoint/${model}`),
        folder: terminal.cwd,
        prices,
        budget,
        signal,
        attended: terminal.ask !== undefined,
        ...(verify !== undefined && {
          verifiedBy: verify,
          verify: (folder) =>
            endsWell(verify, { folder, env: terminal.env, signal, onLine: (line) => out.note(line) }),
        }),
        onRun: ({ number, of, model }) =>
          writer.say(`Run ${number} of ${of}${model === '' ? '' : ` by ${model.replace('endpoint/', '')}`}`),
        onEvent: (event: RunEvent) => writer.hear(event),
      },
    );
    await writer.settled();
    await application.close();
    for (const notice of notices) await out.note(notice);
    await approving.tell();
    await tellTimes(call, result);
  } finally {
    approving.dispose();
    application.dispose();
  }
}

async function tellTimes(call: Call, { runs, cost, stopped, error }: TimesResult): Promise<void> {
  const { out } = call;
  for (const { conversation, folder, model, result, passed } of runs) {
    const { outcome } = result;
    const about = { session: conversation, outcome, folder, ...(passed !== undefined && { passed }) };
    if (out.isJson) await out.tell('result', { ...about, ...(model !== '' && { model }) });
    else {
      const said = passed === undefined ? '' : passed ? ', passed' : ', did not pass';
      await out.note(`${conversation}: ${outcome}${said}; its files are in ${folder}`);
    }
    if (outcome !== 'done' || passed === false) call.fail();
  }
  const amount = formatCost(cost);
  if (amount !== '') await out.note(isKnownCost(cost) ? `It cost ${amount}.` : 'What it cost is not known.');
  if (stopped) await out.note(stoppedWords(stopped));
  if (runs.length > 1)
    await compareNamed(
      call,
      runs.map(({ conversation }) => conversation),
    );
  if (stopped === 'cancelled') call.endWith(EXIT.interrupted);
  else if (stopped) call.fail();
  // What ran until then was paid for, and is told first.
  if (error !== undefined) throw error;
}

/** Whether the person at the terminal wants what it costs; a budget, or nobody there, says so. */
async function isMeant(
  { terminal, signal }: Call,
  count: number,
  budget: number | undefined,
): Promise<boolean> {
  if (!terminal.ask || budget !== undefined) return true;
  const said = await terminal.ask(`Begin ${formatCount(count, 'run')}? [y]es or no: `, signal);
  return /^y(?:es)?$/i.test(said.trim());
}

function modelsOf(call: Call): readonly string[] {
  const named = (call.text('models') ?? '').split(',').map((each) => each.trim());
  return named.filter((each) => each !== '');
}

/** The dollars that may be spent; undefined where nothing is said. */
export function budgetOf(call: Call): number | undefined {
  const text = call.text('budget');
  if (text === undefined) return undefined;
  const amount = dollarsIn(text);
  if (amount === undefined) throw new WrongUse(`--budget is an amount of dollars, as 2.50; ${text} is none.`);
  return amount;
}

/** A worktree with the files as they were behind a message of a conversation; what cannot be put back is told. */
async function worktreeFor(
  { terminal, out, signal }: Call,
  { stores }: Application,
  { conversation, seq }: { readonly conversation: string; readonly seq: number },
): Promise<Pick<RestoredTree, 'folder' | 'remove'>> {
  const { store } = await stores.find(conversation);
  const { told, ...tree } = await withTranscript(store, conversation, (transcript) =>
    worktreeBehind(transcript, seq, terminal.cwd, signal),
  );
  for (const each of told) await out.note(each);
  return tree;
}

/** The message that is gone on from, where one is named. Throws `WrongUse` where only a part of it is. */
function forkOf(call: Call): { readonly conversation: string; readonly seq: number } | undefined {
  const [conversation, at] = [call.text('fork'), call.text('at')];
  if (conversation === undefined && at === undefined && call.text('text') === undefined) return undefined;
  if (conversation === undefined || at === undefined)
    throw new WrongUse('--fork SESSION and --at MESSAGE go together: they name what the run goes on from.');
  if (!/^[1-9]\d{0,14}$/.test(at))
    throw new WrongUse(`--at is the number of a message, as show --json has it in seq; ${at} is none.`);
  return { conversation, seq: Number(at) };
}

/** What the message says instead, where a file has it. */
async function saidInstead(call: Call): Promise<{ readonly text?: string }> {
  const path = call.text('text');
  if (path === undefined) return {};
  try {
    return { text: await readFile(resolve(call.terminal.cwd, path), 'utf8') };
  } catch (error) {
    throw new UserError(`--text ${path} cannot be read: ${messageOf(error)}`);
  }
}

/** The id of a recorded conversation of this folder: its own, or that of the newest for `latest`. */
async function originOf({ stores }: Application, name: string): Promise<string> {
  const all = (await stores.conversations()).map(({ entry }) => entry).filter((entry) => entry.recordedHere);
  const { found } = foundByName(all, name, ({ conversation }) => conversation);
  if (found) return found.conversation;
  throw new UserError(
    `There is no run ${name} recorded in this folder; agent-logbook list names those there are.`,
  );
}

async function promptOf({ terminal }: Call, words: readonly string[], mayBeNone: boolean): Promise<string> {
  const prompt = words.length === 1 && words[0] === '-' ? await textIn(terminal.stdin()) : words.join(' ');
  if (prompt.trim() === '' && mayBeNone) return '';
  if (prompt.trim() === '') throw new WrongUse('run needs a PROMPT; agent-logbook run --help has examples.');
  return prompt;
}

function codeOf({ outcome }: RunEnd): number {
  if (outcome === 'done') return EXIT.done;
  return outcome === 'cancelled' ? EXIT.interrupted : EXIT.notAll;
}

/** The application of the folder, with what the options say; what it tells is noted. */
export function openIn(call: Call, notices: string[]): Application {
  const { terminal } = call;
  const asked = call.text('approve');
  const policy = asked === 'all' || asked === 'none' ? POLICIES[asked] : POLICIES.ask;
  const store = call.text('store');
  const tell = (message: string, error?: unknown) =>
    void notices.push(error === undefined ? message : `${message}: ${messageOf(error)}`);
  return terminalApplication({
    folder: terminal.cwd,
    settings: {
      approvals: policy,
      verbosity: 1,
      ...(store !== undefined && { storePath: resolve(terminal.cwd, store) }),
      ...(call.has('no-seals') && { 'recording.more': { seals: false } }),
      ...endpointOf(call),
    },
    key: terminal.env.OPENAI_API_KEY,
    log: { debug: () => undefined, info: () => undefined, warn: tell, error: tell },
    onNotice: tell,
  });
}

/** The endpoint and the models that were named, as settings. */
function endpointOf(call: Call): { model?: string; endpoints?: readonly Record<string, unknown>[] } {
  const { env } = call.terminal;
  const models = modelsOf(call);
  const model = call.text('model') ?? models[0];
  const url = call.text('endpoint') ?? env.OPENAI_BASE_URL;
  if (model === undefined) {
    if (call.text('endpoint') === undefined) return {};
    throw new WrongUse('--endpoint needs a model of it: name one with --model.');
  }
  if (url === undefined)
    throw new WrongUse('--model needs its server: name it with --endpoint URL or in OPENAI_BASE_URL.');
  return {
    model: `endpoint/${model}`,
    endpoints: [{ name: 'endpoint', url, models: models.length > 0 ? models : [model] }],
  };
}

async function agentOf({ agents }: Application, name: string) {
  const all = await agents.invocable();
  const found = all.find((agent) => agent.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const names = all.map((agent) => agent.name);
  if (names.length === 0)
    throw new UserError('There is no agent here; agents are files in .github/agents, as docs/guide.md says.');
  const [meant] = nearest(name, names);
  throw new UserError(
    meant === undefined
      ? `There is no agent ${name}; there are ${names.join(', ')}.`
      : `There is no agent ${name}; did you mean ${meant}?`,
  );
}

/** Asks the person at the terminal; where there is none, what would have to be asked is refused and counted. */
export class Approving {
  readonly #call: Call;
  readonly #application: Application;
  readonly #following: { dispose(): void };
  /** Questions are asked one after the other. */
  #asking: Promise<void> = Promise.resolve();
  #refused = 0;

  constructor(call: Call, application: Application) {
    this.#call = call;
    this.#application = application;
    this.#following = application.approvals.onDidChange(({ kind, ...waiting }) => {
      if (kind === 'asked') this.#asking = this.#asking.then(() => this.#answer(waiting));
    });
  }

  async tell(): Promise<void> {
    if (this.#refused === 0) return;
    const what = this.#refused === 1 ? '1 action was' : `${this.#refused} actions were`;
    await this.#call.out.note(
      `${what} refused, because nobody could be asked; run it at a terminal, or with --approve all.`,
    );
  }

  dispose(): void {
    this.#following.dispose();
  }

  async #answer({ prompt }: PendingApproval): Promise<void> {
    const { approvals } = this.#application;
    const { out, terminal } = this.#call;
    if (!terminal.ask) {
      this.#refused++;
      approvals.answer(prompt.id, { approved: false, reason: 'Nobody can be asked here.' });
      return;
    }
    const { title, subject, call } = prompt.request;
    try {
      await out.note(`${call.agent} wants to: ${title}`);
      const said = await terminal.ask(
        `${out.lines(subject)}\n[y]es, [a]lways, or no and why: `,
        prompt.request.signal,
      );
      const word = said.trim().toLowerCase();
      const isAlways = word === 'a' || word === 'always';
      const approved = isAlways || word === 'y' || word === 'yes';
      const isWordless = approved || word === '' || word === 'n' || word === 'no';
      approvals.answer(prompt.id, {
        approved,
        ...(isAlways && { remember: true }),
        ...(!isWordless && { reason: said.trim() }),
      });
    } catch {
      // The run ended first, or nobody is there any more: what cannot be asked is refused.
      approvals.answer(prompt.id, { approved: false });
    }
  }
}
