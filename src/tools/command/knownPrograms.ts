import { destructiveRules } from './destructive.js';
import { alwaysAsked, interpreters, shells, wrappers } from './alwaysAsked.js';
import { quietSubcommands } from './quietSubcommands.js';
import { readOnlyPrograms } from './readOnlyPrograms.js';
import { specialPrograms } from './specialPrograms.js';

/**
 * Programs of which somebody has looked what they can do with which words: they work on the files that they are
 * given, and what else they can do is asked about by the other tables. A program that is in none of them is asked about.
 */
const looked = [
  // The shell's own.
  ': [ cd pushd popd dirs exit return break continue shift sleep wait jobs times set unset export umask type test true false',
  // Files and texts.
  'cp mv mkdir rmdir touch tee mktemp gzip xz bzip2 zstd zcat xzcat bzcat base64 base32 xxd od hexdump strings size cksum ' +
    'b2sum tac fold fmt expand unexpand column paste join tsort shuf factor expr numfmt iconv jq yq ag tokei scc eza exa lsd bat',
  // The system, looked at.
  'ps pgrep pidof groups tty users logname locale getconf lscpu lsb_release sw_vers tput clear cal',
  // Compilers, checkers and test runners.
  'npm pnpm yarn tsc eslint prettier jest vitest mocha vite rollup webpack esbuild biome oxlint stylelint ' +
    'pytest py.test ruff black isort mypy pyright pylint flake8 coverage tox nox mkdocs sphinx-build ' +
    'rustc rustfmt gofmt goimports golangci-lint staticcheck gcc g++ cc c++ clang clang++ clang-format clang-tidy ld ar ' +
    'nm objdump readelf strip ranlib pkg-config cppcheck make gmake ninja just cmake ctest meson protoc ' +
    'java javac kotlinc mvn mvnw gradle gradlew rspec rubocop rake phpunit phpstan psalm shellcheck shfmt yamllint dot',
].join(' ');

const known: ReadonlySet<string> = new Set([
  ...looked.split(' '),
  ...wrappers,
  ...shells,
  ...[
    readOnlyPrograms,
    specialPrograms,
    alwaysAsked,
    interpreters,
    destructiveRules,
    quietSubcommands,
  ].flatMap((table) => [...table.keys()]),
]);

/** Whether anything is known of a program of this name; the version in `python3.12` does not count. */
export function isKnown(name: string): boolean {
  return known.has(name) || interpreters.has(name.replace(/[\d.]+$/, ''));
}
