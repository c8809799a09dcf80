import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ExchangeRecorder } from '../../src/capture/proxy/exchangeRecorder.js';
import { RecordingProxy } from '../../src/capture/proxy/recordingProxy.js';
import { upstreamsOf } from '../../src/capture/proxy/upstreams.js';

/** What answers in the place of a model API. */
export type Upstream = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A proxy in front of a server of anything, what it recorded, and what went wrong; all of it ends with the test. */
export interface ProxyBench {
  readonly address: string;
  readonly port: number;
  readonly folder: string;
  readonly problems: readonly string[];
  /** Everything that stands in its recordings now. */
  written(): Promise<string>;
  /** The paths of its recordings now. */
  paths(): Promise<readonly string[]>;
  /** Ends the proxy. */
  close(): Promise<void>;
  /** A connection to it on which bytes are sent as they are. */
  socket(): Promise<Socket>;
}

export async function proxyBench(upstream: Upstream): Promise<ProxyBench> {
  const server = createServer((request, response) => void upstream(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const problems: string[] = [];
  const onProblem = (words: string) => void problems.push(words);
  const recorder = new ExchangeRecorder({ folder, onGrown: () => undefined, onProblem });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = await RecordingProxy.listen({
    port: 0,
    recorder,
    upstreams: upstreamsOf({}, { openai: url, anthropic: url, ollama: url }),
    onProblem,
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= proxy.close().then(() => recorder.settled()));
  onTestFinished(close);
  const paths = async () => (await readdir(folder)).map((name) => join(folder, name));
  const port = Number(new URL(proxy.address).port);
  return {
    address: proxy.address,
    port,
    folder,
    problems,
    paths,
    close,
    async written() {
      return (await Promise.all((await paths()).map((path) => readFile(path, 'utf8')))).join('');
    },
    async socket() {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      onTestFinished(() => void socket.destroy());
      return socket;
    },
  };
}

/** All that comes on a connection until it ends. */
export async function allOf(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  await once(socket, 'end');
  socket.destroy();
  return Buffer.concat(pieces).toString('utf8');
}
