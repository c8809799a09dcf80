/**
 * Questions about chat-completions messages, wherever they come from: `node examples/01-ask-messages.mjs`, after
 * `npm run build`.
 */
import { MessageQuery } from 'agent-logbook/library';

const call = { name: 'read_file', arguments: '{"path":"scale.mjs"}' };
const query = new MessageQuery([
  { role: 'user', content: 'Why are the cookies so small?' },
  { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: call }] },
  { role: 'tool', tool_call_id: 'c1', content: 'const factor = serves / people;' },
  { role: 'assistant', content: 'The factor is upside down.' },
]);

console.log(
  `${query.length} messages, ${query.filter({ toolName: 'read_file' }).length} of them about read_file`,
);
console.log(`read_file answered: ${query.toolSummary()[0].calls[0].result}`);
console.log(`The answer was: ${query.timeline()[0].assistantContent}`);
