import { type Translations, useTranslations } from '../src/core/l10n.js';
import './ledger.css';
import { connectToHost } from './hostApi.js';
import { LedgerPage } from './ledger/ledgerPage.js';

const place = document.getElementById('page');
useTranslations(JSON.parse(place?.dataset.translations ?? '{}') as Translations);
const page = new LedgerPage(connectToHost());
place?.append(page.element);
void page.begin();
