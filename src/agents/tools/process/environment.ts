import { isAbsolute, resolve, sep } from 'node:path';
import { isInside } from '../paths/pathNames.js';

/** The variable by which every process that a command starts can be found again. */
export const COMMAND_MARK = 'AGENT_LOGBOOK_COMMAND';

/** Where the system has its programs. */
export const SYSTEM_PATH: readonly string[] = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Whether programs of a folder are the system's, or those of a package manager of the whole machine. */
export const isSystemFolder = (folder: string): boolean =>
  SYSTEM_PATH.includes(folder) ||
  /^(\/usr\/local\/sbin|\/opt\/homebrew\/s?bin|(\/usr)?\/lib(exec|x?32|64)?(\/(?!\.\.?(\/|$))[^/]+)*)$/.test(
    folder,
  );

/** Variables of the host that a command gets: who and where the person is, nothing of what he is logged in to. */
const passed = ['HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'];

/** What the environment of a command is made of. */
export interface EnvironmentOptions {
  /** The variables of the host process. */
  readonly host: Readonly<Record<string, string | undefined>>;
  /** Real paths of the workspace folders: nothing is run from there by its name alone. */
  readonly folders: readonly string[];
  readonly mark: string;
  /** True: programs come from the system's folders only, and git runs nothing that a repository names. */
  readonly onlyLooks: boolean;
}

/** The environment of one command: the same few variables each time, whatever the host process has. */
export function commandEnvironment(options: EnvironmentOptions): Record<string, string> {
  const { host, mark, onlyLooks } = options;
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && (passed.includes(name) || /^LC_[A-Z]+$/.test(name))) environment[name] = value;
  }
  return {
    ...environment,
    PATH: (onlyLooks ? SYSTEM_PATH : searchPath(host.PATH ?? '', options.folders)).join(':'),
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    ...(onlyLooks && quietGit),
    [COMMAND_MARK]: mark,
  };
}

/** The host's folders of programs without those that a workspace could fill, and the system's. */
export function searchPath(path: string, folders: readonly string[]): readonly string[] {
  const own = path.split(':').filter((folder) => {
    return isAbsolute(folder) && !folders.some((root) => isInside(root, resolve(folder), sep));
  });
  return [...new Set([...own, ...SYSTEM_PATH])];
}

/** From git's manual: `GIT_CONFIG_COUNT` sets what would stand in its files; these name programs or write files. */
const quiet: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'protocol.allow': 'never',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.untrackedCache': 'false',
  'safe.bareRepository': 'explicit',
  'diff.ignoreSubmodules': 'all',
  'submodule.recurse': 'false',
  'log.showSignature': 'false',
  'format.pretty': 'medium',
  'status.submoduleSummary': 'false',
};
const quietGit: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // An older git fetches what is missing all the same, by whatever program an address names.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_CONFIG_COUNT: String(Object.keys(quiet).length),
  ...Object.fromEntries(
    Object.entries(quiet).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};
