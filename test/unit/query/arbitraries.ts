import fc from 'fast-check';

/** Any JSON value, keys like `__proto__` included. */
const anyJson = fc.jsonValue({ maxDepth: 3 });

/** A text with what is special somewhere: in Markdown, CSV, HTML, JSON, patterns, or as half a character. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        ' ',
        '    ',
        '\t',
        '```',
        '````',
        '~~~',
        '`',
        '#',
        '# ',
        '- ',
        '* ',
        '+',
        '1. ',
        '> ',
        '|',
        '---',
        ':-',
        '===',
        '*',
        '_',
        '**',
        '__',
        '~~',
        '[',
        ']',
        '](',
        '![',
        '<',
        '>',
        '&',
        '&amp;',
        '<b>',
        'http://a.b',
        '\\',
        '=',
        '+1',
        '-1',
        '@',
        '\r',
        '\r\n',
        '"',
        "'",
        ',',
        '😀',
        '\ud800',
        '\u200b',
        '\u2028',
        '\0',
        'a',
        'word',
        '7',
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const id = fc.constantFrom('a', 'b', 'c', '');
const toolName = fc.constantFrom('grep', 'read_file', 'ls');

const toolCall = fc.record({
  id,
  type: fc.constant('function'),
  function: fc.record({ name: toolName, arguments: fc.oneof(fc.json({ maxDepth: 1 }), anyText) }),
});

const content = fc.oneof(
  anyText,
  fc.constant(null),
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('text'), text: anyText }),
      fc.record({ type: fc.constant('image_url') }),
    ),
    {
      maxLength: 3,
    },
  ),
);

/** A message that could come from an endpoint, ids repeated on purpose. */
const anyMessage = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'moderator'), content }),
  fc.record({ role: fc.constant('assistant'), content, tool_calls: fc.array(toolCall, { maxLength: 3 }) }),
  fc.record(
    { role: fc.constant('tool'), tool_call_id: id.filter((text) => text !== ''), name: toolName, content },
    { requiredKeys: ['role', 'tool_call_id', 'content'] },
  ),
);

/** A history of such messages. */
export const anyHistory = fc.array(anyMessage, { maxLength: 14 });

const agentCall = fc.constantFrom('k1', 'k2', 'k3', 'k4');

/** Records of several agents, messages and others, in an order that nobody planned. */
export const anyRecords = fc
  .array(
    fc.record({
      place: fc.record(
        {
          call: agentCall,
          parentCall: agentCall,
          agent: fc.constantFrom('Pickle', 'Cucumber'),
          depth: fc.nat(3),
        },
        { requiredKeys: ['call', 'agent', 'depth'] },
      ),
      body: fc.oneof(
        { weight: 5, arbitrary: anyMessage.map((message) => ({ type: 'message', message })) },
        fc.record({ type: fc.constant('dispatch'), toolCallId: id, childCall: agentCall }),
        fc.record({ type: fc.constant('callStart'), toolCallId: id, task: anyText }),
      ),
    }),
    { maxLength: 14 },
  )
  .map((drafts) => drafts.map(({ place, body }, index) => ({ seq: index + 1, run: 'r', ...place, ...body })));

/** Messages any field of which may hold any JSON value, and items that are no messages at all. */
export const anyItems = fc.array(
  fc.oneof(
    anyMessage,
    anyJson,
    fc.record(
      {
        role: fc.oneof(anyJson, fc.constantFrom('assistant', 'tool', 'user', 'system')),
        content: anyJson,
        name: anyJson,
        tool_calls: fc.oneof(
          anyJson,
          fc.array(fc.oneof(anyJson, fc.record({ id: anyJson, function: anyJson }))),
        ),
        tool_call_id: anyJson,
        refusal: anyJson,
      },
      { requiredKeys: [] },
    ),
    fc.record({
      seq: fc.nat(),
      type: anyJson,
      message: anyJson,
      usage: anyJson,
      time: anyJson,
      call: anyJson,
      agent: anyJson,
    }),
  ),
  { maxLength: 8 },
);
