import { asText, fields, objects } from '../../reading/fields.js';

/** How deep the nodes of a prompt may nest; a file that nests deeper is not read at all. */
const MAX_DEPTH = 200;

/**
 * The text of a part of a tool's result in VS Code: a text, or the tree of nodes that `@vscode/prompt-tsx` renders, whose
 * leaves are texts. Anything else as JSON.
 */
export function promptText(value: unknown): string {
  const { node } = fields(value);
  return node === undefined ? asText(value) : textOfNode(node, 0);
}

function textOfNode(value: unknown, depth: number): string {
  const node = fields(value);
  const before = node.lineBreakBefore === true ? '\n' : '';
  if (typeof node.text === 'string') return before + node.text;
  if (depth > MAX_DEPTH) return '';
  return (
    before +
    objects(node.children)
      .map((child) => textOfNode(child, depth + 1))
      .join('')
  );
}
