import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../harness/temporaryFolder.js';

/** How long the entry took to load, in milliseconds: on the clock, which other work on the machine holds up, and on the processor. */
export interface LoadTime {
  readonly ms: number;
  readonly processorMs: number;
}

function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** The names that `vscode` exports at run time. */
function vscodeNames(): Set<string> {
  const declarations = readFileSync('node_modules/@types/vscode/index.d.ts', 'utf8');
  const exported = /^\s{1,4}export (?:abstract )?(?:class|enum|namespace|function|const) (\w+)/gm;
  return new Set([...declarations.matchAll(exported)].map((match) => match[1]!));
}

/** Prints how long the extension's entry takes to load; `vscode` is a package that does nothing. */
const folder = temporaryFolder();
const vscode = join(folder, 'node_modules/vscode');
mkdirSync(vscode, { recursive: true });
writeFileSync(
  join(vscode, 'package.json'),
  '{ "name": "vscode", "type": "module", "exports": "./vscode.js" }',
);
const nothing = 'const nothing = new Proxy(class {}, { get: (target, key) => target[key] ?? nothing });';
const exported = [...vscodeNames()].map((name) => `export { nothing as ${name} };`);
writeFileSync(join(vscode, 'vscode.js'), [nothing, ...exported].join('\n'));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
cpSync('dist', join(folder, 'dist'), { recursive: true });
await import(pathToFileURL(join(vscode, 'vscode.js')).href);
const before = process.cpuUsage();
const start = performance.now();
await import(pathToFileURL(join(folder, 'dist/extension.js')).href);
const loaded: LoadTime = { ms: performance.now() - start, processorMs: processorMs(before) };
console.log(JSON.stringify(loaded));
process.exit();
