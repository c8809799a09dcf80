import { allow, ask } from '../../verdict.js';
import type { Verdict } from '../../verdict.js';
import type { ProgramRows, WordRule, Words } from './program.js';

const only = (names: string) => new RegExp(`^(${names})$`);
const none = /^(?!)/;

/** Modules of Python that are programs of their own, also by that name. */
export const safeModules =
  /^(pytest|unittest|doctest|mypy|ruff|black|isort|flake8|pylint|coverage|compileall|py_compile|tox)$/;

/** The verdict on what brings code from elsewhere. */
export function foreignCode(name: string, subcommand = ''): Verdict {
  return ask(
    `it may fetch or run foreign code, or change what the project runs (${`${name} ${subcommand}`.trim()})`,
  );
}

/** Flags in front of a subcommand that take no word of their own. */
const alone = /^(-[qv]+|--(quiet|verbose|silent|offline|locked|frozen|no-[a-z-]+)|\+(stable|beta|nightly))$/;
const asksVersion = /^(-v|-V|--version|-h|--help)$/;

/** The verdict on a package manager or starter by its subcommand: what it does not with the project alone asks. */
export function subcommandRisk(name: string, safe: RegExp, words: Words): Verdict {
  if (words.length === 1 && asksVersion.test(words[0] ?? '')) return allow;
  const at = words.findIndex((word) => word === undefined || !alone.test(word));
  const subcommand = words[at];
  return subcommand !== undefined && safe.test(subcommand) ? allow : foreignCode(name, subcommand);
}

/** Subcommands of package managers that also run scripts of any name, by which they fetch or run foreign code. */
const bringing =
  /^(install|i|in|add|ci|clean-install|remove|rm|uninstall|un|update|up|upgrade|upgrade-interactive|link|init|create|new|publish|pack|login|logout|adduser|token|config|set|dlx|download|global|import|patch|patch-commit|dedupe|rebuild|fetch|env|self|self-update|cache|owner|access|deprecate|unpublish|dist-tag|npm|plugin|policies|node|deploy|store|setup|server|approve-builds|audit|workspaces)$/;

/** What npm does without fetching or changing anything itself. It takes shortened names too, so all others are asked. */
const safeForNpm =
  /^(run|run-script|test|t|tst|start|stop|restart|exec?|x|ls|list|ll|la|outdated|explain|why|fund|prefix|root|help|query)$/;
/** Flags that take no word of their own. */
const aloneForNpm = /^(-[sqy]|--(silent|quiet|yes|no|no-.*|offline)|--(prefix|workspace|loglevel|yes)=.*)$/;
/**
 * Flags by which the programs that it starts are told what to run; npm takes any beginning of one that is no other's,
 * behind any number of dashes.
 */
const steersNpm =
  'node-options script-shell shell userconfig globalconfig init-module editor viewer git python'.split(' ');

function isSteeringNpm(word = ''): boolean {
  const name = /^-(?:-+|(?=..))([^-=][^=]*)/.exec(word)?.[1] ?? '';
  if (name === '' || name === 'no' || name === 'global') return false;
  return steersNpm.some((flag) => flag.startsWith(name) || name.startsWith(`${flag}-`));
}

const npm: WordRule = (words) => {
  const end = words.indexOf('--');
  const steering = words.slice(0, end < 0 ? undefined : end).find(isSteeringNpm);
  if (steering !== undefined) return ask(`it tells npm what to run (${steering})`);
  const at = words.findIndex((word) => word?.startsWith('-') === false);
  const subcommand = words[at];
  if (subcommand === undefined) return allow;
  const certain = words.slice(0, at).every((flag) => flag !== undefined && aloneForNpm.test(flag));
  return certain && safeForNpm.test(subcommand) ? allow : foreignCode('npm', subcommand);
};

/** Flags of pnpm, yarn and bun that stand alone, and those with a word of their own. */
const aloneForScripts =
  /^(-[rsw]|--(recursive|silent|workspace-root|watch|hot|bun|(filter|cwd|dir|prefix)=.*))$/;
