/** The boot server's answer for a file. */
export interface ServedFile {
  readonly path: string;
  readonly isThere: boolean;
  readonly detail: string;
}
