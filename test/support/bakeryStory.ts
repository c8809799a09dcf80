import { StoryTeller } from './storyTeller.js';

/** The session that `docs/query.md` and `docs/sql.md` ask: its records, and when they are asked. */
export function bakery() {
  const story = new StoryTeller('20261121-093015-5f0c2a9e');
  const baker = story.run('Baker', 'Why are the cookies so small?');
  baker.useTool('read_file', { path: 'src/scale.ts' }, 'factor = serves / people', { ms: 50 });
  const { child, call } = baker.dispatch('Fixer', 'turn the factor around');
  child.useTool('edit_file', { path: 'src/scale.ts' }, 'no such line', { isError: true, ms: 80 });
  child.say('It is turned around.');
  child.end();
  baker.answer(call, 'It is turned around.', 4_000);
  baker.useTool('bash', { command: 'cd out && sudo rm -rf crumbs; echo rmdir' }, 'rmdir', { ms: 30 });
  baker.say('They are larger now.');
  baker.end();
  const again = story.run('Baker', 'Bake them.');
  again.say('Baked.');
  again.end();
  return { records: story.records, now: story.now };
}
