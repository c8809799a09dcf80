import { OutputChannelFrontend, type LineSink } from '../../frontends/outputChannelFrontend.js';
import { setting } from '../settings.js';

/** Shows dispatches in the output channel: at verbosity 2 with times, tools and the place in the transcript. */
export function outputChannelFrontend(sink: LineSink): OutputChannelFrontend {
  return new OutputChannelFrontend(sink, {
    detailed: () => setting('verbosity') >= 2,
    linkTo: ({ conversation }) => `[${conversation}]`,
  });
}
