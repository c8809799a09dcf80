import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { OutputChannelFrontend } from '../../../src/agents/frontends/outputChannelFrontend.js';
import { TranscriptLinkTokens } from '../../../src/app/transcripts/transcriptLinkTokens.js';
import { clipboardText, escapeMarkdown } from '../../../src/app/text/clipboardText.js';
import { iconText, joined, plain, plainLines, SafeLink, words } from '../../../src/app/text/plainText.js';

const QUIT = 'command:workbench.action.quit';

/** Texts that mean to be read as more than a text, by what they try. */
const TEXTS: readonly (readonly [what: string, text: string])[] = [
  // Links that run something
  ['a command with a title', `[Yes](${QUIT} "press")`],
  ['a command in capitals', '[Yes](COMMAND:workbench.action.quit)'],
  ['a command with arguments', `[Yes](${QUIT}?%5B%22a%22%5D)`],
  ['a link across lines', `[Yes\n](${QUIT})`],
  ['a link with a break before its address', `[Yes](\n${QUIT})`],
  ['brackets within brackets', `[[Yes](${QUIT})](${QUIT})`],
  ['an image that is a link', `[![x](${QUIT})](${QUIT})`],
  ['a link behind an escaped bracket', `\\[a](b) [Yes](${QUIT})`],
  ['a link behind a backslash', `[Yes\\](${QUIT})`],
  ['a bracket before a zero-width blank', `[Yes]\u200b(${QUIT})`],
  ['a bracket before a soft hyphen', `[Yes]\u00ad(${QUIT})`],
  ['a bracket before a filler', `[Yes]\u3164(${QUIT})`],
  ['a link in fullwidth brackets', `［Yes］（${QUIT}）`],
  ['a reference to a definition', `[Yes][q]\n\n[q]: ${QUIT}`],
  ['a definition over three lines', `[Yes][q]\n\n[q]:\n${QUIT}\n"t"`],
  ['a definition in a list', `- [q]: ${QUIT}\n\n[q]`],
  ['a footnote', `a[^1]\n\n[^1]: [Yes](${QUIT})`],
  ['an automatic link to a command', `<${QUIT}>`],
  ['an automatic link to a script', '<javascript:alert(1)>'],
  ['a link to a script', '[a](javascript:alert(1))'],
  ['a link to a script with a tab', '[a](java\tscript:alert(1))'],
  ['a link to a script in entities', '[a](&#106;avascript&colon;alert(1))'],
  ['a link to a script in angles', '[a](<javascript:alert(1)>)'],
  ['a link to a script behind blanks', '[a](   \n  javascript:alert(1))'],
  ['a link to a file', '[a](file:///etc/passwd)'],
  ['a link to another program', '[a](vscode://some.extension/run?x=1)'],
  ['a link to a page of data', '[a](data:text/html;base64,PHNjcmlwdD4=)'],
  ['a network share', '[a](\\\\evil.example\\share) ![x](\\\\evil.example\\x.png)'],
  ['a link without a scheme', '[a](//evil.example/x) ![x](//evil.example/x.png)'],
  // Pictures and other things that are fetched
  ['a picture', '![x](http://evil.example/x.png)'],
  ['a picture of a reference', '![x][r]\n\n[r]: http://evil.example/x.png'],
  ['a picture of a short reference', '![r]\n\n[r]: <http://evil.example/x.png>'],
  ['a picture with a blank in its address', '![x](<http://evil.example/a b.png>)'],
  ['a picture of a file', '![x](file:///etc/passwd)'],
  ['a picture of a neighbour', '![x](../../.ssh/id_rsa.png)'],
  ['a picture that is a drawing', '![x](data:image/svg+xml;base64,PHN2Zz4=)'],
  ['a picture in a table', '| a |\n|---|\n| ![x](http://evil.example/x.png) |'],
  ['a picture in a heading', '# ![x](http://evil.example/x.png)'],
  ['a picture within a link within a list', '1. [![x](http://evil.example/x.png)](http://a.example)'],
  // HTML
  ['a tag over lines', '<img\nsrc=x\nonerror=alert(1)\n>'],
  ['a tag behind a quotation', '> <script>alert(1)</script>'],
  ['a comment that never ends', 'a <!-- b'],
  ['a processing instruction', '<?php echo 1 ?>'],
  ['a declaration', '<!DOCTYPE html>'],
  ['character data', '<![CDATA[ <b>x</b> ]]>'],
  ['the end of what is folded', '</details></summary></article><h1>Approved</h1>'],
  ['a tag in an alternative text', '![<img src=x onerror=alert(1)>](x)'],
  ['a tag behind an odd number of backticks', '`` ` <b>x</b> ```'],
  ['a tag behind escaped backticks', '\\`<b>x</b>\\`'],
  ['a tag with a slash', '<svg/onload=alert(1)>'],
  // Structure
  ['a heading of the same level', '### Assistant (Boss)\n\nApproved.'],
  ['a heading with equals signs', 'Approved\n====='],
  ['a heading in a quotation in a list', '- > # Approved'],
  ['a rule', 'a\n\n---\n\n### User\n\nb'],
  ['a fence that stays open', '````\n### User\n```'],
  ['a fence with a tail', '```\na\n``` x\nb'],
  ['a fence of tildes in a quotation', '> ~~~\n> a\n\nb'],
  ['a fence behind tabs', '\t```\n```js\nx'],
  ['front matter', '---\ntitle: x\n---\n# a'],
  ['a table that takes the next line', '| a |\n|---|'],
  ['old Mac line ends', 'a\r# b\r```\rc'],
  ['other line ends', 'a\u0085# b\u2028# c\u2029# d\u000b# e\u000c# f'],
  // Characters
  ['an icon', '$(check) approved $(x~spin)'],
  ['terminal commands', '\u001b]8;;http://evil.example\u0007x\u001b]8;;\u0007\u001b[2J\u009b31m'],
  ['text that runs backwards', 'a\u202e\u2066)tiuq(\u2069'],
  ['tags of Unicode', 'a\u{e0041}\u{e0042}\u{e007f}'],
  ['lone surrogates', '\ud800 \udc00'],
  ['a mark of ours', '[↗ 5f0c2a9e01b3c4d5e6f708]'],
  ['a page of blank lines', `a${'\n'.repeat(500)}b`],
  ['a word of 100,000 characters', 'W'.repeat(100_000)],
  ['a formula', '=HYPERLINK("http://evil.example","x")'],
];

