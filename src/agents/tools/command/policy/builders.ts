import { allow, ask } from '../../verdict.js';
import { changesVariable, influentialIn } from './variables.js';
import type { Program, ProgramRows, RiskyWord, WordRule } from './program.js';

/** Programs without more to say: what they are given they work on, and nothing else. */
const plain = [
  // The shell's own.
  'pushd popd dirs break continue shift times umask true false',
  // Files and texts.
  'mkdir rmdir touch tee mktemp zcat xzcat bzcat base32 size b2sum fmt expand unexpand tsort factor expr numfmt yq',
  'tokei scc eza exa lsd',
  // The system, looked at.
  'pgrep pidof groups tty users logname getconf lscpu lsb_release sw_vers tput clear cal',
  // Compilers and checkers that run nothing of the project.
  'tsc biome oxlint ruff black isort pyright rustfmt gofmt goimports staticcheck clang-format clang-tidy ar nm objdump readelf',
  'strip ranlib pkg-config cppcheck shellcheck shfmt yamllint dot',
].join(' ');

/** Those that run tests, plugins or scripts of the project. */
const ofProject = [
  'npx pnpx node nodejs tsx ts-node perl ruby lua Rscript php java just make gmake ninja cmake ctest pytest py.test tox nox mkdocs',
  'sphinx-build pylint mypy flake8 jest vitest mocha vite rollup webpack eslint prettier stylelint gradle gradlew rake rspec rubocop',
  'phpunit phpstan psalm source . python python2 python3 pypy pypy3 sh bash dash zsh ksh mksh ash fish pwsh',
].join(' ');

/** Flags by which programs run another program, load code or write elsewhere, from their manuals. */
const riskyFlags: readonly (readonly [string, RegExp])[] = [
  ['cargo', /^--(config|manifest-path=\/)|^-Z/],
  ['go', /^--?(exec|toolexec|vettool|overlay|modfile|modcache|C|w)(=|$)/],
  [
    'uv',
    /^--(with|from|index|default-index|extra-index|find-links|python|script|env-file|directory|project)|^-[pif]$/,
  ],
  ['deno', /^(npm|jsr|https?):|^(-A|--allow-.*|-c|--config.*|--import-map.*|-r|--reload.*)$/],
  ['php', /^-S/],
  ['dotnet', /^--(runtime|additional|roll|fx)|\.dll$/],
  [
    'gradle gradlew',
    /^-([IbcgD]|-(init|build-file|settings|gradle-user|include-build|project-cache))|publish|upload/i,
  ],
  [
    'gcc g++ cc c++ clang clang++ ld',
    /^(@|-(wrapper|specs|B|Xclang|Xlinker|iplugindir|T|load)|--specs|-f(pass-)?plugin|-fuse-ld=.*\/|-Wl,.*plugin)/,
  ],
  ['rustc', /^@|^-Z|linker|^--sysroot/],
  ['javac', /^@|^-J|^--?processor/],
  ['java', /^@|^-(javaagent|agentlib|agentpath|XX:(On|Flags|\+?UnlockDiag)|Xbootclasspath)|^--patch-module/],
  ['kotlinc', /^-(Xplugin|script|expression|e$)|^@/],
  [
    'cmake',
    /^-([EPC]|-trace-redirect|-install)|^-D\w*(COMPILER|LAUNCHER|INCLUDE|TOOLCHAIN|PROGRAM|COMMAND|LINKER)\w*/,
  ],
  [
    'ctest',
    /^-(S|SP|D)|^--(script|dashboard|build-and-test|build-makeprogram|test-command|overwrite|submit|http)/,
  ],
  ['protoc', /^--plugin|^@/],
  [
    'pytest py.test',
    /^(--pastebin|-p(?!no:)|-o|--override-ini|--pdbcls|--trace-config|-c$|--config-file|--rootdir)/,
  ],
  ['pylint', /^--(init|load-p|rc)/],
  ['mypy', /^--(python-e|ins|non)/],
  ['tox', /^(-x|--override|exec|devenv|quickstart)/],
  ['mkdocs', /^(gh-deploy|serve|new)$/],
  ['sphinx-build', /^-[DC]/],
  ['rake', /^-[eErRIpf]|^--(execute|eval|require|rakefile|libdir)/],
  ['bat', /^--(pager|diff)|^cache$/],
  ['ag', /^--pag/],
  ['ps', /^[a-z]*e[a-z]*$/],
  ['shuf', /^-[a-z]*o|^--o/],
  ['iconv', /^-o|^--o/],
  ['locale', /^-c/],
  ['golangci-lint', /^(custom|cache)$/],
  ['esbuild', /^--serve/],
  ['vite', /^(dev|serve|preview|--host.*)$/],
  ['webpack', /^(serve|init|loader|plugin)$/],
  ['set', /^[-+][a-zA-Z]*[^-+euxfvnEoPC]|^(allexport|keyword|posix|history|privileged|monitor|notify)$/],
  ['wait', /^-/],
  // Without a PATH the programs of the folder are run.
  ['unset', /^(?![A-Za-z_]\w*$)|^PATH$/],
  ['jobs', /^-[a-z]*x/],
];

