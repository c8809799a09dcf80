import { type Translations, useTranslations } from '../src/core/l10n.js';
import './main.css';
import { connectToHost } from './hostApi.js';
import { TranscriptPage } from './transcriptPage.js';

const place = document.getElementById('page');
useTranslations(JSON.parse(place?.dataset.translations ?? '{}') as Translations);
const page = new TranscriptPage(connectToHost());
place?.append(page.element);
void page.begin();
