import ts from 'typescript';
import { expect, test } from 'vitest';
import { PAGE_SCRIPT } from '../../../src/export/page/pageScript.js';

test('the script of an exported page is right by the types of a browser', () => {
  const options: ts.CompilerOptions = {
    allowJs: true,
    checkJs: true,
    strict: true,
    noEmit: true,
    noUnusedLocals: true,
    types: [],
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const fromDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === 'page.js'
      ? ts.createSourceFile(name, PAGE_SCRIPT, ts.ScriptTarget.ES2023)
      : fromDisk(name, ...rest);
  const problems = ts.getPreEmitDiagnostics(ts.createProgram(['page.js'], options, host));
  expect(
    problems.map(({ file, start, messageText }) => {
      const { line = 0 } = start === undefined ? {} : (file?.getLineAndCharacterOfPosition(start) ?? {});
      return `${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    }),
  ).toEqual([]);
});

test('it cannot end its own element, and takes nothing from outside', () => {
  expect(PAGE_SCRIPT).not.toMatch(/<\/|<!--/);
  expect(PAGE_SCRIPT).not.toMatch(
    /innerHTML|insertAdjacent|fetch|XMLHttp|WebSocket|eval|import|src\b|write\(/,
  );
});
