/** A tool of one's own, and somebody who decides whether it may run. */
import { createTeam, isMessageRecord, ScriptedModel } from 'agent-logbook/library';

/** @type {import('agent-logbook/library').Tool} */
const oven = {
  name: 'oven',
  description: 'Heats the oven.',
  parameters: { type: 'object', properties: { degrees: { type: 'integer' } }, required: ['degrees'] },
  effect: 'execute',
  parallel: false,
  async execute({ degrees }, { approvals, call, toolCallId, signal }) {
    const { approved } = await approvals.decide({
      toolName: 'oven',
      toolCallId,
      call,
      title: `Heat the oven to ${degrees} degrees`,
      subject: `degrees: ${degrees}`,
      key: `oven ${degrees}`,
      signal,
    });
    return approved
      ? { content: `It is at ${degrees} degrees.` }
      : { content: 'It stays cold.', isError: true };
  },
};

/** @param {number} degrees */
const heat = (degrees) => ({ toolCalls: [{ name: 'oven', arguments: { degrees } }] });
const team = createTeam({
  agents: [{ name: 'Cookie', instructions: 'You bake.' }],
  models: new ScriptedModel({
    name: 'kitchen',
    agents: new Map([['Cookie', [heat(180), heat(900), { text: 'Done.' }]]]),
  }),
  tools: [oven],
  // A program asks a person here; this one decides by itself.
  approvals: async ({ request }) => ({
    approved: request.title.includes('180'),
    reason: 'Not hotter than 250.',
  }),
});

const session = team.session();
await session.run('Bake.');
const answers = session.messages.filter({ role: 'tool' }).filter(isMessageRecord);
for (const { message } of answers) console.log(message.content);
await session.close();
team.dispose();
