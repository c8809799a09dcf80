import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isObject, type ToolCall } from '../../../../src/core/message.js';
import { importFile } from '../../../../src/import/importFile.js';
import { DEFAULT_LIMITS } from '../../../../src/agents/loop/limits/limits.js';
import { RepetitionDetector } from '../../../../src/agents/loop/chatToolLoop.js';

const folder = fileURLToPath(new URL('../../../../shared/transcripts/', import.meta.url));
const hasFiles = existsSync(folder);

const call = (name: string, args: string): ToolCall => ({
  id: 'x',
  type: 'function',
  function: { name, arguments: args },
});

/** After how many of these calls a run is ended; undefined where it never is. */
function endedAfter(calls: readonly ToolCall[], allowed = DEFAULT_LIMITS.repetitions): number | undefined {
  const detector = new RepetitionDetector(allowed);
  const index = calls.findIndex((each) => detector.add(each) !== undefined);
  return index < 0 ? undefined : index + 1;
}

test.each([
  [1, 5],
  [2, 10],
  [3, 15],
])('a loop of %i calls is ended after %i calls', (period, calls) => {
  const loop = Array.from({ length: 40 }, (_, n) => call('read', `{"n":${n % period}}`));
  expect(endedAfter(loop)).toBe(calls);
});

/** The tool calls of each agent's call in all transcripts, in order. */
async function realRuns(): Promise<ReadonlyMap<string, readonly ToolCall[]>> {
  const runs = new Map<string, ToolCall[]>();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile() && each.name !== 'facts.json')) {
    const path = join(file.parentPath, file.name);
    const { conversations } = await importFile(path, { alone: true }).catch(() => ({ conversations: [] }));
    for (const [index, { records }] of conversations.entries()) {
      for (const record of records) {
        const message: unknown = record.type === 'message' ? record.message : undefined;
        if (!isObject(message) || !Array.isArray(message.tool_calls)) continue;
        const key = `${path.slice(folder.length)} ${index} ${record.call}`;
        const calls = runs.get(key) ?? [];
        for (const each of message.tool_calls as ToolCall[]) calls.push(each);
        runs.set(key, calls);
      }
    }
  }
  return runs;
}

describe.skipIf(!hasFiles)('real transcripts', () => {
  test('no honest run repeats itself as often as is allowed', async () => {
    const runs = await realRuns();
    const ended = (allowed: number) =>
      [...runs].flatMap(([name, calls]) => {
        const after = endedAfter(calls, allowed);
        return after === undefined ? [] : [`${name}: ${after}`];
      });
    expect([...runs.values()].flat().length).toBeGreaterThan(1_000);
    expect(ended(DEFAULT_LIMITS.repetitions)).toEqual([]);
    // With one less there is still room, with two less there is none.
    expect(ended(DEFAULT_LIMITS.repetitions - 1)).toEqual([]);
    expect(ended(DEFAULT_LIMITS.repetitions - 2)).not.toEqual([]);
  });
});
