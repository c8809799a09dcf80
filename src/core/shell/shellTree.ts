import { forEachChild, parse } from 'unbash';
import type { Command, Redirect, SyntaxNode, Word, WordPart } from 'unbash';

/** A word of a command line. */
export interface ShellWord {
  /** As it is written. */
  readonly text: string;
  /** What the program gets; undefined where that is found out only when it runs. */
  readonly value: string | undefined;
  /** Whether it may become several words, or none, by then. */
  readonly splits: boolean;
}

/** A program that a command line runs, wherever it stands in it. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** Variables that are set, for the shell or for this program alone. */
  readonly assigned: readonly string[];
}

/** Everything that a command line runs, writes and reads, as far as it can be told without running it. */
export interface ShellTree {
  readonly commands: readonly ShellCommand[];
  /** Variables that are set otherwise than before a program: by `for` or `${NAME:=text}`. */
  readonly assigned: readonly string[];
  /** Files alone: a text that stands in the line itself (`<<`, `<<<`) is none of them. */
  readonly redirects: readonly { readonly operator: string; readonly target: ShellWord | undefined }[];
  /** Why it cannot be told; undefined where it can. */
  readonly problem: string | undefined;
}

/** The grammar in which what runs stands in the text. Arithmetic, arrays, functions and their like can run more. */
const understood = new Set(
  (
    'Script Statement CompoundList Pipeline AndOr Command Word Literal SingleQuoted DoubleQuoted AnsiCQuoted ' +
    'SimpleExpansion ParameterExpansion Default Remove Replace CommandExpansion Glob BraceExpansion Redirect ' +
    'FileDescriptor HereDoc HereDocDelimiter HereDocBody HereString Assignment Subshell BraceGroup If Elif For ' +
    'While Case CaseItem Redirected Negation Time'
  ).split(' '),
);

/** What a person knows of the rest. */
const plainNames: ReadonlyMap<string, string> = new Map([
  ['ProcessSubstitution', '<(…)'],
  ['ArithmeticExpansion', '$((…))'],
  ['ArithmeticCommand', '((…))'],
  ['ArithmeticFor', 'for ((…))'],
  ['TestCommand', '[[ … ]]'],
  ['ArrayValue', 'an array'],
  ['Function', 'a function'],
  ['Coproc', 'coproc'],
  ['LocaleString', '$"…"'],
  ['ExtendedGlob', 'a pattern like ?(…)'],
  ['Transform', '${…@…}'],
]);

const MAX_NODES = 20_000;
/** Deeper, nobody has written it by hand, and the stack might not do. */
const MAX_DEPTH = 400;

/** Takes a command line apart. Never throws. */
export function readShellTree(line: string): ShellTree {
  const script = parse(line);
  const commands: ShellCommand[] = [];
  const redirects: { operator: string; target: ShellWord | undefined }[] = [];
  const assigned: string[] = [];
  let problem = script.errors?.[0] && `it cannot be parsed: ${script.errors[0].message}`;
  let nodes = 0;
  let depth = 0;
  const visit = (node: SyntaxNode): void => {
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) {
      problem ??= 'it is too large to be looked through';
      return;
    }
    if (!understood.has(node.type)) {
      problem ??= `it holds what can run more than it says (${plainNames.get(node.type) ?? node.type})`;
    }
    if (node.type === 'ParameterExpansion' && (node.index ?? node.prefix) !== undefined) {
      problem ??= 'it holds what can run more than it says (an indirect variable)';
    }
    if (node.type === 'Assignment' && node.index !== undefined) {
      problem ??= 'it holds what can run more than it says (an index)';
    }
    // In front of `>` it names a variable to bash, but the parser takes it for a word.
    if (node.type === 'Word' && /^\{[A-Za-z_]\w*\[.*\]\}$/s.test(node.text)) {
      problem ??= 'it holds what can run more than it says (an index)';
    }
    if (node.type === 'CommandExpansion' && node.script?.errors?.length) {
      problem ??= `it cannot be parsed: ${node.script.errors[0]?.message ?? ''}`;
    }
    if (node.type === 'For') assigned.push(node.name.text);
    if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
      if (node.operation.operator.endsWith('=')) assigned.push(node.parameter);
    }
    if (node.type === 'Command') commands.push(readCommand(node));
    if (node.type === 'Redirect') redirects.push(readRedirect(node));
    depth++;
    forEachChild(node, visit);
    depth--;
  };
  visit(script);
  return { commands, assigned, redirects, problem };
}

function readCommand(node: Command): ShellCommand {
  const words = node.suffix.filter((part) => part.type === 'Word' || part.type === 'Assignment');
  const assigned = [...node.prefix, ...words].filter((part) => part.type === 'Assignment');
  return {
    words: [...(node.name ? [node.name] : []), ...words].map((part) =>
      part.type === 'Word' ? readWord(part) : { text: part.text, value: undefined, splits: false },
    ),
    assigned: assigned.map(({ name }) => name),
  };
}

const readWord = (word: Word): ShellWord => ({
  text: word.text,
  value: plainValue(word),
  splits: word.parts?.some(canSplit) === true,
});

/** Numbers do not split; `"$@"` does in spite of its quotes. */
const isNumber = /^\$(\{[?#$!]\}|[?#$!])$/;

function canSplit(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.some(({ text }) => /^\$(@|\{[@])/.test(text));
  if (part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion') return !isNumber.test(part.text);
  return !['Literal', 'SingleQuoted', 'AnsiCQuoted'].includes(part.type);
}

function readRedirect({ operator, target }: Redirect): ShellTree['redirects'][number] {
  return { operator, target: target && readWord(target) };
}

/** The text of a word that is the same whenever it is run; undefined where it is found out only then. */
export function plainValue(word: Word): string | undefined {
  if (/^[[\]!]$/.test(word.text)) return word.text;
  if (word.parts === undefined) return /^~|[=:]~/.test(word.text) ? undefined : word.value;
  return word.parts.every(isPlain) ? word.value : undefined;
}

function isPlain(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal');
  if (part.type === 'Literal') return !part.text.startsWith('~');
  return part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
}
