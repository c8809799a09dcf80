import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { StrictServer } from '../../support/strictServer.js';
import { calling, saying } from '../../support/wireAnswers.js';
import { eventually, extensionApi, journal, runAgent, workspaceFolder } from './support/extension.js';
import { withSettings } from './support/settings.js';

const weigher = '---\nname: Weigher\ndescription: Weighs\ntools: [kitchen/*]\n---\nYou weigh.\n';

/** Starts the MCP server that the test extension offers, as the palette does. */
async function startScales() {
  await vscode.extensions.getExtension('agent-logbook-tests.kitchen-mcp')?.activate();
  await eventually('the tools of the MCP server are there', async () => {
    await vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true });
    return vscode.lm.tools.some(({ name }) => name === 'mcp_kitchen_weigh');
  });
}

/** Lets an agent that has the server's tools call one of them; what it is told, and what was decided about it. */
async function use(tool: string, args: Readonly<Record<string, unknown>>, approvals = 'approveAll') {
  await extensionApi();
  await mkdir(join(workspaceFolder(), '.github/agents'), { recursive: true });
  await writeFile(join(workspaceFolder(), '.github/agents/weigher.agent.md'), weigher);
  await vscode.commands.executeCommand('agentLogbook.refreshAgents');
  await using server = await StrictServer.start([calling({ name: tool, args }), saying('Done.')]);
  let conversation = '';
  const endpoints = [{ name: 'loopback', url: server.url }];
  await withSettings({ endpoints, model: 'loopback/test-model', approvals }, async () => {
    ({ conversation } = await runAgent('Weigher', 'Weigh it.'));
  });
  const records = await journal(conversation);
  const result = records.find((record) => record.type === 'message' && record.message.role === 'tool');
  assert(result?.type === 'message' && typeof result.message.content === 'string');
  const approval = records.find((record) => record.type === 'approval');
  assert(approval?.type === 'approval', 'the decision is recorded');
  return { content: result.message.content, isError: result.isError === true, approval, server };
}

describe('a tool of an MCP server', () => {
  before(startScales);

  it('is offered under its namespace, decided about, called, and its answer recorded', async () => {
    const { content, approval, server } = await use('mcp_kitchen_weigh', { bowl: 'red' });
    assert.equal(content, 'The red bowl weighs 600 g.');
    assert.deepEqual(
      [approval.decision, approval.decidedBy, approval.rule],
      ['approved', 'policy', 'approveAll'],
    );
    assert.match(approval.subject, /^mcp_kitchen_weigh.*\n\{\n {2}"bowl": "red"\n\}$/);
    assert.match(JSON.stringify(server.requests[0]), /mcp_kitchen_flood/);
    assert.doesNotMatch(JSON.stringify(server.requests[0]), /run_in_terminal|run_command/);
  });

  it('is not called where everything is rejected', async () => {
    const { content, isError, approval } = await use('mcp_kitchen_weigh', { bowl: 'red' }, 'rejectAll');
    assert.deepEqual([isError, approval.decision], [true, 'denied']);
    assert.match(content, /settings do not allow/);
  });

  it('gets no arguments that its schema does not allow', async () => {
    await assert.rejects(use('mcp_kitchen_weigh', { pan: 'red' }), /the decision is recorded/);
  });

  it('that floods is cut, and it is said', async () => {
    const { content, server } = await use('mcp_kitchen_flood', {});
    assert.match(content, /^ä+/);
    assert.match(JSON.stringify(server.requests[1]), /ä\\n\(cut: \d+ more characters\)/);
  });

  it('that answers with a picture gives its text', async () => {
    const { content } = await use('mcp_kitchen_photograph', {});
    assert.match(content, /Cheese!/);
  });

  it('that cannot do it says so', async () => {
    const { content } = await use('mcp_kitchen_fail', {});
    assert.match(content, /The scales are broken\./);
  });
});
