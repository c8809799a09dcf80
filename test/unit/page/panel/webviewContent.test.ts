import { expect, test } from 'vitest';
import { BEGIN_AGAIN, LOADED } from '../../../../src/page/protocol/pageMessages.js';
import { WebviewContent } from '../../../../src/page/panel/webviewContent.js';

const parts = { cspSource: 'none', style: 'main.css', nonce: 'n' };

function webview() {
  const shown: string[] = [];
  const posted: unknown[] = [];
  let receive: (message: unknown) => void = () => undefined;
  const played = {
    set html(html: string) {
      shown.push(/src="([^"]+)"|<h2>([^<]+)/.exec(html)?.slice(1).join('') ?? '');
    },
    onDidReceiveMessage: (listener: typeof receive) => {
      receive = listener;
      return { dispose: () => undefined };
    },
    postMessage: (message: unknown) => posted.push(message),
  };
  const content = WebviewContent.of(played);
  return {
    shown,
    posted,
    content,
    loaded: () => receive(LOADED),
    say: (message: unknown) => receive(message),
    page: (script: string) => content.page({ ...parts, script }),
    notice: (heading: string) => content.notice(heading, ''),
  };
}

test('a page that loads its files is not replaced before they are there', () => {
  const { shown, page, notice, loaded, say } = webview();
  notice('Reading 1 %');
  notice('Reading 2 %');
  page('one.js');
  page('two.js');
  say({ kind: 'request', id: 1 });
  notice('Gone');
  expect(shown).toEqual(['Reading 1 %', 'Reading 2 %', 'one.js']);
  loaded();
  expect(shown.slice(3)).toEqual(['Gone']);
  page('three.js');
  expect(shown.slice(4)).toEqual(['three.js']);
});

test('a notice says what a person can do, in a link that holds nothing but its address', () => {
  const webview = { html: '', onDidReceiveMessage: () => undefined, postMessage: () => undefined };
  const link = { words: 'Try <again>', address: 'command:x?["a\\"><b>"]' };
  WebviewContent.of(webview).notice('It is away', 'Nobody answers.', link);
  expect(webview.html).toContain(
    '<p><a href="command:x?[&quot;a\\&quot;&gt;&lt;b&gt;&quot;]">Try &lt;again&gt;</a></p>',
  );
  expect(webview.html).not.toContain('<b>');
});

test('out of sight nothing loads; what comes back loads again', () => {
  const { shown, content, page, loaded } = webview();
  page('one.js');
  page('two.js');
  content.setInSight(false);
  expect(shown).toEqual(['one.js', 'two.js']);
  page('three.js');
  expect(shown).toEqual(['one.js', 'two.js', 'three.js']);
  content.setInSight(true);
  content.setInSight(true);
  page('four.js');
  expect(shown).toHaveLength(3);
  loaded();
  expect(shown.at(-1)).toBe('four.js');
});

test('a page that is wanted again begins again by itself, once it is loaded and in sight', () => {
  const { shown, posted, content, page, notice, loaded } = webview();
  page('one.js');
  page('one.js');
  expect(posted).toEqual([]);
  loaded();
  expect(posted).toEqual([BEGIN_AGAIN]);
  page('one.js');
  expect(posted).toEqual([BEGIN_AGAIN, BEGIN_AGAIN]);
  content.setInSight(false);
  page('one.js');
  content.setInSight(true);
  loaded();
  expect(posted).toHaveLength(2);
  expect(shown).toEqual(['one.js']);
  notice('Gone');
  page('one.js');
  expect(shown).toEqual(['one.js', 'Gone', 'one.js']);
});

test('a webview has one content, whoever asks for it', () => {
  const played = { html: '', onDidReceiveMessage: () => undefined, postMessage: () => undefined };
  expect(WebviewContent.of(played)).toBe(WebviewContent.of(played));
});
