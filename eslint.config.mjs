import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import tseslint from 'typescript-eslint';
import { problemWith } from './layers.mjs';

const root = import.meta.dirname;

/** What ESLint's cache knows our rules by: once they or the table of rooms have changed, all files are looked at again. */
const ownVersion = ['eslint.config.mjs', 'layers.mjs']
  .reduce((hash, file) => hash.update(readFileSync(join(root, file))), createHash('sha256'))
  .digest('hex');

/** Keeps the table of layers.mjs. */
const layersRule = {
  create(context) {
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string') return;
      const problem = problemWith(root, context.filename, specifier);
      if (problem) context.report({ node, message: `${problem} (layers.mjs)` });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

/**
 * Each argument of a call takes a place on the stack: a list of about 120,000 that is spread into a call ends in a
 * RangeError. Only what has a fixed length may be spread, or what came as arguments itself.
 */
const callSpreadsRule = {
  create(context) {
    const { sourceCode } = context;
    const { esTreeNodeToTSNodeMap, program } = sourceCode.parserServices;
    const types = program.getTypeChecker();
    const isTuple = (type) => types.isTupleType(type) && !type.target.hasRestElement;
    const isFixed = (node) => {
      if (node.type === 'ArrayExpression') {
        return node.elements.every(
          (element) => element?.type !== 'SpreadElement' || isFixed(element.argument),
        );
      }
      if (node.type === 'ConditionalExpression') return isFixed(node.consequent) && isFixed(node.alternate);
      if (node.type === 'CallExpression' && /^(map|slice|filter)$/.test(node.callee.property?.name)) {
        return isFixed(node.callee.object);
      }
      const type = types.getTypeAtLocation(esTreeNodeToTSNodeMap.get(node));
      return type.isUnion() ? type.types.every(isTuple) : isTuple(type);
    };
    const isRestParameter = (node) => {
      if (node.type !== 'Identifier') return false;
      for (let scope = sourceCode.getScope(node); scope; scope = scope.upper) {
        const variable = scope.set.get(node.name);
        if (variable) {
          return variable.defs.some(
            ({ type, name }) => type === 'Parameter' && name.parent.type === 'RestElement',
          );
        }
      }
      return false;
    };
    const check = (node) => {
      for (const argument of node.arguments) {
        if (argument.type !== 'SpreadElement') continue;
        const list = argument.argument;
        if (isRestParameter(list) || isFixed(list)) continue;
        const message =
          'A list of any length may not be spread into a call (core/lists.ts has what does without).';
        context.report({ node: argument, message });
      }
    };
    return { CallExpression: check, NewExpression: check };
  },
};

const surface = /^src\/surfaces\/vscode\/ui\//;
const SURFACE_CALLS = new Set(
  (
    'showInformationMessage showWarningMessage showErrorMessage showQuickPick createQuickPick showInputBox ' +
    'createInputBox withProgress setStatusBarMessage createStatusBarItem createTreeView registerTreeDataProvider ' +
    'clipboard ChatResponseMarkdownPart ChatResponseProgressPart'
  ).split(' '),
);
const SURFACE_TYPES = new Set(
  (
    'TreeItem MarkdownString QuickPick QuickPickItem QuickPickOptions InputBox InputBoxOptions StatusBarItem ' +
    'TreeView Progress ChatResponseStream Hover'
  ).split(' '),
);

/**
 * What shows a text of VS Code's own may be called in `src/surfaces/vscode/ui` only: VS Code reads links and icons there, so
 * the wrappers take texts that were made plain, and no handle without their types gets out.
 */
const surfacesRule = {
  create(context) {
    const file = relative(root, context.filename).replaceAll(sep, '/');
    if (!file.startsWith('src/') || surface.test(file)) return {};
    const message = 'Show texts through src/surfaces/vscode/ui, whose wrappers take plain texts only.';
    const check = (node, name, names) => {
      if (names.has(name)) context.report({ node, message });
    };
    const both = new Set([...SURFACE_CALLS, ...SURFACE_TYPES]);
    return {
      MemberExpression: ({ property }) => check(property, property.name ?? property.value, both),
      ObjectPattern: ({ properties }) =>
        properties.forEach((property) => check(property, property.key?.name, SURFACE_CALLS)),
      TSQualifiedName: ({ right }) => check(right, right.name, SURFACE_TYPES),
      ImportDeclaration: ({ source, specifiers }) => {
        if (source.value !== 'vscode') return;
        for (const each of specifiers) check(each, each.imported?.name, SURFACE_TYPES);
      },
    };
  },
};

/** `rm` with `recursive` deletes without asking twice, so it may stand in one guarded file only. */
const recursiveRemoval = {
  selector: "CallExpression[callee.name=/^rm(Sync)?$/] Property[key.name='recursive']",
  message: 'Delete recursively only through src/store/write/removeOwnFolder.ts.',
};

const wordsByHand = [
  {
    selector: "AssignmentExpression[left.type='MemberExpression'][left.property.name='title']",
    message: "Use setWords(element, 'title', …), which writes out what cannot be seen.",
  },
  {
    selector:
      "CallExpression[callee.property.name='setAttribute'][arguments.0.value=/^(title|alt|placeholder|aria-(label|description|valuetext))$/]",
    message: 'Use setWords(element, …), which writes out what cannot be seen.',
  },
];

/** What no package may do anywhere in what is shipped. */
const restricted = [
  { selector: 'ExportDefaultDeclaration', message: 'No default exports.' },
  recursiveRemoval,
];

/** Our own rules; all others are in .oxlintrc.json, which reads the same files in a tenth of the time. */
export default tseslint.config(
  { ignores: ['**/node_modules/', 'dist/', 'out/', 'coverage/', 'demo/', 'test/fixtures/'] },
  { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } },
  {
    files: ['src/**/*.ts', 'webview/**/*.ts'],
    // Disabled lines are looked at by the other linter.
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    plugins: {
      house: {
        meta: { name: 'house', version: ownVersion },
        rules: { layers: layersRule, 'call-spreads': callSpreadsRule, surfaces: surfacesRule },
      },
    },
    rules: {
      'house/layers': 'error',
      'house/surfaces': 'error',
      'house/call-spreads': 'error',
      'no-restricted-syntax': ['error', ...restricted],
    },
  },
  {
    files: ['webview/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...restricted, ...wordsByHand] },
  },
  {
    files: ['webview/dom.ts', 'src/store/write/removeOwnFolder.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
