import { describe, expect, it } from 'vitest';
import { BATCH_MS } from '../../../../src/page/panel/batcher.js';
import { NO_QUESTION } from '../../../../src/page/protocol/question.js';
import type { Statistics } from '../../../../src/page/protocol/analysis.js';
import { TRANSCRIPT_REQUESTS } from '../../../../src/page/panel/ports.js';
import type { ApprovalPrompt } from '../../../../src/core/ports/approvals.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage, TOKENS_EACH } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';

/** A page over a story that was told so far; it is ready. */
async function openPage(story: StoryTeller) {
  const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
  const snapshot = await page.client.ask('ready', {});
  const tell = (from: number): void => page.transcript.append(story.records.slice(from));
  return { page, snapshot, tell };
}

function shortStory() {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  call.say('Hello');
  return { story, call };
}

const prompt = (subject: string): ApprovalPrompt => ({
  id: 'p1',
  number: 1,
  request: {
    toolName: 'write_file',
    toolCallId: 't1',
    call: { run: 'r', call: 'k', agent: 'coder', depth: 0 },
    subject,
    title: 'Write a.ts',
    key: 'k',
    signal: new AbortController().signal,
  },
});

describe('the host of a panel', () => {
  it('tells a page how many lines still stand once it is there, and no page that is gone', async () => {
    const { story } = shortStory();
    const asked: string[] = [];
    const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records), {
      keptLines: (conversation) => {
        asked.push(conversation);
        return Promise.resolve({ put: 80, kept: 62 });
      },
    });
    await page.client.ask('ready', {});
    expect(asked).toEqual([]);
    await page.until(() => page.last('kept') !== undefined);
    expect(page.last('kept')).toEqual({ put: 80, kept: 62 });
    expect(asked).toEqual([story.conversation]);
    await page.client.ask('ready', {});
    page.session.dispose();
    await new Promise((done) => setTimeout(done, 2_000));
    expect(asked).toHaveLength(1);
  });

  it('tells a page how far the person had looked, and keeps how far they have when it goes', async () => {
    const { story, call } = shortStory();
    const seen: number[] = [];
    const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records), {
      looking: () =>
        Promise.resolve((records) => {
          const before = seen.at(-1);
          seen.push(records);
          return Promise.resolve(before === undefined ? undefined : { at: 7, records: before });
        }),
    });
    const first = await page.client.ask('ready', {});
    const { length } = story.records;
    expect([first.seen, seen]).toEqual([undefined, [length]]);
    call.say('More');
    const grown = story.records.length;
    page.transcript.append(story.records.slice(length));
    await page.until(() => page.last('list')?.records === grown);
    page.session.hide();
    // A page that is hidden shows nothing.
    page.session.dispose();
    await Promise.resolve();
    expect(seen).toEqual([length, grown]);
    const again = new PlayedPage(new MemoryTranscript(story.conversation, story.records), {
      looking: () => Promise.resolve(() => Promise.resolve({ at: 7, records: length })),
    });
    expect((await again.client.ask('ready', {})).seen).toEqual({ at: 7, records: length });
  });

  it('tells a page that begins everything that it needs, and gives it rows', async () => {
    const { page, snapshot } = await openPage(shortStory().story);
    expect(snapshot).toMatchObject({
      title: 'A title',
      list: { rows: 3, messages: 2 },
      facets: { tools: [] },
    });
    const { rows } = await page.client.ask('rows', {
      generation: snapshot.list.generation,
      start: 0,
      end: 100,
    });
    expect(rows.map(({ kind }) => kind)).toEqual(['note', 'message', 'message']);
    expect(rows[2]).toMatchObject({
      agent: 'planner',
      body: { text: 'Hello', rest: 0 },
      tokens: { estimated: false },
    });
  });

  it('finds what is new in the main line, whatever came in a dispatch before', async () => {
    const story = new StoryTeller();
    const root = story.run('planner', 'Go');
    const { child, call } = root.dispatch('coder', 'Do it');
    const seen = story.records.length;
    child.say('Nested');
    const next = async (from: number) =>
      (await openPage(story)).page.client.ask('next', { of: 'new', from, by: 1 });
    expect(await next(seen)).toEqual({});
    child.end();
    root.answer(call, 'Done');
    const said = story.records.length;
    root.say('It is done');
    const { position = -1 } = await next(seen);
    expect(position).toBeGreaterThanOrEqual(said);
    expect(await next(story.records.length)).toEqual({});
  });

  it('tells of rows that come, and of cards that get their result', async () => {
    const { story, call } = shortStory();
    const { page, snapshot, tell } = await openPage(story);
    const before = story.records.length;
    const tool = call.toolCall('read_file', { path: 'a.ts' });
    call.message({ role: 'assistant', content: null, tool_calls: [tool] });
    tell(before);
    await page.until(() => page.last('list') !== undefined);
    expect(page.last('list')?.changes).toEqual([{ at: 3, removed: 0, inserted: 1 }]);
    const { generation, tail } = page.last('list')!;
    expect(generation).toBeGreaterThan(snapshot.list.generation);
    expect(tail).toMatchObject({ start: 3, rows: [{ kind: 'tool', state: 'running', summary: 'a.ts' }] });
    const { rows } = await page.client.ask('rows', { generation, start: 3, end: 4 });
    expect(rows[0]).toMatchObject({ kind: 'tool', state: 'running', summary: 'a.ts' });
    call.answer(tool, 'text of a');
    tell(before + 1);
    await page.until(() => page.last('changed') !== undefined);
    expect(page.last('changed')?.rows[0]).toMatchObject({
      id: 3,
      state: 'done',
      result: { text: 'text of a' },
    });
  });

  it('keeps rows up to date that came with the news, though the page never asked for them', async () => {
    const { story, call } = shortStory();
    const { page, tell } = await openPage(story);
    const before = story.records.length;
    const tool = call.toolCall('read_file', { path: 'a.ts' });
    call.message({ role: 'assistant', content: null, tool_calls: [tool] });
    tell(before);
    await page.until(() => page.last('list')?.tail !== undefined);
    call.answer(tool, 'text of a');
    tell(before + 1);
    await page.until(() => page.last('changed') !== undefined);
    expect(page.last('changed')?.rows).toMatchObject([{ id: 3, state: 'done' }]);
  });

  it('sends no more rows with the news than a screen has, the last ones', async () => {
    const { story, call } = shortStory();
    const { page, tell } = await openPage(story);
    const before = story.records.length;
    for (let at = 0; at < 90; at++) call.say(`Message ${at}`);
    tell(before);
    await page.until(() => page.last('list')?.rows === 93);
    const { tail } = page.last('list')!;
    expect(tail?.start).toBe(93 - (tail?.rows.length ?? 0));
    expect(tail?.rows.length).toBeLessThan(60);
    expect(tail?.rows.at(-1)).toMatchObject({ body: { text: 'Message 89' } });
  });

  it('sends rows that follow an expanded dispatch at its place, not at the end, only when they are asked for', async () => {
    const story = new StoryTeller();
    const root = story.run('planner', 'Go');
    const { child } = root.dispatch('coder', 'Do it');
    root.say('Meanwhile');
    const { page, tell } = await openPage(story);
    await page.client.ask('expandAll', { expanded: true });
    const before = story.records.length;
    page.heard.length = 0;
    child.say('Done inside');
    tell(before);
    await page.until(() => page.last('list') !== undefined);
    expect(page.last('list')?.tail).toBeUndefined();
  });

  it('answers every request that is a matter of the transcript', async () => {
    const { page } = await openPage(shortStory().story);
    const asked = TRANSCRIPT_REQUESTS.map((name) => page.reading.ask(name, {}));
    const answers = await Promise.allSettled(asked);
    const reasons = answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason) : ''));
    expect(reasons.filter((reason) => reason.includes('Nobody answers'))).toEqual([]);
  });

  it('does nothing at all for a page that is hidden, and brings it up to date when it is back', async () => {
    const { story, call } = shortStory();
    const { page, tell } = await openPage(story);
    page.session.hide();
    const { readCount } = page.transcript;
    const heard = page.heard.length;
    const before = story.records.length;
    call.say('Unseen');
    tell(before);
    page.changed();
    // By then a page that is shown would have heard of it.
    await new Promise((resolve) => setTimeout(resolve, 2 * BATCH_MS));
    expect([page.transcript.readCount, page.heard.length]).toEqual([readCount, heard]);
    const { list } = await page.client.ask('ready', {});
    expect(list.messages).toBe(3);
  });

  it('gives a page that comes back its filter, what was expanded, and where it stood', async () => {
    const story = teamStory();
    const { page } = await openPage(story);
    const first = await page.client.ask('ready', { expandedAll: true });
    const { rows } = await page.client.ask('rows', { generation: first.list.generation, start: 20, end: 21 });
    const again = await page.client.ask('ready', { expandedAll: true, top: rows[0]!.id });
    expect(again.at).toEqual({ index: 20, id: rows[0]!.id });
    expect(again.expandedAll).toBe(true);
    const filtered = await page.client.ask('ready', {
      question: { ...NO_QUESTION, text: 'tool:run_command' },
    });
    expect(filtered.list.rows).toBeLessThan(first.list.rows);
    await page.until(() => page.last('matches')?.done === true);
    expect(page.last('matches')?.matches).toBe(3);
  });

  it('filters by text, counts what it finds, and keeps counting as the transcript grows', async () => {
    const { story, call } = shortStory();
    const { page, tell } = await openPage(story);
    await page.client.ask('ask', { number: 1, question: { ...NO_QUESTION, text: 'HELLO' } });
    await page.until(() => page.last('matches')?.done === true);
    expect(page.last('matches')).toMatchObject({ number: 1, matches: 1, found: 1, total: 3 });
    const before = story.records.length;
    call.say('Hello again');
    tell(before);
    await page.until(() => page.last('matches')?.matches === 2);
    expect(page.last('list')?.rows).toBe(2);
  });

  it('says where a pattern cannot be used and why, and goes on with the answer before it', async () => {
    const { page, snapshot } = await openPage(shortStory().story);
    const ask = (number: number, text: string) =>
      page.client.ask('ask', { number, question: { ...NO_QUESTION, text } });
    const problems = () => page.last('matches')?.problems ?? [];
    await ask(1, '/(open/');
    await page.until(() => problems().length > 0);
    expect(problems()[0]).toMatchObject({ start: 0, end: 7 });
    expect(problems()[0]?.message).toContain('The pattern cannot be read');
    expect(page.reading.view.state.rows).toBe(snapshot.list.rows);
    await ask(2, 'hello');
    await page.until(() => page.last('matches')?.done === true && problems().length === 0);
    await ask(3, '/(open/');
    await page.until(() => page.last('matches')?.number === 3 && page.last('matches')?.found === 1);
    expect(problems()).toHaveLength(1);
    expect(page.reading.view.state.rows).toBe(1);
  });

  it('tells which texts a pattern matches, so that the page need not run it', async () => {
    const { page } = await openPage(shortStory().story);
    await page.client.ask('ask', { number: 1, question: { ...NO_QUESTION, text: '/h[a-f]l+/i' } });
    await page.until(() => page.last('matches')?.done === true);
    const { generation } = page.reading.view.state;
    const { marks } = await page.client.ask('rows', { generation, start: 0, end: 9 });
    expect(marks).toEqual(['Hell']);
  });

  it('expands a dispatch in place and reveals what is hidden in one', async () => {
    const story = teamStory();
    const { page, snapshot } = await openPage(story);
    const deep = story.records.findLast(({ depth }) => depth === 2)!;
    const found = await page.client.ask('reveal', { position: deep.seq - 1 });
    expect(page.last('list')!.rows).toBeGreaterThan(snapshot.list.rows);
    expect(found.generation).toBe(page.last('list')!.generation);
    const { rows } = await page.client.ask('rows', {
      generation: found.generation,
      start: found.index,
      end: found.index + 1,
    });
    expect(rows[0]).toMatchObject({ id: found.id, depth: 2 });
  });

  it('gives long texts in pieces, never half a character, those in files of their own too', async () => {
    const { story, call } = shortStory();
    const whole = '🧵'.repeat(200_000);
    call.message(
      { role: 'tool', tool_call_id: 'x', content: whole.slice(0, 500) },
      { spill: [{ field: 'content', path: 's/1.json', bytes: whole.length * 2, sha256: '0' }] },
    );
    const { page } = await openPage(story);
    page.transcript.spills.set('s/1.json', whole);
    let text = '';
    for (let from: number | undefined = 0; from !== undefined;) {
      const piece: { text: string; next?: number } = await page.client.ask('text', {
        row: 3,
        field: 'body',
        from,
      });
      expect(piece.text).not.toMatch(/\p{Cs}/u);
      text += piece.text;
      from = piece.next;
    }
    expect(text === whole).toBe(true);
    page.transcript.spills.clear();
    page.session.hide();
    await expect(page.client.ask('text', { row: 3, field: 'body', from: 0 })).rejects.toThrow(
      'missing or was changed',
    );
  });

  it('gives the picture of a tool’s answer that lies in a file of its own', async () => {
    const { story, call } = shortStory();
    const asked = call.toolCall('photograph', {});
    call.say(null, 5, [asked]);
    const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }];
    const spill = [{ field: 'content', index: 0, path: 'p.json', bytes: 80_000, sha256: '0' }] as const;
    call.message({ role: 'tool', tool_call_id: asked.id, content }, { spill });
    const { page } = await openPage(story);
    page.transcript.spills.set('p.json', 'data:image/png;base64,iVBORw0KGgo=');
    const ask = (field: 'image' | 'result') => page.client.ask('text', { row: 3, from: 0, field, part: 0 });
    expect([(await ask('image')).text.length, (await ask('result')).text]).toEqual([34, '']);
  });

  it('lets an approval be answered once, and only with the nonce that the page was given', async () => {
    const { page } = await openPage(shortStory().story);
    page.prompts = [prompt('rm a.ts')];
    page.changed();
    await page.until(() => page.last('approvals') !== undefined);
    const [card] = page.last('approvals')!.approvals;
    expect(card).toMatchObject({ subject: 'rm a.ts', agent: 'coder' });
    const answer = { id: 'p1', approved: true, remember: false };
    await expect(page.client.ask('answerApproval', { ...answer, nonce: 'guessed' })).rejects.toThrow(
      'no longer open',
    );
    await page.client.ask('answerApproval', { ...answer, nonce: card!.nonce });
    await expect(page.client.ask('answerApproval', { ...answer, nonce: card!.nonce })).rejects.toThrow(
      'no longer open',
    );
    expect(page.answers).toEqual([{ id: 'p1', answer: { approved: true, remember: false } }]);
  });

  it('does not let a subject be approved in the page that is too large to be shown there', async () => {
    const { page } = await openPage(shortStory().story);
    page.prompts = [prompt('x'.repeat(400_000))];
    page.changed();
    await page.until(() => page.last('approvals') !== undefined);
    const [card] = page.last('approvals')!.approvals;
    expect(card).toMatchObject({ characters: 400_000, nonce: '' });
    expect(card?.subject).toBeUndefined();
    await expect(
      page.client.ask('answerApproval', { id: 'p1', nonce: '', approved: true, remember: false }),
    ).rejects.toThrow('no longer open');
  });

  it('opens files by their index in a row, and web addresses alone', async () => {
    const { story, call } = shortStory();
    call.useTool('read_file', { path: 'src/a.ts', line: 7 }, 'text');
    const { page } = await openPage(story);
    await page.client.ask('openFile', { row: 3, file: 0 });
    await expect(page.client.ask('openFile', { row: 3, file: 1 })).rejects.toThrow('no such file');
    await page.client.ask('openLink', { url: 'https://example.com/a b' });
    await expect(page.client.ask('openLink', { url: 'command:x' })).rejects.toThrow('addresses of the web');
    await expect(page.client.ask('openLink', { url: 'file:///etc/passwd' })).rejects.toThrow(
      'addresses of the web',
    );
    expect(page.done).toEqual(['open src/a.ts 7', 'link https://example.com/a%20b']);
  });

  it('copies as text and as Markdown that no content breaks out of', async () => {
    const { story, call } = shortStory();
    call.useTool('read_file', { path: 'a' }, 'has ``` in it');
    const { page } = await openPage(story);
    await page.client.ask('copyRow', { row: 2, as: 'text' });
    await page.client.ask('copyRow', { row: 3, as: 'markdown' });
    expect(page.done[0]).toBe('copy Hello');
    expect(page.done[1]).toContain('````\nhas ``` in it\n````');
  });

  it('copies a link to a message, and shows the one that a link names, wherever it stands', async () => {
    const { page } = await openPage(shortStory().story);
    await page.client.ask('copyMessageLink', { row: 2 });
    const [, id = '', near = ''] = /(\S+) (\d+)$/.exec(page.done[0] ?? '') ?? [];
    expect((await page.transcript.read(Number(near), Number(near) + 1))[0]?.id).toBe(id);
    for (const message of [{ id, near: Number(near) }, { id, near: 0 }, { id }]) {
      page.session.show({ message });
      await page.until(() => page.last('show')?.position === Number(near));
      page.session.show({ tab: 'messages', position: 0 });
      await page.until(() => page.last('show')?.position === 0);
    }
    page.session.show({ message: { id: 'gone' } });
    await page.until(() => page.last('show')?.message?.id === 'gone');
  });

  it('exports all of it, or exactly what the question found', async () => {
    const { page } = await openPage(shortStory().story);
    await page.client.ask('export', { format: 'markdown', scope: 'all', target: 'file' });
    await page.client.ask('ask', { number: 1, question: { ...NO_QUESTION, text: 'role:assistant' } });
    await page.until(() => page.last('matches')?.done === true);
    await page.client.ask('export', { format: 'json', scope: 'filtered', target: 'clipboard' });
    expect(page.done).toEqual(['export markdown all file', 'export json 3 clipboard']);
  });

  it('estimates tokens that nobody told at first, and then has them counted', async () => {
    const { page } = await openPage(shortStory().story);
    const first = await page.client.ask('statistics', {});
    expect(first.counting).toBe(true);
    const roles = (statistics: Statistics) =>
      Object.fromEntries(statistics.byRole.map(({ name, messages, tokens }) => [name, { messages, tokens }]));
    expect(roles(first).user?.tokens.estimated).toBe(true);
    let last = first;
    while (last.counting) last = await page.client.ask('statistics', {});
    const { user } = roles(last);
    const tokens = { input: (user?.messages ?? 0) * TOKENS_EACH, output: 0, estimated: false };
    expect(user).toMatchObject({ tokens });
    // What was used is what the header and the tree say, before as after the count.
    const used = ({ byAgent, byModel }: Statistics) =>
      [byAgent, byModel].map((each) => each.map((one) => one.tokens));
    expect(used(last)).toEqual(used(first));
  });

  it('counts nothing before somebody asks, and stays with estimates where counting fails', async () => {
    let asked = 0;
    const countTokens = () => {
      asked++;
      return Promise.reject(new Error('no thread'));
    };
    const { story } = shortStory();
    const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records), { countTokens });
    await page.client.ask('ready', {});
    expect(asked).toBe(0);
    let last = await page.client.ask('statistics', {});
    while (last.counting) last = await page.client.ask('statistics', {});
    expect(last.byRole.some(({ tokens }) => tokens.estimated)).toBe(true);
    expect(asked).toBe(1);
  });
});
