import { setTimeout as sleep } from 'node:timers/promises';
import { createTeam } from '../../src/app/team/createTeam.js';
import type { Model } from '../../src/core/ports/model.js';
import { silentLog } from '../../src/core/ports/log.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';

/** A process in which two agents speak until it is killed: `node speaker.js ROOT`; says each word of theirs after the model. */
const [root = ''] = process.argv.slice(2);

const model: Model = {
  id: 'm',
  label: 'm',
  kind: 'http',
  endpoint: 'e',
  async *stream({ agent }) {
    for (let word = 0; ; word++) {
      yield { type: 'text', text: `w${word} ` };
      process.stdout.write(`${agent} ${Date.now()}\n`);
      await sleep(10);
    }
  },
};

const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
const agents = ['first', 'second'].map((name) => ({ name, description: name, instructions: 'Speak.' }));
const team = createTeam({ agents, models: model, store });
await Promise.all(agents.map(({ name }) => team.session(name).run('Go on for ever.')));
