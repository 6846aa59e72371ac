/** A command's input and output, passed in so that tests and other front ends can replace them. */
export interface CommandIo {
  /** Writes the requested result, and nothing else; the text carries its own newlines. */
  readonly stdout: (text: string) => void;
  /** Writes messages and progress. */
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths of the command line are relative to this directory. */
  readonly cwd: string;
}
