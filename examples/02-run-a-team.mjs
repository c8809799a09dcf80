/**
 * Two agents, one of which asks the other. The model answers from a script, so that this needs no key and no network;
 * `new OpenAiModel(…)` asks a real one.
 */
import { createTeam, isMessageRecord, ScriptedModel } from 'agent-logbook/library';

const team = createTeam({
  agents: [
    { name: 'Pickle', instructions: 'You plan, and ask the others.' },
    { name: 'Cookie', instructions: 'You look things up.' },
  ],
  models: new ScriptedModel({
    name: 'kitchen',
    agents: new Map([
      [
        'Pickle',
        [
          { toolCalls: [{ name: 'subagent_dispatch', arguments: { agent_id: 'Cookie', task: 'How hot?' } }] },
          { text: 'Bake them at 180 degrees.' },
        ],
      ],
      ['Cookie', [{ text: '180 degrees.' }]],
    ]),
  }),
});

const session = team.session();
const { outcome, text } = await session.run('How do I bake cookies?');
console.log(`${outcome}: ${text}`);
const [said] = session.messages.filter({ agent: 'Cookie', role: 'assistant' }).filter(isMessageRecord);
console.log(`Cookie said: ${said.message.content}`);
console.log(`${team.messageLog.size} messages of all agents`);
await session.close();
team.dispose();
