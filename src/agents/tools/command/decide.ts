import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import type { PathGuard } from '../paths/pathGuard.js';
import { allow, ask, type Verdict } from '../verdict.js';
import { checkPaths } from './checkPaths.js';
import { downloadRisk } from './downloadRisk.js';
import { listingVerdict, type ListingVerdict } from './gitListing.js';
import { allowedCommand, type AllowedCommand } from './allowedCommand.js';
import { isWritten, referencedPaths } from './paths.js';
import { namesFilters, runsHooks } from './repository.js';
import { programOf, type CheckedPath, type Words } from './policy/program.js';
import { programs } from './policy/programs.js';
import { risksOf, scriptIn } from './risk.js';
import { readShellTree } from '../../../core/shell/shellTree.js';
import { isSystemFolder, searchPath, SYSTEM_PATH } from '../process/environment.js';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_DEPTH = 4;

/** What is known of a command line by its text alone. */
export type CommandJudgement =
  /** It only looks at these paths; whether they may be looked at is for the path guard to say. */
  | { readonly kind: 'allow'; readonly command: AllowedCommand }
  /** Whoever decides about commands decides. */
  | { readonly kind: 'ordinary' }
  /** A person is asked, whatever the policy says. */
  | { readonly kind: 'ask'; readonly reasons: readonly string[] };

/**
 * Judges a command line by its text alone. Fails closed: what is not understood is never harmless, and what cannot
 * be read to the end must be asked. A command is harmless only if nothing in it is dangerous either.
 */
export function judgeCommand(line: string): CommandJudgement {
  const command = allowedCommand(line);
  // What a harmless command looks at is known, and is looked at one by one.
  const reasons = risksOf(command?.writtenOut ?? line, { pathsKnown: command !== undefined });
  if (reasons.length > 0) return { kind: 'ask', reasons };
  return command ? { kind: 'allow', command } : { kind: 'ordinary' };
}

/** What is known about a command before it runs, with what it names looked at on the disk. */
export type CommandDecision =
  /** It only looks: even the policy `ask` lets it run. `rule` says so in words; `line` is what is run. */
  | { readonly kind: 'allow'; readonly rule: string; readonly line: string; readonly isBuiltin: boolean }
  /** Anything else: for the policy, or for a person where there is a reason. */
  | CommandQuestion;

/** A command that does more than to look. */
export interface CommandQuestion {
  readonly kind: 'question';
  /** Why a person must be asked, whatever the policy says; none where the policy decides. */
  readonly reasons: readonly string[];
  /** What it writes by name, by real path. */
  readonly written: readonly string[];
  /** Whether it runs code of the project: what agents changed there must have been looked at. */
  readonly runsProject: boolean;
}

/** From where a command is judged. */
export interface CommandSite {
  readonly guard: PathGuard;
  /** The folder it runs in. */
  readonly root: string;
  /** The host's `PATH`. */
  readonly path: string;
  /** The environment in which commands run that only look. */
  readonly environment: Readonly<Record<string, string>>;
  /** The real paths of all files that agents have written. */
  readonly writtenByAgents: ReadonlySet<string>;
}

/** Decides what must happen before a command runs. */
export async function decideCommand(site: CommandSite, line: string): Promise<CommandDecision> {
  const { guard, root } = site;
  const judgement = judgeCommand(line);
  if (judgement.kind === 'allow' && (await runsSystemPrograms(site, judgement.command))) {
    const { command } = judgement;
    const verdict = await lookVerdict(site, command);
    if (verdict.kind === 'allow') {
      const { programs: started, line: quiet, isBuiltin } = command;
      return { kind: 'allow', rule: `only looks (${started.join(', ')})`, line: quiet, isBuiltin };
    }
    if (verdict.kind !== 'unknown') {
      return { kind: 'question', reasons: [verdict.reason], written: [], runsProject: false };
    }
  }
  const { reason, used, written } = await referencedPaths(guard, root, line);
  const reasons = [
    ...(judgement.kind === 'ask' ? judgement.reasons : []),
    ...ownWork(used, written, site.writtenByAgents),
    ...(reason === undefined ? [] : [reason]),
    ...reasonOf(await downloadRisk(guard, root, line)),
    ...reasonOf(await packedVerdict(site, line)),
  ];
  const runsProject = runsProjectCode(line) || (await runsHooks(root, line));
  return { kind: 'question', reasons, written, runsProject };
}

/** Whether what a command would look at may be looked at. */
async function lookVerdict(site: CommandSite, command: AllowedCommand): Promise<ListingVerdict> {
  let verdict: ListingVerdict = await checkPaths(site.guard, site.root, command);
  for (const listing of command.listings) {
    if (verdict.kind === 'allow') verdict = await listingVerdict(site, listing);
  }
  return verdict;
}

