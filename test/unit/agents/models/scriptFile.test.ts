import { expect, test } from 'vitest';
import { parseScript } from '../../../../src/agents/models/scriptFile.js';

/** What is wrong with a script, as `line: message`. */
const wrong = (source: string) =>
  parseScript(source, 'demo.yml').problems.map(({ line, message }) => `${line}: ${message}`);

test('a script is read with the place of each step', () => {
  const { script, problems } = parseScript(
    [
      'script: 1',
      'name: Demo',
      'agents:',
      '  Pickle:',
      '    - expect: { role: user, contains: cake }',
      '      reasoning: Hm.',
      '      text: I ask.',
      '      toolCalls:',
      '        - name: subagent_dispatch',
      '          arguments: { agent_id: Cookie, task: bake }',
      '        - { name: broken, arguments: "{" , id: call_7 }',
      '      usage: { input: 10, output: 4 }',
      '    - text: Done.',
      '      finish: length',
      '      delayMs: 20',
      '  Cookie:',
      '    - error: { message: too hot, status: 429, retryable: true, retryAfterMs: 10 }',
    ].join('\n'),
    'demo.yml',
  );
  expect(problems).toEqual([]);
  expect(script?.name).toBe('Demo');
  expect([...(script?.agents.keys() ?? [])]).toEqual(['Pickle', 'Cookie']);
  expect(script?.agents.get('Pickle')).toMatchObject([
    {
      at: 'demo.yml:5',
      toolCalls: [{ name: 'subagent_dispatch', arguments: { agent_id: 'Cookie' } }, { id: 'call_7' }],
    },
    { at: 'demo.yml:13', finish: 'length' },
  ]);
  expect(script?.agents.get('Cookie')?.[0]?.error?.status).toBe(429);
});

test('JSON is as good, and the file gives the name where there is none', () => {
  const { script } = parseScript('{"script": 1, "agents": {"Pickle": [{"text": "hi"}]}}', 'demo.json');
  expect(script?.name).toBe('demo.json');
});

test.each([
  ['nothing', '', ["1: A script must be a map with 'script' and 'agents'."]],
  ['a list', '- a', ["1: A script must be a map with 'script' and 'agents'."]],
  ['no agents', 'script: 1', ['1: agents is missing.']],
  ['another version', 'script: 2\nagents: {}', ['1: script must be 1, the version of the format.']],
  [
    'an unknown key',
    'script: 1\nagents:\n  P:\n    - text: a\n      txt: b',
    ['5: agents.P[0].txt is not known.'],
  ],
  ['a wrong type', 'script: 1\nagents:\n  P:\n    - text: 5', ['4: agents.P[0].text must be a text.']],
  [
    'a call without a name',
    'script: 1\nagents:\n  P:\n    - toolCalls:\n        - arguments: {}',
    ['5: agents.P[0].toolCalls[0].name is missing.'],
  ],
  [
    'a step that says nothing',
    'script: 1\nagents:\n  P:\n    - text: a\n    - delayMs: 5',
    ['5: agents.P[1] says nothing: it needs text, reasoning, toolCalls or error.'],
  ],
  ['steps that are no list', 'script: 1\nagents:\n  P: hello', ['3: agents.P must be a list of steps.']],
  [
    'several things, all of them',
    'script: 1\nagents:\n  P:\n    - text: a\n      finish: maybe\n    - text: b\n      delayMs: -1',
    [
      '5: agents.P[0].finish must be stop, tool_calls, length, content_filter or unknown.',
      '7: agents.P[1].delayMs must not be negative.',
    ],
  ],
])('%s is said with its line', (_, source, problems) => {
  expect(wrong(source)).toEqual(problems);
});

test.each([
  ['broken YAML', 'script: 1\nagents: [}'],
  ['a key twice', 'script: 1\nscript: 1\nagents: {}'],
  ['aliases, which could grow without end', 'script: 1\nagents:\n  P: &a\n    - text: x\n  Q: *a'],
  ['a tag that would make something', 'script: 1\nagents:\n  P:\n    - text: !!js/function "x"'],
  ['endless nesting', `script: 1\nagents: ${'['.repeat(100_000)}`],
  ['more than anybody writes', `# ${'x'.repeat(5_000_000)}`],
])('%s is refused', (_, source) => {
  const { script, problems } = parseScript(source, 'demo.yml');
  expect(script).toBeUndefined();
  expect(problems.length).toBeGreaterThan(0);
});

test('names that every object has are ordinary names', () => {
  const call = '{ name: toString, arguments: { constructor: 1, __proto__: 2 } }';
  const { script } = parseScript(
    `script: 1\nagents:\n  constructor:\n    - toolCalls: [${call}]`,
    'demo.yml',
  );
  const [step] = script?.agents.get('constructor') ?? [];
  expect(JSON.stringify(step?.toolCalls)).toContain('{"constructor":1,"__proto__":2}');
});
