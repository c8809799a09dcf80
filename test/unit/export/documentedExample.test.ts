import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { expect, test } from 'vitest';
import { MessageQuery } from '../../../src/export/messageQuery.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/library.md'), 'utf8');
const [, code = ''] = /```js\nimport \{ MessageQuery \}.*\n([\s\S]*?)```/.exec(page) ?? [];

test("every line of the library's documented example prints what stands behind it", () => {
  const printed: string[] = [];
  const console = { log: (value: unknown) => printed.push(String(value)) };
  const run = compileFunction(code, ['MessageQuery', 'console']) as (...given: unknown[]) => void;
  run(MessageQuery, console);
  const promised = [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, value]) => value);
  expect(promised).toHaveLength(8);
  expect(printed).toEqual(promised);
});
