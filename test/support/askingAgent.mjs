/**
 * A small agent as people write them, with the official client: `node askingAgent.mjs QUESTION [CODE]` asks its model,
 * says what it answered, and ends with a code.
 */
import OpenAI from 'openai';

const [question = '', code = '0'] = process.argv.slice(2);
const client = new OpenAI({ apiKey: 'sk-of-a-test', maxRetries: 0 });
const stream = client.chat.completions.stream({
  model: 'm',
  messages: [{ role: 'user', content: question }],
});
const answer = await stream.finalChatCompletion();
console.log(answer.choices[0]?.message.content);
process.exitCode = Number(code);
