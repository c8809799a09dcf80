import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/clock.js';
import type { RunApprovalPolicy } from '../../../../src/core/ports/approvals.js';
import { Recorder } from '../../../../src/core/record/recorder.js';
import { checkTree } from '../../../../src/agents/tools/command/checkPaths.js';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import { approve, deny, toolWorkspace } from './toolHarness.js';

const files = {
  'README.md': 'one\n',
  'package.json': '{}',
  'a.txt': 'a',
  'src/main.ts': 'greet();\n',
  'src/greet.ts': 'export function greet() {}\n',
  'docs/a.md': 'a',
  'run.sh': 'true',
  gradlew: '',
  'node_modules/.bin/eslint': '',
  'node_modules/x/.env': 'A=b',
};
const bar = (text: string) => text.split(/\s*¦\s*/).map((command) => command.trim());

/** A workspace and which of these commands ask there under this policy. None is run. */
async function workspace(policy: RunApprovalPolicy) {
  const made = await toolWorkspace(files, { host: { ...process.env, PATH: '/usr/bin:/bin' } });
  const decider = new ApprovalDecider({
    policy,
    ask: () => Promise.resolve({ approved: false }),
    messageLog: new Recorder({ conversation: 'c', onListenerFailure: () => undefined }),
    clock: systemClock,
  });
  const asking = async (commands: readonly string[]) => {
    const asked: string[] = [];
    for (const command of commands) {
      const decide: typeof decider.decide = async (request) => {
        const { approved } = await decider.decide(request);
        if (!approved) asked.push(`${command}: ${request.askReason ?? 'by the policy'}`);
        return deny()();
      };
      await made.call('run_command', { command }, { decide });
    }
    return asked;
  };
  return { ...made, asking };
}

/** What only looks, beyond the hundred whose questions are counted elsewhere. */
const looking = bar(`
  egrep -rn 'a|b' src ¦ fgrep -c greet README.md ¦ lscpu ¦ locale ¦ locale -a ¦ getconf ARG_MAX ¦ expr 1 + 1 ¦ ss -ltn ¦
  ls --help ¦ grep --version ¦ iconv -f latin1 -t utf8 a.txt ¦ find . -name '*.ts' -newer README.md ¦ find src -xdev -ls ¦
  find . -regex '.*ts' -printf '%p %s' ¦
  grep -rn greet src ¦ grep -rn --include='*.ts' greet src ¦ grep -rn --include=*.ts greet src ¦ grep -rln greet src docs ¦
  grep -r greet . --exclude-dir=.git ¦ grep -rnw greet src | head -20 ¦ grep -rc export src ¦ grep -rnE 'a|b' docs ¦
  grep -n greet src/*.ts ¦ grep -n .env README.md ¦ grep -n 'rm -rf' README.md ¦ grep 'git push' README.md ¦
  ls *.md ¦ ls -la src/*.ts ¦ wc -l src/*.ts ¦ cat docs/*.md ¦ head -n 5 src/*.ts ¦ md5sum src/*.ts ¦ ls -l src docs ¦
  sed 's/a/b/' README.md ¦ sed -n '/greet/p' src/main.ts ¦ sed -n '/a/,/b/p' README.md ¦ sed '1d' a.txt ¦ sed '$d' a.txt ¦
  sed -e 's/a/b/g' -e '2,3d' a.txt ¦ sed -E 's/([a-z]+)\\.x/\\1/' a.txt ¦ cat a.txt | sed 's/^ *//' | sort -u ¦
  sed -n '$=' a.txt ¦ command -v node ¦ command -v node npm git ¦ type ls ¦ type -a git ¦ which npm ¦ env ¦ env | sort ¦
  printenv PATH ¦ tac a.txt ¦ od -c a.txt ¦ xxd a.txt ¦ hexdump -C a.txt ¦ base64 a.txt ¦ strings a.txt ¦ sha512sum a.txt ¦
  column -t a.txt ¦ paste a.txt README.md ¦ fold -w 80 a.txt ¦ cksum a.txt ¦ git log --format='%h %an %s' -5 ¦
  git log --pretty=format:'%h - %s' --date=short ¦ git log --follow --oneline src/main.ts ¦ git stash list ¦ git reflog ¦
  git remote ¦ git worktree list ¦ git describe --tags ¦ git shortlog -sn HEAD ¦ git rev-list --count HEAD ¦
  git ls-tree -r --name-only HEAD ¦ git merge-base main HEAD ¦ git diff --name-status main ¦ git tag --list ¦
  test -d src && ls src ¦ ls src 2>/dev/null || echo none ¦ echo "rm -rf is dangerous" ¦ du -sh src docs | sort -h`);

