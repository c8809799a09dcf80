import { resolve } from 'node:path';
import { text as textIn } from 'node:stream/consumers';
import type { Application } from '../../../app/application/openApplication.js';
import { terminalApplication } from '../../../app/terminal/terminalApplication.js';
import { UserError } from '../../../app/userError.js';
import { nearest } from '../../../core/nearest.js';
import { messageOf } from '../../../core/text.js';
import type { PendingApproval } from '../../../app/runs/approvalService.js';
import type { Call } from '../call.js';
import { RunWriter, type RunEnd, type RunEvent } from '../runWriter.js';
import { EXIT, WrongUse } from '../terminal.js';

/** What `--approve` says, as the settings of the editor have it. */
const POLICIES = { ask: 'ask', all: 'approveAll', none: 'rejectAll' } as const;

/** Runs an agent of the workspace, recorded into its store as a run of the editor is. */
export async function run(call: Call): Promise<void> {
  const [name = '', ...words] = call.words;
  const { terminal, out, signal } = call;
  const prompt = await promptOf(call, words);
  const notices: string[] = [];
  const application = openIn(call, notices);
  const approving = new Approving(call, application);
  try {
    const agent = await agentOf(application, name);
    const writer = new RunWriter(out);
    const { conversation, done } = await application.runs.start({
      agent,
      prompt,
      signal,
      attended: terminal.ask !== undefined,
      onEvent: (event: RunEvent) => writer.hear(event),
    });
    const result = await done;
    await writer.settled();
    await application.close();
    for (const notice of notices) await out.note(notice);
    await approving.tell();
    await writer.end(conversation, result);
    call.endWith(codeOf(result));
    await out.note(`Recorded as ${conversation}; agent-logbook show ${conversation} shows it.`);
  } finally {
    approving.dispose();
    application.dispose();
  }
}

async function promptOf({ terminal }: Call, words: readonly string[]): Promise<string> {
  const prompt = words.length === 1 && words[0] === '-' ? await textIn(terminal.stdin()) : words.join(' ');
  if (prompt.trim() === '') throw new WrongUse('run needs a PROMPT; agent-logbook run --help has examples.');
  return prompt;
}

function codeOf({ outcome }: RunEnd): number {
  if (outcome === 'done') return EXIT.done;
  return outcome === 'cancelled' ? EXIT.interrupted : EXIT.notAll;
}

function openIn(call: Call, notices: string[]): Application {
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
      ...endpointOf(call),
    },
    key: terminal.env.OPENAI_API_KEY,
    log: { debug: () => undefined, info: () => undefined, warn: tell, error: tell },
    onNotice: tell,
  });
}

/** The endpoint and the model that were named, as settings. */
function endpointOf(call: Call): { model?: string; endpoints?: readonly Record<string, unknown>[] } {
  const { env } = call.terminal;
  const model = call.text('model');
  const url = call.text('endpoint') ?? env.OPENAI_BASE_URL;
  if (model === undefined) {
    if (call.text('endpoint') === undefined) return {};
    throw new WrongUse('--endpoint needs a model of it: name one with --model.');
  }
  if (url === undefined)
    throw new WrongUse('--model needs its server: name it with --endpoint URL or in OPENAI_BASE_URL.');
  return { model: `endpoint/${model}`, endpoints: [{ name: 'endpoint', url, models: [model] }] };
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
class Approving {
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
