import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { serveHere, type ServingHere } from '../../../app/capture/captureHere.js';
import { isServedExactly, servedWords } from '../../../app/capture/stateWords.js';
import { kindOf } from '../../../app/capture/recordings.js';
import { whyUnread } from '../../../app/sources/whyUnread.js';
import { UserError } from '../../../app/userError.js';
import { onAbort } from '../../../core/abort.js';
import { messageOf } from '../../../core/text.js';
import type { Call } from '../call.js';
import { EXIT } from '../terminal.js';
import { runProgram } from './record.js';

/** Answers a program as a recording has it: one that is named, else whichever is sent there until it is interrupted. */
export async function serve(call: Call): Promise<void> {
  const { words, terminal, out, signal } = call;
  const [name = '', program, ...args] = words;
  const texts = await recordingsAt(resolve(terminal.cwd, name), name);
  const serving = await serveHere(texts, call.number('port') ?? 0).catch((error: unknown) => {
    throw new UserError(`${name} cannot be served: ${messageOf(error)}`);
  });
  try {
    if (program === undefined) {
      for (const [variable, value] of Object.entries(serving.environment))
        await out.say(`export ${variable}=${value}`);
      await out.note('Answering until it is interrupted. Every request that is not recorded is refused.');
      await new Promise<void>((done) => void onAbort(signal, () => done()));
    } else call.endWith(await runProgram(call, program, args, serving.environment));
  } finally {
    await serving.close();
  }
  await tell(call, serving);
}

/** The recordings of a file, or of all files of a folder. */
async function recordingsAt(path: string, name: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [await readFile(path, 'utf8')];
    const names = (await readdir(path)).filter((each) => kindOf(each) === 'requests').sort();
    return await Promise.all(names.map((each) => readFile(join(path, each), 'utf8')));
  } catch (error) {
    throw new UserError(`${name} cannot be read: ${whyUnread(error)}.`);
  }
}

async function tell(call: Call, { state }: ServingHere): Promise<void> {
  const { out } = call;
  for (const line of servedWords(state)) await out.note(out.line(line));
  if (!isServedExactly(state) && call.code === EXIT.done) call.fail();
}
