import { t } from '../../core/l10n.js';
import { quoted } from './scanner.js';
import { shown, type RawValue } from './values.js';

/** What is wrong with the name of a program. */
export interface ProgramProblem {
  readonly message: string;
  /** A term to write instead, or a value of the same term. */
  readonly term?: string;
  readonly value?: string;
}

/** Says why a value behind `command:` can be no program that is run; undefined where it may be one. */
export function programProblem({ text, operator }: RawValue): ProgramProblem | undefined {
  if (operator === '' && /\s/.test(text)) {
    const term = `args.command:${quoted(text)}`;
    const message = t`command: takes the name of a program alone. To look for more of a command line, write ${shown(term)}; if there is a blank in the name itself, command:=${shown(quoted(text))}.`;
    return { message, term };
  }
  if (!text.endsWith('/')) return undefined;
  const [, name] = /^\/?([\w.+-]+)\/$/.exec(text) ?? [];
  const message = t`command: takes the name of a program, also with its folder, such as rm or /bin/rm; this ends with a slash. It takes no pattern, but \`*\` stands for any characters.`;
  return { message, ...(name !== undefined && { value: name }) };
}
