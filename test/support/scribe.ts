import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentLogbook, folderWith, type CommandOptions } from './commandLine.js';
import type { StrictServer } from './strictServer.js';

const SCRIBE = '---\nname: Scribe\ndescription: Writes\ntools: [read, search, edit]\n---\nYou write.\n';

/** A folder with an agent that may write files. */
export const withScribe = () => folderWith({ '.github/agents/scribe.agent.md': SCRIBE });

/** A file in a repository of `inRepository` by which its models cost nothing, unless their server says so. */
export const PRICES = 'prices.yaml';

/** Runs Scribe on a server; the person at the terminal is asked what `options` say. */
export async function scribe(
  cwd: string,
  server: StrictServer,
  words: readonly string[],
  options: CommandOptions = {},
) {
  const args = ['run', '--model', 'test-model', '--endpoint', server.url, ...words];
  return agentLogbook(args, { cwd, ...options });
}

/** A repository with an agent that may write files. */
export async function inRepository(): Promise<string> {
  const cwd = await withScribe();
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=x', '-c', 'user.email=x@x', ...words]);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  await writeFile(join(cwd, 'own.txt'), 'not committed');
  await writeFile(join(cwd, PRICES), 'prices: 1\nmodels: [{ model: "endpoint/*", input: 0, output: 0 }]\n');
  return cwd;
}
