import type { Tool } from '../../src/core/ports/tool.js';

/** A tool that asks before it heats, with the least that a tool of one's own needs. */
export const oven: Tool = {
  name: 'oven',
  description: 'Heats the oven.',
  parameters: { type: 'object', properties: { degrees: { type: 'integer' } }, required: ['degrees'] },
  effect: 'execute',
  parallel: false,
  execute: async ({ degrees }, { approvals, call, toolCallId, signal }) => {
    const asked = { toolName: 'oven', toolCallId, call, subject: 'heat', title: 'Heat', key: 'k', signal };
    const { approved } = await approvals.decide(asked);
    return approved
      ? { content: `${String(degrees)} degrees` }
      : { content: 'It stays cold.', isError: true };
  },
};
