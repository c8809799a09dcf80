import { errorCode } from '../../core/errorCode.js';
import { nearest } from '../../core/nearest.js';
import { messageOf } from '../../core/text.js';
import { visibleLine } from '../../core/visibleText.js';
import type { Command } from './command.js';
import { commands } from './commands.js';
import { helpOf, helpOfAll } from './help.js';
import { loadCall, loaders } from './loaders.js';
import { parseArguments } from './parseArguments.js';
import { foldLines } from './styles.js';
import { ClosedPipe, columnsBeside, columnsOf, EXIT, WrongUse, type Terminal } from './terminal.js';

/** How wide help is at most, in columns. */
const HELP_COLUMNS = 100;

/** What the failures of writing are called, by their codes. */
const WRITING: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EIO: 'the device reports an error',
};

/** Runs the command line: what the words ask for, with an exit code. Never rejects. */
export async function runCommandLine(terminal: Terminal): Promise<number> {
  try {
    return await run(terminal);
  } catch (error) {
    if (terminal.signal.aborted) return EXIT.interrupted;
    if (error instanceof ClosedPipe) return EXIT.done;
    const told = foldLines(`agent-logbook: ${visibleLine(wordsOf(error))}`, columnsBeside(terminal));
    await terminal.err.write(`${told}\n`).catch(() => undefined);
    return EXIT.impossible;
  }
}

async function run(terminal: Terminal): Promise<number> {
  const [word = '--help', ...rest] = terminal.args;
  const columns = Math.min(HELP_COLUMNS, columnsOf(terminal) ?? HELP_COLUMNS);
  if (word === '--version' || word === '-V') return done(terminal.out.write(`${terminal.version}\n`));
  if (word === '--help' || word === '-h' || word === 'help') {
    const [about] = rest;
    const text = about === undefined ? helpOfAll(commands, columns) : helpOf(commandOf(about), columns);
    return done(terminal.out.write(foldLines(text, columnsOf(terminal))));
  }
  const command = commandOf(word);
  const args = parseArguments(command, rest);
  if (args.values.has('help'))
    return done(terminal.out.write(foldLines(helpOf(command, columns), columnsOf(terminal))));
  const [Call, work] = await Promise.all([loadCall(), loaders[command.name]()]);
  const call = await Call.open(terminal, args);
  try {
    await work(call);
    await call.tellTroubles();
    await call.out.flush();
  } catch (error) {
    // What was written before stays true.
    if (error instanceof ClosedPipe) return call.code;
    await call.out.flush();
    await call.tellTroubles();
    throw error;
  } finally {
    await call.sources.close();
  }
  terminal.signal.throwIfAborted();
  return call.code;
}

async function done(written: Promise<void>): Promise<number> {
  await written;
  return EXIT.done;
}

function commandOf(word: string): Command {
  const found = commands.find(({ name }) => name === word);
  if (found) return found;
  if (word.startsWith('-')) {
    const [option] = nearest(word, ['--version', '--help']);
    throw new WrongUse(
      option === undefined
        ? `A command comes first, and ${word} is none; agent-logbook --help lists them.`
        : `There is no option ${word} before a command; did you mean ${option}?`,
    );
  }
  const [meant] = nearest(
    word,
    commands.map(({ name }) => name),
  );
  throw new WrongUse(
    meant === undefined
      ? `There is no command ${word}; agent-logbook --help lists them. A file is shown with agent-logbook show FILE.`
      : `There is no command ${word}; did you mean ${meant}?`,
  );
}

/** A failure on one line. */
function wordsOf(error: unknown): string {
  const full = WRITING[errorCode(error)];
  return full === undefined ? messageOf(error) : `What was found could not be written: ${full}.`;
}
