import './main.css';
import { connectToHost } from './hostApi.js';
import { TranscriptPage } from './transcriptPage.js';

const page = new TranscriptPage(connectToHost());
document.getElementById('page')?.append(page.element);
void page.begin();
