import { duration, markdownTable } from '../harness/markdown.js';
import { jsonText, ordinaryTexts } from '../harness/ordinaryTexts.js';
import { loadLibrary } from '../harness/library.js';
import { longestStall } from '../harness/longestStall.js';

/** What counting costs the thread that asks, and how long it waits, when another thread counts. */
export async function thread(): Promise<string> {
  const { TokenService } = await loadLibrary();
  const service = new TokenService();
  const jobs: [string, string[]][] = [
    ['the first count, the thread started for it', ['hello world']],
    ['1,000 messages of 1 KB', ordinaryTexts(1000).slice(0, 1000)],
    ['1 MB of JSON in one text', [jsonText(1_000_000)]],
    ['1 MB of "a"', ['a'.repeat(1_000_000)]],
    ['1 MB of spaces', [' '.repeat(1_000_000)]],
  ];
  const rows: string[][] = [];
  for (const [name, texts] of jobs) {
    const { milliseconds, stall } = await longestStall(() => service.count(texts, 'gpt-4o'));
    rows.push([name, duration(milliseconds), duration(stall)]);
  }
  service.dispose();
  return markdownTable(
    ['on a thread of its own', 'answered after', 'longest stall of the asking thread'],
    rows,
  );
}
