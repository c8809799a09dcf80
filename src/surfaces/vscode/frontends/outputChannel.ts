import { OutputChannelFrontend, type LineSink } from '../../../agents/frontends/outputChannelFrontend.js';
import { setting } from '../settings.js';
import type { TranscriptLinks } from './transcriptLinks.js';

/** Shows dispatches in the output channel, with links to the transcript; at verbosity 2 also times and tools. */
export function outputChannelFrontend(sink: LineSink, links: TranscriptLinks): OutputChannelFrontend {
  return new OutputChannelFrontend(sink, {
    detailed: () => setting('verbosity') >= 2,
    linkTo: (location) => links.markFor(location),
  });
}
