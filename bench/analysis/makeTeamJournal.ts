import { statSync } from 'node:fs';
import { textOf } from '../../src/core/message.js';
import { loadLibrary } from '../harness/library.js';
import { openStore } from '../harness/openStore.js';
import { largestFile, type MadeJournal } from '../opening/makeJournal.js';
import { messageOf } from '../recording/messages.js';

/** How many tool calls each prompt leads to. */
const STEPS = 20;

/** Records turns of prompts, answers with tool calls and their results, of 1 KB in the mean, as a run does. */
export async function makeTeamJournal(root: string, messages: number): Promise<MadeJournal> {
  const { Recorder } = await loadLibrary();
  const conversation = 'c';
  const store = await openStore(root);
  const journal = await store.createConversation(conversation);
  const recorder = new Recorder({ conversation, onListenerFailure: (error) => console.error(error) });
  recorder.onDidRecord((record) => journal.append(record));
  const place = { run: 'r', call: 'k', agent: 'Pickle', depth: 0 } as const;
  const usage = { inputTokens: 900, outputTokens: 40, estimated: false };
  for (let n = 0; n < messages; n++) {
    const result = messageOf(n);
    const content = textOf(result.content);
    const step = n % (2 * STEPS);
    if (step === 0) {
      recorder.record({ ...place, type: 'message', message: { role: 'user', content } });
    } else if (step % 2 === 0) {
      recorder.record({
        ...{ ...place, type: 'message', toolName: 'read_file', durationMs: 5 },
        message: { ...result, role: 'tool', tool_call_id: `call_${n - 1}` },
      });
    } else {
      const input = { name: 'read_file', arguments: JSON.stringify({ path: `src/${n}.ts` }) };
      const calls =
        step === 2 * STEPS - 1
          ? {}
          : { tool_calls: [{ id: `call_${n}`, type: 'function', function: input } as const] };
      recorder.record({
        ...{ ...place, type: 'message', model: 'm', usage },
        message: { role: 'assistant', content, ...calls },
      });
    }
    if (n % 1000 === 999) await journal.flush();
  }
  await store.close();
  const file = largestFile(root);
  return { root, conversation, file, bytes: statSync(file).size };
}
