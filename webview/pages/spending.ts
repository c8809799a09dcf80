import { type Translations, useTranslations } from '../../src/core/l10n.js';
import './spending.css';
import { connectToHost } from '../hostApi.js';
import { SpendingPage } from '../search/spendingPage.js';

const place = document.getElementById('page');
useTranslations(JSON.parse(place?.dataset.translations ?? '{}') as Translations);
const page = new SpendingPage(connectToHost());
place?.append(page.element);
void page.begin();