/** Flags behind which the project's settings stand; the program would read them without a word, too. */
const settingsFlags: readonly (readonly [string, RegExp])[] = [
  ['tsc', /^(-p|--project|-b|--build)$/],
  ['eslint', /^(-c|--config)$/],
  ['prettier stylelint', /^--config$/],
  ['jest vitest vite', /^(-c|--config)$/],
  ['rollup webpack', /^(-c|--config)$/],
  ['mypy', /^--config-file$/],
  ['ruff black', /^--config$/],
  ['pylint', /^--rcfile$/],
  ['golangci-lint', /^(-c|--config)$/],
];

const names = (word: RegExp, reason: string): { readonly riskyWords: readonly RiskyWord[] } => ({
  riskyWords: [{ word, reason }],
});

/** Flags with which a program that formats files only says which are not formatted. */
const checkFlags: readonly (readonly [string, RegExp])[] = [
  ['prettier', /^(--check|-c|--list-different|-l)$/],
  ['black isort', /^(--check|--diff|-c)$/],
  ['gofmt', /^-[ld]$/],
];

/** Words in quotes set variables for the shell's own `export`, too. */
const exportRule: WordRule = (words) => {
  const influential = words.map(influentialIn).find((name) => name !== undefined);
  return influential === undefined ? allow : changesVariable(influential);
};

const copies = (name: string): Program =>
  names(
    /^-[^-]*[rRaTtlsbS]|^--(rec|ar|no-t|t|b|su|sy|l)|^-$/,
    `it writes files that the command does not name (${name})`,
  );

/** A flag that gives a file another name than the usual one, takes whole folders, or unpacks without showing. */
const packs = (name: string): Program => {
  const reason = `it writes files that the command does not name (${name})`;
  return {
    ...names(/^-[^-]*[rSFMo]|^--(su|fi|r|o)/, reason),
    rule: (words) => {
      const has = (flags: RegExp) => words.some((word) => flags.test(word ?? '-'));
      return has(/^-[^-]*d|^--(d|un)/) && !has(/^-[^-]*c|^--(st|to-)/) ? ask(reason) : allow;
    },
  };
};

const makes = (name: string): Program => ({
  ...(name !== 'ninja' && { runsScripts: true as const }),
  ...names(
    /^(?!-(j\d*|k|s|n|B)$)(-|.*=)/s,
    `it can run what stands in the command (${name} with variables or flags)`,
  ),
});

/** Programs that build, check, change files by name, or run what the project says. */
export const builders: ProgramRows = [
  [plain, {}],
  [ofProject, { runsProject: 'always' }],
  ...riskyFlags.map(([name, flags]): [string, Program] => [name, { riskyFlags: flags }]),
  ...settingsFlags.map(([name, flags]): [string, Program] => [name, { settingsFlags: flags }]),
  ...checkFlags.map(([name, flags]): [string, Program] => [name, { checksWith: flags }]),
  ...['cp', 'mv'].map((name): [string, Program] => [name, copies(name)]),
  ...['gzip', 'xz', 'bzip2', 'zstd'].map((name): [string, Program] => [name, packs(name)]),
  ...['make', 'gmake', 'ninja', 'just'].map((name): [string, Program] => [name, makes(name)]),
  ['rake gradle gradlew composer', { runsScripts: true }],
  ['export', { rule: exportRule }],
];
