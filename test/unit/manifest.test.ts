import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  chatParticipantId,
  commandIds,
  commandName,
  formerCommandIds,
  rowCommandIds,
  settingDefaults,
  settingParts,
  viewIds,
} from '../../src/app/manifest.js';

interface Manifest {
  readonly description: string;
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: string[] } };
  readonly contributes: {
    readonly chatParticipants: readonly { readonly id: string; readonly name: string }[];
    readonly commands: readonly { readonly command: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly keybindings: readonly { readonly command: string; readonly when: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly viewsWelcome: readonly { readonly contents: string }[];
    readonly walkthroughs: readonly {
      readonly icon: string;
      readonly steps: readonly {
        readonly description: string;
        readonly media: { readonly markdown: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly configuration: readonly {
      readonly properties: Readonly<
        Record<
          string,
          {
            readonly default: unknown;
            readonly order?: number;
            readonly scope?: string;
            readonly description?: string;
            readonly markdownDescription?: string;
            readonly markdownDeprecationMessage?: string;
            readonly properties?: Readonly<
              Record<
                string,
                {
                  readonly default: unknown;
                  readonly description?: string;
                  readonly markdownDescription?: string;
                }
              >
            >;
            readonly enum?: readonly unknown[];
            readonly enumDescriptions?: readonly string[];
            readonly enumItemLabels?: readonly string[];
          }
        >
      >;
    }[];
  };
}

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const words = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;

/** The manifest as VS Code shows it: with the words that its keys stand for. */
const manifest = JSON.parse(read('package.json'), (_key, value: unknown) => {
  const key = typeof value === 'string' ? /^%(.*)%$/.exec(value)?.[1] : undefined;
  return key === undefined ? value : words[key];
}) as Manifest;
const { chatParticipants, commands, views, menus, keybindings, viewsWelcome, walkthroughs, configuration } =
  manifest.contributes;
const settings = configuration.flatMap(({ properties }) => Object.entries(properties));
const sorted = (names: Iterable<string>) => [...names].sort();

test('every text of the manifest has its words, and no words are left over', () => {
  const keys = [...read('package.json').matchAll(/"%([^"]*)%"/g)].map((match) => match[1] ?? '');
  expect(sorted(new Set(keys))).toEqual(sorted(Object.keys(words)));
});

test('what people read in menus, settings and pages stands with the words, so that it can be translated', () => {
  const untranslatable: string[] = [];
  // What models are told of arguments is no text for people.
  const forPeople = JSON.parse(read('package.json'), (key, value: unknown) =>
    key === 'inputSchema' ? undefined : value,
  ) as object;
  JSON.parse(JSON.stringify(forPeople), (key, value: unknown) => {
    const read =
      /^(title|shortTitle|category|contextualTitle|contents|(markdownD|d)escription|fullName)$/.test(key);
    if (read && typeof value === 'string' && !/^%.+%$/.test(value)) untranslatable.push(value);
    return value;
  });
  // The line below the name in lists of extensions is also that of the package on npm, which knows no keys.
  expect(untranslatable).toEqual([manifest.description]);
});

test('every command of the code is contributed, and no other', () => {
  expect(sorted(commands.map(({ command }) => command))).toEqual(sorted(commandIds.map(commandName)));
});

test('what the palette always shows is what a person can begin with', () => {
  const bound = new Set(menus.commandPalette?.map(({ command }) => command));
  const always = commands.map(({ command }) => command).filter((command) => !bound.has(command));
  expect(always.length).toBeLessThanOrEqual(25);
  expect(commands.length).toBeLessThanOrEqual(78);
});

test('what is only for own conversations is not offered to who has only sessions of other tools', () => {
  const own =
    'replayRun exportApprovals suggestAllowRules exportTables continueConversation undoRun verifyTranscript makeTest';
  const offered = menus.commandPalette?.filter(
    ({ command, ...shown }) =>
      own.split(' ').includes(command.replace('agentLogbook.', '')) &&
      !JSON.stringify(shown).includes('!agentLogbook.nothingOwn'),
  );
  expect(offered).toEqual([]);
});

test('a command that is shown no more leads to one that is', () => {
  const shown: readonly string[] = commandIds;
  for (const [former, now] of Object.entries(formerCommandIds)) {
    expect(shown).not.toContain(former);
    expect(shown).toContain(now);
  }
});

test('menus, keys and welcome texts name only commands that exist', () => {
  const inMenus = Object.values(menus).flatMap((items) => items.map(({ command }) => command));
  const inWelcome = viewsWelcome.flatMap(({ contents }) =>
    [...contents.matchAll(/\(command:(agentLogbook\.\w+)/g)].map((match) => match[1] ?? ''),
  );
  const known = new Set(commands.map(({ command }) => command));
  const onKeys = keybindings.map(({ command }) => command);
  expect([...inMenus, ...onKeys, ...inWelcome].filter((command) => !known.has(command))).toEqual([]);
});

test('an empty view says first what can be done there, and the walkthrough begins with what is there already', () => {
  for (const { contents } of viewsWelcome) expect(contents).toMatch(/^(?:\[[^\]]+\]\(command:\S+\)\n)+[^[]/);
  expect(walkthroughs.map(({ steps }) => steps[0]?.media.markdown)).toEqual([
    'media/walkthrough/sessions.md',
  ]);
});

test('the walkthrough names only commands and views that exist, and shows pages that are there', () => {
  const known = new Set(commands.map(({ command }) => command));
  const ofViews = Object.values(views)
    .flat()
    .map(({ id }) => id);
  const steps = walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  const linked = steps.flatMap(({ description }) =>
    [...description.matchAll(/\(command:(agentLogbook\.[\w.]+)/g)].map((match) => match[1] ?? ''),
  );
  const focusing = new Set(ofViews.map((id) => `${id}.focus`));
  expect(linked).not.toEqual([]);
  expect(linked.filter((command) => !known.has(command) && !focusing.has(command))).toEqual([]);
  const events = new Set([
    ...[...known, ...rowCommandIds.map(commandName)].map((command) => `onCommand:${command}`),
    ...ofViews.map((id) => `onView:${id}`),
    ...['sessionToolsChosen', 'hasAgents', 'running'].map((key) => `onContext:agentLogbook.${key}`),
    'onContext:config.agentLogbook.model',
    'onContext:activeWebviewPanelId == agentLogbook.transcript',
    'onContext:activeCustomEditorId == agentLogbook.transcriptFile',
  ]);
  expect(steps.flatMap((step) => step.completionEvents).filter((event) => !events.has(event))).toEqual([]);
  const files = [...walkthroughs.map(({ icon }) => icon), ...steps.map(({ media }) => media.markdown)];
  const isThere = (path: string) => existsSync(new URL(`../../${path}`, import.meta.url));
  expect(files.filter((path) => !isThere(path))).toEqual([]);
});

test('keys are taken only while one of our views or editors has the focus, and never from a text field', () => {
  const ours = /^(?:focusedView == agentLogbook\.|activeWebviewPanelId == 'agentLogbook\.).*!inputFocus/;
  for (const { when } of keybindings) expect(when).toMatch(ours);
});

test('every view of the code is contributed, and no other', () => {
  expect(
    sorted(
      Object.values(views)
        .flat()
        .map(({ id }) => id),
    ),
  ).toEqual(sorted(Object.values(viewIds)));
});

test('the participant of the Chat view is the one that is contributed', () => {
  expect(chatParticipants.map(({ id, name }) => [id, name])).toEqual([[chatParticipantId, 'logbook']]);
});

test('every setting has in the code the default that package.json shows, and a description', () => {
  const contributed = Object.fromEntries(settings.map(([key, { default: value }]) => [key, value]));
  const inCode = Object.fromEntries(
    Object.entries(settingDefaults).map(([key, value]) => [`agentLogbook.${key}`, value]),
  );
  expect(contributed).toEqual(inCode);
  for (const [, { description, markdownDescription, markdownDeprecationMessage }] of settings) {
    expect(description ?? markdownDescription ?? markdownDeprecationMessage).toMatch(/\.$/);
  }
});

test('at most 50 settings are shown; one that stands in another is no longer, and says where it went', () => {
  const shown = settings.filter(([, { markdownDeprecationMessage: gone }]) => gone === undefined);
  expect(shown.length).toBeLessThanOrEqual(50);
  const about = new Map(settings);
  const former = Object.entries(settingParts).map(([id, [around = '', name = ''] = []]) => {
    const own = about.get(`agentLogbook.${id}`);
    const part = about.get(`agentLogbook.${around}`)?.properties?.[name];
    expect(own?.markdownDeprecationMessage).toContain(`\`#agentLogbook.${around}#\``);
    expect(part?.default).toEqual(own?.default);
    expect(part?.description ?? part?.markdownDescription).toMatch(/\.$/);
    return `agentLogbook.${id}`;
  });
  const gone = settings.map(([key]) => key).filter((key) => !shown.some(([other]) => other === key));
  expect(sorted(gone)).toEqual(sorted(former));
});

test('what decides about rights, secrets, endpoints, limits and places cannot be set by a workspace', () => {
  const guarded = sorted(
    settings.filter(([, { scope }]) => scope?.startsWith('machine')).map(([key]) => key),
  );
  const decisive =
    /archive|sessions|endpoints|approvals|allowRules|limits|storePath|prices|redactSecrets|sharing|telegram|discord|chats|telemetry|openTelemetry|capture|watch|showCommands|recording\.more|\.model$/;
  expect(guarded).toEqual(sorted(settings.map(([key]) => key).filter((key) => decisive.test(key))));
  expect(sorted(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations)).toEqual(guarded);
});

test('the settings page has an order, and words for every choice', () => {
  for (const { properties } of configuration)
    expect(Object.values(properties).map(({ order }) => order)).toEqual([...Object.keys(properties).keys()]);
  const choices = settings.filter(([, property]) => property.enum);
  expect(choices.map(([key]) => key)).toEqual([
    'agentLogbook.approvals',
    'agentLogbook.verbosity',
    'agentLogbook.sharing.review',
    'agentLogbook.archive.mode',
    'agentLogbook.archive.push',
    'agentLogbook.openTelemetry.content',
    'agentLogbook.openTelemetry.dialect',
  ]);
  for (const [, property] of choices) {
    expect(property.enumDescriptions).toHaveLength(property.enum?.length ?? 0);
    expect(property.enumItemLabels).toHaveLength(property.enum?.length ?? 0);
  }
});