/** What builds, checks, changes some files by name or records it: for the policy, never beyond it. */
const working = bar(`
  npm test ¦ npm run build ¦ npm run lint -- --fix ¦ npm test -- src/main.test.ts ¦ npx eslint src ¦ npx eslint --fix src ¦
  yarn build ¦ yarn workspace web test ¦ pnpm -r build ¦ pnpm --filter web test ¦ bun test ¦ bun run build ¦ deno test ¦
  deno task build ¦ node src/main.js --port 3000 ¦ node --test ¦ tsc --noEmit ¦ tsc -p . ¦ vitest run ¦ jest --coverage ¦
  prettier --write src ¦ eslint . --format json ¦ python3 script.py ¦ python3 -m pytest -q ¦ python -m unittest ¦ pytest -k a ¦
  python3 -Wignore script.py ¦ python3 -X dev script.py ¦ node --env-file .flags src/main.js ¦ node -C dev src/main.js ¦
  coverage run -m unittest ¦ npm exec eslint src ¦ npm exec -- eslint --package=x ¦ npx eslint --package=x ¦ npm test -- --no --u --shell ¦ vite build ¦ ruff check . ¦ mypy src ¦ black src ¦ coverage run -m pytest ¦ poetry run pytest ¦ uv run pytest tests ¦ uv run main.py ¦
  cargo test ¦ cargo build --release ¦ cargo clippy -- -D warnings ¦ cargo run -- --help ¦ go test ./... ¦ go build ./... ¦
  go vet ./... ¦ go run . ¦ gofmt -l . ¦ make ¦ make -j4 test ¦ cmake --build build ¦ ctest --output-on-failure ¦
  gcc -Wall -O2 -o out a.c ¦ mvn -q test ¦ mvn clean verify -DskipTests ¦ ./gradlew build ¦ gradle test ¦ dotnet test ¦
  bundle exec rspec ¦ rake spec ¦ composer test ¦ phpunit tests ¦ mix test ¦ swift build ¦ dart test ¦ shellcheck run.sh ¦
  ./run.sh ¦ bash run.sh --fast ¦ mkdir -p out/a ¦ cp a.txt out.txt ¦ mv a.txt b.txt ¦ rm a.txt ¦ touch new.txt ¦
  sed -i 's/a/b/g' a.txt ¦ sed -i.bak 's/a/b/g' a.txt ¦ gzip -k a.txt ¦ gzip -dc a.txt.gz ¦ xz -t a.txt.xz ¦ echo hi > note.txt ¦ cat a.txt | tee copy.txt ¦ git add -A ¦ git commit -m "fix: rm -rf" ¦
  git switch -c topic ¦ git checkout main ¦ git stash ¦ git diff ¦ git show HEAD ¦ git log -p -2 ¦ git blame a.txt ¦
  git mv a.txt b.txt ¦ git tag v1 ¦ git remote -v ¦ git config --get user.name ¦ NODE_ENV=test npm test ¦ CI=1 npm test ¦
  RUST_BACKTRACE=1 cargo test ¦ GOOS=linux go build ./... ¦ DEBUG=x FORCE_COLOR=1 npm test ¦ PYTHONUNBUFFERED=1 pytest ¦
  env CI=1 npm test ¦ timeout 60 npm test ¦ time make ¦ set -euo pipefail; npm test ¦ npm test; [ $? -eq 0 ] && echo ok ¦
  export A=b && npm test ¦ unset CI; npm test ¦ [ -n "$CI" ] && npm test ¦ [ "$A" = "$B" ] || echo differ ¦ sleep 1 ¦
  for f in a b; do echo "$f"; done ¦ if [ -f "$HOME/x" ]; then echo yes; fi ¦ ps aux | grep node ¦ jq -r .name package.json`);

