import { type Translations, useTranslations } from '../../src/core/l10n.js';
import './search.css';
import { connectToHost } from '../hostApi.js';
import { SearchPage } from '../search/searchPage.js';

const place = document.getElementById('page');
useTranslations(JSON.parse(place?.dataset.translations ?? '{}') as Translations);
const page = new SearchPage(connectToHost());
place?.append(page.element);
void page.begin();
