/**
 * What has to be done outside this machine. In life a person does it (the wizard says what and waits until it sees the
 * result); a rehearsal site does it at once. The caller does not know which of the two it is.
 */
export interface Hands {
  /** True where a person has to do it, and therefore has to be told how. */
  readonly isPerson: boolean;
  /**
   * Puts the files generated for a host in place there and reloads its services.
   * @param host the service host's short name
   * @param filesDir the directory that holds the host's files under their paths on the host
   */
  putInPlace(host: string, filesDir: string): Promise<HandsResult>;
  /** Powers on a node (its short name) so that it boots from the network. */
  powerOn(node: string): Promise<HandsResult>;
  /** Powers off a node for good (the bootstrap node, when it has done its work). */
  powerOff(node: string): Promise<HandsResult>;
  /**
   * Asks the runner of a host (`host-run.sh`) in a person's place, with its arguments; null in life, where it is run here or over SSH.
   * @param filesDir as above
   * @returns the lines that it says; `onLine` gets each as it comes
   */
  readonly runOnHost:
    | ((
        host: string,
        filesDir: string,
        argv: readonly string[],
        telling: { readonly signal: AbortSignal; readonly onLine?: (line: string) => void },
      ) => Promise<readonly string[]>)
    | null;
  /**
   * How these hands are asked to put right what lies at a machine or in somebody else's network; null in life, and for causes that are
   * put right in another way.
   * @param cause the id of a cause
   * @returns a whole command
   */
  readonly repairing: ((cause: string) => string | null) | null;
  /** The text of a file on a host, or null where it cannot be read from here. */
  readFile(host: string, path: string): Promise<string | null>;
}

/** `done`: it was done. `asked`: a person has to do it, and the caller shows how. */
export type HandsResult = 'done' | 'asked';

/** In life: every task is a person's. */
export const humanHands: Hands = {
  isPerson: true,
  putInPlace: () => Promise.resolve('asked'),
  powerOn: () => Promise.resolve('asked'),
  powerOff: () => Promise.resolve('asked'),
  runOnHost: null,
  repairing: null,
  readFile: () => Promise.resolve(null),
};
