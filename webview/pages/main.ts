import { type Translations, useTranslations } from '../../src/core/l10n.js';
import { isBeginAgain } from '../../src/page/protocol/pageMessages.js';
import './main.css';
import { connectToHost } from '../hostApi.js';
import { TranscriptPage } from './transcriptPage.js';

const place = document.getElementById('page');
useTranslations(JSON.parse(place?.dataset.translations ?? '{}') as Translations);
const host = connectToHost();
let page = begin();
window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (!isBeginAgain(data)) return;
  page.end();
  page = begin();
});

function begin(): TranscriptPage {
  const begun = new TranscriptPage(host);
  place?.replaceChildren(begun.element);
  void begun.begin();
  return begun;
}
