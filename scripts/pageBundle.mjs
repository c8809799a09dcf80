/**
 * How the pages of the webviews are bundled: each with the chunks that it loads later, nothing external.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const pageBundle = {
  absWorkingDir: `${import.meta.dirname}/..`,
  entryPoints: ['webview/pages/main.ts', 'webview/pages/search.ts', 'webview/pages/ledger.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2023',
  logLevel: 'warning',
  assetNames: '[name]',
  loader: { '.ttf': 'file', '.svg': 'dataurl' },
  alias: { entities: './webview/content/entities.ts' },
  plugins: [withoutLinkify()],
};

/**
 * What everything has cost, and comparisons, each a page by itself: what they share with the others would be cut into more and
 * larger chunks for these.
 * @type {readonly import('esbuild').BuildOptions[]}
 */
export const ownBundles = ['spending', 'compare'].map((page) => ({
  ...pageBundle,
  entryPoints: [`webview/pages/${page}.ts`],
  splitting: false,
}));

/**
 * markdown-it makes a finder of bare addresses with each parser, 11 KB of it, and asks it nothing where `linkify` is
 * off, as it is in our pages (webview/content/markdown.ts).
 * @returns {import('esbuild').Plugin}
 */
function withoutLinkify() {
  return {
    name: 'without-linkify',
    setup(builder) {
      builder.onResolve({ filter: /^linkify-it$/ }, ({ path }) => ({ path, namespace: 'without-linkify' }));
      builder.onLoad({ filter: /./, namespace: 'without-linkify' }, () => ({
        contents: 'export class LinkifyIt {}',
      }));
    },
  };
}
