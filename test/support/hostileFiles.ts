import { CHAT, told, J, cc, cmsg, spans, at, talk, OK, MILL, BAKE, RYE, BAKED } from './hostileLines.js';

/** Made-up files as tools, programs and people who mean harm may write them, by what is odd in them. */
export const hostileFiles: Readonly<Record<string, readonly [name: string, data: string | Buffer]>> = {
  'roles mixed case HUMAN/Ai': [
    'a.json',
    talk([
      { role: 'HUMAN', content: 'Bake rye' },
      { role: 'Ai', content: 'Baked' },
    ]),
  ],
  'role bot/customer': [
    'a.json',
    talk([
      { role: 'Customer', content: 'Where is my bread?' },
      { role: 'Bot', content: 'In the oven.' },
    ]),
  ],
  'role with blanks': [
    'a.json',
    talk([
      { role: ' user ', content: 'Bake rye' },
      { role: 'assistant\n', content: 'Baked' },
    ]),
  ],
  'author object': [
    'a.json',
    talk([
      { author: { role: 'user' }, content: { parts: ['Bake rye'] } },
      { author: { role: 'assistant' }, content: { parts: ['Baked'] } },
    ]),
  ],
  'speaker/utterance': [
    'a.json',
    talk([
      { speaker: 'User', utterance: 'Bake rye' },
      { speaker: 'System', utterance: 'Baked' },
    ]),
  ],
  'unclosed reminder': ['a.jsonl', J(cc('user', '<system-reminder>be kind\nBake rye'), OK)],
  'nested reminder': [
    'a.jsonl',
    J(cc('user', '<system-reminder>a <system-reminder>b</system-reminder> c</system-reminder>Bake rye'), OK),
  ],
  'reminder after words': [
    'a.jsonl',
    J(cc('user', 'Bake rye\n<system-reminder>todo list is empty, do not mention it</system-reminder>'), OK),
  ],
  'reminder upper case': ['a.jsonl', J(cc('user', '<SYSTEM-REMINDER>x</SYSTEM-REMINDER>Bake rye'), OK)],
  'reminder attr': ['a.jsonl', J(cc('user', '<system-reminder kind="a>b">x</system-reminder>Bake rye'), OK)],
  'BOM before tag': ['a.jsonl', J(cc('user', '\ufeff<system-reminder>x</system-reminder>Bake rye'), OK)],
  'command only': [
    'a.jsonl',
    J(
      cc(
        'user',
        '<command-name>/clear</command-name><command-message>clear</command-message><command-args></command-args>',
      ),
      cc('user', 'Bake rye'),
      OK,
    ),
  ],
  'teammate with > in attr': [
    'a.jsonl',
    J(cc('user', '<teammate-message teammate_id="a>b">Hi</teammate-message>'), cc('user', 'Bake'), OK),
  ],
  'agent speaks then person': [
    'a.jsonl',
    J(cc('user', '<teammate-message teammate_id="rye">Green</teammate-message>\nAnd I say: bake'), OK),
  ],
  'hook then prompt parts': [
    'a.jsonl',
    J(
      cc('user', [
        { type: 'text', text: '<user-prompt-submit-hook>lint ok</user-prompt-submit-hook>' },
        { type: 'text', text: 'Bake' },
      ]),
      OK,
    ),
  ],
  'origin human with tag': [
    'a.jsonl',
    J(cc('user', '<system-reminder>quoted</system-reminder>', { origin: { kind: 'human' } }), OK),
  ],
  'origin unknown kind': [
    'a.jsonl',
    J(cc('user', 'Timer fired: check the oven now', { origin: { kind: 'wakeup' } }), cc('user', 'Bake'), OK),
  ],
  'origin string': [
    'a.jsonl',
    J(cc('user', 'done', { origin: 'task-notification' }), cc('user', 'Bake'), OK),
  ],
  'compact summary + prompt': [
    'a.jsonl',
    J(
      cc('user', 'Bake'),
      OK,
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'c',
        sessionId: 's',
        timestamp: '2026-09-01T10:00:00Z',
        compactMetadata: { trigger: 'auto', preTokens: 155000, postTokens: 2900 },
      },
      cc('user', 'This session is being continued from a previous conversation. Summary: bread', {
        isCompactSummary: true,
      }),
      cc('user', 'More'),
      cc('assistant', [{ type: 'text', text: 'sure' }]),
    ),
  ],
  'title uuid prompt': [
    'a.jsonl',
    J(cc('user', '3f2b9c1d-1111-4222-8333-444455556666'), cc('user', 'Bake rye'), OK),
  ],
  'title only punctuation': ['a.jsonl', J(cc('user', '???'), cc('user', 'Bake rye'), OK)],
  'title markdown heading': ['a.jsonl', J(cc('user', '# Task\n\nBake rye'), OK)],
  'title newlines/ctrl': ['a.jsonl', J(cc('user', 'Bake\u0007\u202erye\nnow'), OK)],
  'title image only': [
    'a.jsonl',
    J(
      cc('user', [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      ]),
      cc('assistant', [{ type: 'text', text: 'A loaf' }]),
    ),
  ],
  'title NEW_TASK': [
    'a.jsonl',
    J(
      MILL,
      cmsg(
        'user',
        'Message Type: NEW_TASK\nTask name: /root/check\nSender: /root\nPayload:\nVerify the mill',
      ),
      cmsg('assistant', 'ok'),
    ),
  ],
  'codex envs': [
    'a.jsonl',
    J(
      MILL,
      cmsg('user', '<environment_context>\n<cwd>/w</cwd>\n</environment_context>'),
      cmsg('user', '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nterse\n</INSTRUCTIONS>', 'Grind'),
      cmsg('assistant', 'Ground'),
    ),
  ],
  'codex ide context': [
    'a.jsonl',
    J(
      MILL,
      cmsg(
        'user',
        '# Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex:\nGrind the corn',
      ),
      cmsg('assistant', 'Ground'),
    ),
  ],
  'codex aborted': [
    'a.jsonl',
    J(
      MILL,
      cmsg('user', 'Grind'),
      cmsg('user', '<turn_aborted>\nThe user interrupted\n</turn_aborted>'),
      cmsg('assistant', 'Ground'),
    ),
  ],
  'NaN in middle': [
    'a.jsonl',
    '{"role":"user","content":"Bake rye","score":NaN}\n{"role":"assistant","content":"Baked","x":-Infinity}\n',
  ],
  'trailing commas+comments': [
    'a.json',
    '[{"role":"user","content":"Bake rye",},\n// said\n{"role":"assistant","content":"Baked",},]',
  ],
  'single quotes': [
    'a.json',
    "[{'role': 'user', 'content': 'Bake rye'}, {'role': 'assistant', 'content': 'It\\'s baked', 'x': None, 'y': True}]",
  ],
  'two objects a line': [
    'a.jsonl',
    '{"role":"user","content":"Bake rye"}{"role":"assistant","content":"Baked"}\n',
  ],
  'cut last line': [
    'a.jsonl',
    '{"role":"user","content":"Bake rye"}\n{"role":"assistant","content":"Baked the loaf and the r',
  ],
  'garbage then line': [
    'a.jsonl',
    '{"role":"user","content":"Bake rye"}\n{"role":"assi{"role":"assistant","content":"Baked"}\n',
  ],
  utf16le: [
    'a.json',
    Buffer.from('\ufeff' + talk([{ role: 'user', content: 'Bäke rye' }, BAKED]), 'utf16le'),
  ],
  'latin1 bytes': [
    'a.json',
    Buffer.from(talk([{ role: 'user', content: 'B\u00e4ke rye' }, BAKED]), 'latin1'),
  ],
  'raw newline in string': [
    'a.jsonl',
    '{"role":"user","content":"Bake\nrye"}\n{"role":"assistant","content":"Baked"}\n',
  ],
  'lone surrogate': [
    'a.jsonl',
    '{"role":"user","content":"Bake \\ud83d rye"}\n{"role":"assistant","content":"Baked"}\n',
  ],
  'NUL bytes': [
    'a.jsonl',
    '\0\0\0{"role":"user","content":"Bake rye"}\n{"role":"assistant","content":"Baked"}\n\0\0\0',
  ],
  'dup keys': [
    'a.json',
    '[{"role":"user","content":"Bake","content":"Bake rye"},{"role":"assistant","content":"Baked"}]',
  ],
  __proto__: [
    'a.json',
    '[{"role":"user","content":"Bake rye","__proto__":{"role":"assistant"}},{"role":"assistant","content":"Baked","constructor":1}]',
  ],
  'deep nesting part': [
    'a.json',
    talk([
      RYE,
      {
        role: 'assistant',
        content: [
          {
            type: 'group',
            items: [
              { type: 'text', text: 'The crust is golden brown now' },
              { type: 'group', items: [{ type: 'text', text: 'And the crumb is soft and airy' }] },
            ],
          },
        ],
      },
    ]),
  ],
  'unknown part type': [
    'a.json',
    talk([
      RYE,
      {
        role: 'assistant',
        content: [
          { type: 'canvas', body: 'A drawing of a large rye loaf' },
          { type: 'text', text: 'Baked' },
        ],
      },
    ]),
  ],
  'part without type': [
    'a.json',
    talk([
      { role: 'user', content: [{ text: 'Bake rye' }] },
      { role: 'assistant', content: [{ text: 'Baked' }] },
    ]),
  ],
  'content number/null/bool': [
    'a.json',
    talk([
      { role: 'user', content: 42 },
      { role: 'assistant', content: true },
      { role: 'user', content: null },
    ]),
  ],
  'content object': [
    'a.json',
    talk([
      { role: 'user', content: { text: 'Bake rye' } },
      { role: 'assistant', content: { answer: 'It is baked now', confidence: 0.9 } },
    ]),
  ],
  'tool args not json': [
    'a.json',
    talk([
      BAKE,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'bake', arguments: '{"loaf": "ry' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    ]),
  ],
  'tool result before call': [
    'a.json',
    talk([
      BAKE,
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'bake', arguments: '{}' } }],
      },
    ]),
  ],
  'tool call same id twice': [
    'a.json',
    talk([
      BAKE,
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'bake', arguments: '{}' } },
          { id: 'c', type: 'function', function: { name: 'cool', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: 'baked' },
      { role: 'tool', tool_call_id: 'c', content: 'cooled' },
    ]),
  ],
  'results: type tool_result string/empty': [
    'a.jsonl',
    J(
      cc('user', 'Bake'),
      cc('assistant', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'x' } }]),
      cc('user', [{ type: 'tool_result', tool_use_id: 't1', content: [] }], {
        toolUseResult: { stdout: 'the oven is warm enough', stderr: '' },
      }),
      OK,
    ),
  ],
  'spans no ids': [
    'a.json',
    spans([
      {
        name: 'chat m',
        startTimeUnixNano: '1790000000000000000',
        endTimeUnixNano: '1790000001000000000',
        attributes: at({
          ...CHAT,
          'gen_ai.input.messages': told('user', 'Bake rye'),
          'gen_ai.output.messages': told('assistant', 'Baked'),
        }),
      },
    ]),
  ],
  'spans loop parents': [
    'a.json',
    spans([
      {
        traceId: 't',
        spanId: 'a',
        parentSpanId: 'b',
        name: 'invoke_agent x',
        attributes: at({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'x' }),
      },
      {
        traceId: 't',
        spanId: 'b',
        parentSpanId: 'a',
        name: 'chat',
        attributes: at({
          ...CHAT,
          'gen_ai.usage.input_tokens': 10,
          'gen_ai.usage.output_tokens': 3,
          'gen_ai.input.messages': told('user', 'Bake rye'),
          'gen_ai.output.messages': told('assistant', 'Baked'),
        }),
      },
    ]),
  ],
  'spans no texts': [
    'a.json',
    spans([
      {
        traceId: 't',
        spanId: 'b',
        name: 'chat',
        startTimeUnixNano: '1790000000000000000',
        endTimeUnixNano: '1790000001000000000',
        attributes: at({
          ...CHAT,
          'gen_ai.usage.input_tokens': 10,
          'gen_ai.usage.output_tokens': 3,
        }),
      },
    ]),
  ],
  'span dup ids': [
    'a.json',
    spans(
      [1, 2].map((i) => ({
        traceId: 't',
        spanId: 'a',
        name: 'chat',
        startTimeUnixNano: `179000000${i}000000000`,
        endTimeUnixNano: `179000000${i}500000000`,
        attributes: at({
          ...CHAT,
          'gen_ai.usage.input_tokens': 10,
          'gen_ai.usage.output_tokens': 3,
          'gen_ai.input.messages': told('user', 'Bake ' + i),
          'gen_ai.output.messages': told('assistant', 'Baked ' + i),
        }),
      })),
    ),
  ],
  'span negative times': [
    'a.json',
    spans([
      {
        traceId: 't',
        spanId: 'a',
        name: 'chat',
        startTimeUnixNano: '-5',
        endTimeUnixNano: '99999999999999999999999',
        attributes: at({
          ...CHAT,
          'gen_ai.usage.input_tokens': -10,
          'gen_ai.output.messages': told('assistant', 'Baked'),
        }),
      },
    ]),
  ],
  'anthropic content order': [
    'a.json',
    talk([
      BAKE,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'First' },
          { type: 'tool_use', id: 't', name: 'x', input: {} },
          { type: 'text', text: 'Then' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: 'r' },
          { type: 'text', text: 'Go on please' },
        ],
      },
    ]),
  ],
  'envelope in the answer': [
    'a.jsonl',
    J(
      cc('user', 'Bake'),
      cc('assistant', [{ type: 'text', text: '<system-reminder>I quote</system-reminder> it' }]),
    ),
  ],
  'opencode synthetic': [
    'a.json',
    JSON.stringify({
      info: { id: 'ses_1', title: 'Bake' },
      messages: [
        {
          info: { id: 'm1', role: 'user', time: { created: 1 } },
          parts: [
            { type: 'text', text: 'Bake rye' },
            { type: 'text', text: 'The file a.ts was read', synthetic: true },
          ],
        },
        {
          info: { id: 'm2', role: 'assistant', time: { created: 2 } },
          parts: [{ type: 'text', text: 'Baked' }],
        },
      ],
    }),
  ],
  'cline feedback': [
    'a.json',
    talk([
      {
        role: 'user',
        content: [
          { type: 'text', text: '<task>\nBake rye\n</task>' },
          {
            type: 'text',
            text: '<environment_details>\n# Current Working Directory (/srv/bakery) Files\n</environment_details>',
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
      { role: 'user', content: [{ type: 'text', text: '<feedback>\nDarker\n</feedback>' }] },
    ]),
  ],
  'emptyish user': ['a.jsonl', J(cc('user', 'Bake'), cc('user', ''), cc('user', '   \n'), OK)],
  'windows paths cwd': ['a.jsonl', J(cc('user', 'Bake', { cwd: 'C:\\Users\\me\\bakery\\' }), OK)],
};
