import { collectorAddress } from '../../src/export/collector/collectorAddress.js';
import { loadSerializer } from '../../src/app/features/telemetry.js';
import { SpanQueue } from '../../src/export/collector/spanQueue.js';
import { sendQueued } from '../../src/export/collector/spanSender.js';

/**
 * A process that puts batches of two spans into a queue, says the number of each once it is there, and sends what waits, until it is
 * killed: `node spanChild.mjs FOLDER URL FIRST`.
 */
const [folder = '', address = '', first = '0'] = process.argv.slice(2);
const queue = new SpanQueue(folder);
const serializer = await loadSerializer();
const collector = { url: collectorAddress(address, false), headers: {} };
const { signal } = new AbortController();

async function add(): Promise<void> {
  for (let batch = Number(first); ; batch++) {
    const spans = [0, 1].map((at) => ({
      traceId: (batch + 1).toString(16).padStart(32, '0'),
      spanId: (2 * batch + at + 1).toString(16).padStart(16, '0'),

      name: 'chat m',
      isClient: true,
      start: 1,
      end: 2,
      attributes: { text: 'x'.repeat(2_000) },
      events: [],
    }));
    await queue.add({ origin: { resource: {}, version: '' }, spans });
    process.stdout.write(`${batch}\n`);
  }
}

async function send(): Promise<void> {
  for (;;) await sendQueued(queue, collector, serializer, { signal });
}

await Promise.all([add(), send()]);
