import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentIsDone } from '../harness/startChild.js';

/** A proxy that pipes both ways and does nothing else: what a hop costs in Node. */
const [upstream = ''] = process.argv.slice(2);
const server = createServer((asked, answered) => {
  const { method, headers, url = '' } = asked;
  const others = Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== 'host' && name !== 'connection'),
  );
  const onward = request(`${upstream}${url}`, { method: method ?? 'GET', headers: others }, (answer) => {
    answered.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? '' });
    answered.flushHeaders();
    answer.pipe(answered);
  });
  onward.once('error', () => answered.destroy());
  asked.pipe(onward);
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const { port } = server.address() as AddressInfo;
console.log(JSON.stringify({ address: `http://127.0.0.1:${port}` }));
await parentIsDone();
server.closeAllConnections();
server.close();
console.log('{}');
