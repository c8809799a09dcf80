/**
 * Makes one file of all chunks of a CommonJS bundle, in which a part costs next to nothing until it is asked for: each part
 * stands in a comment, which an engine only skips, and the few lines of `loader` compile it when it is first required. The
 * comments stand in a function that nobody calls: it is asked for its text, so that the file is neither read nor held twice.
 * The lines that a stack trace names are those of the file.
 * @param {string} fileName
 * @returns {import('rolldown').Plugin}
 */
export function oneFile(fileName) {
  return {
    name: 'one file',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
      const entry = chunks.find(({ isEntry }) => isEntry);
      const parts = chunks.map(({ fileName: name, code }) => ({ name: `./${name}`, code }));
      for (const name of Object.keys(bundle)) Reflect.deleteProperty(bundle, name);
      this.emitFile({ type: 'asset', fileName, source: fileOf(parts, `./${entry?.fileName}`) });
    },
  };
}

/**
 * A part as it can stand in a comment, and in ASCII, of which an engine holds a byte for each character: `~` and four
 * hexadecimal digits are a code unit.
 * @param {string} code
 */
function inComment(code) {
  return `"use strict";${code.trimEnd()}`.replace(
    /[~\u0080-\uffff]|(?<=\*)\//g,
    (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * @param {readonly { readonly name: string, readonly code: string }[]} parts
 * @param {string} entry the part that is run
 */
function fileOf(parts, entry) {
  /** @type {Places} */
  const places = {};
  // It is asked for its own text, from its first letter on.
  let text = 'function comments() {\n';
  let line = 2;
  for (const { name, code } of parts) {
    const head = `/* ${name}\n`;
    const written = inComment(code);
    places[name] = { line, start: text.length + head.length, length: written.length };
    const part = `${head}${written}\n*/\n`;
    text += part;
    line += part.split('\n').length - 1;
  }
  const head = `#!/usr/bin/env node\n'use strict';\n(${loader})(`;
  const words = `${JSON.stringify(places)}, ${JSON.stringify(entry)}, comments, `;
  // The numbers of lines that the head has are one of its words, and add none.
  return `${head}${words}${head.split('\n').length});\n${text}}\n`;
}

/**
 * Of each part its line and place in the function that holds the comments, and its length.
 * @typedef {Record<string, { readonly line: number, readonly start: number, readonly length: number }>} Places
 */

/**
 * Runs a part of the file that it stands in. It is written into that file as it is here, so it knows nothing of this one.
 * @param {Places} places
 * @param {string} entry
 * @param {() => void} comments the function that the parts stand in
 * @param {number} headLines how many lines stand before that
 */
function loader(places, entry, comments, headLines) {
  /* eslint-disable @typescript-eslint/no-require-imports -- the file is a CommonJS module */
  const { compileFunction } = require('node:vm');
  const text = comments.toString();
  /** @type {Map<string, { exports: unknown }>} */
  const modules = new Map();
  /** @param {string} name */
  const load = (name) => {
    const place = places[name];
    if (!place) return require(name);
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const code = text
      .slice(place.start, place.start + place.length)
      .replace(/~([0-9a-f]{4})/g, (_, unit) => String.fromCharCode(parseInt(unit, 16)));
    const run = compileFunction(code, ['module', 'exports', 'require', '__filename'], {
      filename: __filename,
      lineOffset: headLines + place.line,
    });
    run(module, module.exports, load, __filename);
    return module.exports;
  };
  load(entry);
  /* eslint-enable @typescript-eslint/no-require-imports */
}