const valuedForScripts = /^(-[FC]|--(filter|cwd|dir|prefix)|workspace)$/;

/** A script may have any name but those of subcommands that bring something; flags may hide the name. */
const scriptsOf =
  (name: string): WordRule =>
  (words) => {
    if (words.length === 1 && /^(-v|-h|--version|--help)$/.test(words[0] ?? '')) return allow;
    let at = 0;
    for (; at < words.length; at++) {
      if (valuedForScripts.test(words[at] ?? '')) at++;
      else if (!aloneForScripts.test(words[at] ?? '')) break;
    }
    const subcommand = words[at];
    const safe = subcommand !== undefined && !subcommand.startsWith('-') && !bringing.test(subcommand);
    return safe ? allow : foreignCode(name, subcommand);
  };

/** What Maven does with the project alone; every other word can be a plugin from elsewhere, or steer one. */
const safeForMaven =
  /^(clean|validate|compile|test|test-compile|package|verify|integration-test|(process|generate)-(test-)?(re)?sources|dependency:(tree|analyze)|spotless:(check|apply)|checkstyle:check|-(q|B|o|e|X|am|amd|ntp|T|pl|P|P[\w,!-]+|T\d+C?)|--(quiet|batch-mode|offline|no-transfer-progress)|-D(skipTests|test|it\.test|maven\.test\.skip|failIfNoTests)(=.*)?)$/;

const maven: WordRule = (words) => {
  const other = words.find(
    (word, at) => !safeForMaven.test(word ?? '') && !/^-(T|pl|P)$/.test(words[at - 1] ?? ''),
  );
  return words.length > 0 && (other !== undefined || words.includes(undefined))
    ? foreignCode('mvn', other)
    : allow;
};

/** Whether it is told to run a module that is not known to work on the project alone; its name stands right behind. */
function runsForeignModule(words: Words): boolean {
  const at = words.findIndex((word) => word !== undefined && /^(-[a-z]*m|--m)/.test(word));
  return words.includes('run') && at >= 0 && !safeModules.test(words[at + 1] ?? '');
}

/** What builds or lists, and runs nothing of the project. */
const buildsOnly = /^(list|show|info|check|version|about|tree|graph|build|fmt|lint)$/;

