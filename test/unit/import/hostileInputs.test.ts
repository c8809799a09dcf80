import { expect, test } from 'vitest';
import { injectedOf, injectedWords, ownTextOf } from '../../../src/core/injected.js';
import { textOf } from '../../../src/core/message.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { speakerIn } from '../../../src/query/numbers/transcriptItem.js';
import { hostileFiles } from '../../support/hostileFiles.js';

/** What a careful reader hears in each: the title, who says what, and what a tool put there. */
const HEARD: Readonly<Record<string, string>> = {
  'roles mixed case HUMAN/Ai': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'role bot/customer': 'Where is my bread? ¦ user: Where is my bread? ¦ assistant: In the oven.',
  'role with blanks': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'author object': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'speaker/utterance': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'unclosed reminder': 'ok ¦ user: <system-reminder>be kind\nBake rye ¦ assistant: ok',
  'nested reminder':
    'Bake rye ¦ user: Bake rye ¦   reminder : a <system-reminder>b</system-reminder> c ¦ assistant: ok',
  'reminder after words':
    'Bake rye <system-reminder>todo list is empty, do not mention it</system-reminder... ¦ user: Bake rye\n<system-reminder>todo list is empty, do not mention it</system-reminder> ¦ assistant: ok',
  'reminder upper case': 'Bake rye ¦ user: <SYSTEM-REMINDER>x</SYSTEM-REMINDER>Bake rye ¦ assistant: ok',
  'reminder attr': 'Bake rye ¦ user: Bake rye ¦   reminder : x ¦ assistant: ok',
  'BOM before tag': 'Bake rye ¦ user: Bake rye ¦   reminder : x ¦ assistant: ok',
  'command only': 'Bake rye ¦ user: /clear ¦ user: Bake rye ¦ assistant: ok',
  'teammate with > in attr': 'Hi ¦ injected:  ¦   agent a>b: Hi ¦ user: Bake ¦ assistant: ok',
  'agent speaks then person': 'And I say: bake ¦ user: And I say: bake ¦   agent rye: Green ¦ assistant: ok',
  'hook then prompt parts': 'Bake ¦ user: Bake ¦   hook : lint ok ¦ assistant: ok',
  'origin human with tag': 'ok ¦ user: <system-reminder>quoted</system-reminder> ¦ assistant: ok',
  'origin unknown kind':
    'Bake ¦ injected:  ¦   notification : Timer fired: check the oven now ¦ user: Bake ¦ assistant: ok',
  'origin string': 'Bake ¦ injected:  ¦   notification : done ¦ user: Bake ¦ assistant: ok',
  'compact summary + prompt':
    'Bake ¦ user: Bake ¦ assistant: ok ¦ injected:  ¦   summary : This session is being continued from a previous conversation. Summary: bread ¦ user: More ¦ assistant: sure',
  'title uuid prompt':
    'Bake rye ¦ user: 3f2b9c1d-1111-4222-8333-444455556666 ¦ user: Bake rye ¦ assistant: ok',
  'title only punctuation': 'Bake rye ¦ user: ??? ¦ user: Bake rye ¦ assistant: ok',
  'title markdown heading': '# Task Bake rye ¦ user: # Task\n\nBake rye ¦ assistant: ok',
  'title newlines/ctrl': 'Bake \u202erye now ¦ user: Bake\u0007\u202erye\nnow ¦ assistant: ok',
  'title image only': 'A loaf ¦ user:  ¦ assistant: A loaf',
  'title NEW_TASK':
    'Verify the mill ¦ injected:  ¦   agent /root: Message Type: NEW_TASK\nTask name: /root/check\nSender: /root\nPayload:\nVerify the mill ¦ assistant: ok',
  'codex envs':
    'Grind ¦ injected:  ¦   environment : <cwd>/w</cwd> ¦ user: Grind ¦   instructions : # AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nterse\n</INSTRUCTIONS> ¦ assistant: Ground',
  'codex ide context':
    'Grind the corn ¦ user: Grind the corn ¦   context : # Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex: ¦ assistant: Ground',
  'codex aborted':
    'Grind ¦ user: Grind ¦ injected:  ¦   interruption : The user interrupted ¦ assistant: Ground',
  'NaN in middle': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'trailing commas+comments':
    'a ¦ ! It is neither JSON nor lines of JSON. Name the file in which a tool keeps the session.',
  'single quotes':
    'a ¦ ! It is neither JSON nor lines of JSON. Name the file in which a tool keeps the session.',
  'two objects a line': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'cut last line': 'Bake rye ¦ user: Bake rye ¦ ! The last line is cut.',
  'garbage then line': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked ¦ ! This line is no JSON.',
  utf16le: 'B\u00e4ke rye ¦ user: B\u00e4ke rye ¦ assistant: Baked',
  'latin1 bytes': 'B\ufffdke rye ¦ user: B\ufffdke rye ¦ assistant: Baked ¦ ! Some characters are damaged.',
  'raw newline in string': 'Bake rye ¦ user: Bake\nrye ¦ assistant: Baked',
  'lone surrogate': 'Bake \ud83d rye ¦ user: Bake \ud83d rye ¦ assistant: Baked',
  'NUL bytes': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'dup keys': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'deep nesting part': 'Bake rye ¦ user: Bake rye ¦ assistant: ',
  'unknown part type': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'part without type': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'content number/null/bool': 'true ¦ user: 42 ¦ assistant: true ¦ user: ',
  'content object': 'Bake rye ¦ user: Bake rye ¦ assistant: ',
  'tool args not json': 'Bake ¦ user: Bake ¦ assistant: bake() ¦ tool: ok',
  'tool result before call': 'Bake ¦ user: Bake ¦ tool: ok ¦ assistant: bake()',
  'tool call same id twice': 'Bake ¦ user: Bake ¦ assistant: bake() cool() ¦ tool: baked ¦ tool: cooled',
  'results: type tool_result string/empty': 'Bake ¦ user: Bake ¦ assistant: Bash() ¦ tool:  ¦ assistant: ok',
  'spans no ids': 'Bake rye ¦ user: Bake rye ¦ assistant: Baked',
  'spans loop parents':
    'Bake rye ¦ user: Bake rye ¦ assistant: Baked ¦ ! A ring of parents has no beginning: each says that another of them began it. It is read from the earliest on.',
  'spans no texts':
    't ¦ ! What was said was not recorded: models, tokens, times and calls are. The page on OpenTelemetry says how a program is told to record it.',
  'span dup ids': 'Bake 1 ¦ user: Bake 1 ¦ assistant: Baked 1 ¦ user: Bake 2 ¦ assistant: Baked 2',
  'span negative times':
    'Baked ¦ assistant: Baked ¦ ! 1 request tells usage that cannot be true (negative, no number, or sums that disagree): the cost is unknown.',
  'anthropic content order': 'Bake ¦ user: Bake ¦ assistant: First\nThen x() ¦ tool: r ¦ user: Go on please',
  'envelope in the answer': 'Bake ¦ user: Bake ¦ assistant: <system-reminder>I quote</system-reminder> it',
  'opencode synthetic': 'Bake ¦ user: Bake rye ¦   reminder : The file a.ts was read ¦ assistant: Baked',
  'cline feedback':
    'Bake rye ¦ user: Bake rye ¦   environment : # Current Working Directory (/srv/bakery) Files ¦ assistant: ok ¦ user: Darker',
  'emptyish user': 'Bake ¦ user: Bake ¦ user:  ¦ user:    \n ¦ assistant: ok',
  'windows paths cwd': 'Bake ¦ user: Bake ¦ assistant: ok',
};

async function heardIn(name: string, data: string | Buffer): Promise<string> {
  const { conversations, problems } = await importTranscript(Buffer.from(data), name);
  const said = conversations.flatMap(({ title, records }) => [
    title,
    ...records.flatMap((record) => {
      const speaker = speakerIn(record);
      if (speaker === undefined) return [];
      const { message } = record as unknown as {
        message: { content: unknown; tool_calls?: { function: { name: string } }[] };
      };
      const put = injectedWords(textOf(message.content), injectedOf(record));
      const calls = (message.tool_calls ?? []).map((call) => call.function.name);
      return [
        `${speaker}: ${[ownTextOf(record), ...calls.map((call) => `${call}()`)].filter((each) => each !== '').join(' ')}`,
        ...put.map(({ kind, by = '', text }) => `  ${kind} ${by}: ${text}`),
      ];
    }),
  ]);
  return [...said, ...problems.map(({ message }) => `! ${message}`)].join(' ¦ ');
}

test('as many files are heard as are made up', () => {
  expect(Object.keys(HEARD)).toEqual(Object.keys(hostileFiles));
});

test.each(Object.entries(hostileFiles))('%s', async (what, [name, data]) => {
  expect(await heardIn(name, data)).toEqual(HEARD[what]);
});
