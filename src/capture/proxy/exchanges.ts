/** The most bytes of a request or an answer that are recorded; what is longer goes past whole and is told as left out. */
export const MAX_COPY = 32 * 1024 * 1024;

/** A body that went past, as it was sent. */
export interface SentBody {
  /** Undefined where it was more than is kept at once. */
  readonly bytes: Uint8Array | undefined;
  /** How many bytes went past. */
  readonly length: number;
  /** What it is packed as, as headers say it; undefined for nothing. */
  readonly encoding: string | undefined;
}

/** A request that was passed on to a model. */
export interface ProxiedRequest {
  /** Its number among all that one proxy passed on. */
  readonly id: string;
  readonly body: SentBody;
  /** Where it went, without what is asked after `?`. */
  readonly url: string;
  /** When it came, in milliseconds since 1970. */
  readonly start: number;
  /** Whether the client says that it has sent this before. */
  readonly isRetry: boolean;
  /** The keys that it carries, which are not recorded wherever they stand. */
  readonly keys: readonly string[];
}

/** What came of an answer since the piece before. */
export interface AnswerBytes {
  /** The one of the request. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** What the answer is packed as. */
  readonly encoding: string | undefined;
}

/** What became of such a request. */
export interface AnsweredExchange {
  /** The one of the request. */
  readonly id: string;
  readonly body: SentBody;
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  /** When it ended, in milliseconds since 1970. */
  readonly end: number;
  /** Why it did not end well; '' where it did. */
  readonly failure: string;
}

/** Takes what a proxy passes on; it may stand on another thread. */
export interface ExchangeSink {
  /** Resolves when the request is recorded, or was told to be left out. */
  asked(exchange: ProxiedRequest): Promise<void>;
  /** Records what came of its answer meanwhile, so that it is there where nothing else comes. */
  passing(piece: AnswerBytes): Promise<void>;
  /** The same for the answer of a request that was given before. */
  answered(exchange: AnsweredExchange): Promise<void>;
}
