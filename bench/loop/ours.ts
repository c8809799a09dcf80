import type { Model, ModelEvent } from '../../src/core/ports/model.js';
import { approvedTool, recordedRuns } from '../harness/recordedRuns.js';
import { INSTRUCTIONS, RESULT, TASK, TOOL, type MakeLoop } from './loop.js';

const usage = { inputTokens: 100, outputTokens: 10, estimated: false };

/** The product, with a model that takes no time. */
export const ours: MakeLoop = async () => {
  const run = await recordedRuns();
  return (turns, onTurn) =>
    run({
      instructions: INSTRUCTIONS,
      task: TASK,
      model: notes(turns),
      tool: approvedTool(TOOL, RESULT, onTurn),
      steps: turns + 1,
    });
};

/** A model that calls the tool so many times, then ends. */
function notes(turns: number): Model {
  let turn = 0;
  return {
    id: 'bench/notes',
    label: 'notes',
    kind: 'http',
    endpoint: 'bench',
    async *stream(): AsyncGenerator<ModelEvent> {
      const n = turn++;
      if (n < turns)
        yield { type: 'toolCall', index: 0, id: `call_${n}`, name: TOOL, arguments: `{"n":${n}}` };
      else yield { type: 'text', text: 'done' };
      yield { type: 'usage', usage };
      yield { type: 'end', finishReason: n < turns ? 'tool_calls' : 'stop' };
    },
  };
}
