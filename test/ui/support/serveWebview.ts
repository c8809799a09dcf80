import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Translations } from '../../../src/core/l10n.js';
import { pageHtml } from '../../../src/page/panel/pageHtml.js';
import { readTheme, type ThemeName } from '../../support/themes.js';
import { playHost } from './playHost.js';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

/** A server of a page and its own files. */
export interface ServedWebview {
  readonly origin: string;
  close(): void;
}

/** Serves a page at `/page`, and what was built for webviews. */
export async function serveWebview(html: () => string): Promise<ServedWebview> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', html).then(({ type, body }) => {
      response.writeHead(body === undefined ? 404 : 200, {
        'content-type': type,
        'cache-control': 'no-store',
      });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}

/** The real page, with VS Code's part before its own script. */
export function hostedHtml(parts: {
  readonly page: 'main' | 'search' | 'ledger' | 'spending' | 'compare';
  readonly origin: string;
  readonly theme: ThemeName;
  /** What an earlier page left behind. */
  readonly state: unknown;
  readonly translations?: Translations | undefined;
}): string {
  const { page, origin, theme, state, translations } = parts;
  const nonce = crypto.randomUUID();
  const files = { script: `/webview/${page}.js`, style: `/webview/${page}.css` };
  const html = pageHtml({ cspSource: origin, ...files, nonce, translations });
  const { bodyClass, variables } = readTheme(theme);
  const given = JSON.stringify({ bodyClass, variables, state }).replaceAll('<', '\\u003c');
  return html.replace(
    '<script',
    () => `<script nonce="${nonce}">(${playHost.toString()})(${given})</script><script`,
  );
}

async function answer(
  url: string,
  html: () => string,
): Promise<{ type: string; body: Buffer | string | undefined }> {
  if (url === '/page') return { type: 'text/html', body: html() };
  const name = /^\/webview\/([\w.-]+)/.exec(url)?.[1];
  const type = TYPES[extname(name ?? '')];
  if (name === undefined || type === undefined) return { type: 'text/plain', body: undefined };
  return { type, body: await readFile(join('dist/webview', name)) };
}
