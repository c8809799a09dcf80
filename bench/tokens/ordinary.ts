import o200kBase from 'js-tiktoken/ranks/o200k_base';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { jsonText, ordinaryTexts } from '../harness/ordinaryTexts.js';
import { sideBySide, type Samples, type Way } from '../harness/sideBySide.js';
import { median, medianRatio } from '../harness/statistics.js';
import { counters, type Count } from './counters.js';

const ROUNDS = 7;
const REFERENCE = 'js-tiktoken/lite';
const JUDGE = 'tiktoken (WASM)';
/** What engines disagree about: white space that is none elsewhere, and a letter that ignores case. */
const disputed = ['\ufeffusing System;\r\n', 'a \ufeff\n b', ' \u0085Z \u0085 z', "ZſZ's it'ſS"];

/** The speed of all counters on ordinary text, and how often they disagree with OpenAI's own. */
export async function ordinary(names: readonly string[]): Promise<string> {
  const counts = new Map<string, Count>();
  for (const name of names) counts.set(name, await counters[name]!());
  const texts = ordinaryTexts(1000);
  const share = Math.floor(texts.length / (ROUNDS + 1));
  const textsOf = (round: number) => texts.slice(round * share, (round + 1) * share);
  const all = new Map([...counts, ...limits()]);

  const messages = await sideBySide(waysOf(all, textsOf), ROUNDS);
  const jsonTexts = Array.from({ length: ROUNDS + 1 }, (_, round) => [jsonText(60_000 + round)]);
  const json = await sideBySide(
    waysOf(all, (round) => jsonTexts[round]!),
    ROUNDS,
  );
  const megabytes = Buffer.byteLength(texts.slice(share, (ROUNDS + 1) * share).join('')) / 1e6 / ROUNDS;
  const judged = [...texts, ...disputed];
  const rows = [...all.keys()].map((name) => [
    name,
    `${figures(megabytes / (median(messages.get(name)!) / 1e3))} MB/s`,
    ratioTo(messages, name),
    duration(median(json.get(name)!)),
    counts.has(name) ? differences(counts.get(name)!, counts.get(JUDGE), judged) : '',
  ]);
  const head = ['counter (o200k_base)', '1 KB messages', `against ${REFERENCE}`, '60 KB JSON'];
  return markdownTable([...head, `other counts than ${JUDGE}, of ${figures(judged.length)} texts`], rows);
}

/** Words of scripts that write without spaces, or with few letters a word. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Chinese:
    '我们 测试 文件 的 结果 没有 通过 ， 因为 配置 里 缺少 一个 参数 。 请 再 运行 一次 构建 ， 然后 检查 日志 中 是否 还有 错误 信息 可以 看到 修改 之后 性能 提高 了 很多 代理 调用 工具 时 返回 空 数据 ！'.split(
      ' ',
    ),
  Japanese:
    'テスト が 失敗 しました 。 設定 ファイル に 値 が 足りない ため 、 もう一度 ビルド を 実行 して ログ を 確認 してください エージェント は ツール を 呼び出し 、 結果 を 返します 変更 後 の 性能 は とても 良く なりました'.split(
      ' ',
    ),
  Korean:
    '테스트가 실패했습니다. 설정 파일에 값이 없기 때문에 다시 빌드를 실행하고 로그를 확인해 주세요. 에이전트는 도구를 호출하고 결과를 반환합니다. 변경 후 성능이 많이 좋아졌습니다.'.split(
      ' ',
    ),
};

/** Texts of a script, of about 1,000 characters; no two alike. */
function textsIn(script: string, round: number): readonly string[] {
  const words = SCRIPTS[script] ?? [];
  const between = script === 'Korean' ? ' ' : '';
  return Array.from({ length: 40 }, (_, number) => {
    const said: string[] = [];
    for (let at = round * 40 + number, length = 0; length < 1000; at = (at * 31 + 17) % 9973) {
      const word = words[at % words.length] ?? '';
      said.push(word);
      length += word.length + between.length;
    }
    return said.join(between);
  });
}

/** The speed of all counters on scripts with many characters, and on one text that repeats itself. */
export async function scripts(names: readonly string[]): Promise<string> {
  const counts = new Map<string, Count>();
  for (const name of names) counts.set(name, await counters[name]!());
  const repeated = (round: number) => ['你好世界'.repeat(2_000 + round)];
  const kinds: [string, (round: number) => readonly string[]][] = [
    ...Object.keys(SCRIPTS).map((script): [string, (round: number) => readonly string[]] => [
      script,
      (round) => textsIn(script, round),
    ]),
    ['repeated Chinese, 8,000 characters', repeated],
  ];
  const rows: string[][] = [];
  for (const [kind, textsOf] of kinds) {
    const samples = await sideBySide(waysOf(counts, textsOf), ROUNDS);
    rows.push([kind, ...names.map((name) => duration(median(samples.get(name)!)))]);
  }
  return markdownTable(['40 texts of 1,000 characters', ...names], rows);
}

function waysOf(counts: ReadonlyMap<string, Count>, textsOf: (round: number) => readonly string[]): Way[] {
  return [...counts].map(([name, count]) => ({
    name,
    run: (round) => {
      for (const text of textsOf(round)) count(text);
    },
  }));
}

/** What no counter that splits by the pattern can be faster than, and what none at all can. */
function limits(): [string, Count][] {
  const pattern = new RegExp(o200kBase.pat_str, 'gu');
  const bytes = new Uint8Array(1 << 20);
  const encoder = new TextEncoder();
  return [
    ['limit: the split pattern alone', (text) => text.match(pattern)?.length ?? 0],
    ['limit: text to UTF-8 bytes', (text) => encoder.encodeInto(text, bytes).written],
  ];
}

function ratioTo(samples: Samples, name: string): string {
  const reference = samples.get(REFERENCE);
  return reference ? `${figures(medianRatio(reference, samples.get(name)!))} ×` : '–';
}

function differences(count: Count, judge: Count | undefined, texts: readonly string[]): string {
  if (!judge) return '–';
  return String(texts.filter((text) => count(text) !== judge(text)).length);
}
