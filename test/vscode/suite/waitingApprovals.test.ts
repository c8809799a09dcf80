import assert from 'node:assert/strict';
import { silentLog } from '../../../src/ports/log.js';
import { PanelsInView } from '../../../src/vscode/panel/panelsInView.js';
import { ApprovalPrompts } from '../../../src/vscode/runs/approvalPrompts.js';

describe('approvals that wait in several conversations', () => {
  it('have numbers that tell them apart, from 1 again when none waits any more', async () => {
    const inView = new PanelsInView(assert.ifError);
    const prompts = new ApprovalPrompts(inView, silentLog);
    const ask = (conversation: string, id: string) => {
      const call = { run: 'r', call: 'k', agent: 'Crumb', depth: 0 };
      const { signal } = new AbortController();
      const about = { toolName: 't', toolCallId: id, subject: 's', title: 'Bake', key: id };
      return prompts.ask(conversation, { id, number: 1, request: { ...about, call, signal } });
    };
    const numbers = () =>
      ['kitchen', 'cellar'].flatMap((name) => prompts.pending(name).map(({ number }) => number));
    try {
      const first = ask('kitchen', 'a');
      void ask('cellar', 'b');
      assert.deepEqual(numbers(), [1, 2]);
      prompts.answer('a', { approved: false });
      assert.deepEqual(await first, { approved: false });
      void ask('kitchen', 'c');
      assert.deepEqual(numbers(), [3, 2]);
      prompts.answer('b', { approved: false });
      prompts.answer('c', { approved: false });
      void ask('cellar', 'd');
      assert.deepEqual(numbers(), [1]);
    } finally {
      prompts.dispose();
    }
  });
});
