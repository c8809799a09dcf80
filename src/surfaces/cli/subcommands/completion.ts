import type { Call } from '../call.js';
import { commands } from '../commands.js';
import { completionFor, SHELLS } from '../completion.js';
import { WrongUse } from '../terminal.js';

/** Writes the script that completes words in a shell. */
export async function completion({ words, out }: Call): Promise<void> {
  const shell = SHELLS.find((each) => each === words[0]);
  if (!shell) throw new WrongUse(`Words are completed in ${SHELLS.join(', ')}, not in ${words[0] ?? ''}.`);
  await out.write(completionFor(shell, commands));
}
