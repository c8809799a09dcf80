import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeCommand } from '../../../../src/agents/tools/command/decide.js';
import { programs as known } from '../../../../src/agents/tools/command/policy/programs.js';
import { commandEnvironment } from '../../../../src/agents/tools/process/environment.js';
import { temporaryWorkspace } from './toolHarness.js';
import { inRuns, runs } from '../../../support/fixedInputs.js';

/** Namespaces of its own: no network, nobody's rights. */
const sandbox = ['unshare', '-Urmn'];
const CALLS =
  'execve,open,openat,creat,connect,sendto,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,chmod,' +
  'fchmod,fchmodat,chown,fchownat,truncate,ftruncate,link,linkat,symlink,symlinkat,utimensat,mknod,mknodat';
const noSandbox = spawnSync('unshare', ['-Urmn', 'strace', '-V']).status !== 0;

const looking = [...known].filter(([, { reads, looks }]) => reads ?? looks).map(([name]) => name);
const programs = new Set([...looking, 'bash']);

/** What a trace of system calls shows beyond looking: programs off the list, files written, connections. */
function deedsIn(trace: string): string[] {
  return trace.split('\n').filter((line) => {
    const [, call = '', args = ''] = /^\d+\s+(\w+)\((.*)$/.exec(line) ?? [];
    // Asking for a connection is a deed, whether it comes about or not.
    if (call === 'connect' || call === 'sendto') return /AF_INET|AF_NETLINK/.test(args);
    if (call === '' || line.includes(' = -1 E')) return false;
    if (call === 'execve') return !programs.has(basename(/^"([^"]*)"/.exec(args)?.[1] ?? ''));
    if (call === 'open' || call === 'openat') {
      return /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(args) && !/"\/dev\/(null|tty)"/.test(args);
    }
    return true;
  });
}

const words = (text: string) => fc.constantFrom(...text.split(' '));
const files = words('a.txt b.txt sub sub/c.txt . ./a.txt -- - nothing.txt');
const letters = fc.array(
  words('a b c d e f g h i k l m n o p q r s t u v w x z C D E F I L R S T U W X 0 1 9'),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const flags = fc.oneof(
  letters.map((some) => `-${some.join('')}`),
  words(
    '--help --output=canary --color=always --files0-from=a.txt --pre=touch --exec --regexp=a --reverse --unique ' +
      '--compress-program=touch --time=ctime -name -type -exec -delete -fprint -ok -print0 -maxdepth -n -i -o',
  ),
);
const texts = words(
  `'a' "b" 1 2,3p '1p' '1w canary' 's/a/b/e' +%s '*.txt' f canary touch 3 ';' '{}' log status`,
);
const simple = fc
  .tuple(
    words([...programs, 'touch', 'sh', 'env', 'xargs', 'awk'].join(' ')),
    fc.array(fc.oneof(flags, files, texts), { maxLength: 4 }),
  )
  .map(([program, rest]) => [program, ...rest].join(' '));
const line = fc
  .array(fc.tuple(simple, words('; && || | > >> 2>/dev/null; &')), { minLength: 1, maxLength: 3 })
  .map((parts) =>
    parts
      .map(([command, joint], at) => (at === parts.length - 1 ? command : `${command} ${joint} `))
      .join(''),
  );

describe.skipIf(noSandbox)('what the gate takes for harmless, run in a sandbox and watched', () => {
  test('writes nothing, runs nothing else and sends nothing', { timeout: 120_000 }, async () => {
    const { root, top } = await temporaryWorkspace({
      'a.txt': 'salt\nsugar\n',
      'b.txt': 'eggs\n',
      'sub/c.txt': 'c\n',
    });
    const environment = commandEnvironment({
      host: process.env,
      folders: [root],
      mark: 'm',
      onlyLooks: true,
    });
    const trace = join(top, 'trace');
    const before = await readdir(root, { recursive: true });
    const harmless = fc
      .sample(line, { numRuns: runs(6_000) })
      .filter((one) => judgeCommand(one).kind === 'allow');
    const unique = [...new Set(harmless)].slice(0, runs(200));
    expect(unique.length).toBeGreaterThan(inRuns(150));
    for (const command of unique) {
      const strace = ['strace', '-f', '-qq', '-s', '256', '-o', trace, '-e', `trace=${CALLS}`];
      const [program, ...args] = [...sandbox, ...strace, 'bash', '--noprofile', '--norc', '-c', command];
      const { error } = spawnSync(program, args, {
        cwd: root,
        env: environment,
        stdio: 'ignore',
        timeout: 60_000,
      });
      expect([command, error, deedsIn(await readFile(trace, 'utf8'))]).toEqual([command, undefined, []]);
    }
    expect(await readdir(root, { recursive: true })).toEqual(before);
  });

  test('the watching sees what it shall see', async () => {
    const { root, top } = await temporaryWorkspace({ 'a.txt': 'salt\n' });
    const trace = join(top, 'trace');
    const deeds = async (command: string) => {
      const strace = ['strace', '-f', '-qq', '-o', trace, '-e', `trace=${CALLS}`, 'bash', '-c', command];
      spawnSync('unshare', ['-Urmn', ...strace], { cwd: root, stdio: 'ignore' });
      return deedsIn(await readFile(trace, 'utf8')).length;
    };
    expect(await deeds('cat a.txt; ls')).toBe(0);
    for (const command of [
      'echo > new',
      'sort -o a.txt a.txt',
      'nice ls',
      "sed -n 'w new' a.txt",
      'rm a.txt',
      ': > /dev/udp/127.0.0.1/9',
    ]) {
      expect([command, await deeds(command)]).not.toEqual([command, 0]);
    }
  });
});