test('what only looks runs without a question where a person is asked', async () => {
  const { asking } = await workspace('ask');
  const outside = (line: string) => /^(jq|rg|xxd|column|hexdump) .*by the policy$/.test(line);
  expect((await asking(looking)).filter((line) => !outside(line))).toEqual([]);
  expect(new Set(looking).size).toBeGreaterThanOrEqual(60);
});

test('what works on the project is for the policy, and approving everything approves it', async () => {
  const { asking } = await workspace('approveAll');
  expect(await asking(working)).toEqual([]);
  expect(new Set(working).size).toBeGreaterThanOrEqual(100);
});

describe('reading everything in a folder, or by a pattern, asks', () => {
  test.each([
    ['grep -rn a .', 'src/.env', "'src/.env' may hold keys"],
    ['grep -rn a src', 'src/deep/server.key', 'may hold keys'],
    ['grep -rn a .', '.git/config', 'passwords of remotes'],
    ['rg -n a', 'src/.env.local', 'may hold keys'],
    ['rg --hidden a', '.git/config', 'passwords of remotes'],
    ['cat src/*.pem', 'src/a.pem', 'may hold keys'],
    ['grep -n a *.json', 'credentials.json', 'may hold keys'],
    ['cat *.txt', '-n.txt', 'taken for a flag'],
  ])('%s where there is %s', async (command, path, reason) => {
    const { call, put } = await workspace('ask');
    await put(path, 'a');
    const { asked } = await call('run_command', { command }, { decide: deny() });
    expect(asked[0]?.askReason ?? asked[0]?.allowReason).toContain(reason);
  });

  test('ripgrep leaves out what Git keeps, unless a file brings it back', async () => {
    const { root, put } = await workspace('ask');

    await put('.git/config', 'a');
    const look = () => checkTree({ path: root, relative: '' }, { without: ['.git'], heedsIgnoreFiles: true });
    expect(await look()).toEqual({ kind: 'allow' });
    await put('.ignore', 'dist\n!.git/\n');
    expect(await look()).toMatchObject({ reason: expect.stringContaining('passwords of remotes') as string });
  });

  test('a file with another name, or a link that leads out', async () => {
    const { call, top, hardLinkTo, linkTo, put } = await workspace('ask');
    await put('../theirs.txt', 'theirs');
    await hardLinkTo(`${top}/theirs.txt`, 'src/twin.txt');
    await linkTo('../../theirs.txt', 'docs/door.txt');
    const whyOf = async (command: string) =>
      (await call('run_command', { command }, { decide: deny() })).asked[0]?.askReason;
    expect(await whyOf('grep -rn a src')).toContain('2 names');
    expect(await whyOf('cat docs/*.txt')).toContain('leads out of the workspace');
    expect(await whyOf('grep -rn a docs')).toBeUndefined();
  });
});

const onLinux = test.skipIf(process.platform !== 'linux');

// Elsewhere the file system takes no such name.
onLinux('a name that is no text can hide what it leads to: it asks, and nothing fails', async () => {
  const { root, call } = await workspace('ask');
  const odd = (folder: string, end: string) =>
    Buffer.concat([Buffer.from(join(root, folder, '/')), Buffer.from([0xff]), Buffer.from(end)]);
  await symlink('/etc/hostname', odd('docs', '.md'));
  await mkdir(odd('src', 'hidden'));
  const askedFor = async (command: string) =>
    (await call('run_command', { command }, { decide: deny() })).asked[0]?.askReason;
  expect(await askedFor('cat docs/*.md')).toContain('no valid text');
  expect(await askedFor('grep -rn a src')).toContain('no valid text');
  expect(await askedFor('grep -rn a docs')).toBeUndefined();
});

test('what sed has changed in its place is an agent’s', async () => {
  const { call } = await workspace('ask');
  await call('run_command', { command: "sed -i 's/true/false/' run.sh" }, { decide: approve });
  await call('run_command', { command: "sed -i.bak 's/a/b/' README.md" }, { decide: approve });
  await call('run_command', { command: 'mv src lib' }, { decide: approve });
  const whyOf = async (command: string) =>
    (await call('run_command', { command }, { decide: deny() })).asked[0]?.askReason;
  expect(await whyOf('bash run.sh')).toContain('which an agent has written');
  expect(await whyOf('bash README.md.bak')).toContain('which an agent has written');
  expect(await whyOf('node lib/main.ts')).toContain('which an agent has written');
});
