import { CaptureHere } from '../../src/app/capture/captureHere.js';

/** A process that records one answer of a model until it is killed: `node recorder.js FOLDER ADDRESS`. */
const [folder = '', address = ''] = process.argv.slice(2);
const capture = await CaptureHere.open({
  folder,
  environment: { OPENAI_BASE_URL: address },
  onProblem: (words) => process.stderr.write(`${words}\n`),
});
const { body } = await fetch(`${capture.environment.OPENAI_BASE_URL ?? ''}/chat/completions`, {
  method: 'POST',
  body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Count.' }] }),
});
for await (const piece of body ?? []) process.stdout.write(`${piece.length}\n`);
