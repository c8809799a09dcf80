import { expect, test } from 'vitest';
import { ModelCatalog, type ModelHost } from '../../../src/app/models/modelCatalog.js';
import type { AgentDefinition } from '../../../src/core/agent.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { soon } from '../../support/soon.js';
import { EndpointEntries } from '../../../src/app/models/endpointEntries.js';

const entriesOf = (models: ModelCatalog) => new EndpointEntries(models);

const valid = { name: 'oven', url: 'http://127.0.0.1:8080/v1' };

/** The models of a window whose settings have these endpoints; what is not asked for is not there. */
function catalogOf(endpoints: unknown) {
  const settings = new Map<string, unknown>([
    ['endpoints', endpoints],
    ['model', 'oven/small'],
  ]);
  const removed: string[] = [];
  const host = {
    settings: {
      get: (name: string) => settings.get(name),
      change: (name: string, value: unknown) => Promise.resolve(void settings.set(name, value)),
    },
    secrets: { delete: (name: string) => Promise.resolve(void removed.push(name)) },
    log: silentLog,
  };
  return { models: new ModelCatalog(host as unknown as ModelHost), settings, removed };
}

test.each([
  ['without a name', { url: 'http://127.0.0.1:8081/v1' }, 'Endpoint 2'],
  ['with an address that is none', { name: 'stove', url: 'over there' }, 'stove'],
  ['with the name of another one', { ...valid, url: 'http://127.0.0.1:8082/v1' }, 'oven'],
  ['that is no object', 'http://127.0.0.1:8080/v1', 'Endpoint 2'],
  ['that is null', null, 'Endpoint 2'],
])('an endpoint %s is listed with what is wrong, and can be removed alone', async (_, broken, name) => {
  const { models, settings, removed } = catalogOf([valid, broken]);
  const [first, second, ...more] = await entriesOf(models).all();
  expect([first, more]).toEqual([{ entry: valid, name: 'oven', problem: '' }, []]);
  expect(second).toMatchObject({ entry: broken, name, problem: expect.stringMatching(/./) as string });
  await entriesOf(models).remove(second!);
  expect([settings.get('endpoints'), settings.get('model')]).toEqual([[valid], 'oven/small']);
  expect(removed.join()).not.toContain('oven');
});

test('with the last endpoint of a name its key goes, and the model that was chosen of it', async () => {
  const { models, settings, removed } = catalogOf([{ name: 'stove' }, valid]);
  const [, entry] = await entriesOf(models).all();
  await entriesOf(models).remove(entry!);
  expect([settings.get('endpoints'), settings.get('model')]).toEqual([[{ name: 'stove' }], '']);
  expect(removed.join()).toContain('oven');
});

test('an entry that was changed meanwhile is not removed, and no other one in its place', async () => {
  const { models, settings } = catalogOf([valid]);
  const [entry] = await entriesOf(models).all();
  settings.set('endpoints', [{ ...valid, models: ['small'] }]);
  await expect(entriesOf(models).remove(entry!)).rejects.toThrow('no endpoint named oven any more');
  expect(settings.get('endpoints')).toHaveLength(1);
});

test('a setting that is no list has no entries', async () => {
  expect(await entriesOf(catalogOf({ oven: valid }).models).all()).toEqual([]);
});

test('a run that begins while a choice is still being saved is of the chosen model', async () => {
  const settings = new Map<string, unknown>([
    ['endpoints', [{ ...valid, models: ['small', 'large'] }]],
    ['model', 'oven/small'],
  ]);
  let isSaving = false;
  let save: (() => void) | undefined;
  const saved = new Promise<void>((resolve) => (save = resolve));
  const host = {
    settings: {
      get: (name: string) => settings.get(name),
      change: async (name: string, value: unknown) => {
        isSaving = true;
        await saved;
        settings.set(name, value);
      },
    },
    secrets: { get: () => Promise.resolve(undefined) },
    scripts: () => Promise.resolve([]),
    editorModels: () => Promise.resolve([]),
    pickModel: async (_: string, offers: Promise<readonly { id: string }[]>) =>
      (await offers).find(({ id }) => id === 'oven/large'),
    log: silentLog,
  };
  const models = new ModelCatalog(host as unknown as ModelHost);
  const baker = { name: 'Baker', models: [] } as unknown as AgentDefinition;
  const begin = () =>
    models.entryModel(baker, { begun: new Map(), attended: true, signal: new AbortController().signal });
  expect((await begin()).label).toContain('small');
  const chosen = models.choose();
  await soon(() => expect(isSaving).toBe(true));
  let hasBegun = false;
  const run = begin().finally(() => (hasBegun = true));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(hasBegun).toBe(false);
  save?.();
  await chosen;
  expect((await run).label).toContain('large');
});
