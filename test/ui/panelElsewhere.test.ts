import { expect } from 'vitest';
import { teamStory } from '../support/teamStory.js';
import { panelTest } from './support/panelTest.js';

panelTest(
  'what is shown while a person types elsewhere in the editor leaves the focus there until they come back',
  async ({ open }) => {
    const story = teamStory();
    const panel = await open({ story });
    const { page } = panel;
    const around = `<input><iframe style="width: 900px; height: 700px" src="/page"></iframe>
      <script>onmessage = ({ data }) => frames[0].postMessage(data, '*');</script>`;
    await page.route('**/around', (route) => route.fulfill({ contentType: 'text/html', body: around }));
    await page.goto(new URL('/around', page.url()).href);
    const frame = page.locator('iframe');
    const inside = frame.contentFrame();
    await inside.locator('.page:not(.is-loading)').waitFor();
    const field = page.locator('input');
    const comeBack = () => frame.evaluate((it: HTMLIFrameElement) => it.contentWindow?.focus());
    await field.click();
    await page.keyboard.type('> Show');
    const position = story.records.findIndex((record) => record.type === 'message') + 1;
    panel.session.show({ position });
    await inside.locator('.row.selected').waitFor();
    await page.keyboard.type(' All');
    panel.session.show({ tab: 'timeline' });
    await inside.locator('#view-timeline').waitFor();
    panel.session.show({ bar: 'focus' });
    await inside.locator('#view-messages').waitFor();
    await page.keyboard.type(' Commands');
    expect(await field.inputValue()).toBe('> Show All Commands');
    await comeBack();
    await inside.locator('.question-input:focus').waitFor();
    await field.click();
    panel.session.show({ position });
    await inside.locator('.row.selected').waitFor();
    await comeBack();
    await inside.locator('.row.selected:focus').waitFor();
  },
);
