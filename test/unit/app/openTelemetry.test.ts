import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { settingDefaults } from '../../../src/app/manifest.js';
import { sendWords } from '../../../src/app/features/telemetry.js';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { ScriptedModel } from '../../../src/agents/models/scriptedModel.js';
import type { Model } from '../../../src/core/ports/model.js';
import { anApplication } from '../../support/appHost.js';
import { spanProblems } from '../../support/otlpRules.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { answers, StrictCollector } from '../../support/strictCollector.js';

const cook = agentDefinition({ name: 'Cook', instructions: 'You cook.' });
const KEY = `AKIA${'Z7KQ'.repeat(4)}`;

/** A collector that is up, and an application that knows of it. */
async function bench(settings: Partial<typeof settingDefaults> = {}) {
  const collector = new StrictCollector();
  await collector.up();
  onTestFinished(() => collector.down());
  const path = await temporaryFolder();
  const application = await opened(path, { 'openTelemetry.endpoint': collector.url, ...settings });
  const { stores } = application;
  const cooked = async (prompt = 'Cook!', conversation?: string) => {
    const started = await application.runs.start({
      agent: cook,
      prompt,
      ...(conversation && { conversation }),
    });
    await started.done;
    return stores.find(started.conversation);
  };
  const send = async (...kept: Awaited<ReturnType<typeof cooked>>[]) =>
    (await application.telemetry.open()).send(kept, new AbortController().signal);
  return { ...application, application, collector, path, cooked, send };
}

/** A collector that is up, and an application whose runs go to it while they run. */
async function benchOf(model: Model) {
  const collector = new StrictCollector();
  await collector.up();
  onTestFinished(() => collector.down());
  const settings = { 'openTelemetry.endpoint': collector.url, 'openTelemetry.live': true };
  return { collector, application: await opened(await temporaryFolder(), settings, model) };
}

async function opened(path: string, settings: Partial<typeof settingDefaults>, given?: Model) {
  const steps = ['Soup.', 'More soup.', 'Still more soup.'].map((text) => ({ text }));
  const application = await anApplication({
    agents: [cook],
    path,
    settings,
    model: given ?? new ScriptedModel({ name: 'kitchen', agents: new Map([['Cook', steps]]) }),
  });
  onTestFinished(async () => {
    await application.close();
    application.dispose();
  });
  return application;
}

const namesOf = ({ spans }: StrictCollector) => [...spans.values()].map(({ name }) => name).sort();

describe('a chosen transcript', () => {
  test('is sent whole, and again it is the same', async () => {
    const { collector, cooked, send } = await bench();
    const kept = await cooked();
    const outcome = await send(kept);
    expect(outcome).toMatchObject({ spans: 2, dropped: 0, sent: { taken: 2, lost: 0 } });
    expect(sendWords(outcome)).toBe('Sent 2 spans.');
    expect(namesOf(collector)).toEqual(['chat script/kitchen', 'invoke_agent Cook']);
    expect(spanProblems([...collector.spans.values()])).toEqual([]);
    const before = new Map(collector.spans);
    await send(kept);
    expect(collector.spans).toEqual(before);
  });

  test('goes out without its secrets, and with short texts', async () => {
    const { collector, cooked, send } = await bench({ 'openTelemetry.maxTextBytes': 100 });
    const outcome = await send(await cooked(`Use ${KEY}. ${'Stir. '.repeat(100)}`));
    expect(outcome.redacted).toBeGreaterThan(0);
    expect(outcome.missing).toBeGreaterThan(0);
    expect(sendWords(outcome)).toMatch(
      /^Sent 2 spans\. \d+ texts cut or left out\. \d+ secrets? replaced\.$/,
    );
    const sent = JSON.stringify([...collector.spans.values()].map(({ attributes }) => attributes));
    expect(sent).not.toContain(KEY);
    expect(sent).toContain('[REDACTED:aws-key:1]');
  });

  test('goes out without a secret that is written in other forms, too', async () => {
    const { collector, cooked, send } = await bench();
    const hidden = [KEY.replace('KIA', '\\u004b\\u0049A'), Buffer.from(KEY).toString('base64')];
    await send(await cooked(`Use ${KEY}, or ${hidden.join(' and ')}`));
    const words = JSON.stringify([...collector.spans.values()].map(({ attributes }) => attributes));
    expect(words).toContain('[REDACTED:aws-key:1]');
    for (const form of [KEY, 'KIAZ7KQ', '\\u004b', hidden[1]]) expect(words).not.toContain(form);
  });

  test('has no texts where the person wants none', async () => {
    const { collector, cooked, send } = await bench({ 'openTelemetry.content': 'none' });
    await send(await cooked('A secret recipe'));
    const sent = JSON.stringify([...collector.spans.values()].map(({ attributes }) => attributes));
    expect(sent).not.toMatch(/recipe|Soup/);
    expect(namesOf(collector)).toEqual(['chat script/kitchen', 'invoke_agent Cook']);
  });

  test('waits where the collector is away, and is sent by the next window', async () => {
    const { collector, cooked, send, path } = await bench();
    const kept = await cooked();
    await collector.down();
    const outcome = await send(kept);
    expect(outcome.sent).toMatchObject({ taken: 0, stopped: { kind: 'later' } });
    expect(sendWords(outcome)).toMatch(
      /^Nothing listens at 127\.0\.0\.1:\d+\. All of it waits on this machine/,
    );
    await collector.up();
    const next = await opened(path, { 'openTelemetry.endpoint': collector.url });
    const telemetry = await next.telemetry.open();
    await telemetry.resume();
    await expect.poll(() => namesOf(collector)).toEqual(['chat script/kitchen', 'invoke_agent Cook']);
    await expect.poll(() => telemetry.waiting).toEqual({ spans: 0 });
  });

  test.each([
    ['no address', '', /agentLogbook\.openTelemetry\.endpoint/],
    ['an address that is none', 'collector', /no address of a collector/],
    ['no encryption to elsewhere', 'http://collector.example', /openTelemetry\.allowUnencrypted/],
    ['a password in the address', 'https://a:b@collector.example', /Set OpenTelemetry Headers/],
  ])('is not sent with %s, and words say what to do', async (_, endpoint, words) => {
    const { cooked, send } = await bench({ 'openTelemetry.endpoint': endpoint });
    await expect(send(await cooked())).rejects.toThrow(words);
  });
});

