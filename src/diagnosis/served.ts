/** The boot server's answer for a file. */
export interface Served {
  readonly path: string;
  readonly isThere: boolean;
  readonly detail: string;
}