/** Whether what a command packs into an archive holds secrets; in there nobody would be asked about them. */
async function packedVerdict({ guard, root }: CommandSite, line: string): Promise<Verdict> {
  const commands = readShellTree(line).commands.map(({ words }) => words.map(({ value }) => value ?? ''));
  const packed = commands.flatMap(
    ([name, ...words]) => programs.get(programOf(name) ?? '')?.packs?.(words) ?? [],
  );
  if (packed.length === 0) return allow;
  if (commands.some(([name]) => name === 'cd' || name === 'pushd')) {
    return ask('what it packs is known only when it runs');
  }
  const checked = packed.map((path): CheckedPath => ({ path, what: 'tree' }));
  return checkPaths(guard, root, { entered: [], checked });
}

const reasonOf = (verdict: Verdict): readonly string[] => (verdict.kind === 'allow' ? [] : [verdict.reason]);

/** What it writes itself it may show; running it is another matter, which is looked at where paths are. */
function ownWork(
  used: readonly GuardedPath[],
  written: readonly string[],
  byAgents: ReadonlySet<string>,
): readonly string[] {
  const own = used.find(({ path }) => isWritten(byAgents, path) && !written.includes(path));
  return own ? [`it runs or reads '${own.relative}', which an agent has written`] : [];
}

/**
 * Whether the programs that people may have of their own are the system's here, wherever they are looked for, and git
 * runs no other ones.
 */
async function runsSystemPrograms(
  { guard: { folders }, root, path }: CommandSite,
  { lookedUp, programs: started }: AllowedCommand,
): Promise<boolean> {
  if (started.includes('git') && (await namesFilters(root, [...folders, root]))) return false;
  return areSystemPrograms(lookedUp, path, folders);
}

/** More reasons are counted only. */
const MAX_REASONS = 4;

/**
 * The sentence by which a person is told why a command asks even where everything is approved; undefined where there
 * is no reason. Each reason is told once, whoever has found it.
 */
export function approvalReason(found: readonly (string | undefined)[]): string | undefined {
  const reasons = [...new Set(found.filter((one) => one !== undefined).map((one) => one.replace(/\.$/, '')))];
  if (reasons.length === 0) return undefined;
  const more = reasons.length > MAX_REASONS ? `; and ${reasons.length - MAX_REASONS} more` : '';
  return `This always asks: ${reasons.slice(0, MAX_REASONS).join('; ')}${more}.`;
}

/** Whether a command line starts a program that runs code of the project: scripts, tests, builds, or a file by its name. */
export function runsProjectCode(line: string, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true;
  return readShellTree(line).commands.some(({ words }) => {
    const values = words.map(({ value }) => value);
    const script = scriptIn(values);
    if (script !== undefined) return runsProjectCode(script, depth + 1);
    const wraps = programs.get(programOf(values[0]) ?? '')?.wraps === 'all';
    return [...values.keys()].some((at) => (at === 0 || wraps) && startsProject(values.slice(at), at === 0));
  });
}

/**
 * Whether the first of some words is such a program. Behind a program that starts others it may be one too, by its name
 * alone.
 */
function startsProject([first, ...words]: Words, isFirst: boolean): boolean {
  if (first === undefined) return isFirst;
  const slash = first.lastIndexOf('/');
  if (isFirst && slash >= 0 && !isSystemFolder(first.slice(0, slash))) return true;
  const name = (programOf(first) ?? '').toLowerCase();
  const row =
    programs.get(programOf(first) ?? '') ?? programs.get(name) ?? programs.get(name.replace(/[\d.]+$/, ''));
  const runs = row?.runsProject;
  if (runs === undefined) return false;
  if (words.length === 0) return !row?.shell && row?.code === undefined && name !== '.';
  if (words.length === 1 && /^(-v|-V|--version|-version|-h|--help)$/.test(words[0] ?? '')) return false;
  const subcommand = words.find((word) => word?.startsWith('-') === false);
  return runs === 'always' || subcommand === undefined || !runs.test(subcommand);
}

/**
 * Whether programs of these names are the same ones, or none, in the system's folders and in all where commands are
 * looked for. `path` is the host's variable, `folders` are those of the workspace.
 */
async function areSystemPrograms(
  names: readonly string[],
  path: string,
  folders: readonly string[],
): Promise<boolean> {
  for (const name of names) {
    if (!/^[\w][\w.+-]*$/.test(name)) return false;
    const [own, system] = [await find(name, searchPath(path, folders)), await find(name, SYSTEM_PATH)];
    if (own !== system) return false;
  }
  return true;
}

async function find(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not to be run: the next folder is looked into.
    return false;
  }
}
