import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { nodeBundle } from '../../../../scripts/nodeBundle.mjs';
import { collectorAddress } from '../../../../src/export/collector/collectorAddress.js';
import { ProtobufTraceSerializer } from '../../../../src/export/collector/otlpPackage.js';
import { SpanQueue } from '../../../../src/export/collector/spanQueue.js';
import { sendQueued } from '../../../../src/export/collector/spanSender.js';
import { StrictCollector } from '../../../support/strictCollector.js';

/** How often the process is killed, each time after so many batches more. */
const BATCHES = [1, 7, 2, 19, 3, 11, 1, 29, 5, 13, 2, 17];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-sender-'));
  const entry = {
    entryPoints: ['test/support/spanChild.ts'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: false,
  };
  await build({ ...nodeBundle, ...entry, sourcemap: false });
});
afterAll(() => rm(folder, { recursive: true }));

test('a process that is killed at any point loses nothing that was in the queue, and nothing arrives twice but as the same span', async () => {
  const collector = new StrictCollector();
  await collector.up();
  onTestFinished(() => collector.down());
  const queue = new SpanQueue(join(folder, 'queue'));
  let last = -1;
  for (const more of BATCHES) last = await killedAfter(more, last + 1, collector.url);
  const url = collectorAddress(collector.url, false);
  const { signal } = new AbortController();
  await sendQueued(queue, { url, headers: {} }, ProtobufTraceSerializer, { signal });
  expect(await queue.list()).toEqual([]);
  const ids = new Set([...collector.spans.keys()].map((id) => parseInt(id, 16)));
  const missing = Array.from({ length: 2 * (last + 1) }, (_, at) => at + 1).filter((id) => !ids.has(id));
  expect(missing).toEqual([]);
  // A batch that was there when the process was killed may not have been told of any more.
  expect(ids.size).toBeLessThanOrEqual(2 * (last + 1 + BATCHES.length));
});

/** Lets a process add batches from `first` on, kills it when it has told of so many, and gives the last that it told of. */
async function killedAfter(more: number, first: number, address: string): Promise<number> {
  const args = [join(folder, 'spanChild.mjs'), join(folder, 'queue'), address, String(first)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let told = first - 1;
  for await (const line of createInterface({ input: child.stdout })) {
    told = Number(line);
    if (told >= first + more) child.kill('SIGKILL');
  }
  await exit;
  return told;
}
