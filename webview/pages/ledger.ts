import { type Translations, useTranslations } from '../../src/core/l10n.js';
import './ledger.css';
import { connectToHost } from '../hostApi.js';
import { ApprovalLogPage } from '../approvalLog/approvalLogPage.js';

const place = document.getElementById('page');
useTranslations(JSON.parse(place?.dataset.translations ?? '{}') as Translations);
const page = new ApprovalLogPage(connectToHost());
place?.append(page.element);
void page.begin();
