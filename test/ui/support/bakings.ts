import { StoryTeller } from '../../support/storyTeller.js';
import type { PastStory } from './pastStories.js';

interface Baking {
  readonly system?: string;
  readonly looks?: boolean;
  readonly factor?: string;
  readonly asks?: boolean;
  readonly fails?: boolean;
  readonly detours?: number;
}

/** Cookie mends a recipe, looks first or not, asks Crumb or not, and may fail. */
function baking({
  system = 'You bake.',
  looks = true,
  factor = 'people / serves',
  asks,
  fails,
  detours = 0,
}: Baking) {
  const story = new StoryTeller();
  const cookie = story.run('Cookie', 'Why are the cookies so small?', { system });
  for (const file of ['orders.md', 'recipes/cookies.md', 'kitchen/oven.mjs', 'kitchen/bowl.mjs'])
    cookie.useTool('read_file', { path: file }, `What stands in ${file}.`);
  if (looks) cookie.useTool('read_file', { path: 'kitchen/scale.mjs' }, 'const factor = serves / people;');
  for (let at = 0; at < detours; at++)
    cookie.useTool('run_command', { command: `grep -rn factor ${at}` }, '', { isError: true });
  cookie.useTool('edit_file', { path: 'kitchen/scale.mjs', to: factor }, 'Changed.');
  if (asks === true) {
    const { child, call } = cookie.dispatch('Crumb', 'Taste one.');
    child.useTool('read_file', { path: 'oven.mjs' }, 'hot');
    child.say('Sweet.');
    child.end();
    cookie.answer(call, 'Sweet.');
  }
  cookie.useTool('run_command', { command: 'node bake.mjs' }, fails === true ? 'No oven.' : 'Baked 12.', {
    isError: fails === true,
  });
  cookie.useTool('read_file', { path: 'orders.md' }, 'Twelve, large.');
  cookie.say(fails === true ? 'There is no oven.' : 'The cookies are large again: `people / serves`.');
  cookie.end(fails === true ? 'failed' : 'done', fails === true ? 'The oven is gone.' : undefined);
  return story;
}

const TRIES: readonly Baking[] = [
  { asks: true },
  { system: 'You bake, and never read.', looks: false, factor: 'people * serves', fails: true },
  {},
  { asks: true },
  { detours: 1 },
  { detours: 14 },
];

/** Runs of one task that went otherwise, the last of them far longer. */
export const BAKINGS: readonly PastStory[] = TRIES.map((each, at) => ({
  title: `Small cookies, try ${at + 1}`,
  daysAgo: at,
  story: baking(each),
}));
