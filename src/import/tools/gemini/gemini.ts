import type { Tool } from '../tool.js';
import { geminiAnswer } from './geminiAnswer.js';
import { geminiInteractions } from './geminiInteractions.js';
import { geminiCli } from './geminiCli.js';
import { geminiStream } from './geminiStream.js';
import { geminiTelemetry } from './geminiTelemetry.js';

/** Gemini CLI: sessions, what it prints as JSON, and telemetry; interactions of Gemini's API. */
export const gemini: Tool = {
  formats: [geminiCli, geminiAnswer, geminiStream, geminiInteractions],
  telemetry: [geminiTelemetry],
};
