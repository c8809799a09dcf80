/** The names of the subcommands; each has a row in `commands.ts` and a loader in `loaders.ts`. */
export type CommandName =
  | 'list'
  | 'show'
  | 'follow'
  | 'watch'
  | 'query'
  | 'search'
  | 'stats'
  | 'cost'
  | 'timeline'
  | 'tools'
  | 'compare'
  | 'check'
  | 'replay'
  | 'serve'
  | 'blame'
  | 'explain'
  | 'verify'
  | 'export'
  | 'import'
  | 'push'
  | 'record'
  | 'run'
  | 'mcp'
  | 'completion';

/** What an option takes: nothing, a whole number from `least` on, one of some words, or a text. */
export type OptionValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'number'; readonly least: number; readonly name: string }
  | { readonly kind: 'choice'; readonly of: readonly string[]; readonly name: string }
  | { readonly kind: 'text'; readonly name: string; readonly isFile?: true };

/** An option of a command. */
export interface Option {
  /** Without the two dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  readonly value: OptionValue;
  /** What it does, as a sentence without a period. */
  readonly text: string;
  /** The name of another option of the command that says the same: only one of the two may be given. */
  readonly insteadOf?: string;
}

/** A word that a command takes without an option. */
export interface Argument {
  /** In capitals. */
  readonly name: string;
  readonly isOptional?: true;
  /** Whether there may be several. */
  readonly isMany?: true;
  readonly text: string;
  /** The words that it may be, where these are few. */
  readonly of?: readonly string[];
  /** Whether files are proposed for it. */
  readonly isFile?: true;
}

/** A line that a person may type, and what it is for. */
export interface Example {
  readonly line: string;
  readonly text: string;
}

/** A subcommand as it is declared: parsing, help, completion, manual page and documentation are made of it. */
export interface Command {
  readonly name: CommandName;
  /** What it does, as a sentence without a period. */
  readonly summary: string;
  /** More about it, a paragraph each. */
  readonly details: readonly string[];
  readonly args: readonly Argument[];
  readonly options: readonly Option[];
  readonly examples: readonly Example[];
  /** What `--json` writes, a line for each shape; none where there is no such option. */
  readonly shapes: readonly string[];
}
