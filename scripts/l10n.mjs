/**
 * Lists the texts that a person reads in `l10n/bundle.l10n.json`: `npm run l10n`. A translation is that file in another
 * language, as `l10n/bundle.l10n.de.json`. `src/core/l10n.ts` says how a text is written.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

/** The tags whose templates are texts for a person. */
const TAGS = new Set(['t', 'words', 'message']);

/** Where texts are made for the surfaces of VS Code and for its pages. */
const surfaces =
  /^(?:src\/(?:surfaces\/vscode|app|page\/panel|query(?!\/(?:numbers|pricing|tokens)\/))|webview)\//;

/** Files among them that make no text for a surface. */
const silent = [
  // What programs read that use the library.
  /^src\/app\/(?:team\/|features\/|application\/extensionApi\.ts|stores\/openStore\.ts)|^src\/query\/(?:filterCriteria|textTest)\.ts/,
  // Names of commands, and the log, which stays in the language of who repairs.
  /^src\/app\/(?:manifest|logLine)\.ts|^src\/surfaces\/vscode\/logChannel\.ts/,
  // The frame of a page, and what is copied as Markdown, as exports are.
  /^src\/page\/panel\/(?:pageHtml|rows\/rowCopy)\.ts/,
  // What models read, and failures that records keep.
  /^src\/surfaces\/vscode\/models\/lm(?:Model|Tools)\.ts|^src\/surfaces\/vscode\/runs\/editorFiles\.ts|^src\/app\/models\/lmFailure\.ts/,
];

/** Stands for a value in a text. */
const VALUE = '\u0001';
/** Two words, one beside a value, or one that ends as a label does. */
const SENTENCE =
  /[A-Za-z’]{2,}[,;:.…]? [A-Za-z’(]{2,}|[A-Za-z’]{3,}[,;:.…]? \u0001|\u0001 [A-Za-z’]{3,}|^[A-Z][a-z]+…$|^[A-Z][a-z]+: ?$/;
/** Properties whose values nobody reads. */
const UNREAD =
  /^(?:class|className|role|type|appearance|id|href|src|style|kind|prompt|contextValue|command|icon|key|name)$/;
/** Calls whose own texts nobody reads, or that add the text to a count in a number of its own. */
const UNREAD_IN =
  /(?:querySelector|classList\.\w+|EventListener|createElement|closest|matches|includes|startsWith|endsWith|executeCommand|formatCount|formatNoun|createDiagnosticCollection|hub\.add)$/;
const LOGS = /(?:^|[.#])log\.\w+$|[lL]og\.(?:error|warn|info|debug)$/;

/** @typedef {{ readonly line: number, readonly text: string }} FoundText */

/** All modules of the program and its pages, by their paths. @returns {Map<string, string>} */
export function sources() {
  const inFolder = (/** @type {string} */ folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && !path.includes('/node_modules/'));
  const paths = [...inFolder('src'), ...inFolder('webview')].sort();
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/**
 * The texts for a person in a module; those of the tags `t` and `words` outside of a function, which are made before the
 * language is known; and sentences that a person may read in English only.
 * @param {string} path
 * @param {string} source
 */
export function textsIn(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  /** @type {{ texts: string[], early: FoundText[], bare: FoundText[] }} */
  const found = { texts: [], early: [], bare: [] };
  const isShown = surfaces.test(path) && !silent.some((pattern) => pattern.test(path));
  const at = (/** @type {ts.Node} */ node, /** @type {string} */ text) => ({
    line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1,
    text,
  });
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isTaggedTemplateExpression(node)) {
      const tag = node.tag.getText();
      const text = partsOf(node.template).reduce((all, part, index) => `${all}{${index - 1}}${part}`);
      if (TAGS.has(tag)) {
        found.texts.push(text);
        if (tag !== 'message' && !isInFunction(node)) found.early.push(at(node, text));
      }
      if (ts.isTemplateExpression(node.template))
        node.template.templateSpans.forEach(({ expression }) => visit(expression));
      return;
    }
    if (isShown && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))) {
      const text = partsOf(node).join(VALUE);
      if (SENTENCE.test(text.trim()) && isRead(node)) found.bare.push(at(node, text));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** @param {ts.StringLiteralLike | ts.TemplateExpression} node */
function partsOf(node) {
  if (!ts.isTemplateExpression(node)) return [node.text];
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
}

/** @param {ts.Node} node */
function isInFunction(node) {
  for (let outer = node.parent; outer; outer = outer.parent) {
    if (ts.isFunctionLike(outer)) return true;
    if (ts.isPropertyDeclaration(outer))
      return !outer.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
  }
  return false;
}

/** Whether a person may read a literal where it stands. @param {ts.Node} node */
function isRead(node) {
  const { parent } = node;
  if (ts.isBinaryExpression(parent) && /^[!=]==$/.test(parent.operatorToken.getText())) return false;
  if (ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)) return false;
  for (let inner = node, outer = node.parent; outer; inner = outer, outer = outer.parent) {
    if (ts.isPropertyAssignment(outer) && (outer.name === inner || UNREAD.test(outer.name.getText())))
      return false;
    if (ts.isBinaryExpression(outer) && /\.className$/.test(outer.left.getText())) return false;
    if (ts.isCallExpression(outer) && outer.expression !== inner) {
      const callee = outer.expression.getText();
      if (LOGS.test(callee)) return false;
      if (inner === node && UNREAD_IN.test(callee)) return false;
      if (
        inner === node &&
        /^(?:el|svg|icon|pathWords)$/.test(callee) &&
        outer.arguments.slice(0, 2).some((each) => each === inner)
      )
        return false;
    }
    if (ts.isStatement(outer) || ts.isFunctionLike(outer)) break;
  }
  return true;
}

/** The file of all texts, as `vscode.l10n` wants it: each with its translation, which is itself in English. */
export function bundleOfTexts() {
  const texts = [...sources()].flatMap(([path, source]) => textsIn(path, source).texts);
  const sorted = [...new Set(texts)].sort();
  return `${JSON.stringify(Object.fromEntries(sorted.map((text) => [text, text])), undefined, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(root, 'l10n/bundle.l10n.json'), bundleOfTexts());
