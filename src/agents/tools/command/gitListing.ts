import { execFile } from 'node:child_process';
import type { PathGuard } from '../paths/pathGuard.js';
import { readRule } from '../paths/protectedPaths.js';
import { SYSTEM_PATH } from '../process/environment.js';
import { allow, ask } from '../verdict.js';
import type { Verdict } from '../verdict.js';
import type { GitListing } from './policy/program.js';

/** Longer lists are not read, in bytes, and git is not waited for any longer, in milliseconds. */
const MAX_BYTES = 2_000_000;
const MAX_MS = 10_000;

/** What is known of what a call of git shows; `unknown`: git does not say, so that it is no mere look. */
export type ListingVerdict = Verdict | { readonly kind: 'unknown' };

const unknown: ListingVerdict = { kind: 'unknown' };

/** From where git is asked. */
export interface GitSite {
  readonly guard: PathGuard;
  readonly root: string;
  /** The environment in which commands run that only look. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Whether what a call of git shows must be asked about: one of the files may hold secrets, or a password stands in an
 * address. git itself lists them, in the environment in which it runs nothing else.
 */
export async function listingVerdict(
  site: GitSite,
  { git, lists, commits = [] }: GitListing,
): Promise<ListingVerdict> {
  const listed = await output(site, git);
  if (listed === undefined) return unknown;
  if (lists === 'addresses') {
    return /:\/\/[^/\s@]*:[^/\s@]*@|https?:\/\/[^/\s@]+@/i.test(listed.text)
      ? ask('a password may stand in the address of a remote')
      : allow;
  }
  for (const name of commits) if (await isOtherObject(site, name)) return unknown;
  const end = git.indexOf('--');
  const operands = new Set((end < 0 ? git : git.slice(0, end)).filter((word) => !word.startsWith('-')));
  for (const name of listed.text.split(/[\0\n]/).filter((one) => one !== '')) {
    const rule = readRule({ relative: name });
    if (rule) return ask(`'${name}' ${rule.reason}`);
    // git calls what is no file by the name that it was given.
    if (operands.has(name) && !(await isFile(site, name))) return unknown;
  }
  return allow;
}

/** Whether git knows something by this name that is no commit. */
async function isOtherObject(site: GitSite, name: string): Promise<boolean> {
  const known = async (of: string) => {
    const found = await output(site, ['rev-parse', '-q', '--verify', of]);
    return found !== undefined && found.text.trim() !== '';
  };
  return (await known(name)) && !(await known(`${name}^{commit}`));
}

async function isFile({ guard, root }: GitSite, name: string): Promise<boolean> {
  const checked = await guard.resolve(`${root}/${name}`);
  return checked.ok && checked.place.kind === 'file';
}

/** What git says; with the exit code 1 it tells of differences, with others it failed. */
function output(
  { root, environment }: GitSite,
  words: readonly string[],
): Promise<{ readonly text: string } | undefined> {
  const options = {
    cwd: root,
    env: { ...environment, PATH: SYSTEM_PATH.join(':') },
    maxBuffer: MAX_BYTES,
    timeout: MAX_MS,
  };
  return new Promise((resolve) => {
    execFile('git', ['--no-pager', ...words], options, (error, stdout) => {
      resolve(error !== null && error.code !== 1 ? undefined : { text: stdout });
    });
  });
}
