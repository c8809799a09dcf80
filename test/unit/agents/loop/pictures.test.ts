import { expect, test } from 'vitest';
import type { Tool, ToolResult } from '../../../../src/core/ports/tool.js';
import { aTeam, aTool, use } from '../../../support/scriptedTeam.js';

/** The answer of a tool as it is recorded, in a run that goes on after it. */
async function recorded(answer: ToolResult) {
  const tool: Tool = aTool('camera', () => answer);
  const steps = [use('camera'), { expect: { role: 'tool' as const }, text: 'Nice.' }];
  const team = aTeam(['Pickle'], { script: { Pickle: steps }, tools: [tool] });
  expect((await team.session.run('go')).outcome).toBe('done');
  return team.records.find((record) => record.type === 'message' && record.message.role === 'tool');
}

test('the pictures of an answer stand behind its text', async () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } as const;
  expect(await recorded({ content: 'Cheese!', pictures: [picture] })).toMatchObject({
    isError: false,
    message: { content: [{ type: 'text', text: 'Cheese!' }, picture] },
  });
  expect(await recorded({ content: 'Cheese!', pictures: [] })).toMatchObject({
    message: { content: 'Cheese!' },
  });
});

test('an answer whose pictures are no list cannot be read', async () => {
  const odd = { content: 'x', pictures: 7 } as unknown as ToolResult;
  expect(await recorded(odd)).toMatchObject({
    isError: true,
    message: { content: expect.stringContaining('answered nothing that can be read') as unknown },
  });
});
