import { join } from 'node:path';
import { BAKINGS } from '../ui/support/bakings.js';
import { keepStories } from '../ui/support/pastStories.js';
import { uiTest } from '../ui/support/uiTest.js';
import { writeAt } from '../support/sessionHome.js';
import { quietPicture } from './kitchenTour.js';

const demo = join(import.meta.dirname, '../../demo');
const THEMES = [
  ['Light Modern', '-light'],
  ['Dark Modern', ''],
] as const;

/** A session of Claude Code that said this last, a moment ago. */
function session(id: string, folder: string, prompt: string, last: object): string {
  const now = new Date().toISOString();
  const about = { sessionId: id, cwd: `/home/you/${folder}`, version: '2.1.0', timestamp: now };
  const usage = { input_tokens: 5_200, output_tokens: 840, cache_read_input_tokens: 38_000 };
  const model = 'claude-sonnet-4-5';
  return [
    { ...about, type: 'user', uuid: `${id}-1`, message: { role: 'user', content: prompt } },
    {
      ...about,
      type: 'assistant',
      uuid: `${id}-2`,
      message: { id, role: 'assistant', model, usage, ...last },
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

const using = (name: string, input: object) => ({
  content: [{ type: 'tool_use', id: 't1', name, input }],
  stop_reason: 'tool_use',
});
const said = (text: string) => ({ content: [{ type: 'text', text }], stop_reason: 'end_turn' });

const test = uiTest({
  prepare: async (folder, home) => {
    await keepStories(folder, BAKINGS);
    const question = { questions: [{ question: 'Shall the old orders be moved, too?', options: [] }] };
    const at = (name: string) => `.claude/projects/-home-you-${name}/${name}.jsonl`;
    await writeAt(home, {
      [at('shop')]: session(
        'shop',
        'shop',
        'Move orders to the new table',
        using('AskUserQuestion', question),
      ),
      [at('bakery')]: session(
        'bakery',
        'bakery',
        'Why is the oven test slow?',
        using('Bash', { command: 'npm test -- oven' }),
      ),
      [at('mill')]: session(
        'mill',
        'mill',
        'Rename the mill',
        said('The mill has its new name in 14 files; all tests pass.'),
      ),
    });
  },
});

test('the pictures of pages of their own', async ({ workbench }) => {
  await workbench.view('Agent Logbook');
  await workbench.showOnly('Sessions');
  await workbench.treeItem('Show Them').first().click();
  await workbench.treeItem('Move orders to the new table').first().waitFor();
  await workbench.command('Agent Logbook: Show Spending and Live Sessions');
  await workbench.webview().getByRole('tab', { name: 'Live' }).click();
  await workbench.webview().getByText('Why is the oven test slow?').first().waitFor();
  // What they cost is read last.
  await workbench
    .webview()
    .locator('.live-row')
    .getByText(/^≥? ?\$\d/)
    .first()
    .waitFor();
  await quietPicture(workbench, join(demo, '11-live.png'));
  await workbench.closeEditors();

  await workbench.unfoldGroups();
  const row = (at: number) => workbench.treeItem(`Small cookies, try ${at}`).first();
  await row(1).click();
  await row(2).click({ modifiers: ['ControlOrMeta'] });
  await workbench.fromMenu(row(2), 'Compare…');
  await workbench.webview().locator('.compare-sentence').waitFor();
  await workbench.command('View: Toggle Primary Side Bar Visibility');
  for (const [theme, ending] of THEMES) {
    await workbench.chooseTheme(theme);
    await quietPicture(workbench, join(demo, `8-compare${ending}.png`));
  }
});