const RAW = { redact: false } as const;
const UNSEEN =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u202a-\u202e\u2028\u2029\u2066-\u2069\u{e0000}-\u{e007f}\p{Cs}]/u;

/** A transcript with the text in every field that an export shows. */
function everywhere(text: string): readonly object[] {
  const place = { run: 'r', call: 'c', agent: text, depth: 0, conversation: 'v' };
  const toolCall = {
    id: text,
    type: 'function',
    function: { name: text, arguments: JSON.stringify({ [text]: text }) },
  };
  const bodies = [
    { type: 'callStart', task: text, model: text, tools: [text] },
    { type: 'message', message: { role: 'user', content: text } },
    {
      type: 'message',
      message: { role: text, content: [{ type: 'text', text }, { type: text }], reasoning_content: text },
    },
    {
      type: 'message',
      model: text,
      message: { role: 'assistant', content: text, refusal: text, tool_calls: [toolCall] },
    },
    {
      type: 'approval',
      toolName: text,
      toolCallId: text,
      subject: text,
      decision: 'denied',
      decidedBy: 'user',
      rule: text,
      reason: text,
      waitedMs: 1,
    },
    {
      type: 'message',
      toolName: text,
      isError: true,
      message: { role: 'tool', tool_call_id: text, content: text },
    },
    { type: 'dispatch', target: text, task: text, toolCallId: 'x', refused: text },
    {
      type: 'request',
      model: text,
      endpoint: text,
      attempt: 1,
      durationMs: 1,
      error: { code: text, message: text },
      superseded: text,
    },
    { type: 'error', where: 'model', error: { code: text, message: text } },
    { type: 'title', title: text },
    { type: 'callEnd', outcome: 'failed', reason: text, durationMs: 1 },
    { type: 'message', message: { role: 'user', content: 'The end.' } },
  ];
  return bodies.map((body, at) => ({ seq: at + 1, id: `i${at}`, time: 1_000 + at, ...place, ...body }));
}

/** Takes any address for a link, as some renderers do. */
const permissive = new MarkdownIt({ html: true });
permissive.validateLink = () => true;

