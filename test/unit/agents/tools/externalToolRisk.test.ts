import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { externalToolRisk } from '../../../../src/agents/tools/externalToolRisk.js';

const packed = (text: string, encoding: 'base64' | 'base64url' | 'hex' = 'base64') =>
  Buffer.from(text).toString(encoding);
/** The workspace of these calls; on Windows it could be the second. */
const FOLDERS = ['/work/a', 'C:\\work\\a'];
const settings = '.vscode/settings.json';
const patch = (path: string) => `--- a/src/a.ts\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
/** Bytes that are no text, the same each time. */
const noise = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 7919 + 31 * at * at) % 256));

/** Arguments by which a tool of others would reach what decides, is secret, or cannot be read. */
const hostile: readonly (readonly [string, object])[] = [
  ['a path', { path: settings }],
  ['a line end behind it', { path: `${settings}\n` }],
  ['a line end before it', { path: `\n${settings}` }],
  ['a carriage return', { path: `${settings}\r` }],
  ['leading blanks', { path: `   ${settings}` }],
  ['a leading tab', { path: `\t${settings}` }],
  ['a leading blank in a name', { path: `a/ ${settings}` }],
  ['trailing blanks', { path: `${settings}   ` }],
  ['trailing dots', { path: '.vscode./settings.json.' }],
  ['percent-encoding', { path: '%2Evscode/settings.json' }],
  ['percent-encoding of the slash', { path: '.vscode%2Fsettings.json' }],
  ['percent-encoding twice', { path: '%252Evscode%252Fsettings.json' }],
  ['percent-encoding three times', { path: '%25252Evscode/settings.json' }],
  ['percent-encoding with u', { path: '%u002evscode/settings.json' }],
  ['overlong percent-encoding', { path: '%c0%aevscode/settings.json' }],
  ['percent-encoding far too often', { path: `%${'25'.repeat(40)}2Evscode/settings.json` }],
  ['an escape', { path: '\\u002evscode/settings.json' }],
  ['an escape in hexadecimal', { path: '\\x2evscode/settings.json' }],
  ['an escape in octal', { path: '\\056vscode/settings.json' }],
  ['an entity', { path: '&#46;vscode/settings.json' }],
  ['an entity by its name', { path: '&period;vscode&sol;settings.json' }],
  ['back slashes', { path: '.vscode\\settings.json' }],
  ['a path of Windows', { path: 'C:\\work\\a\\.vscode\\settings.json' }],
  ['a UNC path', { path: '\\\\host\\c$\\a\\.git\\config' }],
  ['upper case', { path: '.VSCODE/SETTINGS.JSON' }],
  ['a one-dot leader', { path: '․vscode/settings.json' }],
  ['a wide stop', { path: '．vscode／settings.json' }],
  ['an ideographic stop', { path: '。vscode/settings.json' }],
  ['a fraction slash', { path: '.vscode⁄settings.json' }],
  ['a division slash', { path: '.vscode∕settings.json' }],
  ['a big reverse solidus', { path: '.vscode＼settings.json' }],
  ['unseen characters', { path: '.vs\u200bcode/settings.json' }],
  ['a NUL', { path: `${settings}\0.txt` }],
  ['a NUL within', { path: '.vs\0code/settings.json' }],
  ['a stream', { path: '.vscode/settings.json::$DATA' }],
  ['a way back', { path: 'a/../.vscode/settings.json' }],
  ['a way back behind it', { path: 'package.json/x/..' }],
  ['a folder that is named only to leave it', { path: 'src/./../package.json' }],
  ['a URI', { uri: 'file:///work/a/.vscode/settings.json' }],
  ['a URI, encoded', { uri: 'file:///work/a/%2Evscode/settings.json' }],
  ['a URI of a remote', { uri: 'vscode-remote://ssh-remote+x/work/.git/config' }],
  ['an address that leads back', { path: 'https://x/../../.vscode/settings.json' }],
  ['an address of this machine', { url: 'http://localhost:3000/write?path=.vscode/settings.json' }],
  ['an address of this machine by number', { url: 'http://127.0.0.1/x/.env' }],
  ['the home folder', { path: '~/notes.txt' }],
  ['the home folder of somebody', { path: '~root/notes.txt' }],
  ['a variable', { path: '$HOME/notes.txt' }],
  ['a variable in braces', { path: '${HOME}/x' }],
  ['a variable of Windows', { path: '%APPDATA%\\Code\\User\\settings.json' }],
  ['a command in a path', { path: '$(pwd)/x' }],
  ['quotes', { path: `"${settings}"` }],
  ['back ticks', { path: `\`${settings}\`` }],
  ['brackets', { path: `<${settings}>` }],
  ['a mention', { path: `@${settings}` }],
  ['a place within', { path: `${settings}:12:3` }],
  ['an anchor', { path: `${settings}#L3` }],
  ['a link of Markdown', { text: `[x](${settings})` }],
  ['several paths', { paths: `src/a.ts,${settings}` }],
  ['several paths with blanks', { files: `src/a.ts ${settings}` }],
  ['several paths, one in a line', { files: `src/a.ts\n${settings}` }],
  ['a list', { paths: ['src/a.ts', settings] }],
  ['a list of lists', { edits: [[{ at: [settings] }]] }],
  ['pieces of a path', { segments: ['.vs', 'code/settings.json'] }],
  ['numbers of characters', { data: [...Buffer.from(settings)] }],
  ['a buffer', { file: { type: 'Buffer', data: [...Buffer.from('.env')] } }],
  ['a key', { files: { [settings]: '{}' } }],
  ['a key, encoded', { files: { '%2Evscode/settings.json': '{}' } }],
  ['a key with a back slash', { files: { '.vscode\\settings.json': '{}' } }],
  ['JSON in a text', { input: JSON.stringify({ path: settings }) }],
  ['JSON in JSON in a text', { input: JSON.stringify({ of: JSON.stringify({ path: settings }) }) }],
  ['JSON with blanks around it', { input: `\n  ${JSON.stringify([settings])}\n` }],
  ['JSON in quotes', { input: JSON.stringify(JSON.stringify({ path: settings })) }],
  ['JSON that escapes', { input: '{"path":"\\u002evscode/settings.json"}' }],
  ['JSON with a comma too many', { input: '{"path": ".vscode/settings.json",}' }],
  ['JSON with comments', { input: '{\n  // where\n  path: ".vscode/settings.json"\n}' }],
  ['YAML', { input: 'path: .vscode/settings.json\ncontent: |\n  {}' }],
  ['YAML with a list', { input: 'files:\n  - src/a.ts\n  - .vscode/settings.json' }],
  ['YAML with quotes', { input: `path: "${settings}"` }],
  ['TOML', { input: 'path = ".vscode/settings.json"\n' }],
  ['XML', { input: `<write><path>${settings}</path><content>{}</content></write>` }],
  ['XML by an attribute', { input: `<write path="${settings}"/>` }],
  ['a unified diff', { patch: patch(settings) }],
  ['a unified diff with a time', { patch: `--- a\t2026-01-01\n+++ ${settings}\t2026-01-01\n@@ -1 +1 @@` }],
  ['a diff of git', { diff: `diff --git a/.envrc b/.envrc\nindex 1..2\n` }],
  ['a diff of git that escapes', { diff: '--- "a/.vs\\143ode/x"\n+++ "b/.vs\\143ode/x"\n' }],
  ['a diff that renames', { diff: 'rename from a.txt\nrename to .git/hooks/pre-commit\n' }],
  ['a context diff', { diff: `*** a.txt\n--- ${settings}\n***************\n` }],
  ['a diff of Subversion', { diff: `Index: ${settings}\n====\n` }],
  ['a diff in prose', { content: `Here it is:\n\n${patch(settings)}` }],
  ['apply_patch', { input: `*** Begin Patch\n*** Update File: ${settings}\n@@\n-a\n+b\n*** End Patch` }],
  ['apply_patch that adds', { input: `*** Begin Patch\n*** Add File: AGENTS.md\n+x\n*** End Patch` }],
  [
    'apply_patch that moves',
    { input: `*** Begin Patch\n*** Update File: a\n*** Move to: .git/hooks/x\n*** End Patch` },
  ],
  ['blocks to search and replace', { edits: `${settings}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE` }],
  ['a fence with a name over it', { text: `Do this:\n${settings}\n\`\`\`json\n{}\n\`\`\`` }],
  ['base64', { path: packed(settings) }],
  ['base64 for addresses', { path: packed(settings, 'base64url') }],
  ['base64 twice', { path: packed(packed(settings)) }],
  ['base64 of JSON', { input: packed(JSON.stringify({ path: settings })) }],
  ['a data URI', { input: `data:text/plain;base64,${packed(settings)}` }],
  ['hexadecimal', { path: packed(settings, 'hex') }],
  ['a long text that cannot be read', { input: noise.toString('base64') }],
  ['a long text in hexadecimal', { input: noise.toString('hex') }],
  ['a long text in lines', { input: noise.toString('base64').replace(/(.{76})/g, '$1\n') }],
  ['a long path', { path: `${'a/'.repeat(3_000)}${settings}` }],
  ['a long text with a patch at its end', { patch: `${' context\n'.repeat(2_000)}${patch(settings)}` }],
  ['a pattern', { glob: '.vs*/settings.json' }],
  ['a pattern with a question mark', { glob: '?vscode/settings.json' }],
  ['a pattern with brackets', { glob: '[.]vscode/settings.json' }],
  ['a pattern with braces', { glob: '{.vscode,src}/settings.json' }],
  ['a pattern for a file', { glob: '**/.env*' }],
  ['too many values', { many: Array.from({ length: 6_000 }, (_, at) => `v${at}`) }],
  ['too many texts', { text: 'x '.repeat(3_000_000) }],
  ['nesting without end', JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as object],
  ['JSON in JSON, many times', { a: nested(10) }],
  ['a command', { command: 'rm -rf build' }],
  ['a command by another name', { shellCommand: 'rm -rf build' }],
  ['a command in words', { cmd: ['rm', '-rf', 'build'] }],
  ['a program beside its words', { command: 'rm', args: ['-rf', 'build'] }],
  ['a command in JSON', { input: '{"command":"curl https://example.invalid"}' }],
  [
    'a part of a form',
    { body: `--x\nContent-Disposition: form-data; name="f"; filename="${settings}"\n\nx` },
  ],
  ['CDATA', { input: `<path><![CDATA[${settings}]]></path>` }],
  [
    'a patch that makes a link',
    { diff: 'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n+.vscode' },
  ],
  ['a name in bold over a fence', { text: `**${settings}**\n\`\`\`json\n{}\n\`\`\`` }],
  ['a name behind the language of a fence', { text: `\`\`\`json ${settings}\n{}\n\`\`\`` }],
  ['a title behind the language of a fence', { text: `\`\`\`json title="${settings}"\n{}\n\`\`\`` }],
  ['a process', { path: '/proc/self/environ' }],
  ['a variable alone', { path: '$HOME' }],
  ['a variable of Windows alone', { path: '%USERPROFILE%' }],
  ['a program in an object', { command: { program: 'rm', args: ['-rf', 'x'] } }],
  ['a command to run', { run: 'rm -rf x' }],
  ['a command of the editor', { url: 'command:workbench.action.quit' }],
  ['base32', { path: 'FZ3HGY3PMRSS643FOR2GS3THOMXGU43PNY======' }],
  ['compressed bytes', { data: 'H4sIAAAAAAAAA9MrK07OT0nVL04tKcnMSy/WyyrOz9MbFRw' }],
  ['a name without end', { path: 'a/../'.repeat(10_000) }],
  [
    'more names than are looked at',
    { patch: Array.from({ length: 3_000 }, (_, at) => `+++ b/f${at}`).join('\n') },
  ],
  ['the record', { path: '.agent-logbook/conversations/x' }],
  ['a secret', { file: 'deploy/id_rsa' }],
];

