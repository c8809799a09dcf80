import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { relative, resolve } from 'node:path';
import spawn from 'cross-spawn';
import { CaptureHere } from '../../../app/capture/captureHere.js';
import { UserError } from '../../../app/userError.js';
import { errorCode } from '../../../core/errorCode.js';
import { messageOf } from '../../../core/text.js';
import type { Call } from '../call.js';
import { EXIT, WrongUse } from '../terminal.js';

/** Where recordings are put where nothing else is said. */
const USUAL_FOLDER = 'recordings';

/** What is told where no request came. */
const NOTHING_ASKED =
  'Nothing was recorded: the program has asked no model at OPENAI_BASE_URL, ANTHROPIC_BASE_URL or OLLAMA_HOST, and sent no telemetry.';

/** How many recordings are named; all of them are counted. */
const MAX_NAMED = 10;

/** Why a program cannot be started, by the code of the error. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'your user may not run it',
};

/** Runs a program whose requests to models and telemetry are recorded; ends as the program does. */
export async function record(call: Call): Promise<void> {
  const { words, terminal, out } = call;
  const [program, ...args] = words;
  if (program === undefined) throw new WrongUse('record needs a COMMAND.');
  const problems: string[] = [];
  const capture = await CaptureHere.open({
    folder: resolve(terminal.cwd, call.text('into') ?? USUAL_FOLDER),
    environment: terminal.env,
    onProblem: (problem) => problems.push(problem),
  });
  let recordings: readonly string[] = [];
  try {
    call.endWith(await runProgram(call, program, args, capture.environment));
  } finally {
    recordings = await capture.close();
    for (const problem of problems) await out.note(problem);
  }
  if (recordings.length > 0) return tell(call, recordings);
  if (problems.length === 0) return out.note(NOTHING_ASKED);
  // The program has asked, and what it asked is not there.
  await out.note('Nothing was recorded; why is said above.');
  if (call.code === EXIT.done) call.fail();
}

/** Runs a program on this terminal, with variables besides those that it has; gives the code that it ends with, or that of the signal which ended it. */
export async function runProgram(
  { terminal }: Pick<Call, 'terminal'>,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  // Before it is started: it may be running, and somebody may signal, before this process has its turn again.
  let child: ChildProcess | undefined;
  const signals = terminal.takeSignals((signal) => child?.kill(signal));
  try {
    const started = spawn(program, args, {
      cwd: terminal.cwd,
      env: { ...terminal.env, ...environment },
      stdio: 'inherit',
    });
    child = started;
    return await new Promise<number>((done, failed) => {
      started.once('error', failed);
      started.once('exit', (code, signal) => {
        done(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
  } catch (error) {
    const why = REASONS[errorCode(error)] ?? messageOf(error);
    throw new UserError(`${program} cannot be started: ${why}.`);
  } finally {
    signals.dispose();
  }
}

async function tell({ out, terminal }: Call, recordings: readonly string[]): Promise<void> {
  for (const path of recordings.slice(0, MAX_NAMED)) {
    const name = relative(terminal.cwd, path);
    await out.note(`Recorded in ${name}; agent-logbook show ${name} shows it.`);
  }
  const more = recordings.length - MAX_NAMED;
  if (more > 0) await out.note(`${more} more recordings are beside it.`);
}
