/** What the boot server said of a file. */
export interface Served {
  readonly path: string;
  readonly isThere: boolean;
  readonly detail: string;
}
