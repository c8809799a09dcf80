import { afterEach } from 'vitest';
import { type Endpoint, parseEndpointUrl } from '../../src/agents/models/endpoint.js';
import { OpenAiModel } from '../../src/agents/models/openaiModel.js';
import { silentLog, type Log } from '../../src/core/ports/log.js';
import type { ModelRequest } from '../../src/core/ports/model.js';
import { hear, type Heard } from './readModel.js';
import { StrictServer, type Answering } from './strictServer.js';
import type { WireAnswer } from './wireAnswers.js';

const servers: StrictServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A model at a strict server that lives as long as the test. */
export async function modelAt(
  answers: Answering | readonly WireAnswer[],
  settings: Partial<Endpoint> = {},
  key?: string,
  log: Log = silentLog,
  alsoTaken: readonly string[] = [],
): Promise<{ readonly server: StrictServer; readonly model: OpenAiModel }> {
  const server = await StrictServer.start(answers, alsoTaken);
  servers.push(server);
  const url = parseEndpointUrl(server.url);
  if (typeof url === 'string') throw new Error(url);
  const endpoint = { name: 'here', url, ...settings };
  return { server, model: new OpenAiModel({ endpoint, model: 'test-model', apiKey: async () => key, log }) };
}

/** What a model hears from one answer of its endpoint. */
export async function hearing(
  answer: WireAnswer,
  request?: Partial<ModelRequest>,
  settings?: Partial<Endpoint>,
): Promise<Heard> {
  const { model } = await modelAt([answer], settings);
  return hear(model, request);
}
