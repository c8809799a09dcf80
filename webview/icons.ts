import { el } from './dom.js';

/** The icons of VS Code's icon font that the page uses. */
export type IconName =
  | 'account'
  | 'arrow-down'
  | 'arrow-up'
  | 'bookmark'
  | 'case-sensitive'
  | 'check'
  | 'chevron-down'
  | 'chevron-right'
  | 'circle-slash'
  | 'clear-all'
  | 'close'
  | 'comment-discussion'
  | 'copy'
  | 'circle-large-outline'
  | 'debug-stop'
  | 'diff'
  | 'edit'
  | 'error'
  | 'expand-all'
  | 'collapse-all'
  | 'export'
  | 'file'
  | 'file-media'
  | 'filter'
  | 'fold'
  | 'gear'
  | 'go-to-file'
  | 'graph'
  | 'history'
  | 'hubot'
  | 'info'
  | 'keyboard'
  | 'lightbulb'
  | 'link'
  | 'link-external'
  | 'loading'
  | 'markdown'
  | 'note'
  | 'pass'
  | 'play'
  | 'question'
  | 'references'
  | 'regex'
  | 'repo-forked'
  | 'whole-word'
  | 'search'
  | 'send'
  | 'shield'
  | 'sync'
  | 'tag'
  | 'tools'
  | 'trash'
  | 'unfold'
  | 'warning'
  | 'watch'
  | 'zoom-in'
  | 'zoom-out';

/** A decorative icon: its meaning is in the text beside it or in its control's label. */
export function icon(name: IconName, extra = ''): HTMLSpanElement {
  return el('span', {
    class: `codicon codicon-${name} ${extra}`.trim(),
    attributes: { 'aria-hidden': 'true' },
  });
}
