import type { Words } from './destructive.js';

const only = (names: string) => new RegExp(`^(${names})$`);
const none = /^(?!)/;

/**
 * Package managers and starters of other programs, and what each does with the project alone. Everything else of theirs
 * fetches foreign code, runs it, or changes what the project runs; none of that is asked about in vain.
 */
export const quietSubcommands: ReadonlyMap<string, RegExp> = new Map([
  ['pip', only('list|show|freeze|check')],
  ['pip2', only('list|show|freeze|check')],
  ['pip3', only('list|show|freeze|check')],
  ['uv', only('run|tree|version')],
  ['poetry', only('run|show|check|version|about|build')],
  ['pipenv', only('run|graph|check')],
  ['pdm', only('run|list|show|info|build')],
  ['rye', only('run|test|fmt|lint|show|list|check')],
  ['conda', only('run|list|info')],
  ['mamba', only('run|list|info')],
  ['cargo', only('build|b|check|c|test|t|run|r|bench|doc|d|clippy|fmt|tree|metadata|clean|nextest|version')],
  ['go', only('build|test|vet|fmt|run|list|version|doc|env|clean')],
  ['gem', only('list|which')],
  ['bundle', only('exec|list|show|check|outdated|info|licenses')],
  ['composer', only('run|run-script|test|validate|show|check|outdated')],
  ['mix', only('test|compile|format')],
  ['dotnet', only('build|test|run|clean|format')],
  ['dune', only('build|test|runtest|fmt|clean')],
  ['stack', only('build|test|run')],
  ['cabal', only('build|test|run')],
  ['rustup', only('show')],
  ['swift', only('build|test|format')],
  ['dart', only('test|analyze|format')],
  ['flutter', only('test|analyze|format')],
  ['deno', only('test|fmt|lint|check|bench|task|doc|info|coverage')],
  ['meson', only('setup|compile|test|configure|introspect')],
  ['sbt', only('compile|test|run|clean|package')],
  ...(
    'corepack nix nix-shell nix-env nix-build nix-store nix-channel nix-instantiate nix-collect-garbage nixos-rebuild ' +
    'home-manager guix devbox devenv flox pixi mise rtx asdf direnv pkgx tea proto hermit volta fnm nvm n nodenv pyenv rbenv ' +
    'jenv sdk aqua micromamba spack hatch uvx pipx bunx earthly dagger act bazel bazelisk buck buck2 pants please jbang cs ' +
    'coursier pre-commit lefthook husky twine nuget cpan cpanm luarocks opam vcpkg conan pod carthage mint brew'
  )
    .split(' ')
    .map((name): [string, RegExp] => [name, none]),
]);

/** Modules of Python that are programs of their own, also by that name. */
export const quietModules =
  /^(pytest|unittest|doctest|mypy|ruff|black|isort|flake8|pylint|coverage|compileall|py_compile|tox)$/;

/** Flags in front of a subcommand that take no word of their own. */
const alone = /^(-[qv]+|--(quiet|verbose|silent|offline|locked|frozen|no-[a-z-]+)|\+(stable|beta|nightly))$/;
const asksVersion = /^(-v|-V|--version|-h|--help)$/;

/** Why a call of a package manager or starter must be asked about; undefined: it works on the project alone. */
export function judgeSubcommand(name: string, quiet: RegExp, words: Words): string | undefined {
  if (words.length === 1 && asksVersion.test(words[0] ?? '')) return undefined;
  const at = words.findIndex((word) => word === undefined || !alone.test(word));
  const subcommand = words[at];
  return subcommand !== undefined && quiet.test(subcommand) ? undefined : foreign(name, subcommand);
}

/** The words for what brings code from elsewhere. */
export function foreign(name: string, subcommand = ''): string {
  return `it may fetch or run foreign code, or change what the project runs (${`${name} ${subcommand}`.trim()})`;
}
