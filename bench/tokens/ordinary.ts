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