describe('what runs', () => {
  test('is sent while it runs where that is wanted, each run once, and what was there before is not', async () => {
    const { collector, cooked, host, telemetry } = await bench();
    const kept = await cooked();
    await host.settings.change('openTelemetry.live', true);
    await cooked('More!', kept.entry.conversation);
    await expect.poll(() => namesOf(collector)).toEqual(['chat script/kitchen', 'invoke_agent Cook']);
    await cooked('Still more!', kept.entry.conversation);
    await expect.poll(() => namesOf(collector)).toHaveLength(4);
    const open = await telemetry.open();
    await open.settled();
    expect(spanProblems([...collector.spans.values()])).toEqual([]);
    const ids = [...collector.spans.keys()];
    await open.send([kept], new AbortController().signal);
    expect(collector.spans.size).toBe(6);
    expect([...collector.spans.keys()]).toEqual(expect.arrayContaining(ids));
  });

  test('arrives before the run has ended', async () => {
    let goOn = () => {};
    const ending = new Promise<void>((resolve) => (goOn = resolve));
    const steps = [{ toolCalls: [{ name: 'list_files', arguments: { path: '.' } }] }, { text: 'Nothing.' }];
    const scripted = new ScriptedModel({ name: 'kitchen', agents: new Map([['Cook', steps]]) });
    let requests = 0;
    const model: Model = {
      id: scripted.id,
      label: scripted.label,
      kind: scripted.kind,
      endpoint: scripted.endpoint,
      async *stream(request) {
        if (++requests === 2) await ending;
        yield* scripted.stream(request);
      },
    };
    const { collector, application } = await benchOf(model);
    const { done } = await application.runs.start({ agent: cook, prompt: 'What is there?' });
    await expect.poll(() => namesOf(collector)).toContain('chat script/kitchen');
    expect(namesOf(collector)).not.toContain('invoke_agent Cook');
    goOn();
    await done;
    await expect.poll(() => namesOf(collector)).toContain('invoke_agent Cook');
    expect(spanProblems([...collector.spans.values()])).toEqual([]);
  });

  test('does not go out unless that is wanted, and nothing is written for it', async () => {
    const { collector, cooked, path } = await bench();
    await cooked();
    expect(collector.headers).toEqual([]);
    expect(await readdir(join(path, 'storage')).catch(() => [])).not.toContain('opentelemetry');
  });

  test('does not ask a collector again before it wants to be asked, however much comes meanwhile', async () => {
    const { collector, cooked } = await bench({ 'openTelemetry.live': true });
    collector.next.push(answers(429, { 'retry-after': '2' }));
    const { entry } = await cooked();
    await expect.poll(() => collector.times.length).toBe(1);
    await cooked('More!', entry.conversation);
    await expect.poll(() => namesOf(collector)).toHaveLength(4);
    const [first = 0, second = 0] = collector.times;
    expect(second - first).toBeGreaterThan(1_900);
  });

  test('ends as it would without a collector, whatever that does', async () => {
    const { collector, cooked } = await bench({ 'openTelemetry.live': true });
    collector.next.push(
      () => undefined,
      answers(500),
      (response) => response.destroy(),
    );
    expect((await cooked()).entry).toMatchObject({ state: 'done' });
  });

  test('writes nothing any more once the window has closed, whatever was under way', async () => {
    const { application, collector, cooked, path } = await bench({ 'openTelemetry.live': true });
    collector.next.push(() => undefined);
    await cooked();
    await expect.poll(() => collector.times.length).toBe(1);
    await application.close();
    const folder = join(path, 'storage', 'opentelemetry');
    const kept = () => readdir(folder, { recursive: true });
    const before = await kept();
    expect(before.filter((name) => name.includes('lock'))).toEqual([]);
    await sleep(300);
    expect(await kept()).toEqual(before);
  });

  test('and was broken off is sent as far as it came, by the next window', async () => {
    const { collector, cooked, path, host } = await bench({ 'openTelemetry.live': true });
    await collector.down();
    await cooked();
    await host.settings.change('openTelemetry.live', false);
    const queue = join(path, 'storage', 'opentelemetry', 'queue');
    await expect.poll(async () => (await readdir(queue).catch(() => [])).length).toBeGreaterThan(0);
    await collector.up();
    const next = await opened(path, { 'openTelemetry.endpoint': collector.url });
    await (await next.telemetry.open()).resume();
    await expect.poll(() => namesOf(collector)).toEqual(['chat script/kitchen', 'invoke_agent Cook']);
  });
});