function nested(depth: number): string {
  let text = JSON.stringify([settings]);
  for (let at = 0; at < depth; at++) text = JSON.stringify([text]);
  return text;
}

describe('arguments that name what decides, or that cannot be read', () => {
  test.each(hostile)('%s', (_, args) => {
    expect(externalToolRisk('mcp_disk_write', args as Record<string, unknown>, FOLDERS)).toMatchObject({
      kind: 'ask',
    });
  });

  test.each([
    ['mcp_python_run', { code: 'print(1)' }],
    ['js_eval', { expression: '1 + 1' }],
    ['execute_code', { snippet: 'x' }],
  ])('%s runs code', (tool, args) => {
    expect(externalToolRisk(tool, args, FOLDERS)).toMatchObject({ kind: 'ask' });
  });
});

/** Arguments that lead out of the workspace. */
const elsewhere: readonly (readonly [string, object])[] = [
  ['an absolute path', { path: '/etc/hosts' }],
  ['an absolute path with blanks', { path: '/etc/my own hosts' }],
  ['a twin of the folder', { path: '/work/a-evil/x' }],
  ['the folder above', { path: '/work' }],
  ['a way out of the folder', { path: '/work/a/../../etc/hosts' }],
  ['a relative way out', { path: '../other/x.txt' }],
  ['a relative way out behind a way in', { path: 'src/../../x.txt' }],
  ['a relative way out with back slashes', { path: '..\\..\\x.txt' }],
  ['slashes that are doubled', { path: '//etc//hosts' }],
  ['a URI', { uri: 'file:///etc/hosts' }],
  ['a URI with a host', { uri: 'file://server/share/x' }],
  ['a URI with one slash', { uri: 'file:/etc/hosts' }],
  ['a URI that is encoded', { uri: 'file:///%65tc/hosts' }],
  ['another drive', { path: 'D:\\data\\x.txt' }],
  ['the same drive elsewhere', { path: 'c:/Users/me/x.txt' }],
  ['a share', { path: '\\\\server\\share\\x.txt' }],
  ['a device of Windows', { path: '\\\\?\\C:\\x.txt' }],
  ['a mention', { file: '@/etc/hosts' }],
  ['quotes', { file: '"/etc/hosts"' }],
  ['a place within', { file: '/etc/hosts:12:3' }],
  ['a value that is nothing but a path', { source: '/etc/hosts', destination: 'x' }],
  ['one of several', { paths: 'src/a.ts,/etc/hosts' }],
  ['one of a list', { paths: ['src/a.ts', '/tmp/x'] }],
  ['a list that is a path', { segments: ['/etc', 'hosts'] }],
  ['a key', { files: { '/etc/hosts': 'x' } }],
  ['JSON in a text', { input: '{"path":"/etc/hosts"}' }],
  ['a patch', { patch: patch('../../x.ts').replace('b/', '') }],
  ['apply_patch', { input: '*** Begin Patch\n*** Update File: /etc/hosts\n@@\n-a\n+b\n*** End Patch' }],
  ['a flag', { options: '--output=/etc/hosts' }],
  ['base64', { path: packed('/etc/hosts') }],
];

