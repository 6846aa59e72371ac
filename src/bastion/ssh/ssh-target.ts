/** A host, as the SSH client of this user reaches it. */
export interface SshTarget {
  /** An address or a name from the design; never unchecked text. */
  readonly host: string;
  /** Null: as the user's SSH configuration says, else 22. */
  readonly port: number | null;
  /** Null: as the user's SSH configuration says, else the user's own name. */
  readonly user: string | null;
  /** More arguments for ssh, before the host. */
  readonly options: readonly string[];
}
