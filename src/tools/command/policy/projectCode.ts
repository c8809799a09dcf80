import { isSystemFolder } from '../../process/environment.js';
import { wrappers } from '../alwaysAsked.js';
import { readShellTree } from '../shellTree.js';
import { programOf, scriptIn } from '../judgeDanger.js';

const MAX_DEPTH = 4;

/** Programs that run code of the project they stand in, whatever their words are. */
const always =
  'npx pnpx bunx node nodejs tsx ts-node deno perl ruby lua Rscript php java make gmake ninja just cmake ctest ' +
  'pytest py.test coverage tox nox unittest mkdocs sphinx-build pylint mypy flake8 jest vitest mocha vite rollup webpack eslint ' +
  'prettier stylelint gradle gradlew mvn mvnw rake rspec rubocop phpunit phpstan psalm sbt bundle ' +
  'sh bash dash zsh ksh mksh ash fish pwsh source .';

/** Programs that do so, but for these subcommands, which only look or build without running anything. */
const butFor: Readonly<Record<string, RegExp>> = {
  npm: /^(ls|list|ll|la|outdated|explain|why|fund|prefix|root|help|query|version)$/,
  pnpm: /^(ls|list|why|outdated|licenses|root|bin)$/,
  yarn: /^(list|why|info|licenses|versions)$/,
  bun: /^(pm|outdated)$/,
  cargo: /^(tree|metadata|version|fmt|clean)$/,
  go: /^(build|vet|fmt|list|version|doc|env|clean)$/,
  dotnet: /^(clean|format)$/,
  composer: /^(validate|show|check|outdated)$/,
  mix: /^format$/,
  swift: /^format$/,
  dart: /^(analyze|format)$/,
  flutter: /^(analyze|format)$/,
  dune: /^(fmt|clean)$/,
  stack: /^(clean|list-dependencies)$/,
  cabal: /^(info|list)$/,
  meson: /^introspect$/,
  ...Object.fromEntries(
    'poetry pipenv uv pdm rye conda mamba'
      .split(' ')
      .map((name) => [name, /^(list|show|info|check|version|about|tree|graph|build|fmt|lint)$/]),
  ),
};

const programs: ReadonlyMap<string, RegExp | undefined> = new Map([
  ...always.split(' ').map((name): [string, undefined] => [name, undefined]),
  ...Object.entries(butFor),
]);

/** Whether a command line starts a program that runs code of the project: scripts, tests, builds, or a file by its name. */
export function runsProjectCode(line: string, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true;
  return readShellTree(line).commands.some(({ words }) => {
    const values = words.map(({ value }) => value);
    const script = scriptIn(values);
    if (script !== undefined) return runsProjectCode(script, depth + 1);
    const starts = wrappers.has(programOf(values[0]) ?? '') ? [...values.keys()] : [0];
    return starts.some((at) => startsProject(values.slice(at), at === 0));
  });
}

/**
 * Whether the first of some words is such a program. Behind other words it may be one too, where the program before it
 * starts others; then a name alone must do.
 */
function startsProject([first, ...words]: readonly (string | undefined)[], isFirst: boolean): boolean {
  if (first === undefined) return isFirst;
  const slash = first.lastIndexOf('/');
  if (isFirst && slash >= 0 && !isSystemFolder(first.slice(0, slash))) return true;
  const name = (programOf(first) ?? '').toLowerCase();
  const plain = /^(python|pypy)[\d.]*$/.test(name) ? 'node' : name;
  if (!programs.has(plain)) return false;
  if (words.length === 0) return !/^(node|sh|bash|\.)$/.test(plain);
  if (words.length === 1 && /^(-v|-V|--version|-version|-h|--help)$/.test(words[0] ?? '')) return false;
  const harmless = programs.get(plain);
  const subcommand = words.find((word) => word?.startsWith('-') === false);
  return harmless === undefined || subcommand === undefined || !harmless.test(subcommand);
}
