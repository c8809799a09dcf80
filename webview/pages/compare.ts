import { type Translations, useTranslations } from '../../src/core/l10n.js';
import './compare.css';
import { connectToHost } from '../hostApi.js';
import { ComparePage } from '../compare/comparePage.js';

const place = document.getElementById('page');
useTranslations(JSON.parse(place?.dataset.translations ?? '{}') as Translations);
const page = new ComparePage(connectToHost());
place?.append(page.element);
void page.begin();
