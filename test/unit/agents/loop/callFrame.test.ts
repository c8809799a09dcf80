import { expect, test } from 'vitest';
import { CallFrame } from '../../../../src/agents/loop/callFrame.js';
import { RunScope } from '../../../../src/agents/loop/runScope.js';
import { anAgent, aTeam, PlainExecutor } from '../../../support/scriptedTeam.js';

function frame() {
  const { config, agents, model } = aTeam(['Ada', 'Bo']);
  const { signal } = new AbortController();
  const scope = new RunScope('r', 'c', config, signal);
  const tools = new PlainExecutor([]);
  const history = [{ role: 'user', content: 'before' }] as const;
  scope.dispose();
  const options = {
    config,
    scope,
    agent: agents[0]!,
    model,
    tools,
    prompt: 'go',
    depth: 2,
    frontend: config.frontend,
    signal,
    history,
  };
  return new CallFrame(options);
}

test('a fork is one deeper, with fresh messages, its parent named, and silent', () => {
  const parent = frame();
  const { model, tools, signal } = parent;
  const child = parent.fork({ agent: anAgent('Bo'), model, tools, prompt: 'help', signal });
  expect(child.depth).toBe(3);
  expect(child.messages).toEqual([]);
  expect(child.place).toMatchObject({
    agent: 'Bo',
    parentCall: parent.place.call,
    run: 'r',
    conversation: 'c',
  });
  expect(child.options.frontend).toBe(parent.config.childFrontend);
});

test('a clone at the same depth is a new call with a copy of the messages', () => {
  const first = frame();
  const second = first.cloneSameDepth({ prompt: 'more' });
  expect(second).toMatchObject({ depth: 2, prompt: 'more', agent: first.agent });
  expect(second.place.call).not.toBe(first.place.call);
  expect(second.messages).toEqual(first.messages);
  second.messages.push({ role: 'user', content: 'new' });
  expect(first.messages).toHaveLength(1);
});