describe('arguments that lead out of the workspace', () => {
  test.each(elsewhere)('%s', (_, args) => {
    expect(externalToolRisk('mcp_disk_write', args as Record<string, unknown>, FOLDERS)).toMatchObject({
      kind: 'ask',
    });
  });

  test('a link that leads away, and one that stays', async () => {
    const root = await mkdtemp(join(tmpdir(), 'agent-logbook-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await mkdir(join(root, 'work', 'src'), { recursive: true });
    await symlink(root, join(root, 'work', 'away'));
    await symlink('src', join(root, 'work', 'stays'));
    const kindOf = (path: string) => externalToolRisk('w', { path }, [join(root, 'work')]).kind;
    expect(
      ['away/x.txt', 'stays/x.txt', 'src/x.txt', join(root, 'work', 'away', 'y'), 'stays/../../x'].map(
        kindOf,
      ),
    ).toEqual(['ask', 'allow', 'allow', 'ask', 'ask']);
  });
});

/** What tools of others are given all day. */
const everyday: readonly (readonly [string, object])[] = [
  ['nothing', {}],
  ['numbers', { page: 2, perPage: 50, ids: [1, 2, 3] }],
  ['a file', { path: 'src/main.ts' }],
  ['an absolute path', { path: '/work/a/src/main.ts' }],
  ['a path of Windows', { path: 'C:\\work\\a\\src\\main.ts' }],
  ['a URI', { uri: 'file:///work/a/src/main.ts' }],
  ['a path with a blank', { path: 'my notes/to do.md' }],
  ['a path with a percent sign', { path: 'docs/100%25.md' }],
  ['a folder that the editor fills in', { path: '${workspaceFolder}/src/a.ts' }],
  ['several files', { paths: ['src/a.ts', 'docs/b.md'] }],
  ['a pattern', { glob: '**/*.ts' }],
  ['a pattern with braces', { glob: 'src/**/*.{ts,tsx}' }],
  ['a pattern for data', { pattern: '**/*.json' }],
  ['an address', { url: 'https://example.com/a/b?c=d#e' }],
  ['an address of a file', { url: 'https://github.com/a/b/blob/main/package.json' }],
  ['an address with a dot folder', { url: 'https://example.com/.well-known/security.txt' }],
  [
    'an address in prose',
    { text: 'See https://github.com/a/b/blob/main/.github/workflows/ci.yml for more.' },
  ],
  ['an encoded address', { url: 'https://example.com/?q=a%20b%26c' }],
  ['prose', { text: 'see package.json\nand .env' }],
  ['prose in a line', { query: 'how do I write a package.json for a library?' }],
  ['prose of a person', { prompt: 'Rewrite the README so that it says what .env must hold, please.' }],
  ['a question', { question: 'What is in docker-compose.yml?' }],
  ['a title', { title: 'fix(build): package.json names the wrong entry' }],
  ['a message', { message: 'chore: update .gitignore and tsconfig.json\n\nThey were out of date.' }],
  [
    'an issue',
    { title: 'Crash at start', body: '## Steps\n\n1. Open `a.ts`\n2. Run\n\n- [ ] see package.json\n' },
  ],
  ['a text with a rule of Markdown', { body: 'One\n\n---\n\nTwo, of package.json.' }],
  ['a table', { body: '| file | what |\n| --- | --- |\n| package.json | names |' }],
  ['code', { content: "import { readFile } from 'node:fs';\nawait readFile('package.json');\n" }],
  ['code of Python', { content: "import os\nprint(os.environ['HOME'])\nopen('.env')\n" }],
  ['code in a line', { code: "require('./package.json')" }],
  ['a template', { content: 'const path = `${base}/src`;\nconst x = $y / 2;\n' }],
  ['a stylesheet', { content: '.a { color: red; }\n.b > .c { margin: 0 }' }],
  ['a page', { html: '<p class="a">Hello, <b>you</b></p>' }],
  ['a query', { sql: 'SELECT * FROM tokens WHERE id = 5' }],
  ['a regular expression', { regex: '^\\.env[a-z]*$' }],
  ['a regular expression with brackets', { regex: '[a-z]+\\.(json|ts)' }],
  ['a diff of a file', { diff: patch('src/b.ts') }],
  [
    'apply_patch of a file',
    { input: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch' },
  ],
  ['JSON', { input: '{"name":"a","version":2,"list":["x","y"]}' }],
  ['JSON with a file', { input: '{"path":"src/a.ts","edits":[{"line":1}]}' }],
  ['YAML', { input: 'name: a\nsteps:\n  - one\n  - two\n' }],
  ['a name', { name: 'Ada Lovelace', email: 'ada@example.com' }],
  ['a person and a repository', { owner: 'microsoft', repo: 'vscode', branch: 'feature/x' }],
  ['what is called a token', { access_token: 'abc', api_key: 'k', password: 'p', login: 'me' }],
  ['an id', { id: '0f8fad5b-d9cb-469f-a165-70867728950e' }],
  ['a commit', { sha: '6f3388a1b2c3d4e5f60718293a4b5c6d7e8f9012' }],
  ['a hash', { sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }],
  ['a long hash', { sha512: 'e3b0c442'.repeat(16) }],
  ['a cursor', { cursor: packed('{"offset":20,"of":"issues"}') }],
  ['a time', { since: '2026-11-22T09:00:00.000Z', zone: 'Europe/Berlin' }],
  ['a money', { amount: '$5', note: 'costs $5 or 10% more' }],
  ['a picture', { image: `data:image/png;base64,iVBORw0KGgo${noise.toString('base64')}` }],
  ['a picture without its type', { image: `iVBORw0KGgo${noise.toString('base64')}` }],
  ['a long prose', { text: 'A long story about eggs and flour. '.repeat(400) }],
  ['a long code', { content: 'const a = 1;\n'.repeat(5_000) }],
  ['packed code', { content: 'a=>b(c,d[e],"f").then(g=>h(i)),'.repeat(200) }],
  ['a selector', { selector: 'div.note > a[href="#x"]', ref: 'e12' }],
  ['a place on a page', { element: 'Submit button', key: 'Enter' }],
  ['a library', { libraryName: 'next.js', topic: 'routing' }],
  ['a version', { package: '@scope/name', version: '^1.2.3' }],
  ['a model of data', { $ref: '#/definitions/a', $schema: 'https://json-schema.org/draft/2020-12/schema' }],
  ['a filter', { filter: { $and: [{ a: '$b' }, { c: { $gt: 5 } }] } }],
  ['a diagram', { diagram: 'graph TD\n  A[Start] --> B{Ready?}\n  B -->|yes| C[Go]' }],
  ['a formula', { expression: 'a / b * (c + 1)' }],
  ['a command', { query: 'rm -rf is dangerous', command: 'npm test' }],
  ['a program and its words', { command: 'npm', args: ['test', '--', 'src/a.test.ts'] }],
  ['a route of the web', { path: '/api/v2/users/5', method: 'GET' }],
  ['a way on a page', { xpath: '//div[@id="etc"]/span', selector: '/html/body' }],
  ['a place in a document', { pointer: '/definitions/a' }],
  ['a branch', { ref: 'refs/heads/main', base: 'origin/main' }],
  ['an address of a database', { url: 'postgres://localhost/app', bucket: 's3://bucket/picture.png' }],
  ['prose about a place', { message: 'The list of hosts is in /etc/hosts on each machine.' }],
  ['code that imports', { content: "import { a } from '../../a.js';\nimport b from '../b.js';\n" }],
  ['a range of commits', { range: 'main..feature' }],
  ['a place in the folder', { file: '/work/a/src/a.ts:3:1' }],
  ['a regular expression with back slashes', { regex: '\\\\d+\\\\w' }],
  ['texts in other languages', { text: 'Größe・日本語。テスト／例' }],
];

describe('arguments of every day need no question', () => {
  test.each(everyday)('%s', (_, args) => {
    expect(externalToolRisk('mcp_tool', args as Record<string, unknown>, FOLDERS)).toEqual({ kind: 'allow' });
  });
});

test('there are a hundred of the one and sixty of the other', () => {
  expect([hostile.length >= 100, everyday.length >= 60]).toEqual([true, true]);
});
