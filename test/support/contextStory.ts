import type { CallSite } from '../../src/core/record.js';
import { StoryTeller } from './storyTeller.js';

const MINUTE = 60_000;

/**
 * A session as Claude Code leaves it: an agent that reads much, with what it read from its cache, a pause in which that
 * ends, a compaction, and another agent that is asked in between.
 */
export function contextStory(turns = 18): StoryTeller {
  const story = new StoryTeller();
  const callSite: CallSite = { run: 'r_1', call: 'k_1', agent: 'Claude', depth: 0 };
  const teller = new WindowTeller(story, callSite, 18_400);
  story.add(callSite, {
    ...({ type: 'imported', kind: 'conversation' } as object),
    value: { tools: ['Read', 'Bash', 'mcp__github__get_issue'].map(tool) },
  } as never);
  teller.say('system', 'You are a careful engineer. '.repeat(160));
  teller.say('user', 'The nightly export of invoices fails since Tuesday. Find out why, and fix it.');
  for (let turn = 0; turn < turns; turn++) {
    teller.use('Read', { file_path: `/work/src/export/invoices${turn % 5}.ts` }, 600 + 260 * (turn % 7));
    if (turn % 3 === 1) teller.use('mcp__github__get_issue', { number: 400 + turn }, 420);
    if (turn % 4 === 2) teller.use('Bash', { command: 'npm test' }, 1_500);
    if (turn === 6) teller.use('Bash', { command: 'git push' }, 40, 14 * MINUTE);
    if (turn === 11) teller.compact('We found that the nightly export passes a plain date. '.repeat(30));
    if (turn === 3) searcher(story, callSite);
  }
  teller.answer('The export passed a plain date where a zoned one was needed. It is fixed, with a test.');
  return story;
}

function searcher(story: StoryTeller, parent: CallSite): void {
  const place = { run: 'r_1', call: 'k_2', parentCall: parent.call, agent: 'searcher', depth: 1 };
  const teller = new WindowTeller(story, place, 6_000);
  teller.say('user', 'Which commits since Tuesday touch the export?');
  for (let at = 0; at < 4; at++) teller.use('Grep', { pattern: 'exportInvoices', path: 'src' }, 700);
  teller.answer('Three commits: 4be01f2, 91c2aa0 and 1a2b3c4.');
}

function tool(name: string) {
  return { name, description: 'What it does. '.repeat(20), input_schema: { type: 'object', properties: {} } };
}

/** Tells what one agent is sent, with the numbers that its provider would report. */
class WindowTeller {
  #input: number;
  #held = 0;
  #calls = 0;
  #isCompacted = false;
  #tookMs = 0;

  constructor(
    readonly story: StoryTeller,
    readonly callSite: CallSite,
    base: number,
  ) {
    this.#input = base;
  }

  say(role: 'system' | 'user', content: string): void {
    this.#input += Math.ceil(content.length / 4);
    this.story.add(this.callSite, { type: 'message', message: { role, content } });
  }

  /** Calls a tool, which answers after a time with so many tokens. */
  use(name: string, args: object, tokens: number, tookMs = 900): void {
    const id = `${this.callSite.call}-${++this.#calls}`;
    const call = { id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
    this.#answer({
      content: null,
      tool_calls: [call],
      reasoning_content: 'I shall look at this first. '.repeat(8),
    });
    this.#input += 60 + tokens;
    this.#tookMs = tookMs;
    const content = 'const x = 1;\n'.repeat(Math.ceil((tokens * 4) / 13));
    this.story
      .wait(tookMs)
      .add(this.callSite, { type: 'message', message: { role: 'tool', tool_call_id: id, content } });
  }

  answer(content: string): void {
    this.#answer({ content });
  }

  compact(summary: string): void {
    const value = {
      subtype: 'compact_boundary',
      compactMetadata: { trigger: 'auto', preTokens: this.#input },
    };
    this.story.add(this.callSite, { ...({ type: 'imported', kind: 'system' } as object), value } as never);
    this.#input = 18_900 + 1_400;
    this.#isCompacted = true;
    this.story.add(this.callSite, {
      type: 'message',
      message: { role: 'user', content: summary },
      ...({ source: { isCompactSummary: true } } as object),
    } as never);
  }

  #answer(message: object): void {
    this.story.wait(2_400);
    const isExpired = this.#tookMs > 5 * MINUTE;
    const read = isExpired ? 0 : this.#isCompacted ? 12_000 : this.#held;
    this.#isCompacted = false;
    const usage = {
      inputTokens: this.#input,
      outputTokens: 90,
      estimated: false,
      cachedInputTokens: read,
      cacheWriteTokens: this.#input - read - 4,
    };
    this.#held = this.#input - 4;
    this.story.add(this.callSite, {
      type: 'message',
      message: { role: 'assistant', ...message },
      model: 'claude-opus-5',
      usage,
    } as never);
  }
}
