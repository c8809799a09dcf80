import type { Verdict } from '../../verdict.js';

/** The words behind a program's name, as far as they are known; undefined for one that is known only when it runs. */
export type Words = readonly (string | undefined)[];

/** What a program's words say about it. */
export type WordRule = (words: Words) => Verdict;

/** A path that a command which only looks will look at. */
export interface CheckedPath {
  /** With `pattern`, a star in its last name stands for any text. */
  readonly path: string;
  /** `tree`: the contents of everything in it, but for folders of the names `without`. */
  readonly what: 'contents' | 'names' | 'tree';
  readonly pattern?: true;
  readonly without?: readonly string[];
  /** Whether files like `.gitignore` can bring those folders back. */
  readonly heedsIgnoreFiles?: true;
}

/** What only git can list: the names of files whose contents a call shows, or the addresses that it shows. */
export interface GitListing {
  readonly git: readonly string[];
  readonly lists: 'names' | 'addresses';
  /** Names that must be commits or files: of anything else git would show a content whose name nobody knows. */
  readonly commits?: readonly string[];
}

/** What a call that only looks will look at. */
export type Look = CheckedPath | GitListing;

/** What the operands of a program are. */
export type OperandKind =
  /** Files whose content it shows. */
  | 'contents'
  /** Files and folders of which it shows names and sizes. */
  | 'names'
  /** Texts that are no files. */
  | 'texts'
  /** There may be none. */
  | 'none';

/**
 * A program that, called with these flags and no other, neither writes, runs, sends nor asks anything.
 * A flag that is missing here is one that does, or one nobody has looked at.
 */
export interface ReadOnlyProgram {
  readonly operands: OperandKind;
  /** Operands before those of `operands` that are texts, like the pattern of grep. */
  readonly textsFirst?: number;
  readonly maxOperands?: number;
  /** Letters that stand alone. */
  readonly letters?: string;
  /** Letters that take a text. */
  readonly valueLetters?: string;
  /** Value letters that take the place of the first text, like -e of grep. */
  readonly textLetters?: string;
  readonly long?: readonly string[];
  readonly longValues?: readonly string[];
  /** Long flags whose value can only stand behind `=`. */
  readonly longOptional?: readonly string[];
  /** Whether it reads its flags in a way of its own: a letter that takes a text must be the whole word. */
  readonly apart?: true;
  /** Operands that are not what they look like. */
  readonly refused?: RegExp;
  /** The letter by which it reads everything in a folder; its long name is `--recursive`. */
  readonly treeLetter?: string;
  /** Whether `-20` means a number. */
  readonly numbers?: boolean;
}

/** Words that make a program ask. */
export interface RiskyWord {
  /** An unknown word is taken for `-`. */
  readonly word: RegExp;
  readonly reason: string;
}

/**
 * Everything that is known of one program. A program without a row is not known, and asks; an empty row says that it works
 * on the files it is given, and nothing else.
 */
export interface Program {
  /** With these flags it only looks, as a table says it. */
  readonly reads?: ReadOnlyProgram;
  /** What a call looks at, where no table can say it; undefined where it may do more. */
  readonly looks?: (words: readonly string[]) => readonly Look[] | undefined;
  /** Why it asks whatever its words are. */
  readonly confirm?: string;
  /** Words with which it is for the policy in spite of `confirm`. */
  readonly unless?: (words: readonly string[]) => boolean;
  /** The subcommands with which it works on the project alone; every other one asks. */
  readonly safeSubcommands?: RegExp;
  /** What its words say, where no field can. */
  readonly rule?: WordRule;
  /** Flags and subcommands by which it runs another program, loads code or writes elsewhere. */
  readonly riskyFlags?: RegExp;
  readonly riskyWords?: readonly RiskyWord[];
  /** Whether a first word can be the name of a script, which says what it does. */
  readonly runsScripts?: true;
  /** Flags by which an interpreter is given code in its words. */
  readonly code?: RegExp;
  /** Whether it is a shell: it reads a script, from its words, a file or its input. */
  readonly shell?: true;
  /** Behind which word the rest is a command of its own: `all` is behind its name. */
  readonly wraps?: 'all' | RegExp;
  /** Whether a program that it starts is looked for in the project first. */
  readonly startsOfProject?: true;
  /** Behind which word another program stands that must be known, too. */
  readonly starts?: RegExp;
  /** What it can lose at once; asked about wherever in a command its name stands. */
  readonly loses?: WordRule;
  /** Whether people have it of their own, in other versions or as a script that chooses one by files of the folder. */
  readonly isVaried?: true;
  /** Whether it records or shows what it names: the name of a protected file is no news then. */
  readonly mentions?: true;
  /** Whether it writes nothing and shows no contents, so that a word may be known only when it runs. */
  readonly anyWords?: boolean;
  /** Flags behind which it reads its settings from a file, which it never writes. */
  readonly settingsFlags?: RegExp;
  /** Flags with which it only checks the files that it is given; `--write` and `--fix` are none of them. */
  readonly checksWith?: RegExp;
  /** The folders that it packs into an archive, which nobody can read like a file then. */
  readonly packs?: (words: readonly string[]) => readonly string[];
  /** Whether it runs code of the project, but for these subcommands. */
  readonly runsProject?: 'always' | RegExp;
}

/** Rows of a table: programs of one family with what is known of them. */
export type ProgramRows = readonly (readonly [names: string, program: Program])[];

/** Whether a path means the same for the program as for us: `..` behind a link does not. */
export function isPlainPath(path: string): boolean {
  return path !== '' && !path.split('/').includes('..');
}

/** The name of a program without its folder; undefined where it is known only when it runs. */
export function programOf(word: string | undefined): string | undefined {
  return word?.slice(word.lastIndexOf('/') + 1);
}
