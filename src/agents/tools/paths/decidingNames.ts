const set = (...names: string[]): ReadonlySet<string> => new Set(names.join(' ').split(' '));

/** Folders whose files run code, set rights or tell agents what to do, at any depth and also where absent. */
const folders = set(
  // Version control, forges and the services that build.
  '.git .hg .svn .jj .sl .githooks .git-hooks .github .gitlab .gitea .forgejo .circleci .buildkite .woodpecker .teamcity',
  '.azure-pipelines .azuredevops .dagger .changeset',
  // Editors and their containers.
  '.vscode .vscode-test .idea .zed .fleet .nova .vs .devcontainer .gitpod .idx .husky .lefthook',
  // Agents.
  '.claude .cursor .codex .copilot .agents .agent .gemini .windsurf .continue .roo .cline .clinerules .kilocode .kiro .trae',
  '.augment .amazonq .aider .goose .opencode .crush .qwen .junie .qodo .factory .amp .warp .pi .mcp',
  // Package managers, tool versions and what they have installed.
  '.config .cargo .rustup .gradle .mvn .m2 .sbt .bsp .bundle .yarn .pnpm .npm .nvm .volta .mise .asdf .direnv .devbox .flox',
  '.pixi .nix .terraform .vagrant .stack .cabal .opam .storybook .tox .nox .eggs buildsrc',
  'node_modules .venv venv site-packages __pycache__',
  // Keys and rights on the machine.
  '.ssh .gnupg .aws .azure .kube .docker .local',
);

/** Files that do the same. VS Code's own list of edits that always ask, and what build tools and shells run. */
const files = set(
  // JavaScript.
  'package.json package.json5 package.yaml package-lock.json npm-shrinkwrap.json pnpm-workspace.yaml .pnpmfile.cjs .pnp.cjs',
  '.pnp.loader.mjs bunfig.toml deno.json deno.jsonc lerna.json nx.json project.json turbo.json rush.json nodemon.json',
  'angular.json nest-cli.json simple-git-hooks.json',
  // Python.
  'sitecustomize.py usercustomize.py conftest.py setup.py setup.cfg pyproject.toml tox.ini noxfile.py fabfile.py',
  'dodo.py pytest.ini .pytest.ini mypy.ini .mypy.ini .flake8 pipfile pip.conf pip.ini pdm.toml poetry.toml uv.toml hatch.toml',
  'ruff.toml .ruff.toml pixi.toml environment.yml environment.yaml',
  // Other languages.
  'cargo.toml build.rs rust-toolchain rust-toolchain.toml cross.toml go.mod go.sum go.work magefile.go .golangci.yml',
  '.golangci.yaml .goreleaser.yml .goreleaser.yaml .air.toml buf.gen.yaml pom.xml build.xml ivy.xml mvnw mvnw.cmd',
  'gradlew gradlew.bat gradle.properties gradle-wrapper.properties gradle-wrapper.jar libs.versions.toml build.sc',
  'gemfile gems.rb gems.locked rakefile config.ru .rspec .rubocop.yml composer.json phpunit.xml phpunit.xml.dist phpstan.neon',
  'phpstan.neon.dist rector.php artisan .user.ini php.ini .htaccess mix.exs .iex.exs .formatter.exs .credo.exs rebar.config',
  'global.json nuget.config .runsettings launchsettings.json stack.yaml cabal.project hie.yaml dune dune-project package.swift',
  'package.resolved pubspec.yaml analysis_options.yaml build.zig build.zig.zon config.nims nim.cfg .rprofile .renviron',
  'cpanfile makefile.pl build.pl',
  'cmakelists.txt cmakepresets.json cmakeuserpresets.json configure configure.ac makefile.am meson.build meson_options.txt',
  'meson.options vcpkg.json xmake.lua premake5.lua sconscript wscript compile_commands.json .clangd',
  // Build files of any language, containers and where they are run.
  'makefile gnumakefile bsdmakefile justfile .justfile taskfile.yml taskfile.yaml dockerfile containerfile docker-bake.hcl',
  'vagrantfile procfile tiltfile earthfile snakefile guardfile capfile brewfile podfile fastfile appfile matchfile thorfile',
  'cartfile caddyfile berksfile puppetfile dangerfile skaffold.yaml helmfile.yaml netlify.toml vercel.json wrangler.toml',
  'wrangler.jsonc serverless.yml fly.toml firebase.json ansible.cfg web.config server.xml',
  'jenkinsfile .travis.yml .drone.yml .cirrus.yml .woodpecker.yml appveyor.yml .appveyor.yml azure-pipelines.yml',
  'bitbucket-pipelines.yml cloudbuild.yaml buildspec.yml circle.yml codemagic.yaml bitrise.yml .readthedocs.yml .readthedocs.yaml',
  '.gitpod.yml .replit action.yml action.yaml renovate.json codeowners',
  // What runs before or after something else, and which versions of tools run.
  '.pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml .overcommit.yml .gitattributes .gitmodules .gitconfig',
  '.tool-versions .node-version .python-version .ruby-version .java-version .go-version .terraform-version devbox.json',
  'devcontainer.json .devcontainer.json authorized_keys',
  // Agents.
  '.mcp.json mcp.json mcp_config.json .mcp.jsonc agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md',
  'warp.md crush.md skill.md .cursorrules .windsurfrules .clinerules .roorules .roomodes .goosehints copilot-instructions.md',
  '.aider.conf.yml opencode.json opencode.jsonc crush.json',
  // Shells and editors.
  '.bash_profile .bash_login .bash_logout .bash_aliases .profile .zprofile .zshenv .zlogin .zlogout .login .logout .xprofile',
  '.xsession .pam_environment .tmux.conf .gdbinit .gdbearlyinit .lldbinit .nvim.lua .emacs .dir-locals.el .dir-locals-2.el',
  '.ycm_extra_conf.py',
);