/** Package managers, and starters of programs; each says what it does with the project alone. */
export const packages: ProgramRows = [
  ['pip', { safeSubcommands: only('list|show|freeze|check') }],
  ['pip2', { safeSubcommands: only('list|show|freeze|check') }],
  ['pip3', { safeSubcommands: only('list|show|freeze|check') }],
  [
    'uv',
    { safeSubcommands: only('run|tree|version'), runsProject: buildsOnly, starts: /^run$/, wraps: /^run$/ },
  ],
  [
    'poetry',
    {
      safeSubcommands: only('run|show|check|version|about|build'),
      runsProject: buildsOnly,
      starts: /^run$/,
      wraps: 'all',
    },
  ],
  [
    'pipenv',
    { safeSubcommands: only('run|graph|check'), runsProject: buildsOnly, starts: /^run$/, wraps: 'all' },
  ],
  [
    'pdm',
    {
      safeSubcommands: only('run|list|show|info|build'),
      runsProject: buildsOnly,
      starts: /^run$/,
      wraps: /^run$/,
    },
  ],
  [
    'rye',
    {
      safeSubcommands: only('run|test|fmt|lint|show|list|check'),
      runsProject: buildsOnly,
      starts: /^run$/,
      wraps: /^run$/,
    },
  ],
  [
    'conda',
    { safeSubcommands: only('run|list|info'), runsProject: buildsOnly, starts: /^run$/, wraps: /^run$/ },
  ],
  [
    'mamba',
    { safeSubcommands: only('run|list|info'), runsProject: buildsOnly, starts: /^run$/, wraps: /^run$/ },
  ],
  [
    'cargo',
    {
      safeSubcommands: only(
        'build|b|check|c|test|t|run|r|bench|doc|d|clippy|fmt|tree|metadata|clean|nextest|version',
      ),
      runsProject: only('tree|metadata|version|fmt|clean'),
    },
  ],
  [
    'go',
    {
      safeSubcommands: only('build|test|vet|fmt|run|list|version|doc|env|clean'),
      runsProject: only('build|vet|fmt|list|version|doc|env|clean'),
    },
  ],
  ['gem', { safeSubcommands: only('list|which') }],
  [
    'bundle',
    {
      safeSubcommands: only('exec|list|show|check|outdated|info|licenses'),
      runsProject: 'always',
      starts: /^exec$/,
      wraps: /^(exec?|x)$/,
    },
  ],
  [
    'composer',
    {
      safeSubcommands: only('run|run-script|test|validate|show|check|outdated'),
      runsProject: only('validate|show|check|outdated'),
    },
  ],
  ['mix', { safeSubcommands: only('test|compile|format'), runsProject: only('format') }],
  ['dotnet', { safeSubcommands: only('build|test|run|clean|format'), runsProject: only('clean|format') }],
  ['dune', { safeSubcommands: only('build|test|runtest|fmt|clean'), runsProject: only('fmt|clean') }],
  ['stack', { safeSubcommands: only('build|test|run'), runsProject: only('clean|list-dependencies') }],
  ['cabal', { safeSubcommands: only('build|test|run'), runsProject: only('info|list') }],
  ['rustup', { safeSubcommands: only('show') }],
  ['swift', { safeSubcommands: only('build|test|format'), runsProject: only('format') }],
  ['dart', { safeSubcommands: only('test|analyze|format'), runsProject: only('analyze|format') }],
  ['flutter', { safeSubcommands: only('test|analyze|format'), runsProject: only('analyze|format') }],
  [
    'deno',
    { safeSubcommands: only('test|fmt|lint|check|bench|task|doc|info|coverage'), runsProject: 'always' },
  ],
  [
    'meson',
    { safeSubcommands: only('setup|compile|test|configure|introspect'), runsProject: only('introspect') },
  ],
  ['sbt', { safeSubcommands: only('compile|test|run|clean|package'), runsProject: 'always' }],
  [
    'corepack nix nix-shell nix-env nix-build nix-store nix-channel nix-instantiate nix-collect-garbage nixos-rebuild ' +
      'home-manager guix devbox devenv flox pixi mise rtx asdf direnv pkgx tea proto hermit volta fnm nvm n nodenv pyenv rbenv ' +
      'jenv sdk aqua micromamba spack hatch uvx pipx bunx earthly dagger act bazel bazelisk buck buck2 pants please jbang cs ' +
      'coursier pre-commit lefthook husky twine nuget cpan cpanm luarocks opam vcpkg conan pod carthage mint brew',
    { safeSubcommands: none },
  ],
  ['uvx pipx mise direnv', { wraps: 'all' }],
  ['bunx', { wraps: 'all', startsOfProject: true, runsProject: 'always' }],
  [
    'npm',
    {
      rule: npm,
      wraps: /^(exec?|x)$/,
      runsScripts: true,
      runsProject: only('ls|list|ll|la|outdated|explain|why|fund|prefix|root|help|query|version'),
    },
  ],
  [
    'pnpm',
    {
      rule: scriptsOf('pnpm'),
      wraps: /^pnpm$/,
      runsScripts: true,
      runsProject: only('ls|list|why|outdated|licenses|root|bin'),
    },
  ],
  [
    'yarn',
    {
      rule: scriptsOf('yarn'),
      wraps: /^(exec?|x)$/,
      runsScripts: true,
      runsProject: only('list|why|info|licenses|versions'),
    },
  ],
  [
    'bun',
    {
      rule: scriptsOf('bun'),
      wraps: /^(run|x)$/,
      runsScripts: true,
      riskyFlags: /^(exec|pm|repl|publish|audit|init)$/,
      runsProject: only('pm|outdated'),
    },
  ],
  ['mvn mvnw', { rule: maven, runsProject: 'always' }],
  [
    'coverage',
    {
      rule: (words) => (runsForeignModule(words) ? foreignCode('coverage', 'run -m') : allow),
      runsProject: 'always',
    },
  ],
];
