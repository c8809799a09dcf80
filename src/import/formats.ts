import { agentLogbook } from './formats/agentLogbook.js';
import { agentsSdk } from './formats/agentsSdk.js';
import { agentSteps } from './formats/agentSteps.js';
import { aider } from './formats/aider.js';
import { amp } from './formats/amp.js';
import { antigravity } from './formats/antigravity.js';
import { anthropicMessages } from './formats/anthropicMessages.js';
import { anyMessages } from './formats/anyMessages.js';
import { apiTraffic } from './formats/apiTraffic.js';
import { atif } from './formats/atif.js';
import { bedrockAgent } from './formats/bedrockAgent.js';
import { bfcl } from './formats/bfcl.js';
import { braintrust } from './formats/braintrust.js';
import { chatGpt } from './formats/chatGpt.js';
import { chatMessages } from './formats/chatMessages.js';
import { chatReplay } from './formats/chatReplay.js';
import { claudeCode } from './formats/claudeCode.js';
import { claudeConsole } from './formats/claudeConsole.js';
import { claudeHooks } from './formats/claudeHooks.js';
import { clineUi } from './formats/clineUi.js';
import { codex } from './formats/codex.js';
import { codexEvents } from './formats/codexEvents.js';
import { continueDev } from './formats/continueDev.js';
import { copilotEvents } from './formats/copilotEvents.js';
import { copilotTimeline } from './formats/copilotTimeline.js';
import { crewAi } from './formats/crewAi.js';
import { cursor } from './formats/cursor.js';
import { cursorChat } from './formats/cursorChat.js';
import { cursorCli } from './formats/cursorCli.js';
import { datadogLlm } from './formats/datadogLlm.js';
import { displayText } from './formats/displayText.js';
import { functionTexts } from './formats/functionTexts.js';
import { fx } from './formats/fx.js';
import { geminiAnswer } from './formats/geminiAnswer.js';
import { droid } from './formats/droid.js';
import { geminiCli } from './formats/geminiCli.js';
import { claudeTelemetry } from './formats/claudeTelemetry.js';
import { codexTelemetry } from './formats/codexTelemetry.js';
import { geminiStream } from './formats/geminiStream.js';
import { geminiTelemetry } from './formats/geminiTelemetry.js';
import { googleAdk } from './formats/googleAdk.js';
import { goose } from './formats/goose.js';
import { inspectLog } from './formats/inspectLog.js';
import { jupyterChat } from './formats/jupyterChat.js';
import { kimi } from './formats/kimi.js';
import { langfuse } from './formats/langfuse.js';
import { langSmith } from './formats/langSmith.js';
import { lmEval } from './formats/lmEval.js';
import { moatless } from './formats/moatless.js';
import { mtBench } from './formats/mtBench.js';
import { openAiResponses } from './formats/openAiResponses.js';
import { openCode } from './formats/openCode.js';
import { openCodeReview } from './formats/openCodeReview.js';
import { openHands } from './formats/openHands.js';
import { otlp } from './formats/otlp.js';
import { pairLists } from './formats/pairLists.js';
import { pi } from './formats/pi.js';
import { promptPairs } from './formats/promptPairs.js';
import { qwenCode } from './formats/qwenCode.js';
import { rpcLog } from './formats/rpcLog.js';
import { textChat } from './formats/textChat.js';
import { uiStream } from './formats/uiStream.js';
import { vscodeChat } from './formats/vscodeChat.js';
import { weave } from './formats/weave.js';
import { zedText } from './formats/zedText.js';
import type { TranscriptFormat } from './transcriptFormat.js';

/** All formats that can be read, the most specific first: the first that recognises a file reads it. */
export const formats: readonly TranscriptFormat[] = [
  agentLogbook,
  aider,
  crewAi,
  claudeConsole,
  textChat,
  qwenCode,
  kimi,
  droid,
  goose,
  amp,
  antigravity,
  cursorCli,
  claudeCode,
  claudeHooks,
  cursor,
  cursorChat,
  codex,
  codexEvents,
  rpcLog,
  copilotEvents,
  copilotTimeline,
  chatReplay,
  vscodeChat,
  atif,
  pi,
  agentsSdk,
  clineUi,
  geminiCli,
  geminiAnswer,
  geminiStream,
  continueDev,
  geminiTelemetry,
  claudeTelemetry,
  codexTelemetry,
  otlp,
  langfuse,
  langSmith,
  braintrust,
  weave,
  datadogLlm,
  openCode,
  openCodeReview,
  inspectLog,
  lmEval,
  zedText,
  openHands,
  moatless,
  bfcl,
  mtBench,
  fx,
  jupyterChat,
  chatGpt,
  googleAdk,
  bedrockAgent,
  uiStream,
  apiTraffic,
  openAiResponses,
  anthropicMessages,
  displayText,
  functionTexts,
  chatMessages,
  agentSteps,
  promptPairs,
  pairLists,
  anyMessages,
];
