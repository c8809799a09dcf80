import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { textOf } from '../../../src/core/message.js';
import { eventually, extensionApi, journal, runAgent } from './support/extension.js';

const PROMPT = 'Why were there so few cookies on Tuesday?';

describe('a team of the sample workspace', () => {
  it('runs from a prompt to an answer, and every message of both agents is kept in memory', async () => {
    const { accumulator } = await extensionApi();
    const before = accumulator.all().length;
    const { outcome, answer } = await runAgent('Pickle', PROMPT);
    const said = accumulator.all().slice(before);
    assert.equal(outcome, 'done');
    assert.notEqual(answer, '');
    const pickle = said.find(({ agent }) => agent === 'Pickle');
    const cookie = said.filter(({ agent }) => agent === 'Cookie');
    assert(pickle);
    assert.equal(pickle.depth, 0);
    assert(cookie.length > 0, 'Cookie was asked');
    assert(cookie.every(({ depth, run }) => depth === 1 && run === pickle.run));
    assert(cookie.every(({ parentCall, call }) => parentCall === pickle.call && call !== pickle.call));
    assert(said.some(({ message }) => message.role === 'tool' && message.content !== ''));
  });

  it('keeps the same messages on the disk, and all that happened around them', async () => {
    const { conversation } = await runAgent('Pickle', PROMPT);
    const records = await journal(conversation);
    assert.deepEqual(
      records.map(({ seq }) => seq),
      records.map((_, index) => index + 1),
    );
    const types = new Set(records.map(({ type }) => type));
    for (const type of ['callStart', 'message', 'request', 'dispatch', 'callEnd'] as const) {
      assert(types.has(type), `${type} is recorded`);
    }
    const ends = records.filter((record) => record.type === 'callEnd');
    assert.deepEqual(new Set(ends.map(({ outcome }) => outcome)), new Set(['done']));
  });

  it('exports its transcript into an untitled Markdown document', async () => {
    const { conversation } = await runAgent('Pickle', PROMPT);
    await vscode.commands.executeCommand('agentLogbook.exportMarkdown', { conversation });
    await eventually(
      'the document is shown',
      () => vscode.window.activeTextEditor?.document.isUntitled === true,
    );
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.languageId, 'markdown');
    assert.match(document.getText(), /### User \(Pickle\)\n\n_[^\n]*_\n\n.*few cookies on Tuesday/);
    assert.match(document.getText(), /subagent_dispatch/);
  });

  it('can be gone on with: the entry agent knows what was said', async () => {
    const { conversation } = await runAgent('Pickle', PROMPT);
    const before = await journal(conversation);
    await vscode.commands.executeCommand('agentLogbook.continueConversation', {
      conversation,
      prompt: 'And now?',
    });
    const after = await journal(conversation);
    assert.deepEqual(after.slice(0, before.length), before);
    assert.equal(after[before.length]?.seq, before.length + 1);
    assert(after.some((record) => record.type === 'message' && record.message.content === 'And now?'));
    const answer = after.findLast((record) => record.type === 'message');
    assert.match(textOf(answer?.message.content), /all I know by heart/, 'the script has gone on');
  });
});
