import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { el } from '../dom.js';
import { plainText } from './plainText.js';

const languages = { bash, css, diff, go, java, json, markdown, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(['js', 'javascript', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });
hljs.registerAliases(['console', 'shellsession', 'shell'], { languageName: 'bash' });

/** Highlighted code, made only of text nodes and classes; undefined where the language is unknown. */
export function highlighted(code: string, language: string): DocumentFragment | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
  const parsed = new DOMParser().parseFromString(`<pre>${value}</pre>`, 'text/html');
  const fragment = document.createDocumentFragment();
  copyWords(parsed.querySelector('pre') ?? parsed.body, fragment);
  return fragment;
}

/** Copies texts and the classes of spans into the page, and nothing else of a parsed document. */
function copyWords(from: Node, to: Node): void {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.appendChild(plainText(node.textContent ?? ''));
    else if (node instanceof HTMLElement) {
      const words = el('span', { class: node.className });
      copyWords(node, words);
      to.appendChild(words);
    }
  }
}
