import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildCatalog } from '../../../../src/agents/definitions/catalog.js';
import { findAgentFiles } from '../../../../src/agents/definitions/findAgentFiles.js';
import { systemClock } from '../../../../src/core/clock.js';
import { parseScript } from '../../../../src/agents/models/scriptFile.js';
import { ScriptedModel } from '../../../../src/agents/models/scriptedModel.js';
import type { ApprovalAnswer } from '../../../../src/core/ports/approvals.js';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import { SchemaValidator } from '../../../../src/agents/loop/toolCalls/schemaValidator.js';
import { agentTools } from '../../../../src/agents/tools/agentTools.js';
import { builtInTools } from '../../../../src/agents/tools/builtInTools.js';
import { DiskWorkspaceFiles } from '../../../../src/agents/tools/files/writeDiskText.js';
import { PathGuard } from '../../../../src/agents/tools/paths/pathGuard.js';
import { SeenFiles } from '../../../../src/agents/tools/files/seenFiles.js';
import { ToolRegistry } from '../../../../src/agents/tools/toolRegistry.js';
import { aTeam, linesOf } from '../../../support/scriptedTeam.js';

const sample = join(import.meta.dirname, '../../../../samples/team');

/** The sample workspace in a fresh place with its agents, its script and the real tools. */
async function kitchen(answer: ApprovalAnswer = { approved: false, reason: 'Not on my stove.' }) {
  const root = join(await mkdtemp(join(tmpdir(), 'kitchen-')), 'team');
  onTestFinished(() => rm(join(root, '..'), { recursive: true }));
  await cp(sample, root, { recursive: true });
  const { agents, files } = buildCatalog(await findAgentFiles([root], undefined));
  const { script, problems } = parseScript(
    await readFile(join(root, 'agents.script.yaml'), 'utf8'),
    'agents',
  );
  if (!script) throw new Error(problems[0]?.message);
  const scripted = new ScriptedModel(script);
  const workspace = { guard: new PathGuard([root]), files: new DiskWorkspaceFiles(), seen: new SeenFiles() };
  const tools = builtInTools(workspace, { shell: '/bin/bash', host: process.env });
  const asked: string[] = [];
  const entry = agents.filter(({ name }) => name === 'Pickle');
  const team = aTeam([...entry, ...agents.filter(({ name }) => name !== 'Pickle')], {
    model: scripted,
    toolsFor: (agent, callable) => agentTools(tools, agent, callable),
    executorFor: (all) => new ToolRegistry(all, new SchemaValidator()),
  });
  const approvals = new ApprovalDecider({
    messageLog: team.recorder,
    clock: systemClock,
    ask: async ({ request }) => {
      asked.push(request.title);
      return answer;
    },
  });
  const run = (prompt: string) =>
    team.session.run(prompt, { config: { ...team.config, approvals, runApprovalPolicy: 'ask' } });
  return { ...team, agents, files, asked, run, scripted };
}

/** What was said and done, requests and system prompts left out. */
const story = ({ records }: Pick<Awaited<ReturnType<typeof kitchen>>, 'records'>) =>
  linesOf(records)
    .filter((line) => !/ request | message system/.test(line))
    .map((line) => line.replace(/\n[^]*/, ''));

test('the agents are read without a problem', async () => {
  const { agents, files } = await kitchen();
  expect(files.flatMap(({ problems }) => problems)).toEqual([]);
  expect(agents.map(({ name, tools, agents: may }) => [name, tools, may])).toEqual([
    ['Cookie', ['read_file', 'list_files', 'search_text', 'subagent_dispatch'], ['Crumb']],
    ['Pickle', ['subagent_dispatch', 'read_file', 'list_files'], ['Cookie', 'Crumb']],
    ['Crumb', ['read_file', 'search_text', 'run_command'], '*'],
  ]);
});

test('the tour: Pickle asks Cookie, Cookie reads real files, both answer', async () => {
  const team = await kitchen();
  const { outcome, text } = await team.run('Why were there so few cookies on Tuesday?');
  expect([outcome, text]).toEqual(['done', expect.stringContaining('`kitchen/scale.mjs`, line 8') as string]);
  expect(team.asked).toEqual([]);
  const told = story(team);
  expect(told.filter((line) => line.startsWith('1 Cookie message assistant'))).toEqual([
    '1 Cookie message assistant: list_files()',
    '1 Cookie message assistant: read_file() read_file() read_file() The log, the card and the program. Reading all three.',
    '1 Cookie message assistant: Found it: `kitchen/scale.mjs`, line 8, says `const factor = serves / people;`.',
  ]);
  expect(told).toContain('1 Cookie message tool: # Midnight cookies');
  expect(told.some((line) => line.includes('error'))).toBe(false);
});

test('the proof: two levels deep, at the same time, with a denial and two failures', async () => {
  const team = await kitchen();
  const { outcome, text } = await team.run('Prove it.');
  expect([outcome, text]).toEqual(['done', expect.stringContaining('Proven twice.') as string]);
  expect(team.asked).toEqual(['Run node kitchen/scale.mjs recipes/midnight-cookies.md 24']);
  const told = story(team);
  for (const line of [
    '0 Pickle dispatch Cookie',
    '0 Pickle dispatch Crumb',
    '1 Cookie dispatch Crumb',
    '2 Crumb callEnd failed: The abacus fell behind the stove.',
    '1 Crumb approval run_command denied by user',
    '1 Crumb message tool [error]: This was not allowed: Not on my stove.',
    "1 Crumb message tool [error]: 'kitchen/scale.test.mjs' does not exist.",
    '1 Cookie callEnd done',
    '1 Crumb callEnd done',
    '0 Pickle callEnd done',
  ]) {
    expect(told).toContain(line);
  }
});

test('the line that the script names is the line with the mistake', async () => {
  const lines = (await readFile(join(sample, 'kitchen/scale.mjs'), 'utf8')).split('\n');
  expect(lines[7]).toBe('  const factor = serves / people;');
});

test('who allows the command sees the real program run', async () => {
  const team = await kitchen({ approved: true });
  await team.run('Prove it.');
  expect(story(team)).toContain('1 Crumb approval run_command approved by user');
  expect(JSON.stringify(team.records)).toContain('38 g butter');
});

test('one after the other in one conversation, in both orders, and then the script says that it ends', async () => {
  for (const prompts of [
    ['Why so few cookies?', 'Prove it.'],
    ['Prove it.', 'Why so few cookies?'],
  ]) {
    const team = await kitchen();
    for (const prompt of [...prompts, 'And now?', 'Hello?']) {
      expect(await team.run(prompt)).toMatchObject({ outcome: 'done' });
    }
    const left = team.scripted.unused().map(({ agent }) => agent);
    expect(left).toEqual(['Crumb']);
    expect(await team.run('Anybody?')).toMatchObject({ outcome: 'failed' });
  }
});
