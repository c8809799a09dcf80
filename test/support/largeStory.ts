import type { LogRecord } from '../../src/core/record.js';
import { StoryTeller } from './storyTeller.js';

const WORDS =
  'the run reads every file of the module and compares it with what the test expects before it writes anything back so that a failure leaves the old state where it was and the log says why it stopped and what to do next'.split(
    ' ',
  );

/** A text of about `length` characters that differs with its number. */
export function loremOf(number: number, length: number): string {
  let text = `Step ${number}:`;
  for (let at = number; text.length < length; at += 7) text += ` ${WORDS[at % WORDS.length] ?? ''}`;
  return text;
}

/** The conversation of `largeTurns`, whole. */
export function largeStory(messages: number): StoryTeller {
  const story = new StoryTeller();
  Array.from(largeTurns(story, messages));
  return story;
}

/**
 * Tells a conversation of at least so many messages of about 1 KB, one turn after the other: prompts, answers, tool calls,
 * and every so often a dispatch. The word `needle` stands in every 1,000th tool result.
 * After each turn it gives all records that nobody took out.
 */
export function* largeTurns(story: StoryTeller, messages: number): Generator<LogRecord[]> {
  let said = 0;
  for (let turn = 0; said < messages; turn++) {
    const call = story.run('planner', `Prompt ${turn}: ${loremOf(turn, 200)}`);
    said++;
    for (let step = 0; step < 24 && said < messages; step++) {
      const number = turn * 24 + step;
      const result = `${loremOf(number, 1_400)}${number % 500 === 0 ? ' needle' : ''}`;
      call.useTool('read_file', { path: `src/part${number}.ts`, line: number % 90 }, result, {
        ms: 3 + (number % 40),
        isError: number % 97 === 0,
      });
      said += 2;
      if (step % 6 === 5) {
        const { child, call: asked } = call.dispatch('researcher', `Look at part ${number}`);
        child.say(loremOf(number, 900), 400);
        child.end();
        call.answer(asked, loremOf(number, 300), 500);
        said += 4;
      }
    }
    call.say(`## Answer ${turn}\n\n${loremOf(turn, 900)}\n\n- one\n- two`, 700);
    said++;
    call.end();
    story.wait(2_000);
    yield story.records;
  }
}
