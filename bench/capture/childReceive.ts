import { OtlpReceiver } from '../../src/capture/otlp/otlpReceiver.js';
import { parentIsDone } from '../harness/startChild.js';

/** What receiving took while the parent sent. */
export interface ReceiveFigures {
  readonly spans: number;
  /** Of one processor, of 1. */
  readonly share: number;
}

const [folder = ''] = process.argv.slice(2);
const fail = (words: string) => {
  throw new Error(words);
};
const receiver = await OtlpReceiver.listen({ port: 0, folder, onGrown: () => undefined, onProblem: fail });
console.log(JSON.stringify({ address: receiver.address }));
const [begun, before] = [performance.now(), process.cpuUsage()];
await parentIsDone();
const { user, system } = process.cpuUsage(before);
const share = (user + system) / 1_000 / (performance.now() - begun);
await receiver.close();
console.log(JSON.stringify({ spans: receiver.counts.spans, share } satisfies ReceiveFigures));
