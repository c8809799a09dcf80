import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldName } from '../../../../src/agents/tools/paths/pathNames.js';
import { readRule, writeRule } from '../../../../src/agents/tools/paths/protectedPaths.js';

const write = (relative: string) => writeRule({ relative })?.decision;
const read = (relative: string) => readRule({ relative })?.decision;

describe('writing always asks where a file runs code or sets rights', () => {
  const asks = [
    '.vscode/settings.json',
    '.vscode/tasks.json',
    'sub/.vscode/launch.json',
    'team.code-workspace',
    '.git/config',
    '.git/hooks/pre-commit',
    '.git',
    '.gitattributes',
    '.gitmodules',
    '.github/agents/evil.agent.md',
    '.github/hooks/x.json',
    '.github/workflows/ci.yml',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/agents/x.md',
    '.cursor/rules/x',
    '.mcp.json',
    '.vscode/mcp.json',
    'AGENTS.md',
    'CLAUDE.md',
    'sub/AGENTS.md',
    'package.json',
    'packages/a/package.json',
    'package-lock.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'Cargo.lock',
    '.npmrc',
    '.yarnrc.yml',
    'Makefile',
    'GNUmakefile',
    'rules.mk',
    'build.rs',
    'Cargo.toml',
    'setup.py',
    'conftest.py',
    'pyproject.toml',
    'app.csproj',
    'Directory.Build.props',
    'build.gradle.kts',
    'gradlew',
    'pom.xml',
    'vite.config.ts',
    'eslint.config.mjs',
    '.eslintrc.json',
    'tsconfig.json',
    'Dockerfile',
    'docker-compose.yml',
    '.devcontainer/devcontainer.json',
    '.gitlab-ci.yml',
    'Jenkinsfile',
    '.husky/pre-commit',
    '.envrc',
    '.env',
    '.env.local',
    '.bashrc',
    '.zshenv',
    'web.config',
    'server.xml',
    'node_modules/x/index.js',
    ...(
      '.githooks/pre-push .hg/hgrc .jj/config.toml .gitea/workflows/x.yml .forgejo/x .woodpecker.yml .idea/workspace.xml ' +
      '.zed/tasks.json .fleet/run.json .vs/launch.vs.json .devcontainer.json .gitpod.yml .replit .lefthook/x lefthook.yaml ' +
      'lefthook-local.yml .pre-commit-config.yml .pre-commit-hooks.yaml .overcommit.yml .lintstagedrc.json .huskyrc ' +
      'simple-git-hooks.json .config/mise/config.toml mise.toml mise.local.toml .mise.toml .tool-versions .node-version ' +
      '.python-version .nvmrc .prototools devbox.json flake.nix flake.lock pixi.toml .envrc .direnv/x .kiro/hooks/x ' +
      '.roo/mcp.json .clinerules/x .continue/config.yaml .opencode/x opencode.json .gemini/settings.json GEMINI.md ' +
      '.goosehints .aider.conf.yml SKILL.md x.mdc x.toolsets.jsonc .vscode-test.mjs buildSrc/x.java x.sbt x.bzl BUILD.bazel ' +
      'CMakePresets.json x.cmake compose.prod.yml dev.dockerfile .golangci.yml .rspec .rubocop.yml .htaccess .clangd ' +
      '.mocharc.cjs .curlrc .vimrc .dir-locals.el karma.conf.js jest.setup.ts phpunit.xml nuget.config global.json ' +
      'App.xcodeproj/x __pycache__/a.pyc pdm.toml ruff.toml netlify.toml action.yml CODEOWNERS demo.script.yaml'
    ).split(' '),
    'GIT~1/config',
    'PACKAG~1.JSO',
  ];
  test.each(asks)('%s', (path) => expect(write(path)).toBe('ask'));

  const spellings = [
    ['letter case', (path: string) => path.toUpperCase()],
    [
      'trailing dots',
      (path: string) =>
        path
          .split('/')
          .map((name) => `${name}..`)
          .join('/'),
    ],
    [
      'trailing blanks',
      (path: string) =>
        path
          .split('/')
          .map((name) => `${name} .`)
          .join('/'),
    ],
    ['unseen characters', (path: string) => path.replace('.', '.\u200c')],
    ['wide letters', (path: string) => path.replaceAll('e', 'ｅ')],
    ['a stream', (path: string) => `${path}:x`],
    ['back slashes', (path: string) => path.replaceAll('/', '\\')],
    ['needless dots', (path: string) => `./${path.replaceAll('/', '/./')}`],
  ] as const;
  test.each(spellings)('whatever the %s', (_, spell) => {
    for (const path of asks.filter((one) => !one.includes('~')))
      expect([path, write(spell(path))]).toEqual([path, 'ask']);
  });
});

test.each([
  'src/main.ts',
  'README.md',
  'docs/a.md',
  'kitchen/log.md',
  '.gitignore',
  'a.json',
  '.env.example',
  'gitty/config',
  'x.vscode/a',
])('writing %s is for the policy', (path) => expect(write(path)).toBeUndefined());

test.each([
  '.agent-logbook/x',
  '.agent-logbook',
  'sub/.agent-logbook/a/b',
  '.Agent-Logbook/x',
  '.agent-logbook./x',
])('writing %s is refused', (path) => expect(write(path)).toBe('refuse'));

test('the store is refused wherever it is kept', () => {
  expect(writeRule({ relative: 'notes/log/x', inStore: true })?.decision).toBe('refuse');
  expect(readRule({ relative: 'notes/log/x', inStore: true })?.decision).toBe('ask');
});

test.each([
  '.env',
  '.env.production',
  'config/.ENV',
  'key.pem',
  'server.key',
  'id_rsa',
  '.ssh/config',
  '.aws/credentials',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  '.git/config',
  'secrets.yaml',
  'secret.json',
  'terraform.tfstate',
  'prod.tfvars',
  'service-account-1.json',
  'cert.p12',
  'deploy_rsa',
  'id_ed25519_sk',
  '.dev.vars',
  '.bash_history',
  'local.settings.json',
  'api_key.txt',
  '.env-prod',
  'sub/.ßh/config',
  '.agent-logbook/conversations/x/messages.jsonl',
])('reading %s asks', (path) => expect(read(path)).toBe('ask'));

test.each([
  'src/main.ts',
  'package.json',
  '.env.example',
  '.vscode/settings.json',
  'id_rsa.pub',
  'docs/secrets-handling.md',
  'src/token.ts',
  'src/keys.ts',
  'src/passwords.ts',
])('reading %s needs no question', (path) => expect(read(path)).toBeUndefined());

test('folding a name twice is folding it once, and letter case never counts', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), (name) => {
      expect(foldName(foldName(name))).toBe(foldName(name));
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z.]{1,12}$/), (name) => {
      expect(foldName(name.toUpperCase())).toBe(foldName(name));
    }),
  );
});
