import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { editorInFront, eventually, extensionApi } from './support/extension.js';

const isPanelInFront = () => Promise.resolve(editorInFront() === 'agentLogbook.transcriptFile');

/** How many records the report of the recording in front tells of; 0 where nothing was read of it yet. */
async function records(): Promise<number> {
  // Before the file is read the command says so, and waits until somebody has seen it.
  const told = vscode.commands.executeCommand('agentLogbook.showFileReport');
  await Promise.race([told, new Promise((resolve) => setTimeout(resolve, 1_000))]);
  await vscode.commands.executeCommand('notifications.clearAll');
  const text = vscode.window.activeTextEditor?.document.getText() ?? '';
  if (!text.includes('What was read of a file')) return 0;
  const [, count = '0'] = /1 conversation, (\d+) records/.exec(text) ?? [];
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  await eventually('the panel is in front again', isPanelInFront);
  return Number(count);
}

const settings = () => vscode.workspace.getConfiguration('agentLogbook');
const change = (id: string, value: unknown) =>
  settings().update(id, value, vscode.ConfigurationTarget.Global);

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('what other programs say', () => {
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const id of ['telemetry.port', 'capture.openAiAddress']) await change(id, undefined);
    for (const id of ['stopRecording', 'stopTelemetry'])
      await vscode.commands.executeCommand(`agentLogbook.${id}`);
  });

  it('is recorded in a terminal, and opens with the first request', async () => {
    await extensionApi();
    const model = createServer((request, response) => {
      request.resume().on('end', () => {
        const message = { role: 'assistant', content: 'In the upper drawer.' };
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({ object: 'chat.completion', model: 'm', choices: [{ index: 0, message }] }),
        );
      });
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const folder = await mkdtemp(join(tmpdir(), 'capture-'));
    try {
      await change('capture.openAiAddress', `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`);
      await change('telemetry.port', await freePort());
      const agent = join(folder, 'agent.mjs');
      const body = { model: 'm', messages: [{ role: 'user', content: 'Where are the spoons?' }] };
      await writeFile(
        agent,
        `await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer sk-secret' }, body: ${JSON.stringify(JSON.stringify(body))} });`,
      );
      await vscode.commands.executeCommand('agentLogbook.recordTerminal');
      const terminal = vscode.window.terminals.find(({ name }) => name === 'Recorded');
      assert(terminal, 'there is a terminal');
      terminal.sendText(
        `ELECTRON_RUN_AS_NODE=1 ${JSON.stringify(process.execPath)} ${JSON.stringify(agent)}`,
      );
      await eventually('the recording opens', isPanelInFront);
      await eventually('it is read', async () => (await records()) >= 2);
      terminal.dispose();
    } finally {
      model.closeAllConnections();
      model.close();
      await rm(folder, { recursive: true });
    }
  });

  it('is received as OpenTelemetry, and grows while it is open', async () => {
    await extensionApi();
    const port = await freePort();
    await change('telemetry.port', port);
    void vscode.commands.executeCommand('agentLogbook.receiveTelemetry');
    const traceId = `${Date.now().toString(16)}${'a'.repeat(32)}`.slice(0, 32);
    const send = async (spanId: string, said: string) => {
      const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
      const part = JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: said }] }]);
      const attributes = [
        attribute('gen_ai.operation.name', 'chat'),
        attribute('gen_ai.output.messages', part),
      ];
      const start = `${Date.now()}000000`;
      const span = {
        traceId,
        spanId,
        name: 'chat',
        startTimeUnixNano: start,
        endTimeUnixNano: start,
        attributes,
      };
      const answer = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
      });
      return answer.ok;
    };
    await eventually('a span is taken', () => send('1'.repeat(16), 'first').catch(() => false));
    void vscode.commands.executeCommand('agentLogbook.openRecording');
    await eventually('the newest recording opens', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return isPanelInFront();
    });
    let before = 0;
    await eventually('it is read', async () => (before = await records()) > 0);
    assert.equal(await send('2'.repeat(16), 'second'), true);
    await eventually('what was added is read', async () => (await records()) > before);
    await fetch(`http://127.0.0.1:${port}/v1/traces`, { method: 'POST', body: 'no JSON' });
    let told = '';
    await eventually('what was refused is told', async () => {
      await vscode.commands.executeCommand('agentLogbook.showCaptureReport');
      told = vscode.window.activeTextEditor?.document.getText() ?? '';
      return told.includes('POST /v1/traces: The content type is');
    });
    assert.match(told, /Recorded: 2 spans/);
  });
});
