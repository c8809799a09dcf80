import type { GuardedPath } from '../../ports/workspaceFiles.js';
import { foldName, segmentsOf } from './pathNames.js';

/** What a path's name alone says about reading or writing it. */
export interface PathRule {
  /** `refuse`: nobody can allow it here; `ask`: a person must, whatever the settings say. */
  readonly decision: 'refuse' | 'ask';
  /** The rest of a sentence that begins with the path, like `is …`. */
  readonly reason: string;
}

/** The name of the folder in which the record of the conversations is kept. */
export const STORE_FOLDER = '.agent-logbook';

const set = (names: string) => new Set(names.split(' '));

/** Folders whose files run code, set rights or tell agents what to do, at any depth and also where absent. */
const decidingFolders = set(
  '.git .vscode .github .gitlab .claude .cursor .codex .copilot .agents .gemini .windsurf .zed .idea .husky ' +
    '.devcontainer .circleci .buildkite .cargo .gradle .mvn .yarn .direnv .ssh .gnupg .aws .azure .kube .docker ' +
    'node_modules .venv venv',
);

/** Files that do the same. VS Code's own list of edits that always ask, and what build tools and shells run. */
const decidingFiles = set(
  'package.json package-lock.json npm-shrinkwrap.json pnpm-workspace.yaml .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs ' +
    'bunfig.toml deno.json deno.jsonc .mcp.json mcp.json agents.md claude.md claude.local.md gemini.md .cursorrules ' +
    '.windsurfrules .clinerules copilot-instructions.md makefile gnumakefile justfile .justfile taskfile.yml ' +
    'taskfile.yaml rakefile gemfile dockerfile containerfile docker-compose.yml docker-compose.yaml compose.yml ' +
    'compose.yaml jenkinsfile vagrantfile procfile tiltfile build.bazel module.bazel .bazelrc ' +
    '.gitlab-ci.yml .travis.yml .drone.yml appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml cloudbuild.yaml ' +
    '.pre-commit-config.yaml lefthook.yml .lintstagedrc .gitattributes .gitmodules .gitconfig .envrc ' +
    '.tool-versions mise.toml .mise.toml .nvmrc .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc ' +
    '.zprofile .zshenv .zlogin .inputrc .vimrc .exrc .gdbinit .lldbinit .pythonrc sitecustomize.py usercustomize.py ' +
    'conftest.py setup.py setup.cfg pyproject.toml tox.ini noxfile.py pytest.ini pipfile cargo.toml build.rs ' +
    'go.mod go.work pom.xml mvnw mvnw.cmd gradlew gradlew.bat gradle.properties composer.json mix.exs ' +
    'cmakelists.txt configure meson.build web.config server.xml .babelrc .eslintrc .prettierrc .swcrc',
);

const decidingPatterns = [
  /\.(code-workspace|csproj|fsproj|vbproj|vcxproj|proj|sln|targets|props|gradle|gradle\.kts|mk|gemspec|podspec|nix)$/,
  /\.(agent|chatmode|prompt|instructions)\.md$/,
  /\.lock$|-lock\.(json|ya?ml)$|\.lockb?$/,
  /\.config\.([cm]?[jt]s|json)$|^\.[a-z-]+rc\.([cm]?[jt]s|json|ya?ml)$|^tsconfig.*\.json$|^requirements.*\.txt$/,
  /^(gulpfile|gruntfile|jakefile|sconstruct|dangerfile)(\.|$)/,
  /^(dockerfile|makefile|jenkinsfile)\./,
  /\.(pth|desktop|service|plist|lnk|url|reg)$/,
];

/** Names of example files, which hold no secret. */
const examples = /^\.env\.(example|sample|template|dist|defaults)$/;

const secretFolders = set('.ssh .gnupg .aws .azure .kube .docker .password-store .gcloud');
const secretFiles = set(
  '.env .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd .vault-token .vault_pass ' +
    '.dockercfg .s3cfg .boto credentials credentials.json client_secret.json kubeconfig terraform.tfstate ' +
    'id_rsa id_dsa id_ecdsa id_ed25519 master.key wallet.dat .yarnrc.yml .envrc auth.json .credentials.json',
);
const secretPatterns = [
  /^\.env\./,
  /\.(pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc|gpg|tfvars|ovpn|env)$/,
  /^secrets?\.[a-z]+$/,
  /^(service[-_]?account|client_secret).*\.json$/,
  /tfstate(\.backup)?$/,
];

/** Whether a name is one of those in which keys and passwords are kept. `relative` is a path with `/`. */
export function isSecretPath(relative: string): boolean {
  const names = segmentsOf(relative).map(foldName);
  const file = names.at(-1) ?? '';
  if (examples.test(file)) return false;
  return (
    names.some((name) => secretFolders.has(name)) ||
    secretFiles.has(file) ||
    secretPatterns.some((pattern) => pattern.test(file))
  );
}

/** Whether a path leads into the store. */
export function isStorePath(relative: string): boolean {
  return segmentsOf(relative).some((name) => foldName(name) === STORE_FOLDER);
}

/** A checked place, or as much as a text says of one. */
export type NamedPlace = Pick<GuardedPath, 'relative' | 'inStore'>;

/** What must be heeded before a file is written; undefined: nothing but the policy. */
export function writeRule({ relative, inStore }: NamedPlace): PathRule | undefined {
  if (inStore || isStorePath(relative)) {
    return {
      decision: 'refuse',
      reason: 'belongs to the record of the conversations; agents never change it',
    };
  }
  const names = segmentsOf(relative).map(foldName);
  const folder = names.slice(0, -1).find((name) => decidingFolders.has(name));
  const file = names.at(-1) ?? '';
  if (folder !== undefined || decidingFolders.has(file)) {
    return {
      decision: 'ask',
      reason: `lies in ${folder ?? file}, which can run code or decide what agents may do`,
    };
  }
  if (decidingFiles.has(file) || decidingPatterns.some((pattern) => pattern.test(file))) {
    return { decision: 'ask', reason: 'can run code or decide what agents may do' };
  }
  if (names.some((name) => shortName.test(name))) {
    return { decision: 'ask', reason: 'may be the short name of another file' };
  }
  return isSecretPath(relative) ? { decision: 'ask', reason: 'may hold keys or passwords' } : undefined;
}

/** Windows knows long names by short ones too: `.git` is `GIT~1`. */
const shortName = /^[^~]{1,6}~\d+(\.|$)/;

/** What must be heeded before a file is read; undefined: nothing. */
export function readRule({ relative, inStore }: NamedPlace): PathRule | undefined {
  if (inStore || isStorePath(relative)) {
    return { decision: 'ask', reason: 'belongs to the record of the conversations' };
  }
  if (isSecretPath(relative)) return { decision: 'ask', reason: 'may hold keys or passwords' };
  const names = segmentsOf(relative).map(foldName);
  return names.includes('.git') && names.at(-1) === 'config'
    ? { decision: 'ask', reason: 'may hold passwords of remotes' }
    : undefined;
}
