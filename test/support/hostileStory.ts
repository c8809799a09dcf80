import { isMessageRecord } from '../../src/core/record.js';
import { StoryTeller } from './storyTeller.js';

/** Addresses that must never be asked for; the host of each says what would have asked. */
const TRAP = 'http://127.0.0.1:9/trap';

const TEXTS: readonly string[] = [
  '<script>window.hacked = 1</script>',
  `<img src=x onerror="window.hacked=1"><img src="${TRAP}/img.png">`,
  `<svg onload="window.hacked=1"><image href="${TRAP}/svg.png"/></svg>`,
  `<link rel=preconnect href="${TRAP}"><link rel=stylesheet href="${TRAP}/a.css">`,
  `<style>@import url("${TRAP}/b.css"); * { display: none !important }</style>`,
  `<iframe srcdoc="<script>parent.hacked=1</script>"></iframe><object data="${TRAP}"></object>`,
  `<form action="${TRAP}"><button>send</button></form><base href="${TRAP}/">`,
  `<meta http-equiv=refresh content="0;url=${TRAP}">`,
  '[click](javascript:window.hacked=1) [run](command:workbench.action.terminal.new) [d](data:text/html,<script>1</script>)',
  `![remote](${TRAP}/pixel.png) ![ref][r]\n\n[r]: ${TRAP}/ref.png "t"`,
  `<${TRAP}/auto> and ${TRAP}/linkified and <javascript:alert(1)>`,
  '[x](<vbscript:x>) [y](  JaVaScRiPt:window.hacked=1  ) [z](vscode://file/etc/passwd) [f](file:///etc/passwd)',
  '\u001b]52;c;aGFja2Vk\u0007\u001b]8;;http://127.0.0.1:9/trap/osc\u0007link\u001b]8;;\u0007 \u001b[2J\u001b[31mred\u001b[0m \u009b31m',
  'safe \u202eexe.gpj\u202c and \u2066hidden\u2069 \u200b\u200e\ufeff \u{e0041}\u{e0042} \ufe00\u00ad',
  'a\u0000b\u0008c\u000bd \ud800 lone \udfff',
  'W'.repeat(20_000),
  'long '.repeat(6_000),
  `${'\n'.repeat(3_000)}end`,
  '̴̡̢̧̨̛'.repeat(600),
  '`'.repeat(2_000),
  '['.repeat(4_000),
  `${'> '.repeat(900)}deep`,
  `${'- '.repeat(500)}deep`,
  `| a | b |\n|---|---|\n${'| x | y |\n'.repeat(300)}`,
  `\`\`\`html\n<script>window.hacked=1</script>\n\`\`\`\n\n~~~"><img src=${TRAP}/fence.png onerror=hacked=1>\nx\n~~~`,
  '𝕳𝖔𝖒𝖔𝖌𝖑𝖞𝖕𝖍 раураl 👩‍👩‍👧‍👦 ﷽﷽﷽ 漢字',
  '{"__proto__": {"hacked": 1}, "constructor": {"prototype": {"hacked": 1}}}',
  `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
  '-->]]></textarea></title></style></script><script>window.hacked=1</script>',
  '{{constructor.constructor("window.hacked=1")()}} ${window.hacked=1} <%= 1 %>',
];

/** So many messages of every kind, each with a text that tries to do harm in whatever field it stands. */
export function hostileStory(messages = 500): StoryTeller {
  const story = new StoryTeller();
  let call = story.run('planner', 'Begin');
  const isMissing = (): boolean => story.records.filter(isMessageRecord).length < messages;
  for (let at = 0; isMissing(); at++) {
    const text = TEXTS[at % TEXTS.length] ?? '';
    switch (at % 7) {
      case 0:
        call.say(text, 5);
        break;
      case 1:
        call.message({ role: 'user', content: text, name: text.slice(0, 60) });
        break;
      case 2:
        call.useTool(
          text.slice(0, 80) || 'tool',
          { path: text.slice(0, 300), [text.slice(0, 40)]: text },
          text,
          { ms: 1, think: 1, isError: at % 2 === 0 },
        );
        break;
      case 3:
        call.message({
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image_url', image_url: { url: `${TRAP}/part.png` } },
            { type: 'image_url', image_url: { url: `data:text/html,${text}` } },
            { type: text.slice(0, 50) },
          ],
        });
        break;
      case 4: {
        const { child, call: asked } = call.dispatch(text.slice(0, 60) || 'agent', text);
        child.say(text, 1, [], { reasoning_content: text, refusal: text });
        child.add({ type: 'error', where: 'model', error: { code: text.slice(0, 30), message: text } });
        child.end('failed', text);
        call.answer(asked, text, 1, true);
        break;
      }
      case 5:
        call.add({ type: 'title', title: text });
        call.add({
          type: 'approval',
          toolName: text.slice(0, 50),
          toolCallId: 'none',
          subject: text,
          decision: 'denied',
          decidedBy: 'user',
          reason: text.slice(0, 200),
          waitedMs: 3,
        });
        call.add({ type: text.slice(0, 40) || 'x', payload: text } as never);
        break;
      default:
        call.end('failed', text);
        call = story.run(text.slice(0, 60) || 'agent', text, { system: text, model: text.slice(0, 60) });
    }
  }
  return story;
}
