/** Flags by which programs run another program, load code or write elsewhere, from their manuals. */
export const askedFlags: ReadonlyMap<string, RegExp> = new Map([
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
    'gradle',
    /^-([IbcgD]|-(init|build-file|settings|gradle-user|include-build|project-cache))|publish|upload/i,
  ],
  [
    'gcc',
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
  ['pytest', /^(--pastebin|-p(?!no:)|-o|--override-ini|--pdbcls|--trace-config|-c$|--config-file|--rootdir)/],
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
  ['xxd', /^--?[a-z]*r/],
  ['locale', /^-c/],
  ['golangci-lint', /^(custom|cache)$/],
  ['esbuild', /^--serve/],
  ['vite', /^(dev|serve|preview|--host.*)$/],
  ['webpack', /^(serve|init|loader|plugin)$/],
  ['hostname', /^[^-]|^-[bF]|^--(boot|file)/],
  ['bun', /^(exec|pm|repl|publish|audit|init)$/],
  ['set', /^[-+][a-zA-Z]*[^-+euxfvnEoPC]|^(allexport|keyword|posix|history|privileged|monitor|notify)$/],
  ['wait', /^-/],
  // Without a PATH the programs of the folder are run.
  ['unset', /^(?![A-Za-z_]\w*$)|^PATH$/],
  ['jobs', /^-[a-z]*x/],
]);

/** Programs that know the same flags as others. */
const alike: Readonly<Record<string, string>> = {
  gradlew: 'gradle',
  'py.test': 'pytest',
  'g++': 'gcc',
  cc: 'gcc',
  'c++': 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
  ld: 'gcc',
};

/** Which flags of a program are asked about; undefined: none. */
export const askedFlagsOf = (name: string): RegExp | undefined => askedFlags.get(alike[name] ?? name);