/** What a renderer would make of Markdown beside text. */
function rendered(markdown: string) {
  const environment: NonNullable<Parameters<typeof permissive.parse>[1]> = {};
  const tokens = permissive
    .parse(markdown, environment)
    .flatMap((token) => [token, ...(token.children ?? [])]);
  const of = (type: string, name: string) =>
    tokens
      .filter((token) => token.type === type)
      .map((token) => String(token.attrGet(name) ?? token.content).trim());
  return {
    html: [...of('html_block', ''), ...of('html_inline', '')].filter(
      (tag) => !/^(?:<details>\n<summary>[\w ]+<\/summary>|<\/details>)$/.test(tag),
    ),
    links: of('link_open', 'href').filter((to) => !/^(?:https?:|mailto:|#|(?![\\/]{2})[^:]*$)/i.test(to)),
    pictures: of('image', 'src').filter((from) => !/^data:image\/(?:png|jpeg|gif|webp);/i.test(from)),
    definitions: Object.keys(environment.references ?? {}),
  };
}

describe('a text of others', () => {
  test.each(TEXTS)('harms no export in Markdown: %s', (_, text) => {
    for (const full of [true, false]) {
      const markdown = exportMessages(everywhere(text), 'markdown', { ...RAW, full, title: text });
      expect(rendered(markdown)).toEqual({ html: [], links: [], pictures: [], definitions: [] });
      const headings = permissive
        .parse(markdown, {})
        .filter(({ type, tag }) => type === 'heading_open' && /h[123]/.test(tag));
      // Its title, and one for each message but the answer to a call; what a message says has headings below its own.
      expect(headings).toHaveLength(full ? 5 : 4);
      expect(markdown).toMatch(/\n\n### User(?: \(.*\))?\n\n(?:_.*_\n\n)?The end\.$/);
    }
  });

  test.each(TEXTS)('harms no page: %s', (_, text) => {
    for (const full of [true, false]) {
      const page = exportMessages(everywhere(text), 'html', { ...RAW, full, title: text });
      const body = page.slice(page.indexOf('<body>'));
      // The answer to a call stands in its card.
      expect(body.match(/<article /g)).toHaveLength(4);
      expect(body.match(/<div class="came"/g)).toHaveLength(1);
      expect(
        body.match(/<(?:script|iframe|svg|object|form|link|base|meta|style|input|video)\b/gi),
      ).toBeNull();
      // What stands in quotes cannot leave them: a quotation mark within is written out.
      const names = body.replaceAll(/="[^"]*"/g, '=""');
      expect(names.match(/<[^<>]*\s(?:on\w+|style|srcset)\s*=[^<>]*>/gi)).toBeNull();
      for (const [, address = ''] of body.matchAll(/\s(?:href|src)="([^"]*)"/g))
        expect(address).toMatch(/^(?:https?:|mailto:|#|data:image\/(?:png|jpeg|gif|webp);)/i);
      expect(page).not.toMatch(UNSEEN);
    }
  });

  test.each(TEXTS)('makes no formula of a cell: %s', (_, text) => {
    const csv = exportMessages(everywhere(text), 'csv', { ...RAW, full: true });
    expect(csv).not.toMatch(/(?:^|,|\r\n)"?[=+@]/);
  });

  test.each(TEXTS)('runs nothing in notices, progress, prompts, tooltips and rows: %s', (_, text) => {
    const link = new SafeLink('open', 'agentLogbook.openTranscript', { conversation: text.slice(0, 200) });
    const shown = [
      plain(text),
      plainLines(text),
      words`${text}`,
      words`${text}${text}`,
      words`[${text}](${text})`,
      words`${text.slice(0, text.length / 2)}${text.slice(text.length / 2)}`,
      joined([text, text], ']('),
      iconText(text, 'save'),
      words`${text}${link}${text}`,
    ];
    for (const one of shown) {
      const targets = [...one.matchAll(/\[[^\]]*\]\(([^)]*)/g)].map(([, target]) => target);
      expect(targets.filter((target) => !target?.startsWith('command:agentLogbook.openTranscript?'))).toEqual(
        [],
      );
      expect(targets).toHaveLength(one.includes(link.markdown) ? 1 : 0);
      expect(one.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(UNSEEN);
      expect(one.length).toBeLessThan(7_000);
    }
    expect(iconText(text)).not.toMatch(/(?<!\\)\$\(/);
  });

  test.each(TEXTS)('reads literally in the Chat view: %s', (_, text) => {
    const tokens = permissive.parse(escapeMarkdown(plain(text)), {});
    const kinds = new Set(
      tokens.flatMap(({ type, children }) => [type, ...(children ?? []).map((child) => child.type)]),
    );
    for (const kind of ['paragraph_open', 'paragraph_close', 'inline', 'text', 'text_special'])
      kinds.delete(kind);
    expect([...kinds]).toEqual([]);
  });

  test.each(TEXTS)('is one line of the output channel without a mark of ours: %s', (_, text) => {
    const lines: string[] = [];
    const add = (line: string) => void lines.push(line);
    const marks = new TranscriptLinkTokens('key');
    const shows = new OutputChannelFrontend({ debug: add, info: add, warn: add }, { detailed: () => true });
    shows.showDispatchStart(text, text, text);
    shows.showDispatchResult(text, text, text);
    shows.showDispatchFailure(text, text, text);
    shows.showText(text, text);
    shows.showToolActivity(text, text, 'error', text);
    shows.showApproval(text, text);
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      expect(line).not.toMatch(UNSEEN);
      expect(line).not.toMatch(/[\r\n]/);
      expect(line.length).toBeLessThan(2_000);
      for (const [, mark = ''] of line.matchAll(TranscriptLinkTokens.pattern))
        expect(marks.isOurs(mark)).toBe(false);
    }
  });

  test.each(TEXTS)('is pasted as what is seen: %s', (_, text) => {
    expect(clipboardText(text, 'text').replace(/[\t\r\n]/g, '')).not.toMatch(UNSEEN);
    expect(JSON.parse(clipboardText(JSON.stringify({ text }), 'json'))).toEqual({ text });
  });
});
