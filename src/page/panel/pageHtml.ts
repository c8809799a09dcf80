import { type Translations } from '../../core/l10n.js';
import { escapeHtml } from '../../core/escapeHtml.js';

/** Where a page's own files come from, and the nonce of its only script. */
export interface PageOptions {
  /** VS Code's `webview.cspSource`. */
  readonly cspSource: string;
  readonly script: string;
  readonly style: string;
  /** Unguessable, and new for each page. */
  readonly nonce: string;
  /** What the page is, for screen readers; a transcript where nothing is said. */
  readonly title?: string;
  /** The language of its texts, and the translations into it; English without any. */
  readonly language?: string;
  readonly translations?: Translations | undefined;
}

/** The hash of an empty style element, with which the toolkit detects browser features. */
const EMPTY_STYLE = `'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='`;

/** The page of a panel: one script by its nonce, its own style sheet and font, and nothing from anywhere else. */
export function pageHtml(options: PageOptions): string {
  const {
    cspSource,
    script,
    style,
    nonce,
    title = 'Transcript',
    language = 'en',
    translations = {},
  } = options;
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} ${EMPTY_STYLE}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
    `form-action 'none'`,
    `base-uri 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body>
<div id="page" data-translations="${escapeHtml(JSON.stringify(translations))}"></div>
<script type="module" nonce="${escapeHtml(nonce)}" src="${escapeHtml(script)}"></script>
</body>
</html>
`;
}

/** What a person can do about a notice. */
export interface NoticeLink {
  readonly words: string;
  readonly address: string;
}

/** The page of a panel that has nothing to show: a heading, the reason and what to do. */
export function noticeHtml(heading: string, words: string, link?: NoticeLink): string {
  const way = link ? `<p><a href="${escapeHtml(link.address)}">${escapeHtml(link.words)}</a></p>\n` : '';
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; form-action 'none'; base-uri 'none'">
<title>${escapeHtml(heading)}</title>
</head>
<body>
<main role="alert">
<h2>${escapeHtml(heading)}</h2>
<p>${escapeHtml(words)}</p>
${way}</main>
</body>
</html>
`;
}