const filePatterns = [
  /\.(code-workspace|csproj|fsproj|vbproj|vcxproj|proj|sln|slnx|targets|props|gradle|gradle\.kts|mk|mak|gemspec|podspec|nix)$/,
  /\.(sbt|cabal|opam|nimble|cmake|ninja|bzl|bazel|dockerfile|mdc|iml|sublime-(project|workspace|build))$/,
  /\.(agent|chatmode|prompt|instructions)\.md$|\.toolsets?\.jsonc?$|\.script\.ya?ml$/,
  /\.lock$|-lock\.(json|ya?ml)$|\.lockb?$/,
  /\.(config|conf|setup|workspace)\.([cm]?[jt]s|json)$|^tsconfig.*\.json$|^requirements.*\.(txt|in)$|^conanfile\./,
  // The settings of some program, like `.npmrc`, `.envrc` and `.eslintrc.json`.
  /^\.[a-z-]+rc(\.([cm]?[jt]s|json[5c]?|ya?ml|toml))?$/,
  /^\.?(mise|lefthook|rtx|prek|moon|proto)([.-][\w-]+)*\.(toml|ya?ml|json)$|^\.prototools$/,
  /^(gulpfile|gruntfile|jakefile|sconstruct|dangerfile)(\.|$)/,
  /^(dockerfile|makefile|jenkinsfile)\.|^(docker-)?compose(\.[\w-]+)*\.ya?ml$|^\.gitlab-ci(\.[\w-]+)*\.ya?ml$/,
  /^\.vscode-test\.|^\.php-cs-fixer\.|^\.bazel/,
  /\.(pth|desktop|service|timer|plist|lnk|url|reg)$/,
];

/** Whether files in a folder of this folded name run code or decide rights. */
export const isDecidingFolder = (name: string): boolean =>
  folders.has(name) || /\.(xcodeproj|xcworkspace)$/.test(name);

/** Whether a file of this folded name runs code or decides rights. */
export const isDecidingFile = (name: string): boolean =>
  files.has(name) || filePatterns.some((pattern) => pattern.test(name));

/** The names of both that are whole, not patterns. */
export const decidingNames: readonly string[] = [...folders, ...files];
