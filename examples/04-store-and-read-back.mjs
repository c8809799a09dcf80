/** Conversations that survive the process: written while they happen, read back by another one. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTeam, isMessageRecord, MessageQuery, openStore, ScriptedModel } from 'agent-logbook/library';

const folder = join(await mkdtemp(join(tmpdir(), 'example-')), '.agent-logbook');

const store = await openStore(folder);
const team = createTeam({
  agents: [{ name: 'Pickle', instructions: 'You answer.' }],
  models: new ScriptedModel({ name: 'kitchen', agents: new Map([['Pickle', [{ text: 'Butter.' }]]]) }),
  store,
});
await team.run('What is missing?');
team.dispose();
await store.close();

const later = await openStore(folder, { readOnly: true });
await later.catalog.refresh();
for (const { conversation, title } of later.catalog.entries()) {
  const transcript = await later.openTranscript(conversation);
  const records = await transcript.read(0, transcript.length);
  const query = new MessageQuery(records.filter(isMessageRecord));
  console.log(`${title}: ${query.last(1)[0].message.content}`);
  await transcript.close();
}
await later.close();
